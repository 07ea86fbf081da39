// Immediate checks of one path, for a client that has just made a file.

package import PickerModel
package import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
    /// Checks one file now, whatever is queued.
    ///
    /// The store then has it, even while a scan or rescan is under way. A call from an observer of the store
    /// only returns what is known.
    /// - Parameters:
    ///   - root: as given to `setRoots`.
    ///   - relativePath: the path below the root, without `.`, `..` or doubled slashes.
    /// - Returns: its document; `nil` if that path is no regular file below the root, or there is no such root.
    package func refresh(root: [UInt8], relativePath: [UInt8]) -> Document? {
        loop.preconditionOnLoop()
        guard let root = rootList.first(where: { $0.path == WatchedRoot.cleaned(root) }) else {
            return nil
        }
        let names = relativePath.split(separator: slash).map(Array.init)
        if !isWorking {
            perform { watcher in
                watcher.drain()
                watcher.check(names, in: root)
            }
        }
        guard let last = names.last,
            let entry = root.folder?.folder(at: names.dropLast())?.files[last]
        else { return nil }
        return store.table.row(of: entry.key).map { store.table.document(of: $0) }
    }

    /// Opens the folder of a root: the one whose documents are listed, and never the target of a link that has
    /// just replaced it.
    /// - Returns: `nil` if the root is missing or is no longer that folder.
    package func openRoot(_ path: [UInt8]) throws(SystemError) -> DescriptorBox? {
        loop.preconditionOnLoop()
        guard let root = rootList.first(where: { $0.path == WatchedRoot.cleaned(path) }),
            let folder = root.folder
        else { return nil }
        let opened: OwnedDescriptor
        do {
            opened = try access.openFolder(root.resolvedPath)
        } catch {
            if error.code.isAbsence { return nil }
            throw error
        }
        let status = try access.status(opened)
        guard folder.identity == 0 || isStill(folder, status, at: root.resolvedPath) else {
            return nil
        }
        return DescriptorBox(opened)
    }

    private func check(_ names: [[UInt8]], in root: WatchedRoot) {
        guard var folder = root.folder, let last = names.last else { return }
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
