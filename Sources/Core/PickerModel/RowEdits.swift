internal import Observables

/// The rows that leave a set and arrive in it; no row is in both.
struct RowEdits {
    var removed: [DocumentRow] = []
    var inserted: [DocumentRow] = []

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }
    var count: Int { removed.count + inserted.count }

    func apply(to set: SetVariable<DocumentRow>) {
        if !isEmpty { set.apply(removing: removed, inserting: inserted) }
    }
}
