// The database of marks: one table, one row a mark.
//
// The database is in WAL mode: a commit appends to a second file, and committed data survives a crash of
// the process. A durable batch is flushed to the disk before its answer (synchronous FULL). Batches that
// only track files are not (NORMAL), because other evidence can replace them. The lock is exclusive, so
// there is no shared memory, whose pages could fault on a full disk.
//
// A separate table holds the number of durable transactions. SQLite silently uses the part of a damaged log
// before the damage; comparing this number with the one outside the database reveals it.
//
// `application_id` identifies pickerd's files, `user_version` the format: 2 since visits are marks; a database of
// format 1 gets their column when it is opened. Any other table, view or trigger makes the file foreign.

internal import Database
internal import PickerModel
internal import StateFolder

/// An open database of marks.
final class MarkTable {
    /// The reasons why a file is not a usable database of marks.
    enum Fault: Error {
        case damaged(String)
        case foreign
        case newer(Int64)
        case failed(SQLiteError)
    }

    /// The format that this version writes.
    private static let version: Int64 = 2
    /// `pkdF` in ASCII.
    private static let application: Int64 = 0x706b_6446

    private let path: String
    private let connection: SQLiteConnection
    private let put: SQLiteStatement
    private let remove: SQLiteStatement
    private var isDurable = true
    /// The number of durable transactions.
    private(set) var transactions: Int64 = 0
    /// Whether the table `progress` exists; databases of the first versions have none.
    private var hasProgress: Bool

    /// Opens the database at `path`, or creates one in an empty file. `mostPages` limits its size.
    static func open(at path: String, mostPages: Int) throws(Fault) -> MarkTable {
        let found: Result<MarkTable, Fault>
        do throws(SQLiteError) {
            found = try make(at: path, mostPages)
        } catch {
            throw error.isWrongStatement ? .damaged("its table is another one") : Fault(error)
        }
        return try found.get()
    }

    private static func make(
        at path: String, _ mostPages: Int
    ) throws(SQLiteError) -> Result<MarkTable, Fault> {
        let connection = try SQLiteConnection(opening: path)
        try connection.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY
            """)
        if let fault = try prepare(connection) { return .failure(fault) }
        try connection.execute("PRAGMA max_page_count = \(mostPages)")
        let put = try connection.prepare(
            """
            INSERT OR REPLACE INTO marks
            (id, marks, root, path, inode, size, seconds, nanoseconds, gone, visited)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        let remove = try connection.prepare("DELETE FROM marks WHERE id = ?1")
        let hasProgress =
            try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'progress'") > 0
        let transactions =
            hasProgress ? try connection.number("SELECT transactions FROM progress") : 0
        let table = MarkTable(path, connection, put, remove, hasProgress)
        table.transactions = transactions
        return .success(table)
    }

    private init(
        _ path: String, _ connection: consuming SQLiteConnection, _ put: consuming SQLiteStatement,
        _ remove: consuming SQLiteStatement, _ hasProgress: Bool
    ) {
        self.hasProgress = hasProgress
        self.path = path
        self.connection = connection
        self.put = put
        self.remove = remove
    }

    /// Prepares the database, or returns the reason why it is unusable.
    private static func prepare(
        _ connection: borrowing SQLiteConnection
    ) throws(SQLiteError) -> Fault? {
        // The owner is checked first, so that foreign files stay unchanged.
        let version = try connection.number("PRAGMA user_version")
        let application = try connection.number("PRAGMA application_id")
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
        let isNew = version == 0 && application == 0 && tables == 0
        if !isNew {
            guard application == Self.application else { return .foreign }
            guard version <= Self.version else { return .newer(version) }
            let verdict = try connection.text("PRAGMA quick_check(1)")
            guard verdict == "ok" else { return .damaged(verdict) }
        }
        let mode = try connection.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else { return .damaged("it can't be put into WAL mode") }
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304")
        if isNew {
            try makeTable(connection)
        } else if version < Self.version {
            try addVisits(connection)
        }
        return nil
    }

