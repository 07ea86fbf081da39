import Glibc
import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing

/// The built pickerctl, as a script runs it.
@Suite struct EventsCommandTests {
    @Test("The first run begins with all that is kept, the next after the last one printed")
    func goesOn() throws {
        let bench = try EventsBench()
        for _ in 1...3 { bench.bus.publish("a.b") }
        let first = try bench.runSince(["--json", "--count", "2", "a.*"])
        #expect(first.end == .exited(0))
        #expect(first.numbers == [1, 2])
        #expect(first.err.contains("no place is remembered in '\(bench.state)' yet"))
        #expect(bench.remembered == EventsBench.file("e:2"))
        bench.bus.publish("a.b")
        let second = try bench.runSince(["--json", "-n", "2", "a.*"])
        #expect(second.numbers == [3, 4])
        #expect(second.err == "")
        #expect(bench.bus.subscribeParams.last == ["topics": ["a.*"], "since": "e:2"])
        // For its owner alone, and nothing is left beside it but the lock.
        let status = try FileStatus.of(RawPath(bench.state))
        #expect(status.permissions == 0o600)
        #expect(throws: SystemError.self) { try FileStatus.of(RawPath(bench.state + ".new")) }
    }

    @Test("--replay limits the first run, and only that")
    func firstReplay() throws {
        let bench = try EventsBench()
        for _ in 1...5 { bench.bus.publish("a.b") }
        #expect(try bench.runSince(["--json", "--replay", "2", "-n", "1"]).numbers == [4])
        #expect(try bench.runSince(["--json", "--replay", "1", "-n", "1"]).numbers == [5])
        let other = try EventsBench()
        other.bus.publish("a.b")
        let process = try other.startSince(["--json", "--replay", "0"])
        #expect(other.reach { other.remembered == EventsBench.file("e:1") })
        other.bus.publish("a.b")
        #expect(other.reach { EventsBench.numbers(in: process.standardOutput) == [2] })
        process.kill(SIGTERM)
        #expect(other.finish(process).end == .killed(SIGTERM))
        #expect(other.remembered == EventsBench.file("e:2"))
    }

    @Test("Without --state the position is in the user's state folder, separate for each use")
    func standardPlace() throws {
        let bench = try EventsBench()
        bench.bus.publish("a.b")
        bench.bus.publish("a.b")
        for _ in 1...2 {
            let arguments = ["--since", "last", "--json", "-n", "1"]
            _ = try bench.run(arguments + ["a.*"])
            _ = try bench.run(arguments + ["*"])
            let elsewhere = try bench.run(
                arguments + ["*"], environment: ["XDG_STATE_HOME": bench.folder.path("xdg")])
            #expect(elsewhere.end == .exited(0))
        }
        for folder in ["home/.local/state/pickerd", "xdg/pickerd"] {
            let open = try OwnedDescriptor.openFolder(bench.folder.rawPath(folder))
            #expect(try FileStatus.of(open).permissions == 0o700)
        }
        // Six runs in pairs: each second one went on after the first.
        let asked = bench.bus.subscribeParams
        #expect(asked.filter { "\($0)".contains("e:1") }.count == 3)
        let nowhere = try bench.run(["--since", "last"], environment: ["HOME": ""])
        #expect(nowhere.end == .exited(1))
        #expect(nowhere.err.contains("--state"))
    }

