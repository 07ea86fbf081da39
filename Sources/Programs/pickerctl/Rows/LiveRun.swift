import Glibc
package import PickerClient
import SystemInterface

// What `watch` and `events` have in common: a session that comes back by itself, output that may
// fail at any time, and an end by signal.

/// Runs a session until it fails or a signal ends it.
package final class LiveRun {
    let loop: PollLoop
    let session: ReconnectingSession
    private var failure: (any Error)?
    private var signals: SignalPipe?
    private var outputWatch: PollWatch?

    convenience init(_ common: CommonOptions) throws {
        try self.init(to: try common.socketPath(), on: PollLoop())
    }

    package init(to path: String, on loop: PollLoop) throws {
        self.loop = loop
        session = try ReconnectingSession(to: path, on: loop)
    }

    /// Runs `body`, whose failure ends the run.
    func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail(error) }
    }

    func fail(_ error: any Error) {
        if failure == nil { failure = error }
        loop.stop()
    }

    /// Has `handler` called on the loop for `numbers`.
    func handle(_ numbers: [Int32], _ handler: @escaping (Int32) -> Void) throws {
        signals = try SignalPipe(numbers, on: loop, handler)
    }

    /// Calls `apply` with this and each later connection.
    func onEachConnection(_ apply: @escaping (PickerConnection) -> Void) {
        if let connection = session.connection { apply(connection) }
        session.onConnect = apply
    }

    /// Says on standard error when the connection is lost and when it is back.
    func tellStates() {
        session.onState = { state in
            switch state {
            case .lost(let error): Program.complain("\(error); trying to connect again")
            case .connected: Program.complain("connected again")
            case .retrying, .closed: break
            }
        }
    }

    /// Runs to the end; that a reader of our output goes away is one, unless it is not watched.
    func run(watchingOutput: Bool = true) throws {
        if watchingOutput { watchOutput() }
        loop.run { failure != nil }
        if let failure { throw failure }
    }

    /// A pipe whose reader is gone is noticed at once, and not with the next line.
    private func watchOutput() {
        outputWatch = loop.watch(1, for: []) { [weak self] events in
            if events.contains(.hangup) { self?.fail(OutputError.closed) }
        }
    }
}
