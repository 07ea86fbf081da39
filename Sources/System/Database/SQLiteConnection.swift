// A connection to a database and its prepared statements: thin owners of SQLite's handles.
//
// Each belongs to one thread at a time and is closed with its owner. A statement that outlives its
// connection keeps the connection open; nothing is freed twice.

internal import CSQLite

/// An open database.
@safe package struct SQLiteConnection: ~Copyable {
    private let handle: OpaquePointer

    /// Opens the database in the file at `path`, and creates a missing file.
    package init(opening path: String) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_EXRESCODE
        // The path is a C string for the duration of the call; the handle is ours even after an error.
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) }
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(
                code: code, message: message ?? "out of memory", operation: "open the database")
        }
        unsafe self.handle = handle
    }

    deinit {
        // `init` opened the handle, and only `deinit` closes it.
        unsafe sqlite3_close_v2(handle)
    }

    /// Keeps the log on close: SQLite would remove the file of that name, which may be foreign by then.
    package borrowing func keepLog() {
        var isKept: Int32 = 1
        // The number is a local variable that outlives the call; "main" is SQLite's name of the database
        // itself.
        unsafe _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    /// Runs statements without parameters and ignores their rows.
    package borrowing func execute(_ sql: String) throws(SQLiteError) {
        // The text is a C string for the duration of the call, which takes no callback.
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, "run '\(sql)'") }
    }

    /// Prepares one statement.
    package borrowing func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var statement: OpaquePointer?
        // The text is a C string for the duration of the call.
        let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else {
            throw error(code, "prepare '\(sql)'")
        }
        return unsafe SQLiteStatement(adopting: statement)
    }

    /// The first column of the first row of `sql`, as a number; 0 without rows.
    package borrowing func number(_ sql: String) throws(SQLiteError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The first column of the first row of `sql`, as text; empty without rows.
    package borrowing func text(_ sql: String) throws(SQLiteError) -> String {
        let statement = try prepare(sql)
        return try statement.step() ? String(decoding: statement.bytes(0), as: UTF8.self) : ""
    }

    private borrowing func error(_ code: Int32, _ operation: String) -> SQLiteError {
        // The text is SQLite's own, and copied before the next call.
        SQLiteError(
            code: code, message: unsafe String(cString: sqlite3_errmsg(handle)),
            operation: operation)
    }
}

/// A prepared statement. Parameter indices start at 1, column indices at 0.
@safe package struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer

    /// Takes ownership of a handle.
    @unsafe fileprivate init(adopting handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        // The statement owns the handle, and only `deinit` finalizes it.
        unsafe sqlite3_finalize(handle)
    }

    package borrowing func bind(_ index: Int32, _ value: Int64?) throws(SQLiteError) {
        // The handle is valid; a wrong index is an error.
        if let value {
            try check(unsafe sqlite3_bind_int64(handle, index, value))
        } else {
            try check(unsafe sqlite3_bind_null(handle, index))
        }
    }

    package borrowing func bind(_ index: Int32, _ bytes: [UInt8]) throws(SQLiteError) {
        // SQLite copies the bytes before the call returns.
        let code = unsafe bytes.withUnsafeBytes {
            unsafe csqlite_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count))
        }
        try check(code)
    }

    /// Ends a run whose rows have been read, for the next one.
    package borrowing func reset() {
        // It only repeats the error of the step.
        unsafe _ = sqlite3_reset(handle)
    }

    /// Advances to the next row.
    /// - Returns: whether there is one.
    package borrowing func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            throw SQLiteError(code: code, message: message, operation: "run a statement")
        }
    }

    /// Runs a statement without rows, and resets it for the next run.
    package borrowing func run() throws(SQLiteError) {
        // `reset` only repeats the error of the step.
        defer { unsafe sqlite3_reset(handle) }
        while try step() {}
    }

    package borrowing func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    package borrowing func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// The bytes of a blob or text.
    package borrowing func bytes(_ column: Int32) -> [UInt8] {
        // The pointer is valid until the next step, for the number of bytes that the second call returns.
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls `body` with the bytes of a blob or text, without a copy.
    package borrowing func withBytes<Result>(
        _ column: Int32, _ body: (Span<UInt8>) -> Result
    ) -> Result {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        // The pointer is valid until the next step, for the number of bytes that the second call returns; `body` can't
        // take a step, as it has no span of its own to keep.
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe body($0.span) }
    }

    private borrowing func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, message: message, operation: "bind a value")
        }
    }

    private var message: String {
        // The text is SQLite's own, and copied before the next call.
        unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
    }
}
