internal import CSQLite
internal import StateFolder

/// What SQLite answered, and on what.
struct SQLiteError: Error, Hashable {
    /// The extended result code.
    let code: Int32
    /// In SQLite's words.
    let message: String
    /// What was attempted, as in "cannot …".
    let operation: String

    private var primary: Int32 { code & 0xff }

    /// There is no room for what was to be written.
    var isFull: Bool { primary == SQLITE_FULL }

    /// The file is not one of SQLite's, or is damaged.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// A statement does not fit the tables that there are.
    var isWrongStatement: Bool { primary == SQLITE_ERROR }

    var description: String { "cannot \(operation): \(message)" }
}

extension StorageError {
    init(_ error: SQLiteError, path: String) {
        let code: Code = error.isFull ? .full : error.isDamage ? .damaged : .failed
        self.init(code, "'\(path)': \(error.description)")
    }
}
