// A folder of the watcher's tree: its watch and its entries.
//
// A file is represented by its document's key and the hash of its identity; size and time are in the store, and so is
// the name, once the file has a document (`FileEntries`). A folder refers to its parent, and paths are built by
// walking up, so that moving a folder is O(1) here. A folder whose topmost ancestor belongs to no root is detached:
// it was moved away or removed, and may return for a moment.

import FileRules
import PickerModel
import SystemInterface

/// A file in a folder of the tree.
struct FileEntry {
    var key: DocumentKey
    /// The identity of the file, whatever its name; see `FileStatus.identity`.
    var identity: UInt64
}

/// A folder of the tree.
final class WatchedFolder {
    /// The state of a folder.
    enum Condition: Equatable {
        /// Not read yet.
        case unread
        /// Watched and read.
        case watched
        case degraded(DegradedReason)
    }

    /// The parent retains its children; a child is detached before its parent is freed.
    private(set) unowned var parent: WatchedFolder?
    private(set) var name: [UInt8]
    /// Set for a topmost folder only.
    weak var root: WatchedRoot?
    var folders: [[UInt8]: WatchedFolder] = [:]
    var files: FileEntries
    /// The inotify watch, or -1; see `FolderTree`.
    var watch: Int32 = -1
    /// When it last had an event, or got or lost its watch: in seconds of the loop's clock, or 0; see `WatchMoves`. It
    /// takes the room that is left behind `watch`.
    var watchStamp: UInt32 = 0
    /// The path, without links, of the folder to which a link of its name leads; `nil` if it is no link. See
    /// `KnownLinks`.
    var target: [UInt8]?
    /// 0 until it has been opened; of a link's folder it is known before.
    var identity: UInt64 = 0
    /// The same without the birth time; see `FileStatus.inodeHash`.
    var inode: UInt64 = 0
    /// The identity of another folder with the same inode number, or 0; see `isStill`.
    var otherIdentity: UInt64 = 0
    /// Permissions and owner at the last opening.
    var access: UInt64 = 0
    var condition: Condition = .unread
    /// The path under which it was reported as degraded, while it is.
    var reportedPath: [UInt8]?
    /// The rules that hold in it since it was last read; `nil` before.
    var rules: FolderRules?
    /// Whether it is in a work tree of git, as far as that was asked.
    var isInWorkTree: Bool?
    /// Its scan state; see `ScanQueue`.
    var scan = FolderScan()
    /// The names to check; see `PendingChecks`.
    var checks = FolderChecks()

    /// A folder without contents; `names` has the names of files that have documents.
    init(name: [UInt8], names: FileNames? = nil) {
        self.name = name
        files = FileEntries(names: names)
    }

    /// Puts `child` into this folder under `name`.
    func attach(_ child: WatchedFolder, as name: [UInt8]) {
        child.parent = self
        child.name = name
        folders[name] = child
    }

    /// Detaches and returns the folder `name`, which is no link's any more.
    func detachFolder(_ name: [UInt8]) -> WatchedFolder? {
        guard let child = folders.removeValue(forKey: name) else { return nil }
        child.parent = nil
        child.target = nil
        return child
    }

    /// The root above it; `nil` while detached.
    /// - Complexity: O(depth), as for all methods here.
    var attachedRoot: WatchedRoot? {
        var folder = self
        while let parent = folder.parent { folder = parent }
        return folder.root
    }

    /// Whether it is the other folder, or below it.
    func isInside(_ other: WatchedFolder) -> Bool {
        var folder = self
        while folder !== other {
            guard let parent = folder.parent else { return false }
            folder = parent
        }
        return true
    }

    var depth: Int {
        var depth = 0
        var folder = self
        while let parent = folder.parent {
            folder = parent
            depth += 1
        }
        return depth
    }

    /// The path below the topmost folder, or below another one above it, without slashes around it; empty for that one.
    func relativePath(
        appending last: [UInt8]? = nil, below top: WatchedFolder? = nil
    ) -> [UInt8] {
        var count = last?.count ?? 0
        var isLast = last == nil
        var folder = self
        while folder !== top, let parent = folder.parent {
            count += folder.name.count + (isLast ? 0 : 1)
            isLast = false
            folder = parent
        }
        // Filled from its end; what is between the names are slashes already.
        var path = [UInt8](repeating: slash, count: count)
        var end = count
        func prepend(_ name: [UInt8]) {
            let start = end - name.count
            for index in name.indices { path[start + index] = name[index] }
            end = start - 1
        }
        if let last { prepend(last) }
        folder = self
        while folder !== top, let parent = folder.parent {
            prepend(folder.name)
            folder = parent
        }
        return path
    }

