// A walk through the tree of a watcher, in parts, that writes what it finds (`StoredTree`).
//
// The tree may change between two parts. What changes is not always seen, but then it is a change of a document from the
// start of the walk on: whoever stores those changes behind the walk has all. The files of a folder are taken from the
// last one on, because the last one takes the place of one that is removed: so none is passed over.

internal import EventLoops
package import PickerModel
internal import SystemInterface

/// Writes the folders of a watcher and their files, as they are when their turn comes.
package final class TreeWalk {
    private let table: DocumentTable
    private let rootDevice: (WatchedFolder) -> UInt64
    private var waiting: [WatchedFolder]
    private var folder: WatchedFolder?
    /// The files of the folder below this place are still to be written.
    private var filesLeft = 0

    init(
        _ roots: [WatchedFolder], of table: DocumentTable,
        rootDevice: @escaping (WatchedFolder) -> UInt64
    ) {
        self.table = table
        self.rootDevice = rootDevice
        waiting = roots.reversed()
    }

    /// Writes the next files, about `limit`, and the folders that they are in. Only a folder with more files than that is
    /// written in parts: what is in one part is read again faster.
    /// - Returns: whether there are more.
    /// - Complexity: O(`limit`), for twice as many files at most; a folder counts as one.
    package func write(to bytes: inout [UInt8], atMost limit: Int) -> Bool {
        var left = limit
        while left > 0 {
            if folder == nil {
                guard let next = waiting.popLast() else { return false }
                // Of one that has left the tree, the files are changes.
                guard next.attachedRoot != nil else { continue }
                waiting.append(contentsOf: next.folders.values)
                folder = next
                filesLeft = next.files.count
                left -= 1
            }
            left -= writeFiles(to: &bytes, atMost: filesLeft <= limit ? filesLeft : left)
        }
        return folder != nil || !waiting.isEmpty
    }

    private func writeFiles(to bytes: inout [UInt8], atMost limit: Int) -> Int {
        guard let folder, let root = folder.attachedRoot else {
            self.folder = nil
            return 0
        }
        let path = folder.relativePath(appending: [])
        let number = table.folder(root: root.text, path: path[...])
        filesLeft = min(filesLeft, folder.files.count)
        let end = max(0, filesLeft - limit)
        var header = StoredFolder(
            root: root.path, resolved: folder.parent == nil ? root.resolvedPath : [], path: path,
            identity: folder.identity, inode: folder.inode, otherIdentity: folder.otherIdentity,
            access: folder.access)
        if folder.target != nil {
            // What a link leads to is found again by the link.
            (header.identity, header.inode, header.otherIdentity) = (0, 0, 0)
        }
        if folder.parent == nil {
            header.device = rootDevice(folder)
        } else if let row = (end..<filesLeft).lazy.compactMap({ self.row($0, of: folder) }).first {
            header.device = table.device(of: row)
        }
        var writer = StoredFolderWriter(table)
        writer.begin(header, to: &bytes)
        for place in (end..<filesLeft).reversed() {
            // A file without a document, or whose document is elsewhere, is about to be changed.
            guard let row = row(place, of: folder), table.folder(of: row) == number else {
                continue
            }
            writer.append(row, identity: folder.files.entry(place).identity, to: &bytes)
        }
        let written = filesLeft - end
        filesLeft = end
        if end == 0 { self.folder = nil }
        return written
    }

    private func row(_ place: Int, of folder: WatchedFolder) -> DocumentRow? {
        table.row(of: folder.files.entry(place).key)
    }
}

extension DirectoryWatcher {
    /// A walk through the roots of the settings.
    package func walkTree() -> TreeWalk {
        loop.preconditionOnLoop()
        let own = rootList.filter { !$0.isLeased }
        return TreeWalk(own.compactMap(\.folder), of: store.table) { [access] folder in
            let path = folder.path()
            let status = path.flatMap { try? access.status($0, followingLinks: true) }
            return status?.device ?? 0
        }
    }

    /// Appends a change as records, while its rows are readable.
    /// - Complexity: O(k) for k documents.
    package func encode(_ change: DocumentChange, to bytes: inout [UInt8]) {
        loop.preconditionOnLoop()
        let table = store.table
        bytes.appendRecord(.revision, UInt64(change.rev))
        for row in change.removedRows where table.key(of: row).isOwn {
            bytes.appendRecord(.removed, table.key(of: row).packed)
        }
        var writer = StoredFolderWriter(table)
        var known: (number: FolderNumber, folder: WatchedFolder?)?
        func append(_ row: DocumentRow) {
            writer.append(row, to: &bytes) {
                let number = table.folder(of: row)
                if known?.number != number { known = (number, watchedFolder(number)) }
                guard let file = known?.folder?.files[table.name(of: row).bytes],
                    file.key == table.key(of: row)
                else { return 0 }
                return file.identity
            }
        }
        for row in change.addedRows { append(row) }
        for (_, row) in change.changedRows { append(row) }
        for (_, row) in change.movedRows { append(row) }
        for row in change.remarkedRows where table.key(of: row).isOwn {
            bytes.appendRecord(.marked, table.key(of: row).packed)
        }
    }

    /// Appends changes of which only the keys are known, as records.
    package func encode(_ changes: [(rev: Int, key: KeyNumber)], to bytes: inout [UInt8]) {
        var last: Int?
        for (rev, key) in changes {
            if rev != last { bytes.appendRecord(.revision, UInt64(rev)) }
            last = rev
            bytes.appendRecord(.marked, key.packed)
        }
    }

    /// The folder of the tree with a number among those of the documents.
    func watchedFolder(_ number: FolderNumber) -> WatchedFolder? {
        let name = store.table.folders.nameBytes(of: number)
        guard let parent = store.table.folders.parent(of: number) else {
            return rootList.first { $0.text.utf8.elementsEqual(name) }?.folder
        }
        return watchedFolder(parent)?.folders[name]
    }
}
