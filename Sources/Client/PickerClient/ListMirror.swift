internal import Observables

// The observables of a live list, which change in one transaction for each message of the daemon.
//
// A delta names the changed rows. A reset has all rows instead: it follows the first opening and each
// reconnection. Rows that existed before are matched by key and only the difference is applied, so a
// program redraws only changed rows. In a new history a key may belong to another document, so only
// completely equal rows match.

/// The items of a list, their total and completeness, for observers.
final class ListMirror {
    let items: ArrayVariable<ListItem>
    let total: Variable<Int>
    let isComplete: Variable<Bool>

    init(_ items: [ListItem], total: Int, isComplete: Bool) {
        self.items = ArrayVariable(items)
        self.total = Variable(total)
        self.isComplete = Variable(isComplete)
    }

    /// Applies the edits of a delta.
    func take(_ edits: [ListEdit], total: Int, isComplete: Bool) {
        transaction {
            items.apply(edits)
            note(total, isComplete)
        }
    }

    /// Applies the items of a reset.
    func take(_ rows: [ListItem], total: Int, isComplete: Bool, inNewHistory: Bool) {
        transaction {
            let old = items.value
            if inNewHistory {
                items.value = rows
            } else if old != rows {
                items.apply(ArrayBatch(from: old, to: rows, identifiedBy: \.key), of: rows)
            }
            note(total, isComplete)
        }
    }

    private func note(_ total: Int, _ isComplete: Bool) {
        if self.total.value != total { self.total.value = total }
        if self.isComplete.value != isComplete { self.isComplete.value = isComplete }
    }
}

extension ArrayVariable<ListItem> {
    /// Applies the edits of a delta. Must run in a transaction.
    fileprivate func apply(_ edits: [ListEdit]) {
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
        change(leaving: leaving, arriving: arriving, changed: changed)
    }

    /// Applies the difference to `rows`. Must run in a transaction.
    fileprivate func apply(_ batch: ArrayBatch, of rows: [ListItem]) {
        change(
            leaving: batch.deleted + batch.moved.map(\.from),
            arriving: (batch.inserted + batch.moved.map(\.to)).map { ($0, rows[$0]) },
            changed: batch.updated.map { ($0.to, rows[$0.to]) })
    }

    private func change(
        leaving: [Int], arriving: [(index: Int, item: ListItem)],
        changed: [(index: Int, item: ListItem)]
    ) {
        for index in leaving.sorted(by: >) { remove(at: index) }
        for (index, item) in arriving.sorted(by: { $0.index < $1.index }) {
            insert(item, at: index)
        }
        // A moved row was inserted in its updated state.
        for (index, item) in changed where self[index] != item { self[index] = item }
    }
}
