/// A row that a client has been sent: of an item, or of a document of which only the key is known, as of a client that
/// resumes. Such a row equals no other.
///
/// It takes four bytes, as a client may have been sent a row of each of a million documents.
package struct ShownRow: Hashable, Sendable {
    /// The row of a document is below it, and what is not the offer of a new one is an unknown document from there on.
    private static let firstUnknown: UInt32 = 1 << 31
    /// The most documents of which only the key is known.
    fileprivate static let mostUnknown = PickerItem.newDocument.number - firstUnknown

    private let number: UInt32

    private init(number: UInt32) { self.number = number }

    package static func item(_ item: PickerItem) -> ShownRow { ShownRow(number: item.number) }

    fileprivate static func unknown(_ number: UInt32) -> ShownRow {
        ShownRow(number: firstUnknown + number)
    }

    /// The item; nil if only a key is known.
    package var item: PickerItem? {
        number < Self.firstUnknown || number == PickerItem.newDocument.number
            ? PickerItem(number: number) : nil
    }

    /// Which of the unknown documents it is; nil for an item.
    fileprivate var unknown: UInt32? {
        item == nil ? number - Self.firstUnknown : nil
    }
}

/// The keys of documents of which nothing else is known, by numbers, as long as rows have these.
struct UnknownKeys {
    private var keys: [UInt32: (text: String, count: Int)] = [:]
    /// The number of the next one, unless it is in use.
    var next: UInt32 = 0

    var count: Int { keys.count }

    /// A new row, which is retained once.
    /// - Complexity: O(1), amortized.
    mutating func add(_ key: String) -> ShownRow {
        precondition(keys.count < Int(ShownRow.mostUnknown), "there are numbers for more keys")
        while keys[next] != nil { advance() }
        defer { advance() }
        keys[next] = (key, 1)
        return .unknown(next)
    }

    private mutating func advance() { next = next + 1 < ShownRow.mostUnknown ? next + 1 : 0 }

    fileprivate func text(of number: UInt32) -> String {
        guard let key = keys[number] else { preconditionFailure("the row is not retained") }
        return key.text
    }

    fileprivate mutating func retain(_ number: UInt32) {
        precondition(keys[number] != nil, "the row is not retained")
        keys[number]?.count += 1
    }

    fileprivate mutating func release(_ number: UInt32) {
        guard let key = keys[number] else { preconditionFailure("the row is not retained") }
        keys[number] = key.count == 1 ? nil : (key.text, key.count - 1)
    }
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
        for row in rows { table.retain(row) }
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
        for row in new { table.retain(row) }
        for row in rows[range] { table.release(row) }
        rows.replaceSubrange(range, with: new)
    }

    package func append(_ item: PickerItem) {
        table.retain(.item(item))
        rows.append(.item(item))
    }

    /// Appends a row of a document of which only the key is known.
    package func append(unknown key: String) { rows.append(table.unknownKeys.add(key)) }
}

extension DocumentTable {
    fileprivate func retain(_ row: ShownRow) {
        if let unknown = row.unknown {
            unknownKeys.retain(unknown)
        } else if let row = row.item?.row {
            retain(row)
        }
    }

    /// Ends the effect of one `retain` of the row.
    func release(_ row: ShownRow) {
        if let unknown = row.unknown {
            unknownKeys.release(unknown)
        } else if let row = row.item?.row {
            release(row)
        }
    }

    /// The key of a row.
    package func key(of row: ShownRow) -> String {
        if let unknown = row.unknown { return unknownKeys.text(of: unknown) }
        return row.item?.row.map { text(of: key(of: $0)) } ?? ItemContent.newKey
    }

    /// What a row is, or was when it was sent.
    /// - Complexity: O(n) in the length of the path.
    package func content(of row: ShownRow) -> ItemContent {
        row.item.map { content(of: $0) } ?? .document(.unknown(key: key(of: row)))
    }
}
