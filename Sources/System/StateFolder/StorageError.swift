package import SystemInterface

/// Why events can't be kept.
package enum StorageError: Error, Hashable, Sendable {
    /// Another process keeps its events in that folder.
    case inUse(path: String)
    /// The folder is not what it must be, or not this user's.
    case unsafeFolder(path: String, reason: String)
    /// What is at that path is not what was opened there any more: it was removed, renamed or replaced.
    case misplaced(path: String)
    /// A system call failed.
    case system(SystemError)
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .inUse(let path): "another daemon keeps its events in '\(path)'"
        case .unsafeFolder(let path, let reason): "'\(path)' \(reason)"
        case .misplaced(let path): "'\(path)' was removed, renamed or replaced"
        case .system(let error): error.description
        }
    }
}
