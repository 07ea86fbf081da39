import EventLoops
import Foundation
import SystemInterface
import TestSupport
import Testing
import TransientServices

/// What a service has and may do, and how it ends, by a real service manager.
@Suite("Services of a real manager", .serialized, .enabled(if: LiveManager.isThere))
struct LiveServiceTests {
    @Test("the manager answers, and knows our unit")
    func identity() throws {
        let test = try LiveManager()
        let answer = try test.answer { test.client.identify(done: $0) }
        #expect(try answer?.get().unit == .some(LiveManager.unit))
    }

    @Test("descriptor 3 works in both directions, and what is printed arrives")
    func descriptors() throws {
        let test = try LiveManager()
        let service = try test.start(
            test.shell(
                "read line <&3; echo \"got $line\" >&3; echo out; echo err >&2; "
                    + "cat; ls -m /proc/self/fd; read more <&3"))
        try service.send("hello\n")
        #expect(try service.line() == "got hello\n")
        try UnixSocket.finishSending(on: service.socket.descriptor)
        let lines = try service.allOutput().split(separator: "\n")
        // The last number is that of the listing itself.
        #expect(lines == ["out", "err", "0, 1, 2, 3, 4"])
        let end = try test.end(service)
        #expect(end == .exited(1))
    }

    @Test("the environment has its variables alone, and arguments are not expanded")
    func environment() throws {
        let test = try LiveManager()
        var service = test.service(["/usr/bin/env"])
        service.environment = ["B": "$HOME %h", "A": "a=b \"'\n", "PICKERD_API": "1"]
        var outcome = try test.outcome(service)
        #expect(outcome.text == "A=a=b \"'\n\nB=$HOME %h\nPICKERD_API=1\n")
        service = test.service(["/usr/bin/printf", "%s|", "$HOME", "%h", "${A}", "a b", "", "ä"])
        outcome = try test.outcome(service)
        #expect(outcome.text == "$HOME|%h|${A}|a b||ä|")
    }

    @Test("a program may have a = in its path")
    func equalSign() throws {
        let test = try LiveManager()
        let folder = try HomeFolder("a=b")
        try folder.write("program", "#!/bin/sh\nnice\n", mode: 0o700)
        let outcome = try test.outcome(test.service([folder.path + "/program"]))
        #expect(outcome.text == "10\n")
    }

    @Test("it runs where it should, in a group of its own in the slice of apps")
    func place() throws {
        let test = try LiveManager()
        var service = test.shell("pwd; grep ^0:: /proc/self/cgroup; nice; umask; ulimit -c")
        service.folder = "/usr"
        let lines = try test.outcome(service).text.split(separator: "\n")
        try #require(lines.count == 5)
        #expect(lines[0] == "/usr")
        #expect(lines[1].hasSuffix("/app.slice/app-pickerd.slice/\(service.name)"))
        #expect(lines[2...] == ["10", "0077", "0"])
    }

