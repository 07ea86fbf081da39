package import SystemInterface

/// Why something that outlives the daemon can't be stored or read.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// There is no room.
        case full
        /// Another process has the folder.
        case inUse
        /// What is there is damaged.
        case damaged
        /// The folder or a file in it is not the one that was opened: removed, renamed, or replaced.
        case misplaced
        /// All else: the folder is not what it must be, or read-only; the disk is broken.
        case failed
    }

    package let code: Code
    package let description: String
    /// The system call that failed, if one did.
    package let cause: SystemError?

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
        cause = nil
    }

    private init(_ cause: SystemError) {
        code = cause.code == .noSpace ? .full : .failed
        description = cause.description
        self.cause = cause
    }

    package static func system(_ error: SystemError) -> StorageError { StorageError(error) }

    package static func inUse(path: String) -> StorageError {
        StorageError(.inUse, "another daemon uses '\(path)'")
    }

    package static func misplaced(path: String) -> StorageError {
        StorageError(.misplaced, "'\(path)' was removed, renamed or replaced")
    }
}