    /// The absolute path for system calls, on which nothing is a link; `nil` while detached.
    func path(appending last: [UInt8]? = nil) -> [UInt8]? {
        var folder = self
        var link: WatchedFolder?
        while let parent = folder.parent {
            if link == nil, folder.target != nil { link = folder }
            folder = parent
        }
        guard let root = folder.root else { return nil }
        return joined(
            link?.target ?? root.resolvedPath, relativePath(appending: last, below: link))
    }

    /// The absolute path under which it is listed: with the names of links that are followed; `nil` while detached.
    func listedPath(appending last: [UInt8]? = nil) -> [UInt8]? {
        guard let root = attachedRoot else { return nil }
        return joined(root.resolvedPath, relativePath(appending: last))
    }

    /// The number of links that were followed to it.
    var linkLevel: Int {
        var level = 0
        var folder = self
        while let parent = folder.parent {
            if folder.target != nil { level += 1 }
            folder = parent
        }
        return level
    }

    /// The folder to which these names lead from here; `nil` if the tree has none.
    func folder(at names: ArraySlice<[UInt8]>) -> WatchedFolder? {
        names.reduce(Optional(self)) { folder, name in folder?.folders[name] }
    }

    /// Calls `body` for this folder and all below.
    func forEachFolder(_ body: (WatchedFolder) -> Void) {
        var waiting = [self]
        while let folder = waiting.popLast() {
            waiting.append(contentsOf: folder.folders.values)
            body(folder)
        }
    }

    /// Clears the links between the folders, so that a dropped tree is freed without recursion.
    func takeApart() {
        var waiting = [self]
        while let folder = waiting.popLast() {
            waiting.append(contentsOf: folder.takeFolders())
            folder.files = FileEntries()
        }
    }

    /// Detaches and returns the folders in it. Of a tree that is dropped each folder does this, so that the tree is
    /// freed without recursion.
    func takeFolders() -> [WatchedFolder] {
        let taken = Array(folders.values)
        for child in taken { child.parent = nil }
        folders = [:]
        return taken
    }
}

/// `folder` + "/" + `relative`; just `folder` for an empty one.
func joined(_ folder: [UInt8], _ relative: [UInt8]) -> [UInt8] {
    if relative.isEmpty { return folder }
    var path = folder
    path.reserveCapacity(folder.count + relative.count + 1)
    if path.last != slash { path.append(slash) }
    path.append(contentsOf: relative)
    return path
}

extension ErrorNumber {
    /// Whether descriptors or memory ran out, which says nothing about the file.
    var isShortage: Bool {
        self == .tooManyOpenFiles || self == .tooManyOpenFilesInSystem || self == .outOfMemory
    }

    /// Whether the folder does not exist.
    var isAbsence: Bool {
        self == .noSuchFile || self == .notADirectory || self == .tooManySymbolicLinks
    }
}

extension FileStatus {
    /// A hash that identifies this file, of `identityBits` bits: device, inode and birth time. Some file systems reuse
    /// inode numbers at once, with another birth time. Never 0. Two files share it by chance once in 2⁴⁸; a moved
    /// document's key would then go to the other.
    var identity: UInt64 {
        var hash = inodeHash
        Self.mix(UInt64(bitPattern: born?.seconds ?? 0), into: &hash)
        Self.mix(UInt64(born?.nanoseconds ?? 0), into: &hash)
        // The upper bits depend on all others.
        hash >>= 64 - Self.identityBits
        return hash == 0 ? 1 : hash
    }

    /// There may be millions of files, each of which has an identity.
    static let identityBits = 48

    /// The same without the birth time, which stacked file systems may change while a file is in use.
    var inodeHash: UInt64 {
        var hash: UInt64 = 0x9e37_79b9_7f4a_7c15
        Self.mix(device, into: &hash)
        Self.mix(inode, into: &hash)
        return hash
    }

    private static func mix(_ value: UInt64, into hash: inout UInt64) {
        hash = (hash ^ value) &* 0xbf58_476d_1ce4_e5b9
        hash ^= hash >> 29
    }

    var access: UInt64 { UInt64(owner) << 32 | UInt64(permissions) }
}