    @Test(
        "the manager knows it still when it has read its units again",
        .enabled(if: LiveManager.unit == nil, "in its sandbox the daemon starts no programs"))
    func reload() throws {
        let test = try LiveManager()
        let service = try test.start(test.shell("read more <&3; exit 4"))
        let show = ["show", "--property", "LoadState", "--value", service.name]
        for arguments in [["daemon-reload"], show] {
            let systemctl = Process()
            systemctl.executableURL = URL(filePath: "/usr/bin/systemctl")
            systemctl.arguments = ["--user"] + arguments
            let output = Pipe()
            systemctl.standardOutput = output
            try systemctl.run()
            let text = try output.fileHandleForReading.readToEnd()
            systemctl.waitUntilExit()
            #expect(systemctl.terminationStatus == 0)
            if arguments == show { #expect(text == Data("loaded\n".utf8)) }
        }
        try service.send("now\n")
        #expect(try test.end(service) == .exited(4))
    }

    @Test("each end is told")
    func ends() throws {
        let test = try LiveManager()
        let ends: [(String, ServiceEnd)] = [
            ("exit 3", .exited(3)), ("exit 203", .exited(203)), ("kill -9 $$", .killed(9)),
            ("kill -11 $$", .killed(11)),
        ]
        for (script, end) in ends {
            let outcome = try test.outcome(test.shell(script))
            #expect(outcome.end == end, "\(script)")
        }
        let good = try test.outcome(test.shell("exit 0")).end
        #expect(good == .forgotten || good == .exited(0))
        let unknown = try test.answer {
            test.client.end(of: "pickerd-plugin-none-1.service", done: $0)
        }
        #expect(unknown == .success(.forgotten))
    }

    @Test("the start is told, or the end that came before it; then the manager has forgotten it")
    func starts() throws {
        let test = try LiveManager()
        let service = try test.start(test.shell("read line <&3; exit 3"))
        let running = try test.answer { test.client.awaitStart(of: service.name, done: $0) }
        #expect(running == .success(nil))
        try service.send("go\n")
        #expect(try test.end(service) == .exited(3))
        var wrong = test.shell("exit 0")
        wrong.folder = "/nonexistent"
        let failed = try test.start(wrong)
        let start = try test.answer { test.client.awaitStart(of: failed.name, done: $0) }
        #expect(start == .success(.startFailed(status: 200)))
        let again = try test.answer { test.client.awaitStart(of: failed.name, done: $0) }
        #expect(again == .success(.forgotten))
    }

    @Test("the units bound to another are found, running and failed ones, and no others")
    func units() throws {
        let test = try LiveManager()
        let first = try test.start(test.shell("exec sleep 1000"))
        var description = test.shell("exec sleep 1000")
        description.boundUnit = first.name
        let bound = try test.start(description)
        description = test.shell("exit 5")
        description.boundUnit = first.name
        let failed = try test.start(description)
        _ = try failed.allOutput()
        let found = try test.answer {
            test.client.units(
                matching: "pickerd-plugin-*.service", boundTo: first.name, done: $0)
        }
        #expect(try found?.get().sorted() == [bound.name, failed.name].sorted())
        let other = try test.answer {
            test.client.units(matching: "pickerd-other-*.service", boundTo: first.name, done: $0)
        }
        #expect(try other?.get() == [])
        #expect(try test.end(failed) == .exited(5))
        try test.answer { test.client.kill(first.name, done: $0) }?.get()
        #expect(try test.end(bound) == .forgotten)
        #expect(try test.end(first) == .killed(9))
    }

    @Test("a program that can't be executed is a failed start")
    func failedStarts() throws {
        let test = try LiveManager()
        let missing = try test.outcome(test.service(["/nonexistent/program"]))
        #expect(missing.end == .startFailed(status: 127))
        #expect(missing.text.contains("/nonexistent/program"))
        let plain = try test.outcome(test.service(["/etc/passwd"]))
        #expect(plain.end == .startFailed(status: 126))
        var service = test.shell("exit 0")
        service.folder = "/nonexistent"
        #expect(try test.outcome(service).end == .startFailed(status: 200))
    }

    @Test(
        "too much memory is told from other ends",
        .enabled(if: LiveManager.has("memory"), "the kernel's memory controller is elsewhere"))
    func memory() throws {
        let test = try LiveManager()
        var service = test.shell("x=xxxxxxxx; while :; do x=$x$x; done")
        service.memoryBytes = 32 << 20
        #expect(try test.outcome(service).end == .outOfMemory)
    }

    @Test(
        "a fork bomb stays within its tasks",
        .enabled(if: LiveManager.has("pids"), "the kernel's pids controller is elsewhere"))
    func tasks() throws {
        let test = try LiveManager()
        var service = test.python(
            "import os, signal\nn = 0\ntry:\n while n < 99:\n"
                + "  if os.fork() == 0: signal.pause()\n  n += 1\nexcept OSError as e: print(n, e.errno)"
        )
        service.tasks = 5
        let started = try test.start(service)
        #expect(try LiveService.read(started.output, until: "\n") == "4 11\n")
        // Its children do not outlive it.
        #expect(try started.allOutput().isEmpty)
        _ = try test.end(started)
    }

    @Test("a stop ends it; one that does not listen is killed")
    func stop() throws {
        let test = try LiveManager()
        var service = try test.start(test.shell("echo ready; exec sleep 1000"))
        _ = try LiveService.read(service.output, until: "ready\n")
        try test.answer { test.client.stop(service.name, done: $0) }?.get()
        #expect(try test.end(service) == .forgotten)
        service = try test.start(
            test.shell("trap '' TERM; echo ready; while :; do sleep 1000; done"))
        _ = try LiveService.read(service.output, until: "ready\n")
        try test.answer { test.client.stop(service.name, done: $0) }?.get()
        #expect(try test.end(service) == .timedOut)
    }

    @Test("a kill ends it, and its end is awaited")
    func kill() throws {
        let test = try LiveManager()
        let service = try test.start(test.shell("sleep 1000 & sleep 1000"))
        var end: Result<ServiceEnd, ServiceCallError>?
        test.client.end(of: service.name) { end = $0 }
        try test.answer { test.client.kill(service.name, done: $0) }?.get()
        #expect(try test.run { end != nil })
        #expect(end == .success(.killed(9)))
        #expect(try service.allOutput().isEmpty)
        #expect(!test.client.isConnected)
    }

    @Test("the end of a service that goes on is awaited for a limited time")
    func limit() throws {
        let test = try LiveManager(limit: .milliseconds(300))
        let service = try test.start(test.shell("exec sleep 1000"))
        let answer = try test.answer { test.client.end(of: service.name, done: $0) }
        guard case .failure(let error)? = answer else {
            Issue.record("it runs")
            return
        }
        #expect(error.kind == .timedOut)
        #expect(error.unit == service.name)
        let patient = try LiveManager()
        try patient.answer { patient.client.kill(service.name, done: $0) }?.get()
        #expect(try patient.end(service) == .killed(9))
    }

    @Test("the end of its socket comes with its own end, not when it closes it")
    func endOfSocket() throws {
        let test = try LiveManager()
        let service = try test.start(test.shell("exec 3>&-; echo closed; exec sleep 1000"))
        _ = try LiveService.read(service.output, until: "closed\n")
        var buffer = [UInt8](repeating: 0, count: 1)
        #expect(try service.socket.descriptor.read(into: &buffer) == .wouldBlock)
        try test.answer { test.client.kill(service.name, done: $0) }?.get()
        #expect(try waitUntil { try service.socket.descriptor.read(into: &buffer) == .closed })
        #expect(try test.end(service) == .killed(9))
    }

    @Test("a name that is in use is refused")
    func twice() throws {
        let test = try LiveManager()
        let description = test.shell("read line <&3; exit 4")
        let service = try test.start(description)
        let error = #expect(throws: ServiceCallError.self) { try test.start(description) }
        #expect(error?.name == "org.freedesktop.systemd1.UnitExists")
        #expect(error?.unit == service.name)
        try service.send("go\n")
        #expect(try test.end(service) == .exited(4))
    }

    @Test("it ends when the unit that it is bound to is killed")
    func bound() throws {
        let test = try LiveManager()
        let first = try test.start(test.shell("exec sleep 1000"))
        var description = test.shell("echo ready; exec sleep 1000")
        description.boundUnit = first.name
        let second = try test.start(description)
        _ = try LiveService.read(second.output, until: "ready\n")
        try test.answer { test.client.kill(first.name, done: $0) }?.get()
        #expect(try second.allOutput().isEmpty)
        #expect(try test.end(second) == .forgotten)
        #expect(try test.end(first) == .killed(9))
    }

    @Test("no descriptor is left")
    func leaks() throws {
        func count() throws -> Int {
            let test = try LiveManager()
            _ = try test.outcome(test.shell("exit 1"))
            return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try count()
        for _ in 0..<5 { #expect(try count() == before) }
    }
}
