internal import Database
internal import PickerModel

// How what was read is forgotten.
//
// To forget all values of a reader takes half a second for a million, in which no question would be answered. So it is
// noted in the database that they are to go, and they go in pieces. Meanwhile, and after a start that finds the note,
// values of the reader are not known: neither those that are to go, nor any that it reads now, which are not stored.
extension ReadingTable {
    /// The entries looked at in one piece: two milliseconds.
    static let mostForgotten = 4096

    /// The key of an entry of a reader.
    struct Place {
        fileprivate var numbers: [Int64]

        /// Before all entries.
        static let start = Place(numbers: Array(repeating: .min, count: 5))

        fileprivate func bind(
            to statement: borrowing SQLiteStatement, from first: Int32
        ) throws(SQLiteError) {
            for (index, number) in numbers.enumerated() {
                try statement.bind(first + Int32(index), number)
            }
        }
    }

    private static let key = "(root, inode, size, mtime_s, mtime_ns)"

    /// Whether all values of some reader are still to be forgotten.
    var isForgetting: Bool { !leaving.isEmpty }

    /// Forgets what was read of files, or all values of a reader: not which files can't be read then. Nobody finds
    /// the values any more; `forgetSome` removes them.
    /// - Complexity: O(log n) for each file.
    func forget(_ files: [FileVersion]?, by extractor: Extractor) throws(SQLiteError) {
        let reader = try number(of: extractor)
        guard let files else {
            // Even if it can't be noted now.
            if leaving[reader] == nil { leaving[reader] = .start }
            return try note(leaving: reader)
        }
        try inTransaction { () throws(SQLiteError) in try forget(files, reader) }
    }

    private func note(leaving reader: Int64) throws(SQLiteError) {
        let note = try connection.prepare("INSERT OR IGNORE INTO leaving (extractor) VALUES (?1)")
        try note.bind(1, reader)
        try note.run()
    }

    /// Forgets what was read of files, in a transaction.
    func forget(_ files: [FileVersion], _ reader: Int64) throws(SQLiteError) {
        let one = try connection.prepare(
            """
            DELETE FROM entry WHERE extractor = ?1 AND root = ?2 AND inode = ?3 AND size = ?4
            AND mtime_s = ?5 AND mtime_ns = ?6
            """)
        for file in files {
            try bind(one, reader, file)
            try one.run()
        }
    }

    /// Removes some of the values that are to be forgotten. Call it as long as there are any.
    /// - Complexity: O(k) for k entries at most.
    func forgetSome(atMost limit: Int = ReadingTable.mostForgotten) throws(SQLiteError) {
        guard let (reader, place) = leaving.min(by: { $0.key < $1.key }) else { return }
        var end: Place?
        try inTransaction { () throws(SQLiteError) in
            end = try self.place(limit, behind: place, reader)
            try remove(behind: place, to: end, reader)
            if end != nil { return try note(leaving: reader) }
            let done = try connection.prepare("DELETE FROM leaving WHERE extractor = ?1")
            try done.bind(1, reader)
            try done.run()
        }
        leaving[reader] = end
    }

    /// The key of the last of so many entries of a reader behind a place; nil if there are fewer.
    private func place(
        _ count: Int, behind place: Place, _ reader: Int64
    ) throws(SQLiteError) -> Place? {
        let find = try connection.prepare(
            """
            SELECT root, inode, size, mtime_s, mtime_ns FROM entry
            WHERE extractor = ?1 AND \(Self.key) > (?2, ?3, ?4, ?5, ?6)
            ORDER BY root, inode, size, mtime_s, mtime_ns LIMIT 1 OFFSET ?7
            """)
        try find.bind(1, reader)
        try place.bind(to: find, from: 2)
        try find.bind(7, Int64(max(1, count) - 1))
        return try find.step() ? Place(numbers: (0..<5).map { find.integer($0) }) : nil
    }

    /// Removes the values of a reader between two places, or behind one.
    private func remove(
        behind place: Place, to end: Place?, _ reader: Int64
    ) throws(SQLiteError) {
        let remove = try connection.prepare(
            """
            DELETE FROM entry WHERE extractor = ?1 AND \(Self.key) > (?2, ?3, ?4, ?5, ?6)
            AND value IS NOT NULL \(end == nil ? "" : "AND \(Self.key) <= (?7, ?8, ?9, ?10, ?11)")
            """)
        try remove.bind(1, reader)
        try place.bind(to: remove, from: 2)
        try end?.bind(to: remove, from: 7)
        try remove.run()
    }

    /// The readers whose values are still to be forgotten.
    static func leaving(
        in connection: borrowing SQLiteConnection
    ) throws(SQLiteError) -> [Int64: Place] {
        let find = try connection.prepare("SELECT extractor FROM leaving")
        var leaving: [Int64: Place] = [:]
        while try find.step() { leaving[find.integer(0)] = .start }
        return leaving
    }
}
