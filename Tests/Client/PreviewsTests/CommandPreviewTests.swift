import Glibc
import PickerClient
import Picking
import Previews
import SystemInterface
import TerminalCells
import TestSupport
import Testing

@Suite("Previews that a command prints")
struct CommandPreviewTests {
    private let bench: PreviewBench

    init() throws { bench = try PreviewBench() }

    /// The number of the group that a command prints in its first line.
    private func group() throws -> Int {
        #expect(bench.reach { bench.text != nil })
        return try #require(bench.text?.first.flatMap { Int($0) })
    }

    @Test("The path and the query are arguments, of which the shell obeys nothing")
    func arguments() throws {
        let name = "a '\"$(touch x)`touch y`;\\n*  b"
        bench.show(name, command: "printf '%s\\n' {} {q} \"$PICKERD_PATH\"", query: "'q\"$(x)")
        let path = bench.folder.path(name)
        #expect(bench.reach { bench.text == [path, "'q\"$(x)", path] }, "\(bench.told)")
    }

    @Test("A path that is not UTF-8 reaches the command as it is")
    func rawPath() throws {
        let path = Array(bench.folder.path("n").utf8) + [0xFF, 0x5C, 0x27, 0x0A, 0x0A]
        let file = try OwnedDescriptor.open(
            try #require(RawPath(bytes: path)), flags: O_WRONLY | O_CREAT)
        try file.writeAll(Array("content".utf8))
        bench.show(path: path, "cat {} \"$PICKERD_PATH\"; echo; echo {q}", [], "query")
        #expect(bench.reach { bench.text == ["contentcontent", "query"] }, "\(bench.told)")
    }

    @Test("The size of the preview is in the environment, and nothing is on the standard input")
    func environment() throws {
        bench.show(
            command: "cat; echo $COLUMNS $LINES $FZF_PREVIEW_COLUMNS $FZF_PREVIEW_LINES; echo e >&2"
        )
        #expect(bench.reach { bench.text == ["80 20 80 20", "e"] }, "\(bench.told)")
    }

    @Test(
        "A command that can't be meant so is refused",
        arguments: ["", " \t", "cat '{}'", "cat \"{}\"", "grep '{q}' {}", "grep \"{q}\" {}"])
    func refused(line: String) throws {
        #expect(throws: ShellLineError.self) { try PreviewCommand(line) }
        bench.show(command: line)
        #expect(bench.content()?.failure?.hasPrefix("The command can't be run: ") == true)
    }

    @Test("The colors of a command's output are kept, and what else a terminal would obey is not")
    func colors() throws {
        bench.show(command: "printf 'a\\033[1mb\\033[0m\\033[2J\\033]0;t\\007c\\\\'")
        var line = StyledText()
        line.append(content: "a")
        line.append(content: "b", style: CellStyle(isBold: true))
        line.append(content: "c\\")
        #expect(bench.content() == .text([line], firstMatch: nil, isCut: false))
    }

    @Test("What a command prints is shown as it comes")
    func gradual() throws {
        bench.folder.makePipe("pipe")
        bench.show("pipe", command: "echo first; read line < {}; echo $line")
        #expect(bench.reach { bench.text == ["first"] })
        try bench.folder.write("pipe", "second\n")
        #expect(bench.reach { bench.text == ["first", "second"] })
    }

    @Test("Output and end that come in one turn are told once")
    func once() throws {
        // No time passes, so that it is not said to be loading.
        let bench = try PreviewBench(clock: TestClock())
        bench.show(command: "echo $$ > {}; echo text")
        let name = "file"
        #expect(
            waitUntil {
                guard let text = try? bench.folder.contents(of: name).dropLast(),
                    let pid = Int(text)
                else { return false }
                return isZombie(pid)
            })
        #expect(bench.reach { bench.text == ["text"] }, "\(bench.told)")
        #expect(bench.told.count == 1)
    }

    @Test("How a command failed is shown below its output")
    func failures() throws {
        for (command, content) in [
            (
                "echo a; exit 3",
                PreviewContent.text(
                    [
                        StyledText(escaping: "a"),
                        StyledText(
                            escaping: "The command ended with exit status 3",
                            style: CellStyle(isDim: true)),
                    ], firstMatch: nil, isCut: false)
            ),
            ("exit 4", .failed("The command ended with exit status 4")),
            ("kill -9 $$", .failed("The command was ended by signal 9")),
            ("true", .failed("The command printed nothing")),
        ] {
            bench.show(command: command)
            #expect(bench.reach { bench.last == content }, "\(command): \(bench.told)")
        }
    }

    @Test("A command ends with its whole group when another preview is wanted")
    func killed() throws {
        bench.show(command: "sleep 1000 & echo $$; wait")
        let group = try group()
        #expect(livingProcesses(ofGroup: group).count == 2)
        bench.show(command: "echo next")
        #expect(bench.reach { childProcesses().allSatisfy { $0 != group } })
        #expect(waitUntil { livingProcesses(ofGroup: group).isEmpty })
        #expect(bench.reach { bench.text == ["next"] })
    }

