internal import CSQLite
package import StateFolder

/// An error of SQLite, and the operation that failed.
package struct SQLiteError: Error, Hashable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    /// SQLite's message.
    package let message: String
    /// The operation, to follow the word "cannot".
    package let operation: String

    /// The code for a file that is no database of the expected form.
    package static let notADatabase = SQLITE_NOTADB

    package init(code: Int32, message: String, operation: String) {
        self.code = code
        self.message = message
        self.operation = operation
    }

    private var primary: Int32 { code & 0xff }

    /// The disk or the database is full.
    package var isFull: Bool { primary == SQLITE_FULL }

    /// Another program has the database for the moment.
    package var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// The file is damaged, or not a database.
    package var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// A statement does not match the tables.
    package var isWrongStatement: Bool { primary == SQLITE_ERROR }

    package var description: String { "cannot \(operation): \(message)" }
}

extension StorageError {
    package init(_ error: SQLiteError, path: String) {
        let code: Code = error.isFull ? .full : error.isDamage ? .damaged : .failed
        self.init(code, "'\(path)': \(error.description)")
    }
}
