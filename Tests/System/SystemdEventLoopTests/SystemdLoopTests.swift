import EventLoops
import Foundation
import Glibc
import SystemInterface
import SystemdEventLoop
import TestSupport
import Testing

@Suite("Behaviour of the real loop only")
struct SystemdLoopTests {
    @Test("run returns the first exit code, after the end-of-turn work, and may run again")
    func run() throws {
        let loop = try SystemdLoop()
        var seen: [String] = []
        loop.enqueue {
            loop.atEndOfTurn { seen.append("end") }
            loop.exit(code: 3)
            loop.exit(code: 4)
            seen.append("exit")
        }
        #expect(try loop.run() == 3)
        #expect(seen == ["exit", "end"])
        loop.enqueue { loop.exit(code: 0) }
        #expect(try loop.run() == 0)
    }

    @Test("a signal reaches its handler at each delivery")
    func signals() throws {
        let loop = try SystemdLoop()
        var seen: [Int32] = []
        let sources = try [SIGHUP, SIGTERM, SIGINT].map { signal in
            try loop.onSignal(signal) { seen.append(signal) }
        }
        for signal in [SIGHUP, SIGTERM, SIGHUP] {
            // To this thread: other threads of the test process do not block it.
            raise(signal)
            while try loop.runOne(waitingAtMost: .zero) {}
        }
        #expect(seen == [SIGHUP, SIGTERM, SIGHUP])
        for source in sources { source.cancel() }
    }

    @Test("slow handlers of ready clients do not delay urgent ones, and none is left out")
    func slowHandlers() throws {
        let loop = try SystemdLoop()
        let clients = try (0..<12).map { _ in try UnixSocket.pair().boxed() }
        for client in clients { _ = try client.second.descriptor.send([1]) }
        var seen: [Int] = []
        var buffer = [UInt8](repeating: 0, count: 8)
        var sources: [any IOSource] = []
        for (number, client) in clients.enumerated() {
            sources.append(
                try loop.watch(client.first.number, for: .readable) { _ in
                    _ = try? client.first.descriptor.read(into: &buffer)
                    seen.append(number)
                    // To this thread, as in the test of signals.
                    if seen.count == 1 { raise(SIGURG) }
                    // Longer than a turn may go on for.
                    let end = loop.now.advanced(by: .milliseconds(1))
                    while loop.now < end {}
                })
        }
        let urgent = try loop.onSignal(SIGURG) { seen.append(-1) }
        while try loop.runOne(waitingAtMost: .zero) {}
        #expect(seen.firstIndex(of: -1) == 1)
        #expect(seen.sorted() == [-1] + Array(0..<12))
        urgent.cancel()
        for source in sources { source.cancel() }
    }

    @Test("a slow descriptor that is always ready starves no other")
    func slowAndAlwaysReady() throws {
        let loop = try SystemdLoop()
        let clients = try (0..<4).map { _ in try UnixSocket.pair().boxed() }
        for client in clients { _ = try client.second.descriptor.send([1]) }
        var turns = Array(repeating: 0, count: clients.count)
        var sources: [any IOSource] = []
        for (number, client) in clients.enumerated() {
            // Nobody reads: all stay ready for ever.
            sources.append(
                try loop.watch(client.first.number, for: .readable) { _ in
                    turns[number] += 1
                    // Longer than a turn may go on for.
                    let end = loop.now.advanced(by: .milliseconds(1))
                    while loop.now < end {}
                })
        }
        for _ in 0..<40 { try loop.runOne(waitingAtMost: .zero) }
        #expect(turns == [10, 10, 10, 10])
        for source in sources { source.cancel() }
    }

    @Test("an edge-triggered event is reported exactly once, even behind slow handlers")
    func toldOnce() throws {
        let loop = try SystemdLoop()
        let clients = try (0..<4).map { _ in try UnixSocket.pair().boxed() }
        for client in clients { _ = try client.second.descriptor.send([1]) }
        var seen: [Int] = []
        var buffer = [UInt8](repeating: 0, count: 8)
        var sources: [any IOSource] = []
        for (number, client) in clients.enumerated() {
            let isLast = number == clients.count - 1
            let events: IOEvents = isLast ? [.readable, .toldOnce] : .readable
            sources.append(
                try loop.watch(client.first.number, for: events) { _ in
                    seen.append(number)
                    if isLast { return }
                    _ = try? client.first.descriptor.read(into: &buffer)
                    // Longer than a turn may go on for.
                    let end = loop.now.advanced(by: .milliseconds(1))
                    while loop.now < end {}
                })
        }
        while try loop.runOne(waitingAtMost: .zero) {}
        #expect(seen.sorted() == [0, 1, 2, 3])
        for source in sources { source.cancel() }
    }

    @Test("urgent handlers do not wait behind a hundred clients that are always ready")
    func manyReady() throws {
        let loop = try SystemdLoop()
        let clients = try (0..<100).map { _ in try UnixSocket.pair().boxed() }
        for client in clients { _ = try client.second.descriptor.send([1]) }
        var calls = 0
        var callsBeforeUrgent: Int?
        let sources = try clients.map { client in
            try loop.watch(client.first.number, for: .readable) { _ in
                calls += 1
                if calls == 1 { raise(SIGURG) }
            }
        }
        let urgent = try loop.onSignal(SIGURG) { callsBeforeUrgent = calls }
        while calls < 1000 { try loop.runOne(waitingAtMost: .zero) }
        #expect(callsBeforeUrgent ?? .max <= 16)
        urgent.cancel()
        for source in sources { source.cancel() }
    }

