// What the messages of the daemon do to a list, in words of rows.

/// How one row of a list changed. Positions count in the state after the change, but for those of
/// rows that left, and the first of a move, which count before it.
public enum ListEdit: Hashable, Sendable {
    /// The item left the window.
    case deleted(ListItem, at: Int)
    /// The item is now somewhere else.
    case moved(ListItem, from: Int, to: Int)
    /// The item came into the window.
    case inserted(ListItem, at: Int)
    /// The item differs from before.
    case updated(ListItem, at: Int, before: ListItem)
}

/// What happened to a list.
public enum ListChange: Sendable {
    /// All items were replaced; `reason` is the daemon's, as `open` or `update`. In a new history,
    /// which a daemon that was started again begins, the old keys say nothing.
    case reset(before: [ListItem], reason: String, isNewHistory: Bool)
    /// Some rows changed, or at least the total.
    case edits([ListEdit])
}
