package import SystemInterface

/// A failure to store or read persistent state.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The disk is full.
        case full
        /// Another process has locked the folder.
        case inUse
        /// The stored data is damaged.
        case damaged
        /// The folder or a file in it is not the opened one: it was removed, renamed, or replaced.
        case misplaced
        /// All else: the folder is invalid or read-only, or the disk fails.
        case failed
    }

    package let code: Code
    package let description: String
    /// The system call that failed, if one did.
    package let cause: SystemError?

    package init(_ code: Code, _ description: String, cause: SystemError? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    package static func system(_ error: SystemError) -> StorageError {
        StorageError(error.code == .noSpace ? .full : .failed, error.description, cause: error)
    }

    package static func inUse(path: String) -> StorageError {
        StorageError(.inUse, "another daemon uses '\(path)'")
    }

    package static func misplaced(path: String) -> StorageError {
        StorageError(.misplaced, "'\(path)' was removed, renamed or replaced")
    }
}
