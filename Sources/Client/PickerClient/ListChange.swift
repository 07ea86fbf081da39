// The effect of the daemon's messages on the rows of a list.

/// A change of one row. Positions refer to the state after the change, except for deleted rows and the
/// `from` of a move, which refer to the state before it.
public enum ListEdit: Hashable, Sendable {
    /// The item left the window.
    case deleted(ListItem, at: Int)
    /// The item moved.
    case moved(ListItem, from: Int, to: Int)
    /// The item entered the window.
    case inserted(ListItem, at: Int)
    /// The item changed.
    case updated(ListItem, at: Int, before: ListItem)
}

/// A change of a list.
public enum ListChange: Sendable {
    /// All items were replaced; `reason` is the daemon's, such as `open` or `update`. A restarted daemon
    /// begins a new history, in which old keys have no meaning.
    case reset(before: [ListItem], reason: String, isNewHistory: Bool)
    /// Some rows changed, or at least the total.
    case edits([ListEdit])
}
