internal import JSONText
internal import PickerModel
internal import WireProtocol

/// The changes in a window; indices count from its first row.
struct WindowEdits {
    var deleted: [Int] = []
    var moved: [ItemsDelta.Move] = []
    var inserted: [ItemsDelta.Insertion] = []
    var updated: [ItemsDelta.Update] = []

    var isEmpty: Bool {
        deleted.isEmpty && moved.isEmpty && inserted.isEmpty && updated.isEmpty
    }

    init() {}

    /// The changes from `old` to `new`, which both begin at row `offset`, if one row has come or gone before rows that
    /// have only shifted, and perhaps another has gone or come behind them; else nil. The keys of shifted rows are not
    /// read, and so a document that comes or goes costs little in windows of any length.
    init?(
        ofOneRow old: [ShownRow], _ new: [ShownRow], at offset: Int, in table: DocumentTable,
        _ record: (ShownRow) -> ItemRecord
    ) {
        let difference = new.count - old.count
        if 0...1 ~= difference, let first = new.first, old.starts(with: new.dropFirst()) {
            inserted = [.init(index: offset, item: record(first))]
            if difference == 1 { return }
            let last = old[old.count - 1]
            // A document that has moved from there, or changed, is told of in another way.
            if table.key(of: last) == table.key(of: first) { return nil }
            deleted = [offset + old.count - 1]
        } else if -1...0 ~= difference, let first = old.first, new.starts(with: old.dropFirst()) {
            deleted = [offset]
            if difference == -1 { return }
            let last = new[new.count - 1]
            if table.key(of: last) == table.key(of: first) { return nil }
            inserted = [.init(index: offset + new.count - 1, item: record(last))]
        } else {
            return nil
        }
    }

    /// Operations on the rows from row `offset` on. Rows in `unknown` are sent with all their fields.
    init(
        _ operations: RowOperations, from old: [ShownRow], to new: [ShownRow], at offset: Int,
        fields: ItemFields, unknown: Set<String>, _ record: (ShownRow) -> ItemRecord,
        members: (ItemRecord) -> JSONObject?
    ) {
        deleted = operations.deleted.map { $0 + offset }
        moved = operations.moved.map { .init(from: $0.from + offset, to: $0.to + offset) }
        inserted = operations.inserted.map {
            .init(index: $0 + offset, item: record(new[$0]))
        }
        updated = operations.updated.compactMap { row in
            let new = record(new[row.to])
            let changes =
                unknown.contains(new.key)
                ? members(new) : new.changes(since: record(old[row.from]), fields: fields)
            return changes.map { .init(index: row.to + offset, changes: $0) }
        }
    }
}