    @Test("A command that ignores its end is killed after a while")
    func stubborn() throws {
        bench.show(command: "trap '' TERM; echo $$; sleep 1000 & wait; sleep 1000")
        let group = try group()
        bench.showNone()
        #expect(bench.reach { livingProcesses(ofGroup: group).isEmpty })
        #expect(bench.reach { !childProcesses().contains(group) })
    }

    @Test("A process of the group has time to clean up, although the shell has ended")
    func cleanUp() throws {
        // No time passes, so that it has all the time that it needs.
        let bench = try PreviewBench(clock: TestClock())
        bench.show(
            command: """
                sh -c 'trap "sleep 0.02; echo done > \\"$1\\"; exit" TERM; echo ready
                    while :; do sleep 0.005; done' sh {} &
                wait
                """)
        #expect(bench.reach { bench.text == ["ready"] })
        bench.showNone()
        #expect(bench.reach { (try? bench.folder.contents(of: "file")) == "done\n" })
    }

    @Test("What a command leaves behind is killed when its shell has ended")
    func leftBehind() throws {
        bench.show(command: "echo $$; sleep 1000 &")
        let group = try group()
        #expect(bench.reach { !childProcesses().contains(group) })
        #expect(waitUntil { livingProcesses(ofGroup: group).isEmpty })
        #expect(bench.text?.count == 1)
    }

    @Test("Output without an end is cut, and the command is ended")
    func endless() throws {
        bench.show(command: "echo $$; yes 2>&1")
        let group = try group()
        #expect(bench.reach { !childProcesses().contains(group) })
        #expect(waitUntil { livingProcesses(ofGroup: group).isEmpty })
        #expect(bench.last?.isCut == true)
        #expect(bench.text?.count == AnsiText.mostLines)
    }

    @Test("Output is read up to its limit, and not beyond")
    func limit() throws {
        let most = 1 << 20
        bench.show(command: "head -c \(most - 2) /dev/zero; echo a")
        #expect(bench.reach { bench.text == ["a"] }, "\(bench.told)")
        #expect(bench.last?.isCut == false)
        bench.show(command: "head -c \(most) /dev/zero; echo a")
        let why = "The command printed much, but no text"
        #expect(bench.reach { bench.last == .failed(why) }, "\(bench.told)")
    }

    @Test("When too many commands have not ended, the next one waits for them")
    func manyCommands() throws {
        bench.runner.mostCommands = 1
        bench.show(command: "trap '' TERM; echo ready; sleep 1000 & wait; sleep 1000")
        #expect(bench.reach { bench.text == ["ready"] })
        bench.show(command: "echo next")
        #expect(bench.reach { bench.text == ["next"] }, "\(bench.told)")
        let why = "The command can't be run now: 1 before it have not ended"
        #expect(bench.told.contains(.failed(why)))
    }

    @Test("The end of the program leaves no command behind")
    func close() throws {
        bench.show(command: "trap '' TERM; echo $$; sleep 1000 & wait; sleep 1000")
        let group = try group()
        bench.runner.close()
        #expect(!childProcesses().contains(group))
        #expect(waitUntil { livingProcesses(ofGroup: group).isEmpty })
    }

    @Test("Many quick moves leave no descriptor and no process behind")
    func manyMoves() async {
        await #expect(processExitsWith: .success) {
            let clock = TestClock()
            let bench = try PreviewBench(clock: clock)
            try bench.folder.write("file", "text")
            bench.show(command: "echo text")
            precondition(bench.reach { bench.text == ["text"] })
            bench.show()
            clock.pass(milliseconds: 30)
            precondition(bench.reach { bench.text == ["text"] })
            bench.showNone()
            precondition(bench.reach { childProcesses().isEmpty })
            let descriptors = try openDescriptors()
            for round in 0..<300 {
                clock.pass(milliseconds: 40)
                switch round % 4 {
                case 0: bench.show()
                case 1: bench.show(command: "yes")
                default: bench.show(command: "sleep 1000 & wait")
                }
                if round % 3 == 0 { bench.turn() }
            }
            bench.showNone()
            clock.pass(milliseconds: 400)
            precondition(bench.reach { childProcesses().isEmpty })
            precondition(waitpid(-1, nil, WNOHANG) == -1, "a child is left")
            // Two more threads may have been started to read files, each with two descriptors.
            let left = try openDescriptors() - descriptors
            precondition((0...4).contains(left), "\(left) descriptors are left")
        }
    }
}

/// The number of open descriptors.
private func openDescriptors() throws -> Int {
    var reader = try DirectoryReader(opening: RawPath("/proc/self/fd"))
    var count = 0
    while try reader.readBatch({ _ in count += 1 }) {}
    return count
}
