// A daemon by script on a thread of its own, for tests whose own thread waits for tasks.

import PickerClient
import Synchronization
import SystemInterface
import TestSupport

/// Runs a `FakeServer` on another thread. Ends with `stop`.
final class ThreadedServer: Sendable {
    typealias Job = @Sendable (FakeServer) -> Void

    enum Failure: Error { case notListening }

    private struct State {
        var path: String?
        var jobs: [Job] = []
        var isStopping = false
    }

    private let state: Mutex<State>
    private let wake: OwnedDescriptor

    /// Starts a server; `prepare` sets up its script, on its thread.
    init(_ prepare: @escaping Job) throws {
        state = Mutex(State(jobs: [prepare]))
        wake = try OwnedDescriptor.wakeUp()
        wake.signalWakeUp()
        try WorkerThread.start { [self] in run() }
        guard waitUntil({ state.withLock { $0.path } != nil }) else { throw Failure.notListening }
    }

    /// The socket's.
    var path: String { state.withLock { $0.path } ?? "" }

    /// Has `job` done on the server's thread.
    func post(_ job: @escaping Job) {
        state.withLock { $0.jobs.append(job) }
        wake.signalWakeUp()
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        wake.signalWakeUp()
    }

    /// What `body` says of the server, on its thread.
    func ask<Value: Sendable>(_ body: @escaping @Sendable (FakeServer) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            post { continuation.resume(returning: body($0)) }
        }
    }

    /// Waits until `body` holds, or for too long. The looks are on the server's thread, so that a task
    /// which does not get its turn, among all the tests, does not shorten the wait.
    func reach(_ body: @escaping @Sendable (FakeServer) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            post {
                Self.look($0, until: ContinuousClock.now + patience, body) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    private static func look(
        _ server: FakeServer, until deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable (FakeServer) -> Bool,
        then completion: @escaping @Sendable (Bool) -> Void
    ) {
        if body(server) { return completion(true) }
        if ContinuousClock.now > deadline { return completion(false) }
        server.loop.schedule(after: .milliseconds(2)) { [unowned server] in
            look(server, until: deadline, body, then: completion)
        }
    }

    private func run() {
        let loop = PollLoop()
        guard let folder = try? TemporaryFolder(),
            let server = try? FakeServer(loop, at: folder.path("d.sock"))
        else { return }
        let watch = loop.watch(wake.number, for: .readable) { [self] _ in
            wake.clearWakeUp()
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            for job in jobs { job(server) }
            state.withLock { $0.path = server.path }
        }
        loop.run { state.withLock { $0.isStopping } }
        watch.cancel()
        server.stop()
    }
}
