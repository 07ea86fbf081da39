// The documents of the last run, put into the store and the tree of a watcher before it follows its roots.
//
// Rows go into the table as they are read, the later ones in place of the earlier. The tree is made at the end, of what
// the table has then. When the watcher is given its roots, it takes each tree as that of its root, and reads all folders
// once more: only what differs becomes a change.

package import PickerModel
internal import SystemInterface
internal import SystemdEventLoop

/// Puts stored documents into an empty store and a watcher without roots. Confined to the watcher's loop.
package final class TreeRestoration {
    private let watcher: DirectoryWatcher
    private let table: DocumentTable
    /// Whether media types are numbered as they were, in what is read next.
    package var hasTypes = false
    private let roots: Set<[UInt8]>
    /// Identities of files, by row.
    private var identities: [UInt64] = []
    private var trees: [[UInt8]: RestoredTree] = [:]
    private var revision: Int?
    /// What follows was read before: a log begins with the last changes of the one before.
    private var isRepeated = false
    /// The documents that revisions changed, in their order.
    package private(set) var changes: [(rev: Int, key: KeyNumber)] = []

    /// - Parameters:
    ///   - watcher: Without roots, with a store that is as it was made.
    ///   - roots: The paths of its roots to come; documents of others are left out.
    package init(_ watcher: DirectoryWatcher, roots: [[UInt8]]) {
        watcher.loop.preconditionOnLoop()
        precondition(watcher.rootList.isEmpty && watcher.store.count == 0)
        self.watcher = watcher
        self.roots = Set(roots.compactMap(WatchedRoot.cleaned))
        table = watcher.store.table
    }

    /// Makes room for so many documents.
    package func reserve(_ count: Int) {
        // Names have more bytes, and grow like others from there on.
        try? table.populate(rows: count, nameBytes: count * 16)
        identities = Array(repeating: 0, count: count)
    }

    /// Reads some whole records.
    /// - Returns: false if they are not what a watcher writes, or there is no room for them: then call `giveUp`.
    package func read(_ bytes: [UInt8]) -> Bool {
        // Read during the call only.
        let isRead = unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe StoredTreeReader(bytes)
            while let record = reader.next() {
                switch record {
                case .revision(let number):
                    isRepeated = number <= revision ?? -1
                    if !isRepeated { revision = number }
                case .marked(let key): note(key)
                case .removed(let key):
                    note(key)
                    if let row = table.row(of: key) { table.remove(row) }
                case .folder(let folder, let files):
                    guard restore(files, of: folder, &reader) else { return false }
                }
            }
            return reader.isAtEnd
        }
        // Nothing has seen them.
        table.releaseFreedRows()
        return isRead
    }

    private func note(_ key: KeyNumber) {
        if let revision, !isRepeated { changes.append((revision, key)) }
    }

    private func restore(
        _ files: Int, of stored: StoredFolder, _ reader: inout StoredTreeReader
    ) -> Bool {
        let isWanted = roots.contains(stored.root)
        if isWanted, revision == nil { adopt(stored) }
        var rows: [StoredRow] = []
        rows.reserveCapacity(min(files, 4096))
        for _ in 0..<files {
            guard let row = reader.nextFile() else { return false }
            note(row.key)
            rows.append(row)
        }
        if rows.isEmpty { return true }
        guard isWanted else {
            // Some may have moved to a root that is none any more.
            for row in rows {
                if let former = table.row(of: row.key) { table.remove(former) }
            }
            return true
        }
        do {
            let folder = try table.makeFolder(
                root: String(decoding: stored.root, as: UTF8.self), path: stored.path[...])
            try table.restore(rows, in: folder, device: stored.device, hasTypes: hasTypes) {
                if $1.index >= identities.count {
                    identities.append(
                        contentsOf: repeatElement(0, count: $1.index + 1 - identities.count))
                }
                identities[$1.index] = $0.identity
            }
        } catch {
            return false
        }
        return true
    }

    /// Makes a folder as it was, or the root.
    private func adopt(_ stored: StoredFolder) {
        let folder = folder(at: stored.path, below: stored.root)
        folder.identity = stored.identity
        folder.inode = stored.inode
        folder.otherIdentity = stored.otherIdentity
        folder.access = stored.access
        if stored.path.isEmpty {
            trees[stored.root]?.resolved = stored.resolved
            trees[stored.root]?.device = stored.device
        }
    }

    private func folder(at path: [UInt8], below root: [UInt8]) -> WatchedFolder {
        let names = watcher.fileNames
        if trees[root] == nil {
            trees[root] = RestoredTree(folder: WatchedFolder(name: [], names: names))
        }
        guard var folder = trees[root]?.folder else { preconditionFailure("it has been added") }
        for name in path.split(separator: slash) {
            let name = Array(name)
            if let child = folder.folders[name] {
                folder = child
                continue
            }
            let child = WatchedFolder(name: name, names: names)
            folder.attach(child, as: name)
            folder = child
        }
        return folder
    }

    /// Takes back all that was read.
    package func giveUp() {
        for index in table.current { table.remove(DocumentRow(UInt32(index))) }
        table.releaseFreedRows()
        for tree in trees.values { tree.folder.takeApart() }
        trees = [:]
    }

    /// Completes the store and the watcher.
    /// - Returns: the paths of the roots that have documents now.
    package func finish(_ history: DocumentHistory) -> Set<String> {
        placeFiles()
        for tree in trees.values { removeEmptyFolders(of: tree.folder) }
        watcher.restored = trees
        watcher.store.goOn(with: history, changes: changes)
        return Set(trees.keys.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Puts the documents into their folders of the tree.
    private func placeFiles() {
        let folders = table.folders
        var counts = [Int32](repeating: 0, count: table.folderEnd)
        for index in table.current {
            counts[table.folder(of: DocumentRow(UInt32(index))).position] += 1
        }
        var places = [WatchedFolder?](repeating: nil, count: counts.count)
        var name: [UInt8] = []
        for index in table.current {
            let row = DocumentRow(UInt32(index))
            let number = table.folder(of: row)
            var folder = places[number.position]
            if folder == nil {
                let root = folders.name(of: folders.root(of: number)).bytes
                let found = self.folder(at: folders.path(of: number), below: root)
                let count = Int(counts[number.position])
                found.files.reserveRestored(count)
                watcher.addRestored(count, below: root)
                places[number.position] = found
                folder = found
            }
            name.removeAll(keepingCapacity: true)
            table.appendName(of: row, to: &name)
            folder?.files.restore(
                FileEntry(key: table.key(of: row), identity: identities[index]), named: name[...])
        }
    }

    /// Removes folders without files: they may have moved since they were written, and others may have their names.
    private func removeEmptyFolders(of top: WatchedFolder) {
        var all: [WatchedFolder] = []
        top.forEachFolder { all.append($0) }
        // Each folder comes after those above it.
        for folder in all.reversed() where folder.files.isEmpty && folder.folders.isEmpty {
            if let parent = folder.parent { _ = parent.detachFolder(folder.name) }
        }
    }
}

/// The folders of a root as they were.
struct RestoredTree {
    let folder: WatchedFolder
    /// The path of the root with links resolved; empty if it is not known.
    var resolved: [UInt8] = []
    var device: UInt64 = 0
}

extension DirectoryWatcher {
    fileprivate func addRestored(_ count: Int, below root: [UInt8]) {
        documentCounts[String(decoding: root, as: UTF8.self), default: 0] += count
    }

    /// Takes the trees of the last run as those of these roots, as far as they may still be there.
    func takeRestored(_ roots: [WatchedRoot]) {
        if restored.isEmpty { return }
        for root in roots {
            guard case .missing(nil) = root.state,
                let tree = restored.removeValue(forKey: root.path)
            else { continue }
            let status = try? access.status(root.path, followingLinks: true)
            guard let real = try? RawPath(bytes: root.path)?.resolved().bytes,
                real == tree.resolved,
                !roots.contains(where: { isRelated(real, to: $0, but: root) })
            else {
                forget(tree)
                continue
            }
            // The number of a device may be another one after a start of the machine.
            if status?.device != tree.device { tree.folder.forgetIdentities() }
            tree.folder.root = root
            root.resolvedPath = real
            root.state = .present(tree.folder)
            root.isScanning = true
            root.progress = ScanProgress()
            isVerificationDue = true
        }
        for tree in restored.values { forget(tree) }
        restored = [:]
    }

    /// Whether a path and another root that is there lie in each other.
    private func isRelated(_ path: [UInt8], to other: WatchedRoot, but root: WatchedRoot) -> Bool {
        guard other !== root, other.folder != nil else { return false }
        return WatchedRoot.lies(path, in: other.resolvedPath)
            || WatchedRoot.lies(other.resolvedPath, in: path)
    }

    /// Lets the next commit remove the documents of a tree.
    private func forget(_ tree: RestoredTree) {
        tree.folder.forEachFolder { folder in
            for entry in folder.files.values { self.recordRemoval(of: entry) }
        }
        tree.folder.takeApart()
    }

    /// Reads all folders once more, if they are those of the last run.
    func verifyRestored() {
        guard isVerificationDue else { return }
        isVerificationDue = false
        startRescan()
        rescan?.isVerification = true
    }
}

extension WatchedFolder {
    /// Of this folder and all below only names and keys are known.
    fileprivate func forgetIdentities() {
        forEachFolder { folder in
            folder.identity = 0
            folder.inode = 0
            folder.otherIdentity = 0
            folder.files.forgetIdentities()
        }
    }
}
