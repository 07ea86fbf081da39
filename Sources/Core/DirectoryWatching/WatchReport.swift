import Glibc
import SystemInterface

/// What a watcher tells about itself. Documents are told by `DocumentChange`.
package enum WatchReport: Equatable, Sendable {
    /// The kernel dropped events; a rescan of all roots follows.
    case overflow
    /// The rescan after an overflow is done and committed. A moved document counts as changed.
    case rescanned(added: Int, removed: Int, changed: Int)
    /// A folder could not be watched, or not be read. `path` is absolute.
    case degraded(path: [UInt8], reason: DegradedReason)
    /// A folder reported as degraded is watched again, or is gone.
    case restored(path: [UInt8])
    /// A root is not there; its documents are gone from the store.
    case rootMissing(path: [UInt8], RootAbsence = .notThere)
    /// A missing root is there again; its scan follows.
    case rootRestored(path: [UInt8])
    /// A root turned out to be inside another one, or the same; the other one has its documents.
    case rootCovered(path: [UInt8], by: [UInt8])
    /// Everything below a root has been looked at, and is being watched from now on.
    case scanFinished(root: [UInt8], documents: Int)
}

/// Why a root is missing.
package enum RootAbsence: Equatable, Sendable {
    case notThere
    /// There is a file, or something else, of that name.
    case notAFolder

    /// A word for people.
    package var text: String {
        switch self {
        case .notThere: "the folder is not there; it is waited for"
        case .notAFolder: "it is not a folder; it is waited for that a folder takes its place"
        }
    }
}

/// What is wrong with a folder, in words.
package struct WatchTrouble: Equatable, Sendable {
    /// Absolute.
    package let path: [UInt8]
    package let reason: String
}

/// Why a folder is not watched as it should be.
package enum DegradedReason: Equatable, Sendable {
    /// The user's limit of inotify watches is reached: the folder is polled.
    case watchLimit
    /// There is no inotify queue at all, with the errno: every folder is polled, and only the roots are named.
    case noQueue(Int32)
    /// The folder may not be read: its documents are unknown. It is tried again.
    case permission
    /// Its names may be read and its files not be looked at: they are unknown. It is tried again.
    case closed
    /// It lies deeper than the watcher goes, and is not looked at.
    case depth
    /// The same folder is watched under another path (a bind mount): this one is polled.
    case alias
    /// It could not be read for want of descriptors or memory, with the errno: what is in it may be out of
    /// date. It is tried again.
    case shortage(Int32)
    /// Another failure, with its errno: the folder is tried again, and polled if it can be read.
    case system(Int32)

    /// A word for people.
    package var text: String {
        switch self {
        case .watchLimit:
            "no inotify watch is left (fs.inotify.max_user_watches); it is polled"
        case .noQueue(EMFILE):
            "no inotify instance is left (fs.inotify.max_user_instances): "
                + "it is read every few seconds until there is one"
        case .noQueue(let code):
            "no inotify instance could be made: \(ErrorNumber(rawValue: code)): "
                + "it is read every few seconds until there is one"
        case .permission: "permission denied; it is tried again"
        case .closed:
            "its files may not be looked at, as the folder lacks the permission to enter it (x); "
                + "it is tried again"
        case .depth: "it lies too deep and is not looked at"
        case .alias: "the same folder is watched under another path; this one is polled"
        case .shortage(let code):
            "it can't be read now: \(ErrorNumber(rawValue: code)); it is tried again"
        case .system(let code): "\(ErrorNumber(rawValue: code)); it is tried again"
        }
    }

    /// Whether trying again can help.
    var isRetried: Bool { self != .depth }

    /// Whether what the store has of the folder may be wrong for want of means to read it.
    var isShortage: Bool {
        if case .shortage = self { return true }
        return false
    }

    /// Whether it holds for the whole tree, so that naming the root says it all.
    var isOfWholeTree: Bool {
        if case .noQueue = self { return true }
        return false
    }
}

/// How a root is followed.
package enum RootState: String, Equatable, Sendable {
    /// Its first scan is under way; documents appear in batches.
    case scanning
    /// Every change is seen as it happens.
    case watching
    /// Some of its folders are only read again every few seconds.
    case polling
    /// It is not there; its nearest existing ancestor is watched for its return.
    case missing
}

/// What is known of a root now.
package struct RootStatus: Equatable, Sendable {
    /// As it was given to `setRoots`, without `.`, doubled or closing slashes.
    package let path: [UInt8]
    package let state: RootState
    package let documents: Int
    /// Folders looked at, and folders known and not looked at yet.
    package let foldersScanned: Int
    package let foldersWaiting: Int
    /// Degraded folders, at most `WatchLimits.degradedNamed`; of a root that is missing, why it is.
    package let degraded: [WatchTrouble]
    package let degradedCount: Int
}

/// What `DirectoryWatcher` throws.
package struct WatchError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable { case rootNotAbsolute, tooManyRoots }

    package let code: Code
    /// What is wrong, and what would be right.
    package let description: String

    package static func rootNotAbsolute(_ path: [UInt8]) -> Self {
        Self(
            code: .rootNotAbsolute,
            description: "root '\(String(decoding: path, as: UTF8.self))' is not an absolute path; "
                + "write it from '/' on, without NUL or '..'")
    }

    package static func tooManyRoots(_ count: Int, limit: Int) -> Self {
        Self(
            code: .tooManyRoots,
            description: "\(count) roots are given, and at most \(limit) are followed; "
                + "name a common folder")
    }
}
