// How a service ended.

/// The end of a service.
package enum ServiceEnd: Hashable, Sendable {
    /// Its program ended with this exit status.
    case exited(Int32)
    /// Its program was ended by this signal.
    case killed(Int32)
    /// It needed more memory than it may have.
    case outOfMemory
    /// It did not end within two seconds of a request to stop, and was killed.
    case timedOut
    /// Its program was never executed. The status is the manager's (`EXIT STATUS` of systemd.exec(5): 217 where
    /// user namespaces are forbidden, 200 for a missing working folder), or that of env(1): 127 for a missing program,
    /// 126 for one that can't be executed. It is 0 if there was no process.
    case startFailed(status: Int32)
    /// The manager does not know the service: it ended with success, or when it was asked to, or never was.
    case forgotten
}

extension ServiceEnd {
    /// The exit statuses by which env(1) says that it could not execute the program.
    private static let notExecuted: ClosedRange<Int32> = 126...127
    /// The first of the manager's own exit statuses.
    private static let firstOfManager: Int32 = 200

    /// The end of a service that is not running, by its properties.
    init(_ state: UnitState) {
        switch (state.result, state.exitCode) {
        case _ where !state.isLoaded: self = .forgotten
        case ("oom-kill", _): self = .outOfMemory
        case ("timeout", _) where state.wasActive: self = .timedOut
        // It has never been active: the manager could not prepare or execute the first program, a shell; or the
        // program ended before the manager saw that it was executed.
        case (_, .exited) where !state.wasActive && state.exitStatus >= Self.firstOfManager:
            self = .startFailed(status: state.exitStatus)
        case (_, .exited) where Self.notExecuted.contains(state.exitStatus):
            self = .startFailed(status: state.exitStatus)
        case (_, .exited): self = .exited(state.exitStatus)
        case (_, .killed): self = .killed(state.exitStatus)
        case ("success", .none): self = .forgotten
        case (_, .none): self = .startFailed(status: 0)
        }
    }
}
