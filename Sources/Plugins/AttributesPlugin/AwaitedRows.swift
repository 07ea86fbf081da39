internal import PickerModel

/// The documents of a one-time answer that may have the attributes of a group, until they have been read.
final class AwaitedRows: SlicedWork {
    /// So many rows are looked at when the answer is met, more in slices.
    static let mostAtOnce = 1024

    let shown: ShownRows
    private let condition: DocumentFilter?
    private(set) var stepsTaken = 0
    private var place = 0
    private var keys: [KeyNumber] = []
    /// Those before it have been read.
    private var head = 0

    /// Does nothing yet: the first slice begins the work.
    init(_ shown: ShownRows, condition: DocumentFilter?) {
        self.shown = shown
        self.condition = condition
    }

    var isDone: Bool { place == shown.count }

    func advance(budget: Int) -> Bool {
        let table = shown.table
        var steps = 0
        while place < shown.count, steps < budget {
            steps += 1
            if let row = shown.rows[place].item?.row,
                condition?.matches(row, of: table, steps: &steps) ?? true
            {
                keys.append(table.key(of: row))
            }
            place += 1
        }
        stepsTaken += steps
        return isDone
    }

    /// The documents that have not been read; nil until all have been looked at.
    /// - Complexity: O(n).
    func unreadCount(_ read: ReadRows) -> Int? {
        guard isDone else { return nil }
        return keys[head...].count { isUnread($0, read) != nil }
    }

    /// The next documents that have not been read.
    func unread(_ read: ReadRows, atMost limit: Int) -> [DocumentRow] {
        while head < keys.count, isUnread(keys[head], read) == nil { head += 1 }
        return Array(keys[head...].lazy.compactMap { self.isUnread($0, read) }.prefix(limit))
    }

    /// The row of a document unless it has been read, or is gone. Its values make new rows.
    private func isUnread(_ key: KeyNumber, _ read: ReadRows) -> DocumentRow? {
        shown.table.row(of: key).flatMap { read.contains($0) ? nil : $0 }
    }
}