    @Test("Lost events: their numbers, exit status 4, and the next run has all that is kept")
    func lost() throws {
        let bench = try EventsBench()
        try bench.folder.write("state", EventsBench.file("e:2"))
        bench.bus.capacity = 3
        for _ in 1...9 { bench.bus.publish("a.b") }
        let first = try bench.runSince(["--json", "a.*"])
        #expect(first.end == .exited(4))
        #expect(first.out == "")
        #expect(
            first.err == """
                pickerctl: up to 4 events lost (numbers 3 to 6): the daemon does not have them \
                any more; \
                run again to go on

                """)
        #expect(bench.remembered == EventsBench.file("e:6"))
        let second = try bench.runSince(["--json", "-n", "3", "a.*"])
        #expect(second.end == .exited(0))
        #expect(second.numbers == [7, 8, 9])
        #expect(second.err == "")
    }

    @Test("Later gaps: exit status 4 once, and the next run continues past them")
    func gaps() throws {
        let bench = try EventsBench()
        try bench.folder.write("state", EventsBench.file("e:1"))
        for _ in 1...3 { bench.bus.publish("a.b") }
        bench.bus.skip(5)
        for _ in 9...10 { bench.bus.publish("a.b") }
        let first = try bench.runSince(["--json"])
        #expect(first.end == .exited(4))
        #expect(first.err.contains("5 events lost (5 further on)"))
        #expect(bench.remembered == EventsBench.file("e:1\ngaps 5"))
        let second = try bench.runSince(["--json", "-n", "1"])
        #expect(second.numbers == [2] && second.end == .exited(0) && second.err == "")
        #expect(bench.remembered == EventsBench.file("e:2\ngaps 5"))
        let third = try bench.startSince(["--json", "-n", "4"])
        #expect(bench.reach { EventsBench.numbers(in: third.standardOutput).count == 3 })
        bench.bus.publish("a.b")
        #expect(bench.finish(third).numbers == [3, 9, 10, 11])
        // One newer than the subscription is behind the gap.
        #expect(bench.remembered == EventsBench.file("e:11"))
        // What was told and is no longer ahead is forgotten, at the next start and at the end.
        try bench.folder.write("state", EventsBench.file("e:8\ngaps 5"))
        #expect(try bench.runSince(["--json", "-n", "1"]).numbers == [9])
        #expect(bench.remembered == EventsBench.file("e:9"))
        try bench.folder.write("state", EventsBench.file("e:2\ngaps 6"))
        let ended = try bench.startSince(["--json"])
        #expect(bench.reach { EventsBench.numbers(in: ended.standardOutput) == [3, 9, 10, 11] })
        ended.kill(SIGTERM)
        #expect(bench.finish(ended).end == .killed(SIGTERM))
        #expect(bench.remembered == EventsBench.file("e:11"))
        // Without a file to note it in, it is told, and goes on.
        let explicit = try bench.run(["--json", "-n", "2", "--since", "e:2"])
        #expect(explicit.numbers == [3, 9] && explicit.end == .exited(0))
        #expect(explicit.err.contains("5 events lost"))
    }

    @Test("Events of another epoch: exit status 4, and the next run has all of them")
    func newEpoch() throws {
        let bench = try EventsBench()
        try bench.folder.write("state", EventsBench.file("old:900"))
        for _ in 1...2 { bench.bus.publish("a.b") }
        let first = try bench.runSince(["--json"])
        #expect(first.end == .exited(4))
        #expect(first.err.contains("begun anew: those after old:900"))
        #expect(bench.remembered == EventsBench.file("e:0"))
        let second = try bench.runSince(["--json", "-n", "2"])
        #expect(second.numbers == [1, 2])
    }

    @Test("Events lost in the middle: those before are printed, then it ends at the gap")
    func lostInTheMiddle() throws {
        let bench = try EventsBench()
        bench.bus.capacity = 5
        let process = try bench.startSince(["--json"])
        #expect(bench.reach { bench.remembered == EventsBench.file("e:0") })
        bench.bus.publish("a.b")
        bench.bus.publish("a.b")
        bench.bus.mostWaiting = 0
        for _ in 1...20 { bench.bus.publish("a.b") }
        bench.bus.mostWaiting = 256 << 10
        bench.bus.publish("a.b")
        let outcome = bench.finish(process)
        #expect(outcome.end == .exited(4))
        #expect(outcome.numbers == [1, 2])
        #expect(outcome.err.contains("16 events lost (numbers 3 to 18): slow"))
        #expect(bench.remembered == EventsBench.file("e:18"))
        #expect(try bench.runSince(["--json", "-n", "5"]).numbers == [19, 20, 21, 22, 23])
    }

    @Test("Without --since, losses are reported and the run continues")
    func lostWithoutSince() throws {
        let bench = try EventsBench()
        let process = try bench.start(["--json", "-n", "2"])
        #expect(bench.reach { !bench.bus.subscribeParams.isEmpty })
        bench.bus.publish("a.b")
        #expect(bench.reach { EventsBench.numbers(in: process.standardOutput) == [1] })
        bench.bus.beginAnew(as: "f")
        bench.bus.publish("a.c")
        bench.bus.cutConnections(of: bench.bench.server)
        let outcome = bench.finish(process)
        #expect(outcome.end == .exited(0))
        #expect(outcome.numbers == [1, 1])
        #expect(outcome.err.contains("begun anew"))
    }

    @Test("--since EPOCH:NUMBER begins after that event; --state stores the position")
    func explicitPlace() throws {
        let bench = try EventsBench()
        bench.bus.capacity = 4
        for _ in 1...6 { bench.bus.publish("a.b") }
        let arguments = ["--json", "-n", "1", "--since"]
        #expect(try bench.run(arguments + ["e:4"]).numbers == [5])
        let lost = try bench.run(arguments + ["e:1"])
        #expect(lost.end == .exited(4))
        #expect(
            lost.err.contains("1 event lost (number 2): the daemon does not have them any more; "))
        #expect(lost.err.contains("go on with --since e:2"))
        #expect(try bench.run(arguments + ["e:3", "--state", bench.state]).numbers == [4])
        #expect(bench.remembered == EventsBench.file("e:4"))
        let future = try bench.run(arguments + ["e:7"])
        #expect(future.end == .exited(1))
        #expect(future.err.contains("cannot go on after e:7"))
    }

    @Test(
        "A state file that is damaged is an error that says what to do, and stays as it is",
        arguments: [
            "", "x", "pickerctl events 1\n", "pickerctl events 1\ne:\n", "pickerctl events 1\ne:5",
            "pickerctl events 2\ne:5\n", "pickerctl events 1\ne:5\ne:6\n",
            "pickerctl events 1\ne:5\n" + String(repeating: "\n", count: 2000),
            "pickerctl events 1\ne:99999999999999999999\n", "pickerctl events 1\ne:5\ngaps 0\n",
            "pickerctl events 1\ne:5\ngap 1\n", "pickerctl events 1\ne:5\n\n",
        ])
    func damaged(_ content: String) throws {
        let bench = try EventsBench()
        try bench.folder.write("state", content)
        let outcome = try bench.runSince(["--json"])
        #expect(outcome.end == .exited(1))
        #expect(outcome.err.contains("'\(bench.state)' is damaged or no state file: remove it"))
        #expect(outcome.out == "")
        #expect(bench.remembered == content)
        #expect(bench.bus.subscribeParams == [])
    }

    @Test("A future number is refused with advice, and nothing starts over")
    func future() throws {
        let bench = try EventsBench()
        try bench.folder.write("state", EventsBench.file("e:7"))
        let outcome = try bench.runSince([])
        #expect(outcome.end == .exited(1))
        #expect(outcome.err.contains("cannot go on after e:7"))
        #expect(outcome.err.contains("remove '\(bench.state)'"))
        #expect(bench.remembered == EventsBench.file("e:7"))
    }

    @Test("An error of storing the position ends the run before the first event")
    func unwritable() throws {
        let bench = try EventsBench()
        bench.bus.publish("a.b")
        for path in [bench.folder.path("none/state"), bench.folder.path, "/dev/null"] {
            let outcome = try bench.run(["--since", "last", "--state", path])
            #expect(outcome.end == .exited(1), "\(path)")
            #expect(outcome.err.contains("the state file cannot be used"), "\(path)")
            #expect(outcome.out == "")
        }
        #expect(throws: SystemError.self) { try FileStatus.of(RawPath("/dev/null.lock")) }
        // What it would be written to first is a folder.
        try bench.folder.makeFolder("state.new")
        let outcome = try bench.runSince([])
        #expect(outcome.end == .exited(1))
        #expect(outcome.err.contains("cannot remember the place e:0 in '\(bench.state)'"))
        #expect(outcome.out == "")
    }

    @Test("Two runs with one state file: the second says so and ends, the first goes on")
    func locked() throws {
        let bench = try EventsBench()
        let first = try bench.startSince(["--json"])
        #expect(bench.reach { bench.remembered != nil })
        let second = try bench.runSince(["--json"])
        #expect(second.end == .exited(1))
        #expect(second.err.contains("another run uses the state file '\(bench.state)'"))
        let third = try bench.run(["--since", "e:0", "--state", bench.state])
        #expect(third.end == .exited(1))
        bench.bus.publish("a.b")
        #expect(bench.reach { EventsBench.numbers(in: first.standardOutput) == [1] })
        #expect(bench.reach { bench.remembered == EventsBench.file("e:1") })
        // Its lock goes with it, however it ends.
        first.kill(SIGKILL)
        #expect(bench.finish(first).end == .killed(SIGKILL))
        bench.bus.publish("a.b")
        #expect(try bench.runSince(["--json", "-n", "1"]).numbers == [2])
    }

    @Test("A quiet topic's position advances at the end, so that others don't count as lost")
    func quietTopic() throws {
        let bench = try EventsBench()
        bench.bus.capacity = 10
        for _ in 1...3 { try EventRunTests.endQuietly(bench) }
        bench.bus.publish("quiet")
        var last = try bench.runSince(["--json", "-n", "1", "quiet"])
        // A process that another test starts holds a copy of a lock from its fork to its exec.
        while last.err.contains("another run uses") {
            last = try bench.runSince(["--json", "-n", "1", "quiet"])
        }
        #expect(last.numbers == [151])
    }

    @Test("A hanging daemon does not delay the end")
    func deafDaemon() throws {
        let bench = try EventsBench()
        let process = try bench.startSince([])
        #expect(bench.reach { bench.remembered != nil })
        bench.bench.server.respond = { _, _ in }
        process.kill(SIGINT)
        #expect(bench.finish(process).end == .killed(SIGINT))
    }

    @Test("A reader that does not read: an end by signal, and no line is lost or cut")
    func stuckReader() throws {
        let bench = try EventsBench()
        bench.bus.capacity = 100_000
        for _ in 1...3000 { bench.bus.publish("a.b", "\"\(String(repeating: "x", count: 200))\"") }
        let pipe = try OutputPipe(in: bench.folder)
        // Nobody reads until the program has ended, which is when the pipe takes no more.
        let process = try bench.startSince(["--json"], writingTo: pipe)
        #expect(bench.reach { pipe.isFull })
        process.kill(SIGTERM)
        #expect(bench.finish(process).end == .killed(SIGTERM))
        let printed = try pipe.contents()
        #expect(printed.hasSuffix("}\n"))
        let first = EventsBench.numbers(in: printed)
        let count = first.count
        #expect(count > 10 && count < 1000)
        #expect(bench.remembered == EventsBench.file("e:\(count)"))
        let second = try bench.runSince(["--json", "-n", "\(3000 - count)"])
        #expect(first + second.numbers == Array(1...3000))
        // It held up the daemon, and not its own memory.
        #expect(bench.bench.server.clients.count == 2)
    }

    @Test("Over random cuts and ends by signal, all runs together print each event once")
    func randomEnds() throws {
        try withSeed { random in
            let bench = try EventsBench()
            bench.bus.capacity = 100_000
            let topics = ["a.*", "!a.no"]
            var printed: [Int] = []
            for _ in 0..<12 {
                let process = try bench.startSince(["--json"] + topics)
                for _ in 0..<Int.random(in: 1..<40, using: &random) {
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0: bench.bus.cutConnections(of: bench.bench.server)
                    case 1:
                        let before = process.standardOutput.utf8.count
                        var looks = 0
                        _ = bench.reach {
                            looks += 1
                            return looks > 5 || process.standardOutput.utf8.count > before
                        }
                    default:
                        for _ in 0..<Int.random(in: 0..<30, using: &random) {
                            let topic = ["a.yes", "a.no", "b"].randomElement(using: &random)
                            let size = Int.random(in: 0..<600, using: &random)
                            bench.bus.publish(
                                topic ?? "b", "\"\(String(repeating: "y", count: size))\"")
                        }
                    }
                }
                process.kill(random.chance(0.5) ? SIGTERM : SIGINT)
                let outcome = bench.finish(process)
                #expect(!outcome.err.contains("lost (") && outcome.end != .exited(1))
                printed += outcome.numbers
                let expected = bench.bus.numbers(of: topics)
                try #require(
                    printed == Array(expected.prefix(printed.count)), "seed \(random.seed)")
            }
            let expected = bench.bus.numbers(of: topics)
            let left = expected.count - printed.count
            if left > 0 {
                printed += try bench.runSince(["--json", "-n", "\(left)"] + topics).numbers
            }
            #expect(printed == expected, "seed \(random.seed)")
        }
    }

    @Test(
        "Options that do not go together are wrong usage",
        arguments: [
            ["--since", "never"], ["--since", "e:-1"], ["--state", "x"],
            ["--since", "last", "--state", ""], ["--since", "e:1", "--replay", "3"],
            ["--count", "0"], ["--count", "x"], ["--exec", "x", "--json"], ["--exec", " "],
            ["--exec", "echo '{}'"], ["--exec", "echo \"{}\""],
        ])
    func usage(_ arguments: [String]) throws {
        let bench = try EventsBench()
        let outcome = try bench.run(arguments)
        #expect(outcome.end == .exited(2))
        #expect(outcome.err.hasPrefix("pickerctl: "))
        #expect(bench.bus.subscribeParams == [])
    }
}
