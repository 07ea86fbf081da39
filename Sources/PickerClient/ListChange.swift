internal import Observables

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

extension ArrayVariable<ListItem> {
    /// Carries out what one delta did, as one transaction.
    func apply(_ edits: [ListEdit]) {
        var leaving: [Int] = []
        var arriving: [(index: Int, item: ListItem)] = []
        var changed: [(index: Int, item: ListItem)] = []
        for edit in edits {
            switch edit {
            case .deleted(_, let index): leaving.append(index)
            case .moved(let item, let from, let to):
                leaving.append(from)
                arriving.append((to, item))
            case .inserted(let item, let index): arriving.append((index, item))
            case .updated(let item, let index, _): changed.append((index, item))
            }
        }
        transaction {
            for index in leaving.sorted(by: >) { remove(at: index) }
            for (index, item) in arriving.sorted(by: { $0.index < $1.index }) {
                insert(item, at: index)
            }
            // A row that moved was put in as it is after its update.
            for (index, item) in changed where self[index] != item { self[index] = item }
        }
    }
}
