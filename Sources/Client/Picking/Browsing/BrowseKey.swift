internal import TerminalCells

/// What a key asks for while folders are browsed.
enum BrowseKey: Equatable {
    /// The folder that is shown, or the one under the cursor, without going in.
    case accept
    case goUp, makeFolder, toggleHidden
    /// What it asks for in a picker of documents.
    case other(PickKey)

    /// Nil for a key without a meaning.
    init?(_ key: KeyPress) {
        switch (key.code, key.modifiers) {
        case (.enter, .alt), (.character("m"), [.alt, .control]): self = .accept
        case (.up, .alt): self = .goUp
        case (.character("n"), .alt): self = .makeFolder
        case (.character("h"), .alt), (.character("."), .alt): self = .toggleHidden
        default:
            guard let key = PickKey(key) else { return nil }
            self = .other(key)
        }
    }

    /// Whether it is about rows, and so waits until the folder has been read.
    func needsRows(isNaming: Bool) -> Bool {
        switch self {
        case .accept, .other(.accept), .other(.up), .other(.down), .other(.pageUp),
            .other(.pageDown), .other(.first), .other(.last):
            true
        case .other(.right), .other(.tab): !isNaming
        default: false
        }
    }

    /// Whether it ends all, and so waits for nothing.
    var isEnd: Bool { self == .other(.cancel) || self == .other(.interrupt) }
}
