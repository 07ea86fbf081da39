// Work trees of git, which removes each file before it writes it anew.
//
// Without more knowledge a removed file is told at once. While git changes a work tree it keeps `.git/index.lock`: a file
// that is removed meanwhile waits, like others that are being saved (`HeldNames`).

import SystemInterface

extension DirectoryWatcher {
    static let gitFolder = Array(".git".utf8)
    private static let lock = Array("index.lock".utf8)

    /// Whether git is changing the work tree that a removed document was in.
    /// - Complexity: O(depth) system calls in work trees; in other folders none, but for the first time.
    func isBeingCheckedOut(_ name: [UInt8], in folder: WatchedFolder) -> Bool {
        guard isInWorkTree(folder), let entry = folder.files[name], store.has(entry.key),
            let path = folder.path(), let (git, kind) = gitFolder(from: path)
        else { return false }
        // A linked work tree has a file instead, and its lock is elsewhere.
        if kind != .directory { return true }
        return (try? access.status(joined(git, Self.lock), followingLinks: false)) != nil
    }

    private func isInWorkTree(_ folder: WatchedFolder) -> Bool {
        if let known = folder.isInWorkTree { return known }
        guard let path = folder.path() else { return false }
        let found: Bool
        if let parent = folder.parent, folder.target == nil {
            let git = joined(path, Self.gitFolder)
            found = (try? access.status(git, followingLinks: false)) != nil || isInWorkTree(parent)
        } else {
            found = gitFolder(from: path) != nil
        }
        folder.isInWorkTree = found
        return found
    }

    /// The `.git` of the work tree that has a path.
    private func gitFolder(from path: [UInt8]) -> (path: [UInt8], kind: FileKind)? {
        var folder = path[...]
        while true {
            let git = joined(folder.isEmpty ? [slash] : Array(folder), Self.gitFolder)
            if let status = try? access.status(git, followingLinks: false) {
                return (git, status.kind)
            }
            guard let end = folder.lastIndex(of: slash) else { return nil }
            folder = folder[..<end]
        }
    }

    /// Asks again for all folders below one in which a work tree began.
    func forgetWorkTrees(_ folder: WatchedFolder) {
        folder.forEachFolder { $0.isInWorkTree = nil }
    }
}
