// The documents of the last run, put into the store and the tree of a watcher before it follows its roots.
//
// Rows go into the table as they are read, the later ones in place of the earlier. The tree is made at the end, of what
// the table has then. When the watcher is given its roots, it takes each tree as that of its root, and reads all folders
// once more: only what differs becomes a change.

internal import EventLoops
package import PickerModel
internal import SystemInterface

/// Puts stored documents into an empty store and a watcher without roots. Confined to the watcher's loop.
package final class TreeRestoration {
    private let watcher: DirectoryWatcher
    private let table: DocumentTable
    /// Whether media types are numbered as they were, in what is read next.
    package var hasTypes = false
    private let roots: Set<[UInt8]>
    /// Identities of files, by row.
    private var identities = RowNumbers()
    private var trees: [[UInt8]: RestoredTree] = [:]
    /// The folder in which the last one was found.
    private var latestParent: (root: [UInt8], path: ArraySlice<UInt8>, folder: WatchedFolder)?
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

    /// Makes room for documents.
    /// - Parameters:
    ///   - count: of the documents.
    ///   - nameBytes: of their names, or fewer: the rest grows like that of others.
    package func reserve(_ count: Int, nameBytes: Int) {
        try? table.populate(rows: count, nameBytes: nameBytes)
        identities.populate(count)
    }

    /// Reads the records that it is then given: on any thread, and nil if they are not what a watcher writes.
    package static func decoder(
        for store: DocumentStore
    ) -> @Sendable (ArraySlice<UInt8>) -> StoredRecords? {
        let none = store.table.noStoredRows
        return { StoredRecords($0, none: none) }
    }

    /// Puts documents into the store.
    /// - Returns: false if there is no room for them: then call `giveUp`.
    package func restore(_ stored: StoredRecords) -> Bool {
        for record in stored.records {
            switch record {
            case .revision(let number):
                isRepeated = number <= revision ?? -1
                if !isRepeated { revision = number }
            case .marked(let key): note(key)
            case .removed(let key):
                note(key)
                if let row = table.row(of: key) { table.remove(row) }
            case .folder(let folder, let range):
                guard restore(stored.rows, range, of: folder) else { return false }
            }
        }
        // Nothing has seen them.
        table.releaseFreedRows()
        return true
    }

    private func note(_ key: KeyNumber) {
        if let revision, !isRepeated { changes.append((revision, key)) }
    }

    private func restore(
        _ rows: borrowing StoredRows, _ range: Range<Int>, of stored: StoredFolder
    ) -> Bool {
        let isWanted = roots.contains(stored.root)
        if isWanted, revision == nil { adopt(stored) }
        if revision != nil { for row in range { note(rows.key(of: row)) } }
        if range.isEmpty { return true }
        guard isWanted else {
            // Some may have moved to a root that is none any more.
            for row in range {
                if let former = table.row(of: rows.key(of: row)) { table.remove(former) }
            }
            return true
        }
        do {
            let folder = try table.makeFolder(
                root: String(decoding: stored.root, as: UTF8.self), path: stored.path[...])
            var hasRoom = true
            try table.restore(
                rows, range, in: folder, device: stored.device, hasTypes: hasTypes
            ) { index, row in
                if !identities.set(row, to: rows.identity(of: index)) { hasRoom = false }
            }
            return hasRoom
        } catch {
            return false
        }
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

    /// The folder at a path with a slash after each name.
    private func folder(at path: [UInt8], below root: [UInt8]) -> WatchedFolder {
        guard !path.isEmpty else { return top(root) }
        let parent = path.dropLast().lastIndex(of: slash).map { path[...$0] } ?? []
        // Most are in the same as the one before.
        if latestParent?.root != root || latestParent?.path != parent {
            var folder = top(root)
            for name in parent.split(separator: slash) { folder = child(Array(name), of: folder) }
            latestParent = (root, parent, folder)
        }
        guard let folder = latestParent?.folder else { preconditionFailure("it has been set") }
        return child(Array(path[parent.endIndex..<path.endIndex - 1]), of: folder)
    }

    private func top(_ root: [UInt8]) -> WatchedFolder {
        if let known = trees[root]?.folder { return known }
        let folder = WatchedFolder(name: [], names: watcher.fileNames)
        trees[root] = RestoredTree(folder: folder)
        return folder
    }

    private func child(_ name: [UInt8], of folder: WatchedFolder) -> WatchedFolder {
        if let known = folder.folders[name] { return known }
        let child = WatchedFolder(name: name, names: watcher.fileNames)
        folder.attach(child, as: name)
        return child
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
        var counts = [Int32](repeating: 0, count: table.folderEnd)
        for index in table.current {
            counts[table.folder(of: DocumentRow(UInt32(index))).position] += 1
        }
        var places = [WatchedFolder?](repeating: nil, count: counts.count)
        var withFiles: [WatchedFolder] = []
        for index in table.current {
            let row = DocumentRow(UInt32(index))
            let number = table.folder(of: row)
            let folder = places[number.position] ?? place(of: number, &places)
            let count = Int(counts[number.position])
            if count > 0 {
                // The first of them.
                counts[number.position] = 0
                folder.files.reserveRestored(count)
                withFiles.append(folder)
                let root = table.folders.name(of: table.folders.root(of: number)).bytes
                watcher.addRestored(count, below: root)
            }
            folder.files.restore(
                FileEntry(key: table.key(of: row), identity: identities[row]))
        }
        for folder in withFiles where folder.files.count > Self.mostUnindexed {
            folder.files.makeIndex()
        }
    }

    /// The folder with a number in the table.
    private func place(of number: FolderNumber, _ places: inout [WatchedFolder?]) -> WatchedFolder {
        var way = [number]
        var found: WatchedFolder?
        while found == nil, let parent = table.folders.parent(of: way[way.count - 1]) {
            found = places[parent.position]
            if found == nil { way.append(parent) }
        }
        var folder = found ?? top(table.folders.name(of: way.removeLast()).bytes)
        for number in way.reversed() {
            folder = child(table.folders.name(of: number).bytes, of: folder)
            places[number.position] = folder
        }
        return folder
    }

    /// The names of more files than this take longer to hash than a turn may.
    private static let mostUnindexed = 2000

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
