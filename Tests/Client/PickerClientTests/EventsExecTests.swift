import Foundation
import Glibc
import SystemInterface
import TestSupport
import Testing
import WireProtocol

/// `pickerctl events --exec`, the built one.
@Suite struct EventsExecTests {
    @Test("Each event is the command's {}, its input and its variables, in order")
    func forms() throws {
        let bench = try EventsBench()
        bench.bus.publish("a.b", #"{"key":"k1","path":"d/x y"}"#)
        bench.bus.publish("a.c")
        bench.bus.publish("a.d", #"[{"key":"inner"}]"#)
        let outcome = try bench.runSince([
            "-n", "3", "--exec",
            #"printf '%s\n' {} "$PICKERD_SEQ|$PICKERD_TOPIC|$PICKERD_TIME|$PICKERD_DATA"#
                + #"|$PICKERD_KEY|$PICKERD_PATH"; cat"#,
        ])
        #expect(outcome.end == .exited(0))
        let events = [
            #"{"seq":1,"time":1.5,"topic":"a.b","data":{"key":"k1","path":"d/x y"},"replayed":true}"#,
            #"{"seq":2,"time":1.5,"topic":"a.c","replayed":true}"#,
            #"{"seq":3,"time":1.5,"topic":"a.d","data":[{"key":"inner"}],"replayed":true}"#,
        ]
        let variables = [
            #"1|a.b|1.5|{"key":"k1","path":"d/x y"}|k1|d/x y"#, "2|a.c|1.5|||",
            #"3|a.d|1.5|[{"key":"inner"}]||"#,
        ]
        let expected = zip(events, variables).map { "\($0)\n\($1)\n\($0)\n" }.joined()
        #expect(outcome.out == expected)
        #expect(bench.remembered == EventsBench.file("e:3"))
    }

    @Test(
        "The shell never runs any part of an event",
        arguments: [
            #"'; touch pwned; '"#, #"\"; touch pwned; \""#, "$(touch pwned)", "`touch pwned`",
            #"a\nb; touch pwned\n"#, #"\\'; touch pwned #"#, "*", "~", "-n",
            #"x\u0000; touch pwned"#,
            "{}", "$1 ${PICKERD_SEQ} %s", "| touch pwned &",
        ])
    func hostile(_ text: String) throws {
        let bench = try EventsBench()
        let data = #"{"path":"\#(text)","key":"\#(text)"}"#
        bench.bus.publish("a.b", data)
        // Well and badly quoted: both may print something odd, and neither may run anything.
        let lines = ["printf '%s' {}", "printf '%s' \"is {} it\"", "printf '%s' 'is {} it'"]
        for line in lines {
            let outcome = try bench.run([
                "--since", "e:0", "-n", "1", "--exec",
                "cd '\(bench.folder.path)'; \(line); printf '%s' \"$PICKERD_PATH\"",
            ])
            #expect(outcome.end == .exited(0))
            #expect((try? bench.folder.contents(of: "pwned")) == nil, "\(line)")
            if line == lines[0] { #expect(outcome.out.contains(data)) }
        }
    }

    @Test("A variable that can't be passed on completely is not set")
    func variablesLeftOut() throws {
        let bench = try EventsBench()
        bench.bus.publish("a.b", #"{"path":"x\u0000y","key":"k"}"#)
        bench.bus.publish("a.b", #"{"path":"b\ufffd","pathB64":"Yv8="}"#)
        let outcome = try bench.runSince([
            "-n", "2", "--exec", "echo \"${PICKERD_PATH-unset}|${PICKERD_KEY-unset}\"",
        ])
        #expect(outcome.out == "unset|k\n|\n")
    }

    @Test("A failed command is reported and does not stop the run")
    func failing() throws {
        let bench = try EventsBench()
        for _ in 1...3 { bench.bus.publish("a.b") }
        let outcome = try bench.runSince([
            "-n", "3", "--exec",
            "echo $PICKERD_SEQ; case $PICKERD_SEQ in 1) exit 7 ;; 2) kill -9 $$ ;; esac",
        ])
        #expect(outcome.end == .exited(0))
        #expect(outcome.out == "1\n2\n3\n")
        #expect(outcome.err.contains("event 1: the command ended with exit status 7\n"))
        #expect(outcome.err.contains("event 2: the command was ended by signal 9\n"))
        #expect(bench.remembered == EventsBench.file("e:3"))
    }

    @Test("An event too long for an argument ends the run before it; as input it goes through")
    func tooLong() throws {
        let bench = try EventsBench()
        bench.bus.publish("a.b")
        bench.bus.publish("a.b", "\"\(String(repeating: "x", count: 200_000))\"")
        bench.bus.publish("a.b")
        let first = try bench.runSince(["--exec", "printf %s {} | wc -c"])
        // The third has not been tried.
        #expect(first.out.split(separator: "\n").count == 1)
        #expect(first.end == .exited(1))
        #expect(first.err.contains("event 2 has 200"))
        #expect(first.err.contains("leave {} out"))
        #expect(bench.remembered == EventsBench.file("e:1"))
        let second = try bench.runSince([
            "-n", "1", "--exec", "echo \"$PICKERD_SEQ ${PICKERD_DATA-unset}\"; wc -c",
        ])
        #expect(second.end == .exited(0))
        #expect(second.out.hasPrefix("2 unset\n200"))
        #expect(bench.remembered == EventsBench.file("e:2"))
    }

    @Test("Commands run one at a time; a flood waits in the daemon and not in this program")
    func flood() throws {
        let bench = try EventsBench()
        bench.bus.capacity = 100_000
        bench.folder.makePipe("go")
        // The first command waits for a line in the pipe; the others must not overlap with any.
        let process = try bench.startSince([
            "-n", "30", "--exec",
            "cd '\(bench.folder.path)'; mkdir busy || echo overlap; "
                + "if [ $PICKERD_SEQ = 1 ]; then read line <go; fi; "
                + "echo $PICKERD_SEQ; rmdir busy",
        ])
        #expect(bench.reach { bench.remembered == EventsBench.file("e:0") })
        let text = "\"\(String(repeating: "x", count: 1000))\""
        for _ in 1...20_000 { bench.bus.publish("a.b", text) }
        let before = try ownKilobytes(of: process.pid)
        let client = try #require(bench.bench.server.clients.last)
        #expect(bench.reach { client.waitingBytes >= bench.bus.mostWaiting })
        var looks = 0
        _ = bench.reach {
            looks += 1
            return looks > 50
        }
        #expect(client.waitingBytes >= bench.bus.mostWaiting)
        // 20 MB wait; a few hundred kilobytes of it can be in this program.
        let grown = try ownKilobytes(of: process.pid) - before
        #expect(grown < 4096)
        #expect(bench.remembered == EventsBench.file("e:0"))
        try "go\n".write(toFile: bench.folder.path("go"), atomically: false, encoding: .utf8)
        let outcome = bench.finish(process)
        #expect(outcome.end == .exited(0))
        #expect(outcome.out == (1...30).map { "\($0)\n" }.joined())
        #expect(bench.remembered == EventsBench.file("e:30"))
    }

    /// Its memory but for its files, of which a part is read in when it is first needed.
    private func ownKilobytes(of pid: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test("A signal is passed on to the command, which is awaited, and its event counts")
    func signal() throws {
        let bench = try EventsBench()
        for _ in 1...3 { bench.bus.publish("a.b") }
        let process = try bench.startSince([
            "--exec",
            "trap 'echo told; trap - TERM' TERM; echo begun; while [ ! -e '"
                + bench.folder.path("end") + "' ]; do sleep 0.01; done; echo ended",
        ])
        #expect(bench.reach { process.standardOutput == "begun\n" })
        process.kill(SIGTERM)
        #expect(bench.reach { process.standardOutput == "begun\ntold\n" })
        #expect(process.isRunning)
        #expect(bench.remembered == EventsBench.file("e:0"))
        try bench.folder.write("end")
        let outcome = bench.finish(process)
        #expect(outcome.end == .killed(SIGTERM))
        #expect(outcome.out == "begun\ntold\nended\n")
        #expect(bench.remembered == EventsBench.file("e:1"))
        let next = try bench.runSince(["-n", "2", "--exec", "echo $PICKERD_SEQ"])
        #expect(next.out == "2\n3\n")
    }

    @Test("A failure of the connection waits for the running command")
    func refusedMeanwhile() throws {
        let bench = try EventsBench()
        bench.bus.publish("a.b")
        let process = try bench.startSince([
            "--exec",
            "echo begun; while [ ! -e '\(bench.folder.path("end"))' ]; do sleep 0.01; done; "
                + "echo ended",
        ])
        #expect(bench.reach { process.standardOutput == "begun\n" })
        // All later subscriptions are refused.
        bench.bench.server.respond = { $1.refuse($0, .conflict("no")) }
        bench.bus.cutConnections(of: bench.bench.server)
        #expect(bench.reach { bench.bench.server.clients.count == 2 })
        #expect(process.isRunning)
        try bench.folder.write("end")
        let outcome = bench.finish(process)
        #expect(outcome.end == .exited(1))
        #expect(outcome.out == "begun\nended\n")
        #expect(bench.remembered == EventsBench.file("e:1"))
    }

    @Test("After a kill at any moment no event is missed and at most the current one repeated")
    func randomKills() throws {
        try withSeed { random in
            let bench = try EventsBench()
            bench.bus.capacity = 100_000
            let seen = bench.folder.path("seen")
            try bench.folder.write("seen")
            var kills = 0
            func numbers() throws -> [Int] {
                try bench.folder.contents(of: "seen").split(separator: "\n").compactMap { Int($0) }
            }
            // Its command outlives a run that is killed. Only when that is done, too, does the next run
            // begin: else an event at hand could be noted behind later ones.
            let output = try OutputPipe(in: bench.folder, holdsOpen: false)
            let command = ["--exec", "echo $PICKERD_SEQ >>'\(seen)'", "a.*"]
            for _ in 0..<8 {
                let process = try bench.startSince(command, writingTo: output)
                for _ in 0..<Int.random(in: 1..<20, using: &random) {
                    bench.bus.publish(random.chance(0.7) ? "a.b" : "b")
                }
                if random.chance(0.3) { bench.bus.cutConnections(of: bench.bench.server) }
                let goal = try numbers().count + Int.random(in: 0..<8, using: &random)
                let waiting = bench.bus.numbers(of: ["a.*"]).count
                _ = bench.reach { ((try? numbers()) ?? []).count >= min(goal, waiting) }
                process.kill(SIGKILL)
                kills += 1
                #expect(bench.finish(process).end == .killed(SIGKILL))
                #expect(bench.reach { output.isLeft })
            }
            let expected = bench.bus.numbers(of: ["a.*"])
            let process = try bench.startSince(command)
            #expect(bench.reach { (try? numbers().last) == expected.last }, "seed \(random.seed)")
            process.kill(SIGTERM)
            _ = bench.finish(process)
            let all = try numbers()
            #expect(Set(all) == Set(expected), "seed \(random.seed)")
            #expect(all.count <= expected.count + kills, "seed \(random.seed)")
            // Repeats come right after themselves, so the order is kept.
            #expect(all == all.sorted(), "seed \(random.seed)")
        }
    }
}
