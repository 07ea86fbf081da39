internal import JSONText
internal import ListRequests
internal import Observables
internal import PickerModel
internal import WireProtocol

/// Finds what a client is to be told of two readings of the rows of its window.
struct RowEditing {
    let documents: DocumentStore
    let request: ListRequest

    /// The number of equal rows at the start and at the end.
    static func commonEnds(
        _ old: ArraySlice<ShownRow>, _ new: [ShownRow]
    ) -> (prefix: Int, suffix: Int) {
        let most = min(old.count, new.count)
        var prefix = 0
        while prefix < most, old[old.startIndex + prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < most - prefix,
            old[old.endIndex - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        return (prefix, suffix)
    }

    /// The edits from `old` to `new`, which both begin at row `offset` of the window. Rows in `unknown` are
    /// sent with all their fields.
    func edits(
        from old: [ShownRow], to new: [ShownRow], at offset: Int, _ marking: Marking,
        unknown: Set<String>
    ) -> WindowEdits {
        let table = documents.table
        func record(of row: ShownRow) -> ItemRecord { self.record(of: row, marking) }
        if let edits = WindowEdits(ofOneRow: old, new, at: offset, in: table, record) {
            return edits
        }
        let batch = ArrayBatch(from: old, to: new, identifiedBy: { table.key(of: $0) })
        return WindowEdits(
            RowOperations(batch), from: old, to: new, at: offset, fields: request.fields,
            unknown: unknown, record, members: members)
    }

    /// The edits from `sent` to `now`, of which is known in which rows they differ.
    func edits(_ difference: RowDifference, from sent: SentRows, to now: SentRows) -> WindowEdits {
        let old = sent.items.rows
        let new = now.items.rows
        let table = documents.table
        let operations = difference.operations(from: old, to: new) { table.key(of: $0) }
        return WindowEdits(
            operations, from: old, to: new, at: 0, fields: request.fields, unknown: [],
            { record(of: $0, now.marking) }, members: members)
    }

    private func record(of row: ShownRow, _ marking: Marking) -> ItemRecord {
        marking.record(of: row, in: documents, fields: request.fields)
    }

    /// All members of a row that the client may have in any state.
    private func members(of record: ItemRecord) -> JSONObject? {
        var members = record.members(in: request.fields)
        // It may have been marked before.
        guard request.highlights else { return members }
        if request.fields.contains(.matches), record.matches == nil {
            members = members ?? JSONObject()
            members?["m"] = .null
        }
        if request.fields.contains(.folderMatches), record.folderMatches == nil {
            members = members ?? JSONObject()
            members?["mf"] = .null
        }
        return members
    }
}