    @Test("timers set by handlers of clients fire in time, and clients have their turn")
    func timersBetweenClients() throws {
        let loop = try SystemdLoop()
        let client = try UnixSocket.pair().boxed()
        var calls = 0
        var fired: [Int] = []
        var timer: (any TimerSource)?
        let source = try loop.watch(client.first.number, for: .readable) { _ in
            calls += 1
            if let timer {
                if !timer.isSet { timer.reschedule(after: .zero) }
            } else {
                timer = try? loop.schedule(after: .zero) { fired.append(calls) }
            }
        }
        // Asleep, and then busy with this client alone.
        #expect(try loop.runOne(waitingAtMost: .milliseconds(1)) == false)
        _ = try client.second.descriptor.send([1])
        #expect(
            try waitUntil {
                try loop.runOne(waitingAtMost: .milliseconds(1))
                return fired.count == 5
            })
        #expect(fired.first ?? 0 >= 1)
        #expect(Set(fired).count == 5)
        source.cancel()
    }

    @Test("long pieces of work do not delay the end of the turn")
    func endBetweenLongPieces() throws {
        let loop = try SystemdLoop()
        var pieces = 0
        var piecesAtEnd: Int?
        func piece() {
            pieces += 1
            if pieces == 1 { loop.atEndOfTurn { piecesAtEnd = pieces } }
            if pieces < 20 { loop.enqueue(piece) }
            // Longer than a turn may last.
            let end = loop.now.advanced(by: .milliseconds(2))
            while loop.now < end {}
        }
        loop.enqueue(piece)
        while try loop.runOne(waitingAtMost: .zero) {}
        #expect(pieces == 20)
        #expect(piecesAtEnd == 1)
    }

    @Test("an idle loop makes no wake-ups")
    func idle() throws {
        let loop = try SystemdLoop()
        loop.enqueue {}
        loop.atEndOfTurn {}
        while try loop.runOne(waitingAtMost: .zero) {}
        let before = loop.now
        #expect(try loop.runOne(waitingAtMost: .milliseconds(300)) == false)
        #expect(before.duration(to: loop.now) >= .milliseconds(300))
    }

    @Test("its clock is the system's")
    func clock() throws {
        let loop = try SystemdLoop()
        let first = loop.now
        #expect(loop.now >= first)
        let before = Date().timeIntervalSince1970
        let seconds = loop.wallSeconds
        // A microsecond of tolerance for the precision of a Double at the current time.
        #expect(seconds >= before - 1e-6 && seconds <= Date().timeIntervalSince1970 + 1e-6)
    }

    @Test("the watchdog is off unless the service manager requests it")
    func noWatchdog() throws {
        #expect(try SystemdLoop().enableWatchdog() == false)
    }

    @Test("the watchdog sends pings")
    func watchdog() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let socket = try DatagramReceiver(folder.rawPath("notify"))
            setEnvironment("NOTIFY_SOCKET", folder.path("notify"))
            setEnvironment("WATCHDOG_USEC", "50000")
            setEnvironment("WATCHDOG_PID", "\(getpid())")
            let loop = try SystemdLoop()
            try #require(try loop.enableWatchdog())
            // At least every 50 ms, if this process gets to run; nothing else happens meanwhile.
            var signs = 0
            let hasBeenSent = try waitUntil {
                try loop.runOne(waitingAtMost: .milliseconds(50))
                signs += socket.receiveAll().count { $0 == "WATCHDOG=1" }
                return signs >= 3
            }
            #expect(hasBeenSent)
        }
    }

    @Test("every method traps on another thread")
    func wrongThread() async {
        await #expect(processExitsWith: .failure) { try offLoop { $0.enqueue {} } }
        await #expect(processExitsWith: .failure) { try offLoop { $0.atEndOfTurn {} } }
        await #expect(processExitsWith: .failure) { try offLoop { _ = $0.now } }
        await #expect(processExitsWith: .failure) { try offLoop { $0.exit(code: 0) } }
        await #expect(processExitsWith: .failure) {
            try offLoop { _ = try? $0.schedule(after: .zero) {} }
        }
        await #expect(processExitsWith: .failure) {
            try offLoop { _ = try? $0.watch(0, for: .readable) { _ in } }
        }
        // The control case: without a call, the process ends normally.
        await #expect(processExitsWith: .success) { try offLoop { _ in } }
    }
}

/// Calls `body` with a loop on a thread that is not the loop's.
private func offLoop(_ body: @escaping @Sendable (SystemdLoop) -> Void) throws {
    struct Smuggled: @unchecked Sendable {  // the point of these tests is to break the rule
        let loop: SystemdLoop
    }
    let smuggled = Smuggled(loop: try SystemdLoop())
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body(smuggled.loop)
        done.signal()
    }
    done.wait()
}
