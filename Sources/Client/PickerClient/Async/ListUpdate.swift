public import Observables

/// A list as it is after something happened to it.
public struct ListUpdate: Sendable {
    /// The items of the window.
    public let items: [ListItem]
    /// What leads from the items of the update before, at first from none, to these.
    public let change: ArrayChange<ListItem>
    /// How many items the whole list has.
    public let total: Int
    /// The position of the first item in the whole list.
    public let start: Int
    /// The revision of the documents that the items show.
    public let rev: Int
    /// Names the revision for good.
    public let token: String
    /// Whether the items are all there are: false while more are to come, and without a connection.
    public let isComplete: Bool
    /// Whether there is a connection. Without one the items are those of before; it is made again.
    public let isConnected: Bool

    init(_ list: LiveList, _ change: ArrayChange<ListItem>, isConnected: Bool) {
        items = list.items
        self.change = change
        total = list.total
        start = list.start
        rev = list.rev
        token = list.token
        isComplete = list.isComplete
        self.isConnected = isConnected
    }

    private init(_ newer: ListUpdate, since change: ArrayChange<ListItem>) {
        items = newer.items
        self.change = change
        total = newer.total
        start = newer.start
        rev = newer.rev
        token = newer.token
        isComplete = newer.isComplete
        isConnected = newer.isConnected
    }

    /// This update and the next one as one.
    func merged(with next: ListUpdate) -> ListUpdate {
        ListUpdate(next, since: change.merged(with: next.change))
    }

    /// Carries the change out on a variable that has the items of the update before, as one
    /// transaction. On the variable's thread.
    public func apply(to variable: ArrayVariable<ListItem>) {
        transaction {
            for modification in change.modifications {
                variable.replaceSubrange(modification.inputRange, with: modification.newElements)
            }
        }
    }
}
