import EventLoops
import ServiceManager
import SystemInterface
import TestSupport
import Testing

@Suite("Notifications to the service manager")
struct ServiceNotifierTests {
    @Test("nothing happens without NOTIFY_SOCKET")
    func unsupervised() throws {
        let notifier = ServiceNotifier(loop: FakeLoop())
        #expect(!notifier.isListenedTo)
        try notifier.ready(status: "ready")
        try notifier.reloading(status: "reloading")
        try notifier.update(status: "busy")
        try notifier.stopping(status: "bye")
    }

    @Test("ready, reloading, stopping and the status arrive, in order")
    func messages() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let socket = try DatagramReceiver(folder.rawPath("notify"))
            setEnvironment("NOTIFY_SOCKET", folder.path("notify"))
            let notifier = ServiceNotifier(loop: FakeLoop())
            #expect(notifier.isListenedTo)
            let before = SystemClock.monotonicNanoseconds() / 1000
            try notifier.ready(status: "3 documents")
            try notifier.update(status: "4 documents")
            try notifier.reloading(status: "reading settings")
            try notifier.stopping(status: "stopping")
            let after = SystemClock.monotonicNanoseconds() / 1000

            let messages = socket.receiveAll()
            try #require(messages.count == 4)
            #expect(messages[0] == "READY=1\nSTATUS=3 documents")
            #expect(messages[1] == "STATUS=4 documents")
            let reload = messages[2].split(separator: "\n")
            try #require(reload.count == 3)
            #expect(reload[0] == "RELOADING=1")
            #expect(reload[2] == "STATUS=reading settings")
            let time = try #require(Int64(reload[1].dropFirst("MONOTONIC_USEC=".count)))
            #expect(reload[1].hasPrefix("MONOTONIC_USEC="))
            #expect((before...after).contains(time))
            #expect(messages[3] == "STOPPING=1\nSTATUS=stopping")
        }
    }

    @Test("a status cannot forge fields, and is truncated")
    func hostileStatus() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let socket = try DatagramReceiver(folder.rawPath("notify"))
            setEnvironment("NOTIFY_SOCKET", folder.path("notify"))
            let notifier = ServiceNotifier(loop: FakeLoop())
            try notifier.update(status: "x\nSTOPPING=1\u{0}y")
            try notifier.update(status: String(repeating: "é", count: 1000))
            let messages = socket.receiveAll()
            try #require(messages.count == 2)
            #expect(messages[0] == "STATUS=x STOPPING=1 y")
            #expect(messages[1].count == "STATUS=".count + ServiceNotifier.longestStatus)
        }
    }

    @Test("a missing service manager is an error that says so")
    func unreachable() async {
        await #expect(processExitsWith: .success) {
            setEnvironment("NOTIFY_SOCKET", "/nonexistent/notify")
            let notifier = ServiceNotifier(loop: FakeLoop())
            let error = #expect(throws: ServiceError.self) { try notifier.ready(status: "") }
            #expect(
                error?.description
                    == "cannot tell the service manager: No such file or directory (ENOENT)")
        }
    }

    @Test("it belongs to the loop")
    func offLoop() async {
        await #expect(processExitsWith: .failure) {
            let loop = FakeLoop()
            let notifier = ServiceNotifier(loop: loop)
            loop.isOnLoop = false
            try notifier.ready(status: "")
        }
    }
}
