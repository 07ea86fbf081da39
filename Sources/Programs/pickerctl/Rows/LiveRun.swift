import Glibc
package import PickerClient
import SystemInterface

// The common part of `watch` and `events`: a session that reconnects, output that may fail at any time, and
// an end by signal.

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

    /// Runs `body`; an error in it ends the run.
    func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail(error) }
    }

    func fail(_ error: any Error) {
        if failure == nil { failure = error }
        loop.stop()
    }

    /// Calls `handler` on the loop for the signals `numbers`.
    func handle(_ numbers: [Int32], _ handler: @escaping (Int32) -> Void) throws {
        signals = try SignalPipe(numbers, on: loop, handler)
    }

    /// Calls `apply` with the current and each later connection.
    func onEachConnection(_ apply: @escaping (PickerConnection) -> Void) {
        if let connection = session.connection { apply(connection) }
        session.onConnect = apply
    }

    /// Reports on standard error when the connection is lost and when it is restored.
    func tellStates() {
        session.onState = { state in
            switch state {
            case .lost(let error): Program.complain("\(error); trying to connect again")
            case .connected: Program.complain("connected again")
            case .retrying, .closed: break
            }
        }
    }

    /// Runs to the end. The run also ends when the reader of the output exits, unless that is not
    /// monitored.
    func run(watchingOutput: Bool = true) throws {
        if watchingOutput { watchOutput() }
        loop.run { failure != nil }
        if let failure { throw failure }
    }

    /// Notices a closed pipe immediately, not only with the next line.
    private func watchOutput() {
        outputWatch = loop.watch(1, for: []) { [weak self] events in
            if events.contains(.hangup) { self?.fail(OutputError.closed) }
        }
    }
}
