internal import Database
internal import PickerModel

extension ReadingTable {
    /// Forgets what was read of files, or all values of a reader: not which files can't be read then.
    /// - Complexity: O(log n) for each file; O(n) for all.
    func forget(_ files: [FileVersion]?, by extractor: Extractor) throws(SQLiteError) {
        let reader = try number(of: extractor)
        guard let files else {
            let all = try connection.prepare(
                "DELETE FROM entry WHERE extractor = ?1 AND value IS NOT NULL")
            try all.bind(1, reader)
            return try all.run()
        }
        let one = try connection.prepare(
            """
            DELETE FROM entry WHERE extractor = ?1 AND root = ?2 AND inode = ?3 AND size = ?4
            AND mtime_s = ?5 AND mtime_ns = ?6
            """)
        try inTransaction { () throws(SQLiteError) in
            for file in files {
                try bind(one, reader, file)
                try one.run()
            }
        }
    }
}
