internal import CSQLite
internal import StateFolder

/// An error of SQLite, and the operation that failed.
struct SQLiteError: Error, Hashable {
    /// The extended result code.
    let code: Int32
    /// SQLite's message.
    let message: String
    /// The operation, to follow the word "cannot".
    let operation: String

    private var primary: Int32 { code & 0xff }

    /// The disk or the database is full.
    var isFull: Bool { primary == SQLITE_FULL }

    /// The file is damaged, or not a database.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// A statement does not match the tables.
    var isWrongStatement: Bool { primary == SQLITE_ERROR }

    var description: String { "cannot \(operation): \(message)" }
}

extension StorageError {
    init(_ error: SQLiteError, path: String) {
        let code: Code = error.isFull ? .full : error.isDamage ? .damaged : .failed
        self.init(code, "'\(path)': \(error.description)")
    }
}
