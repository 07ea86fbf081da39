internal import PickerModel

/// The documents of a one-time answer that may have the attributes of a group, until they have been read.
final class AwaitedRows: SlicedWork {
    /// So many rows are looked at when the answer is met, more in slices.
    static let mostAtOnce = 1024

    let shown: ShownRows
    private let condition: DocumentFilter?
    private let directory: AttributeDirectory
    private(set) var stepsTaken = 0
    private var place = 0
    /// Values make new versions of rows, and so do changed files.
    private let documents: FollowedRows

    /// Does nothing yet: the first slice begins the work.
    init(_ shown: ShownRows, condition: DocumentFilter?, in directory: AttributeDirectory) {
        self.shown = shown
        self.condition = condition
        self.directory = directory
        documents = directory.beginFollowing()
    }

    deinit { directory.endFollowing(documents) }

    var isDone: Bool { place == shown.count }

    /// The rows that have not been looked at.
    var restCount: Int { shown.count - place }

    func advance(budget: Int) -> Bool {
        let table = shown.table
        var steps = 0
        while place < shown.count, steps < budget {
            steps += 1
            if let row = shown.rows[place].item?.row,
                condition?.matches(row, of: table, steps: &steps) ?? true,
                let now = table.row(of: table.key(of: row))
            {
                documents.insert(now)
            }
            place += 1
        }
        stepsTaken += steps
        return isDone
    }

    /// The documents that have been looked at, as they are now.
    var rows: RowBitset { directory.rows(of: documents) }

    /// The number of documents that have not been read; nil until all have been looked at.
    /// - Complexity: O(n / 64) for n rows of the table.
    func unreadCount(_ read: ReadRows) -> Int? {
        isDone ? directory.unreadCount(of: documents, read) : nil
    }

    /// Some documents that have not been read.
    func unread(_ read: ReadRows, atMost limit: Int) -> [DocumentRow] {
        directory.unread(of: documents, read, atMost: limit)
    }
}
