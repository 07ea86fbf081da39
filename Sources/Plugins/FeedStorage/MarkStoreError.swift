internal import StateFolder
internal import SystemInterface

/// Why marks can't be stored or read.
package struct MarkStoreError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// There is no room.
        case full
        /// Another process has the store.
        case inUse
        /// The database is damaged: the next opening puts it aside.
        case damaged
        /// The folder or a file in it is not the one that was opened: removed, renamed, or replaced.
        case misplaced
        /// All else: the folder is read-only, the disk is broken.
        case failed
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: SQLiteError, path: String) {
        let code: Code = error.isFull ? .full : error.isDamage ? .damaged : .failed
        self.init(code, "'\(path)': \(error.description)")
    }

    init(_ error: StorageError) {
        switch error {
        case .inUse(let path): self.init(.inUse, "another daemon keeps its marks in '\(path)'")
        case .system(let error) where error.code == .noSpace: self.init(.full, "\(error)")
        case .misplaced: self.init(.misplaced, "\(error)")
        case .system, .unsafeFolder: self.init(.failed, "\(error)")
        }
    }

    init(_ error: SystemError, path: String) {
        self.init(.system(SystemError(error.code, operation: error.operation, subject: path)))
    }
}

extension MarkStoreError: CustomStringConvertible {
    package var description: String { message }
}
