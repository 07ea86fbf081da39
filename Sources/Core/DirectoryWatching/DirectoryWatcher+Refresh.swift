// Checks of one path, for a client that has just made a file.

import EventLoops
import FileRules
package import PickerModel
package import SystemInterface

extension DirectoryWatcher {
    /// Checks one file, and calls `body` once with its document, as soon as the store has it: at once, unless what is
    /// queued takes longer than a turn.
    ///
    /// A scan or rescan may be under way. A call from an observer of the store only tells what is known.
    /// - Parameters:
    ///   - root: as given to `setRoots`.
    ///   - relativePath: the path below the root, without `.`, `..` or doubled slashes.
    ///   - body: is given `nil` if that path is no regular file below the root, or there is no such root.
    /// - Returns: the wait. Cancelling it does not undo the check.
    package func refresh(
        root: [UInt8], relativePath: [UInt8], _ body: @escaping (Document?) -> Void
    ) -> FileWait {
        loop.preconditionOnLoop()
        let wait = FileWait(root: root, path: relativePath, body)
        addDrainTarget(access.endOfQueue)
        if isWorking {
            wait.end(with: document(of: wait))
            return wait
        }
        performInTurn { $0.continueDrain() }
        proceed(wait)
        return wait
    }

    /// Whether something is left that was queued when a drain began, or cut.
    private var isDraining: Bool { isDrainDue || checks.isCut || isCommitDue }

    /// Takes the next step of a wait.
    private func proceed(_ wait: FileWait) {
        if !isDraining, !wait.isChecked {
            wait.isChecked = true
            let names = wait.path.split(separator: slash).map(Array.init)
            performInTurn { $0.check(names, in: wait.root) }
        }
        // Other changes of a rescan wait for its end.
        if !isDraining, entry(at: wait.path, in: wait.root) != nil, document(of: wait) == nil {
            performInTurn { $0.commit() }
        }
        if isDraining {
            fileWaits.append(wait)
        } else {
            wait.end(with: document(of: wait))
        }
    }

    /// Continues the waits for files whose turn it is.
    func proceedWithFiles() {
        if fileWaits.isEmpty || isDraining { return }
        let waits = fileWaits
        fileWaits = []
        for wait in waits {
            if !wait.isOver { proceed(wait) }
        }
    }

    private func root(_ path: [UInt8]) -> WatchedRoot? {
        rootList.first { $0.path == WatchedRoot.cleaned(path) }
    }

    private func entry(at path: [UInt8], in root: [UInt8]) -> FileEntry? {
        let names = path.split(separator: slash).map(Array.init)
        guard let last = names.last else { return nil }
        return self.root(root)?.folder?.folder(at: names.dropLast())?.files[last]
    }

    private func document(of wait: FileWait) -> Document? {
        guard let entry = entry(at: wait.path, in: wait.root) else { return nil }
        return store.table.row(of: entry.key).map { store.table.document(of: $0) }
    }

    /// Opens the folder of a root: the one whose documents are listed, and never the target of a link that has
    /// just replaced it.
    /// - Returns: `nil` if the root is missing or is no longer that folder.
    package func openRoot(_ path: [UInt8]) throws(SystemError) -> DescriptorBox? {
        loop.preconditionOnLoop()
        guard let folder = root(path)?.folder else { return nil }
        return try openKnown(folder)
    }

    /// Opens the folder of a root or of a followed link.
    /// - Returns: `nil` if it is not where the tree has it.
    private func openKnown(_ folder: WatchedFolder) throws(SystemError) -> DescriptorBox? {
        guard let path = folder.path() else { return nil }
        let opened: OwnedDescriptor
        do {
            opened = try access.openFolder(path)
        } catch {
            if error.code.isAbsence { return nil }
            throw error
        }
        let status = try access.status(opened)
        guard folder.identity == 0 || isStill(folder, status, at: path) else { return nil }
        return DescriptorBox(opened)
    }

    /// The status of the file at a path below a root, as it is now. Each folder on the way is opened in the one above it,
    /// never through a link, but for links that are followed; so nothing else outside the root is looked at.
    /// - Returns: `nil` if no regular file is there, nor a link to one that counts, or if it can't be reached.
    /// - Complexity: O(n) in the depth: two system calls for each folder below the root, and some for the root.
    package func status(root: [UInt8], relativePath: [UInt8]) -> FileStatus? {
        let names = relativePath.split(separator: slash).map(Array.init)
        guard let last = names.last, let top = self.root(root)?.folder else { return nil }
        // The folder of the last link on the way is known by its place.
        var start = (folder: top, next: 0)
        var known: WatchedFolder? = top
        for (index, name) in names.dropLast().enumerated() {
            known = known?.folders[name]
            if let known, known.target != nil { start = (known, index + 1) }
        }
        let followsLinks = known.map { symlinks(in: $0) != .ignore } ?? false
        let way = names[start.next...].dropLast()
        do throws(SystemError) {
            guard let box = try openKnown(start.folder) else { return nil }
            guard let first = way.first else {
                return try status(of: last, in: box.descriptor, followsLinks)
            }
            var folder = try box.descriptor.openFolder(first)
            for name in way.dropFirst() { folder = try folder.openFolder(name) }
            return try status(of: last, in: folder, followsLinks)
        } catch {
            return nil
        }
    }

    private func status(
        of name: [UInt8], in folder: borrowing OwnedDescriptor, _ followsLinks: Bool
    ) throws(SystemError) -> FileStatus? {
        let status = try FileStatus.of(name, in: folder)
        if status.kind == .regular { return status }
        guard followsLinks, status.kind == .symbolicLink else { return nil }
        let target = try FileStatus.of(name, in: folder, followingLinks: true)
        return target.kind == .regular ? target : nil
    }

    private func check(_ names: [[UInt8]], in root: [UInt8]) {
        guard var folder = self.root(root)?.folder, let last = names.last else { return }
        for name in names.dropLast() {
            if folder.folders[name] == nil {
                mark(name, in: folder)
                settleChecks()
            }
            guard let next = folder.folders[name] else { return }
            folder = next
        }
        mark(last, in: folder)
        settleChecks()
        commit()
        queueSlice()
    }
}

/// A wait for the document of a file.
package final class FileWait {
    fileprivate let root: [UInt8]
    fileprivate let path: [UInt8]
    fileprivate var isChecked = false
    private var body: ((Document?) -> Void)?

    fileprivate init(
        root: [UInt8], path: [UInt8], _ body: @escaping (Document?) -> Void
    ) {
        self.root = root
        self.path = path
        self.body = body
    }

    /// Ends the wait: `body` is not called any more. Idempotent.
    package func cancel() { body = nil }

    package var isOver: Bool { body == nil }

    fileprivate func end(with document: Document?) {
        let body = body
        self.body = nil
        body?(document)
    }
}
