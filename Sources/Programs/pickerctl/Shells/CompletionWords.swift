import PickerClient

// What stands where in the commands of pickerctl. That all commands and options are here is tested against what the
// program itself says of them.

enum CompletionWords {
    static let topics = [
        "documents.*", "documents.added", "documents.removed", "documents.changed",
        "documents.moved", "watch.*", "layout.*", "daemon.*", "*",
    ]

    /// What an argument is that is no option: the one with this number, from 0.
    static func kind(
        ofArgument number: Int, of path: [String], typed: String, isUndo: Bool
    ) -> CompletionKind {
        switch (path[0], number) {
        case ("pick", _) where typed.hasPrefix("/") || typed.hasPrefix(".") || typed.hasPrefix("~"):
            .folders
        case ("list", _), ("watch", _), ("pick", _), ("feed", _), ("stats", _): .query
        case ("layout", 0): .words(LayoutQuery.Kind.allCases.map(\.rawValue))
        case ("layout", _): .query
        case ("trash", _) where isUndo: .nothing
        case ("get", 0), ("like", _), ("drop", _), ("open", _), ("reveal", _), ("trash", _),
            ("actions", _):
            .documents(areDropped: false)
        case ("restore", _): .documents(areDropped: true)
        case ("why", _): .files
        case ("events", _), ("replay", _), ("publish", 0): .topics
        case ("plugins", 0):
            .words(PluginsCommand.Action.allCases.map(\.rawValue))
        case ("plugins", 1): .plugins
        case ("plugin", _): kind(ofArgument: number, ofPlugin: path[1])
        case ("shell", 0): .words(Shell.allCases.map(\.rawValue))
        case (CommandHelp.daemon, _): .folders
        case ("help", 0): .commands(below: [])
        default: .nothing
        }
    }

    private static func kind(ofArgument number: Int, ofPlugin command: String) -> CompletionKind {
        switch (command, number) {
        case ("new", 0): .words(["python", "swift"])
        case ("new", 1), ("run", 0), ("check", 0): .folders
        case ("run", _): .files
        default: .nothing
        }
    }

    /// What the value of an option is.
    static func kind(ofValueOf option: String, in path: [String]) -> CompletionKind {
        switch (option, path.last) {
        case ("--root", CommandHelp.daemon), ("--state", CommandHelp.daemon): .folders
        case ("--config", CommandHelp.daemon): .files
        case ("--log-level", _): .words(["debug", "info", "notice", "warning", "error"])
        case ("--sort", _): .sortKeys
        case ("--in", _): .collections
        case ("--root", _): .roots
        case ("--attribute", _): .attributes
        case ("--run", _): .actions
        case ("--color", _): .words(ColorChoice.allCases.map(\.rawValue))
        case ("--since", _): .words(["last"])
        case ("--folder", _), ("--files", _): .folders
        case ("--socket", _), ("--svg", _), ("--state", _), ("--record", _), ("--replay", "check"):
            .files
        default: .nothing
        }
    }
}
