// A root: a folder that is followed with all its contents, whether it exists or not.

import FileRules

/// A root that a watcher was given.
final class WatchedRoot {
    /// The state of a root.
    enum State {
        /// Missing. Its names and keys may be remembered for its return.
        case missing(remembered: WatchedFolder?)
        /// It is in another root, or the same.
        case covered(by: [UInt8])
        case present(WatchedFolder)

        /// The folder tree of this state.
        var tree: WatchedFolder? {
            switch self {
            case .missing(let remembered): remembered
            case .covered: nil
            case .present(let folder): folder
            }
        }
    }

    /// As given, without `.` and needless slashes.
    let path: [UInt8]
    /// The same as text, as in documents.
    let text: String
    /// The path with links resolved, when the root last existed.
    var resolvedPath: [UInt8]
    /// Every change of the state takes the former tree apart: a folder of it that is still referenced must not
    /// access parents that no longer exist.
    var state: State = .missing(remembered: nil) {
        didSet {
            if let former = oldValue.tree, former !== state.tree { former.takeApart() }
        }
    }
    /// What counts as a document below it.
    var settings: DocumentRules {
        didSet { rules = FolderRules(settings) }
    }
    /// Whether it is followed for a client, and is no root of the settings.
    var isLeased = false
    /// The rules that hold in it, without its ignore files.
    private(set) var rules: FolderRules
    /// Whether the first scan since it appeared is under way.
    var isScanning = false
    /// A new one each time it appears.
    var progress = ScanProgress()
    /// Whether progress of the scan under way was reported, so that its end is, too.
    var isProgressReported = false
    /// The awaited name while the root is missing; see `RootWaiting`.
    var awaited = AwaitedName()
    /// No watch can report its return, so each poll probes it.
    var isPolledFor = false
    /// The reason while it is missing.
    var absence = RootAbsence.notThere
    /// Whether its absence was reported.
    var isReportedMissing = false

    init(path: [UInt8], _ settings: DocumentRules = .none) {
        self.path = path
        self.settings = settings
        rules = FolderRules(settings)
        text = String(decoding: path, as: UTF8.self)
        resolvedPath = path
    }

    deinit {
        state.tree?.takeApart()
    }

    var isCovered: Bool {
        if case .covered = state { true } else { false }
    }

    var folder: WatchedFolder? {
        if case .present(let folder) = state { folder } else { nil }
    }

    /// `path` without `.`, doubled or trailing slashes; `nil` if it is not absolute, contains a NUL, or has a
    /// `..`.
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
