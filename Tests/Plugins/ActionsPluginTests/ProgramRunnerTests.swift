import EventLoops
import Glibc
import PickerModel
import PluginInterface
import SystemInterface
import TestSupport
import Testing

@testable import ActionsPlugin

@Suite struct ProgramRunnerTests {
    private struct Unexpected: Error {}

    private let place: TemporaryFolder
    private let loop = FakeLoop()
    private let ticket: OutcomeTally.Ticket
    private let tally: OutcomeTally

    init() throws {
        place = try TemporaryFolder()
        try place.makeFolder("bin")
        tally = OutcomeTally(
            of: ActionRun(
                DesktopActions.open, on: [], arguments: nil, progress: { _, _ in }, end: { _ in }))
        ticket = tally.ticket
    }

    private func program(_ text: String) throws {
        try place.write("bin/gio", "#!/bin/sh\n" + text)
        // The path is a C string for the length of the call.
        let result = unsafe chmod(place.path("bin/gio"), 0o755)
        #expect(result == 0)
    }

    private func runner() -> ProgramRunner {
        ProgramRunner(
            on: loop,
            environment: [
                "PATH": place.path("bin") + ":relative:/usr/bin:/bin", "OUT": place.path("out"),
                "NOTIFY_SOCKET": "/n",
            ], runtimeFolder: nil)
    }

    private func outcome(_ program: DesktopProgram = .open("file:///a")) -> ActionOutcome? {
        let runner = runner()
        var outcome: ActionOutcome?
        runner.run(program, ticket) { outcome = $0 }
        #expect(loop.run { outcome != nil })
        return outcome
    }

    @Test("A program gets the URI as one word, and none of the daemon's own variables")
    func words() throws {
        try program("printf '<%s>' \"$@\" \"${NOTIFY_SOCKET:-none}\" >\"$OUT\"")
        #expect(outcome(.open("file:///-a%0Ab$c'd")) == .done)
        #expect(try place.contents(of: "out") == "<open><file:///-a%0Ab%24c%27d><none>")
    }

    @Test("What it said last is the error; without a word, how it ended")
    func errors() throws {
        try program("echo first; echo 'gio: /a: no such thing' >&2; echo >&2; exit 2")
        #expect(outcome() == .failed("gio open: /a: no such thing"))
        try program("exit 2")
        #expect(outcome() == .failed("'gio open' ended with the status 2"))
        try program("kill -9 $$")
        #expect(outcome() == .failed("'gio open' was ended by the signal 9"))
        try program("head -c 9000000 /dev/zero | tr '\\0' x; exit 3")
        guard case .failed(let error)? = outcome() else { throw Unexpected() }
        #expect(error.utf8.count < 600)
    }

    @Test("Without the program, that is said")
    func missing() throws {
        let runner = ProgramRunner(on: loop, environment: ["PATH": "/none"], runtimeFolder: nil)
        var outcome: ActionOutcome?
        runner.run(.trash("file:///a"), ticket) { outcome = $0 }
        #expect(loop.run { outcome != nil })
        guard case .failed(let error)? = outcome else { throw Unexpected() }
        #expect(error.contains("'gio' is not installed"))
    }

    @Test("Few run at once, the others wait; what is cancelled before it begins never does")
    func few() throws {
        try program("echo x >>\"$OUT\"; read line <\"$(dirname \"$0\")/gate\"; exit 0")
        place.makePipe("bin/gate")
        let gate = try OwnedDescriptor.open(place.rawPath("bin/gate"), flags: O_RDWR)
        let runner = runner()
        var outcomes: [ActionOutcome] = []
        let run = ActionRun(
            DesktopActions.open,
            on: (0..<10).map { ActionTarget(key: "\($0)", path: FileName("/\($0)")) },
            arguments: nil,
            progress: { _, _ in }, end: { if case .success(let all) = $0 { outcomes = all } })
        let tally = OutcomeTally(of: run)
        for index in 0..<10 {
            runner.run(.open("file:///\(index)"), tally.ticket) { tally.set($0, at: index) }
        }
        #expect(loop.run { (try? place.contents(of: "out").count) == 8 })
        run.cancel()
        try gate.writeAll(Array(String(repeating: "go\n", count: 4).utf8))
        #expect(loop.run { outcomes.count == 10 })
        #expect(outcomes.filter(\.isDone).count == 4)
        #expect(try place.contents(of: "out").count == 8)
    }

    @Test("A program that does not end is ended after 30 s")
    func late() throws {
        try program("echo x >\"$OUT\"; exec sleep 1000")
        let runner = runner()
        var outcome: ActionOutcome?
        runner.run(.open("file:///a"), ticket) { outcome = $0 }
        #expect(loop.run { (try? place.contents(of: "out")) == "x\n" })
        loop.advance(by: .seconds(29))
        #expect(outcome == nil)
        loop.advance(by: .seconds(2))
        #expect(loop.run { outcome != nil })
        #expect(outcome == .failed("'gio open' did not end within 30 s, and was ended"))
    }

    @Test("An application that is left behind may print as much as it likes, and goes on")
    func leftBehind() throws {
        try program(
            """
            (while [ ! -e "$OUT.end" ]; do echo much; done; echo alive >"$OUT") &
            exit 0
            """)
        #expect(outcome() == .done)
        try place.write("out.end")
        #expect(waitUntil { (try? place.contents(of: "out")) == "alive\n" })
    }
}
