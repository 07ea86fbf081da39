// One root: a folder that is followed with all that is in it, whether it is there or not.

/// A root that a watcher was given.
final class WatchedRoot {
    /// Where a root stands.
    enum State {
        /// Not there. Its names and keys may be remembered for its return.
        case missing(remembered: WatchedFolder?)
        /// It lies in another root, or is the same.
        case covered(by: [UInt8])
        case present(WatchedFolder)

        /// The folders that this state holds.
        var tree: WatchedFolder? {
            switch self {
            case .missing(let remembered): remembered
            case .covered: nil
            case .present(let folder): folder
            }
        }
    }

    /// As given, cleaned of `.` and needless slashes.
    let path: [UInt8]
    /// The same, as documents bear it.
    let text: String
    /// Where it leads with links resolved, when it was last there.
    var resolvedPath: [UInt8]
    /// A tree that the root lets go of is taken apart here, wherever the state changes: a folder of it that
    /// somebody still holds must not look for parents that are no more.
    var state: State = .missing(remembered: nil) {
        didSet {
            if let former = oldValue.tree, former !== state.tree { former.takeApart() }
        }
    }
    /// Documents in the store.
    var documents = 0
    /// Of the first scan since it appeared.
    var isScanning = false
    /// A new one each time it appears.
    var progress = ScanProgress()
    /// The name whose coming is waited for while it is missing; see `RootWaiting`.
    var awaited = AwaitedName()
    /// Its return cannot be noticed by a watch, and is asked for with each poll.
    var isPolledFor = false
    /// Why it is missing, while it is.
    var absence = RootAbsence.notThere
    /// Its being missing was reported.
    var isReportedMissing = false

    init(path: [UInt8]) {
        self.path = path
        text = String(decoding: path, as: UTF8.self)
        resolvedPath = path
    }

    deinit {
        state.tree?.takeApart()
    }

    var isCovered: Bool {
        if case .covered = state { return true }
        return false
    }

    var folder: WatchedFolder? {
        if case .present(let folder) = state { return folder }
        return nil
    }

    /// `path` without `.`, doubled or closing slashes; `nil` if it is not absolute, holds a NUL,
    /// or goes up by `..`.
    static func cleaned(_ path: [UInt8]) -> [UInt8]? {
        guard path.first == slash, !path.contains(0) else { return nil }
        let dot = UInt8(ascii: ".")
        let parts = path.split(separator: slash).filter { $0 != [dot] }
        if parts.contains([dot, dot]) { return nil }
        return [slash] + parts.joined(separator: CollectionOfOne(slash))
    }

    /// Whether `path` is `folder` or below it.
    static func lies(_ path: [UInt8], in folder: [UInt8]) -> Bool {
        guard path.starts(with: folder) else { return false }
        return path.count == folder.count || folder.last == slash || path[folder.count] == slash
    }
}
