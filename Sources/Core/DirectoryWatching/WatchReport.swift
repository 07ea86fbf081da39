package import FileRules
import Glibc
package import PickerModel
import SystemInterface

/// An event of a watcher's own state. `DocumentChange` tells of documents.
package enum WatchReport: Equatable, Sendable {
    /// The kernel dropped events; a rescan of all roots follows.
    case overflow
    /// The rescan after an overflow is committed. A moved document counts as changed.
    case rescanned(added: Int, removed: Int, changed: Int)
    /// The documents of the last run have been compared with the disk, and the difference is committed.
    case verified(added: Int, removed: Int, changed: Int)
    /// A folder could not be watched or read. `path` is absolute.
    case degraded(path: [UInt8], reason: DegradedReason)
    /// A folder reported as degraded is watched again, or is gone.
    case restored(path: [UInt8])
    /// A root is missing; its documents are gone from the store.
    case rootMissing(path: [UInt8], RootAbsence = .notThere)
    /// A missing root is back; its scan follows.
    case rootRestored(path: [UInt8])
    /// A root is inside another one, or the same; the other one has its documents.
    case rootCovered(path: [UInt8], by: [UInt8])
    /// Everything below a root has been read, and is watched from now on.
    case scanFinished(root: [UInt8], documents: Int)
    /// The progress of all scans under way, at an interval.
    case progress([RootProgress])
    /// Scans whose progress was reported have ended. Of a scan that is over within `WatchLimits.progressInterval`,
    /// nothing is reported.
    case progressEnded([RootProgress])
}

/// The progress of the scan of a root.
package struct RootProgress: Equatable, Sendable {
    package let root: [UInt8]
    package let counts: ScanCounts
}

/// Why a root is missing.
package enum RootAbsence: Equatable, Sendable {
    case notThere
    /// A file, or something else, has that name.
    case notAFolder
    /// It would be in a folder for temporary files, in whose place the service manager has put another one.
    case hidden

    /// A word for people.
    package var text: String {
        switch self {
        case .notThere: "the folder is not there; pickerd waits for it"
        case .hidden:
            "the folder is not there for pickerd, whose unit gives it a /tmp and a /var/tmp of its own: name a "
                + "folder elsewhere, or set PrivateTmp=no with 'systemctl --user edit pickerd.service'; pickerd "
                + "waits for it"
        case .notAFolder: "it is not a folder; pickerd waits for a folder in its place"
        }
    }
}

/// The fault of a folder, as text.
package struct WatchTrouble: Equatable, Sendable {
    /// Absolute.
    package let path: [UInt8]
    package let reason: String
}

/// The reason why a folder is not fully watched.
package enum DegradedReason: Equatable, Sendable {
    /// The user's limit of inotify watches is reached: the folder is polled.
    case watchLimit
    /// There is no inotify queue; the value is the errno. Every folder is polled, and only the roots are named.
    case noQueue(Int32)
    /// Permission to read the folder is denied: its documents are unknown. It is retried.
    case permission
    /// Its names are readable but its files are not accessible: they are unknown. It is retried.
    case closed
    /// It is deeper than the limit, and is not read.
    case depth
    /// The same folder is watched under another path (a bind mount): this one is polled.
    case alias
    /// Descriptors or memory ran out; the value is the errno. Its documents may be out of date. It is retried.
    case shortage(Int32)
    /// Another failure; the value is the errno. The folder is retried, and polled if it can be read.
    case system(Int32)

    /// A word for people.
    package var text: String {
        switch self {
        case .watchLimit:
            "no inotify watch is left (fs.inotify.max_user_watches): "
                + "it is read every 1 to 30 seconds until there is one"
        case .noQueue(EMFILE):
            "no inotify instance is left (fs.inotify.max_user_instances): "
                + "it is read every 1 to 30 seconds until there is one"
        case .noQueue(let code):
            "no inotify instance could be made: \(ErrorNumber(rawValue: code)): "
                + "it is read every 1 to 30 seconds until there is one"
        case .permission: "permission denied; it is tried again"
        case .closed:
            "its files can't be accessed: the folder lacks the permission to enter it (x); "
                + "it is tried again"
        case .depth: "it lies too deep and is not read"
        case .alias: "the same folder is watched under another path; this one is polled"
        case .shortage(let code):
            "it can't be read now: \(ErrorNumber(rawValue: code)); it is tried again"
        case .system(let code): "\(ErrorNumber(rawValue: code)); it is tried again"
        }
    }

    /// Whether a retry can help.
    var isRetried: Bool { self != .depth }

    /// Whether the documents of the folder may be out of date because descriptors or memory ran out.
    var isShortage: Bool {
        if case .shortage = self { true } else { false }
    }

    /// Whether it holds for the whole tree, so that naming the root suffices.
    var isOfWholeTree: Bool {
        if case .noQueue = self { true } else { false }
    }
}

/// How a root is followed.
package enum RootState: String, Equatable, Sendable {
    /// Its first scan is under way; documents appear in batches.
    case scanning
    /// Every change is seen as it happens.
    case watching
    /// Some of its folders are only polled, every 1 to 30 seconds.
    case polling
    /// It is missing; its nearest existing ancestor is watched for its return.
    case missing
}

/// The current status of a root.
package struct RootStatus: Equatable, Sendable {
    /// As given to `setRoots`, without `.`, doubled or trailing slashes.
    package let path: [UInt8]
    package let state: RootState
    package let documents: Int
    /// Folders that have been scanned.
    package let foldersScanned: Int
    /// The progress of its scan; nil if none is under way, or a short one that is not its first.
    package let progress: ScanCounts?
    /// Degraded folders, at most `WatchLimits.degradedNamed`; for a missing root, why it is missing.
    package let degraded: [WatchTrouble]
    /// The number of all that `degraded` would name without that limit.
    package let degradedCount: Int
    /// What counts as a document below it.
    package let rules: DocumentRules
    /// Whether it is followed for a client, and is no root of the settings.
    package let isLeased: Bool
}

/// An error of `DirectoryWatcher`.
package struct WatchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    package let description: String

    package static func rootNotAbsolute(_ path: [UInt8]) -> Self {
        Self(
            description: "root '\(String(decoding: path, as: UTF8.self))' is not an absolute path; "
                + "write it from '/' on, without NUL or '..'")
    }

    package static func tooManyRoots(_ count: Int, limit: Int) -> Self {
        Self(
            description: "\(count) roots are given, and at most \(limit) are followed; "
                + "name a common folder")
    }
}
