internal import Database
internal import PickerModel

/// The database of what was read. For one thread.
///
/// A row for each version of a file and each reader. The log is never flushed: what is lost is read again. Beyond the limit
/// what was used the longest time ago is removed, and its room used again: the file gets no shorter.
final class ReadingTable {
    private static let application: Int64 = 0x706b_6174  // "pkat"
    private static let version: Int64 = 1
    static let mostBytes = 1 << 30
    private static let pageBytes = 4096

    /// An entry of a file that is found is noted as used if it was not for so many days: not each day, as noting it of all
    /// takes longer than finding all.
    static let daysBetweenNotes: Int64 = 7

    let connection: SQLiteConnection
    let find: SQLiteStatement
    let findRange: SQLiteStatement
    private let put: SQLiteStatement
    private let use: SQLiteStatement
    private var extractors: [Extractor: Int64] = [:]
    private var roots: [[UInt8]: Int64] = [:]
    private let mostPages: Int64
    /// The readers all of whose values are to be forgotten, with the last entries that have been looked at.
    var leaving: [Int64: Place]
    /// Days since 1970.
    var today: Int64

    /// Opens the database, or makes one.
    static func open(
        at path: String, mostBytes: Int = ReadingTable.mostBytes, today: Int64
    ) throws(SQLiteError) -> ReadingTable {
        let connection = try SQLiteConnection(opening: path)
        try connection.execute(
            """
            PRAGMA busy_timeout = 200; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384
            """)
        if try connection.number("SELECT count(*) FROM sqlite_schema") > 0 {
            let application = try connection.number("PRAGMA application_id")
            let version = try connection.number("PRAGMA user_version")
            guard application == Self.application, version == Self.version else {
                throw SQLiteError(
                    code: SQLiteError.notADatabase, message: "it is not one of this version",
                    operation: "use the database")
            }
        }
        _ = try connection.text("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = OFF; PRAGMA journal_size_limit = 4194304")
        try connection.execute(Self.tables)
        let find = try connection.prepare(
            """
            SELECT value, seen_day FROM entry WHERE extractor = ?1 AND root = ?2 AND inode = ?3
            AND size = ?4 AND mtime_s = ?5 AND mtime_ns = ?6
            """)
        let findRange = try connection.prepare(
            """
            SELECT value, seen_day, inode, size, mtime_s, mtime_ns FROM entry
            WHERE extractor = ?1 AND root = ?2 AND inode BETWEEN ?3 AND ?4 ORDER BY inode
            """)
        let put = try connection.prepare(
            """
            INSERT OR REPLACE INTO entry
            (extractor, root, inode, size, mtime_s, mtime_ns, value, seen_day)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        let use = try connection.prepare(
            """
            UPDATE entry SET seen_day = ?7 WHERE extractor = ?1 AND root = ?2 AND inode = ?3
            AND size = ?4 AND mtime_s = ?5 AND mtime_ns = ?6
            """)
        let leaving = try leaving(in: connection)
        return ReadingTable(
            connection, find, findRange, put, use, mostBytes / pageBytes, leaving, today)
    }

    private init(
        _ connection: consuming SQLiteConnection, _ find: consuming SQLiteStatement,
        _ findRange: consuming SQLiteStatement, _ put: consuming SQLiteStatement,
        _ use: consuming SQLiteStatement, _ mostPages: Int, _ leaving: [Int64: Place],
        _ today: Int64
    ) {
        self.connection = connection
        self.find = find
        self.findRange = findRange
        self.put = put
        self.use = use
        self.mostPages = Int64(mostPages)
        self.leaving = leaving
        self.today = today
    }

    private static let tables =
        """
        BEGIN IMMEDIATE;
        CREATE TABLE IF NOT EXISTS extractor (
            id INTEGER PRIMARY KEY, plugin BLOB NOT NULL, version BLOB NOT NULL,
            name BLOB NOT NULL, UNIQUE (plugin, version, name)
        ) STRICT;
        CREATE TABLE IF NOT EXISTS root (
            id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE IF NOT EXISTS entry (
            extractor INTEGER NOT NULL, root INTEGER NOT NULL, inode INTEGER NOT NULL,
            size INTEGER NOT NULL, mtime_s INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
            value BLOB, seen_day INTEGER NOT NULL,
            PRIMARY KEY (extractor, root, inode, size, mtime_s, mtime_ns)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS leaving (extractor INTEGER PRIMARY KEY) STRICT;
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        COMMIT
        """

    // MARK: Readings

    /// What is known is known, even if it can't be noted that somebody has asked for it.
    func noteUse(of files: [FileVersion], _ reader: Int64) throws(SQLiteError) {
        try inTransaction { () throws(SQLiteError) in
            for file in files {
                try bind(use, reader, file)
                try use.bind(7, today)
                try use.run()
            }
        }
    }

    /// Stores what was read; of a reader whose values are being forgotten, only which files can't be read.
    func put(
        _ readings: [(file: FileVersion, reading: CachedReading)], by extractor: Extractor
    ) throws(SQLiteError) {
        let reader = try number(of: extractor)
        if try usedPages > mostPages { try makeRoom() }
        try inTransaction { () throws(SQLiteError) in
            for (file, reading) in readings {
                if leaving[reader] != nil, reading != .failed {
                    try forget([file], reader)
                    continue
                }
                try bind(put, reader, file)
                if let bytes = reading.stored {
                    try put.bind(7, bytes)
                } else {
                    try put.bind(7, nil)
                }
                try put.bind(8, today)
                try put.run()
            }
        }
    }

    func inTransaction(
        _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try connection.execute(begin)
        do throws(SQLiteError) {
            try body()
            try connection.execute("COMMIT")
        } catch {
            // After some errors SQLite has rolled back by itself.
            try? connection.execute("ROLLBACK")
            // Numbers that were given in it are given again.
            roots = [:]
            extractors = [:]
            throw error
        }
    }

    private var usedPages: Int64 {
        get throws(SQLiteError) {
            try connection.number("PRAGMA page_count") - connection.number("PRAGMA freelist_count")
        }
    }

    func bind(
        _ statement: borrowing SQLiteStatement, _ reader: Int64, _ file: FileVersion
    ) throws(SQLiteError) {
        try statement.bind(1, reader)
        try statement.bind(2, try number(ofRoot: file.root))
        try statement.bind(3, Int64(bitPattern: file.inode))
        try statement.bind(4, Int64(bitPattern: file.size))
        try statement.bind(5, file.modified.seconds)
        try statement.bind(6, Int64(file.modified.nanoseconds))
    }

    func number(of extractor: Extractor) throws(SQLiteError) -> Int64 {
        if let known = extractors[extractor] { return known }
        let texts = [extractor.plugin, extractor.version, extractor.group]
        let insert = try connection.prepare(
            "INSERT OR IGNORE INTO extractor (plugin, version, name) VALUES (?1, ?2, ?3)")
        let select = try connection.prepare(
            "SELECT id FROM extractor WHERE plugin = ?1 AND version = ?2 AND name = ?3")
        for (index, text) in texts.enumerated() {
            try insert.bind(Int32(index + 1), Array(text.utf8))
            try select.bind(Int32(index + 1), Array(text.utf8))
        }
        try insert.run()
        let number = try select.step() ? select.integer(0) : 0
        extractors[extractor] = number
        return number
    }

    func number(ofRoot root: [UInt8]) throws(SQLiteError) -> Int64 {
        if let known = roots[root] { return known }
        let insert = try connection.prepare("INSERT OR IGNORE INTO root (path) VALUES (?1)")
        let select = try connection.prepare("SELECT id FROM root WHERE path = ?1")
        try insert.bind(1, root)
        try select.bind(1, root)
        try insert.run()
        let number = try select.step() ? select.integer(0) : 0
        roots[root] = number
        return number
    }

    /// Removes what was used the longest time ago, a day at least.
    private func makeRoom() throws(SQLiteError) {
        let oldest = try connection.number("SELECT coalesce(min(seen_day), 0) FROM entry")
        if oldest == today {
            // All is of today: a half goes, any.
            try connection.execute("DELETE FROM entry WHERE random() & 1")
        } else {
            try connection.execute("DELETE FROM entry WHERE seen_day = \(oldest)")
        }
    }
}
