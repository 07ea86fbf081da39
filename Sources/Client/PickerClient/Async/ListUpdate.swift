public import Observables

/// The state of a list after a change.
public struct ListUpdate: Sendable {
    /// The items of the window.
    public let items: [ListItem]
    /// The change from the items of the previous update (at first: none) to these.
    public fileprivate(set) var change: ArrayChange<ListItem>
    /// The number of items in the whole list; perhaps not the right one while the items are not complete.
    public let total: Int
    /// The position of the first item in the whole list.
    public let start: Int
    /// The revision of the documents that the items show.
    public let rev: Int
    /// Whether the items are complete: false while more are to come, and without a connection.
    public let isComplete: Bool
    /// Whether there is a connection. Without one the items are the last known ones, and the client
    /// reconnects.
    public let isConnected: Bool

    init(_ list: LiveList, _ change: ArrayChange<ListItem>, isConnected: Bool) {
        items = list.items
        self.change = change
        total = list.total
        start = list.start
        rev = list.rev
        isComplete = list.isComplete
        self.isConnected = isConnected
    }

    /// Applies the change, as one transaction, to a variable with the items of the previous update. Call
    /// this on the variable's thread.
    public func apply(to variable: ArrayVariable<ListItem>) {
        transaction {
            for modification in change.modifications {
                variable.replaceSubrange(modification.inputRange, with: modification.newElements)
            }
        }
    }
}

/// One update of a list. Later updates are merged with it, so a slow reader gets fewer, larger updates, and
/// the memory is that of one update, however much changes.
struct MergedUpdate: MessageQueue {
    private var update: ListUpdate?

    mutating func add(_ next: ListUpdate) -> Bool {
        var merged = next
        if let update { merged.change = update.change.merged(with: next.change) }
        update = merged
        return false
    }

    mutating func take() -> ListUpdate? { update.take() }

    func hasRoomAgain() -> Bool { false }
}
