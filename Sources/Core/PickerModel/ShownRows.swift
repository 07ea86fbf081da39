/// A row that a client has been sent.
package enum ShownRow: Hashable, Sendable {
    case item(PickerItem)
    /// A document of which only the key is known, as of a client that resumes. It equals no other row.
    case unknown(key: String)
}

/// The rows that a client has been sent. They remain readable when the documents have changed, so that the client can be
/// sent what differs. Rows that are equal have not changed.
package final class ShownRows {
    /// So many rows are released at once, more in slices.
    private static let fewRows = 1024

    package private(set) var rows: [ShownRow]
    package let table: DocumentTable

    package var count: Int { rows.count }

    /// - Complexity: O(n), as for each change.
    package init(_ rows: [ShownRow], of table: DocumentTable) {
        self.rows = rows
        self.table = table
        for row in rows { retain(row) }
    }

    package convenience init(_ items: [PickerItem], of table: DocumentTable) {
        self.init(items.map { .item($0) }, of: table)
    }

    deinit {
        if rows.count > Self.fewRows {
            table.releaseLater(rows)
        } else {
            for row in rows { table.release(row) }
        }
    }

    /// Makes room for so many rows: growing would move those that are there.
    package func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }

    package func replaceSubrange(_ range: Range<Int>, with new: [ShownRow]) {
        for row in new { retain(row) }
        for row in rows[range] { table.release(row) }
        rows.replaceSubrange(range, with: new)
    }

    private func retain(_ row: ShownRow) {
        if case .item(let item) = row, let row = item.row { table.retain(row) }
    }
}

extension DocumentTable {
    /// Ends the effect of one `retain` of the row, if it is one of a document.
    func release(_ row: ShownRow) {
        if case .item(let item) = row, let row = item.row { release(row) }
    }

    /// The key of a row.
    package func key(of row: ShownRow) -> String {
        switch row {
        case .unknown(let key): key
        case .item(let item):
            item.row.map { text(of: key(of: $0)) } ?? ItemContent.newKey
        }
    }

    /// What a row is, or was when it was sent.
    /// - Complexity: O(n) in the length of the path.
    package func content(of row: ShownRow) -> ItemContent {
        switch row {
        case .unknown(let key): .document(.unknown(key: key))
        case .item(let item): content(of: item)
        }
    }
}