    private static func makeTable(_ connection: borrowing SQLiteConnection) throws(SQLiteError) {
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            CREATE TABLE marks (
                id INTEGER PRIMARY KEY, marks INTEGER NOT NULL,
                root BLOB NOT NULL, path BLOB NOT NULL, inode INTEGER NOT NULL,
                size INTEGER NOT NULL, seconds INTEGER NOT NULL, nanoseconds INTEGER NOT NULL,
                gone INTEGER, visited INTEGER
            ) STRICT;
            \(progressTable);
            PRAGMA application_id = \(application);
            PRAGMA user_version = \(version);
            COMMIT
            """)
    }

    /// Makes a database of format 1 one of format 2.
    private static func addVisits(_ connection: borrowing SQLiteConnection) throws(SQLiteError) {
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            ALTER TABLE marks ADD COLUMN visited INTEGER;
            PRAGMA user_version = \(version);
            COMMIT
            """)
    }

    private static let progressTable =
        """
        CREATE TABLE progress (
            only INTEGER PRIMARY KEY CHECK (only = 1), transactions INTEGER NOT NULL
        ) STRICT
        """

    // MARK: Rows

    /// All marks, and the number of invalid rows.
    func read() throws(Fault) -> (marks: [StoredMark], strange: Int) {
        do throws(SQLiteError) {
            let rows = try connection.prepare(
                """
                SELECT id, marks, root, path, inode, size, seconds, nanoseconds, gone, visited
                FROM marks ORDER BY id LIMIT \(DocumentMarks.most)
                """)
            var marks: [StoredMark] = []
            var strange = 0
            while try rows.step() {
                if let mark = Self.mark(rows) { marks.append(mark) } else { strange += 1 }
            }
            return (marks, strange)
        } catch { throw Fault(error) }
    }

    private static func mark(_ row: borrowing SQLiteStatement) -> StoredMark? {
        let marks = Marks(rawValue: UInt8(truncatingIfNeeded: row.integer(1)))
        let path = row.bytes(3)
        let nanoseconds = row.integer(7)
        let visits = row.isNull(9) ? nil : VisitScore(milliseconds: row.integer(9))
        guard row.integer(0) > 0, row.integer(0) < .max / 2, !marks.isEmpty,
            Marks.all.isSuperset(of: marks), marks.contains(.visited) == (visits != nil),
            !path.isEmpty,
            let root = String(validating: row.bytes(2), as: UTF8.self),
            (0..<1_000_000_000).contains(nanoseconds)
        else { return nil }
        return StoredMark(
            id: row.integer(0), marks: marks, visits: visits,
            file: MarkedFile(
                place: DocumentPlace(root: root, path: FileName(bytes: path)),
                inode: UInt64(bitPattern: row.integer(4)),
                size: UInt64(bitPattern: row.integer(5)),
                modified: FileTime(seconds: row.integer(6), nanoseconds: UInt32(nanoseconds))),
            goneSince: row.isNull(8) ? nil : row.integer(8))
    }

    // MARK: Writing

    func write(_ batch: MarkBatch) throws(StorageError) {
        do throws(SQLiteError) {
            if batch.isDurable != isDurable {
                try connection.execute(
                    "PRAGMA synchronous = \(batch.isDurable ? "FULL" : "NORMAL")")
                isDurable = batch.isDurable
            }
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                try apply(batch)
                if batch.isDurable { try count() }
                try connection.execute("COMMIT")
                if batch.isDurable {
                    transactions += 1
                    hasProgress = true
                }
            } catch {
                // After some errors SQLite has already rolled back.
                try? connection.execute("ROLLBACK")
                throw error
            }
        } catch { throw StorageError(error, path: path) }
    }

    private func count() throws(SQLiteError) {
        if !hasProgress { try connection.execute(Self.progressTable) }
        try connection.execute("INSERT OR REPLACE INTO progress VALUES (1, \(transactions + 1))")
    }

    /// Copies the log into the database and truncates it. What can't be copied stays in the log.
    func checkpoint() { try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Keeps the log on close. Call this if the files are not at their paths: files of the same names may
    /// be foreign.
    func keepLog() { connection.keepLog() }

    private func apply(_ batch: MarkBatch) throws(SQLiteError) {
        if batch.replacesAll { try connection.execute("DELETE FROM marks") }
        let changes = batch.changes
        for id in changes.removals {
            try remove.bind(1, id)
            try remove.run()
        }
        for mark in changes.puts {
            let file = mark.file
            try put.bind(1, mark.id)
            try put.bind(2, Int64(mark.marks.rawValue))
            try put.bind(3, Array(file.place.root.utf8))
            try put.bind(4, file.place.path.bytes)
            try put.bind(5, Int64(bitPattern: file.inode))
            try put.bind(6, Int64(bitPattern: file.size))
            try put.bind(7, file.modified.seconds)
            try put.bind(8, Int64(file.modified.nanoseconds))
            try put.bind(9, mark.goneSince)
            try put.bind(10, mark.visits?.milliseconds)
            try put.run()
        }
    }
}

extension MarkTable.Fault {
    init(_ error: SQLiteError) {
        self = error.isDamage ? .damaged(error.message) : .failed(error)
    }
}
