// The properties of a unit that say whether it runs, and how it ended.

import MessageBus

/// The state of a unit, as its properties say it.
struct UnitState: Hashable, Sendable {
    /// How a main process ended, as waitid(2) numbers it.
    enum ExitCode: Hashable, Sendable {
        /// It runs, or there was none.
        case none
        case exited
        case killed
    }

    let name: String
    /// Whether the manager has the unit, rather than a name alone.
    let isLoaded: Bool
    /// Whether it is neither running nor about to.
    let isOver: Bool
    /// Whether the manager keeps it until it is told to forget it.
    let isFailed: Bool
    /// Whether its program was ever executed.
    let wasActive: Bool
    let mainProcess: Int32
    /// The manager's word for the end: `success`, `exit-code`, `oom-kill`, …
    let result: String
    let exitCode: ExitCode
    /// An exit status or a signal.
    let exitStatus: Int32

    /// The properties that it is made of.
    static let properties: Set<String> = [
        "Id", "LoadState", "ActiveState", "Job", "ActiveEnterTimestampMonotonic", "MainPID",
        "Result",
        "ExecMainCode", "ExecMainStatus",
    ]

    init(_ values: [String: ReceivedValue]) {
        name = values["Id"]?.text ?? ""
        isLoaded = values["LoadState"]?.text != "not-found"
        let state = values["ActiveState"]?.text ?? ""
        // A unit whose start is still queued is inactive, too.
        isOver = (state == "inactive" || state == "failed") && values["Job"]?.number ?? 0 == 0
        isFailed = state == "failed"
        wasActive = values["ActiveEnterTimestampMonotonic"]?.number ?? 0 != 0
        mainProcess = Int32(clamping: values["MainPID"]?.number ?? 0)
        result = values["Result"]?.text ?? ""
        exitStatus = Int32(clamping: values["ExecMainStatus"]?.number ?? 0)
        exitCode =
            switch values["ExecMainCode"]?.number ?? 0 {
            case 1: .exited
            case 2, 3: .killed
            default: .none
            }
    }
}
