// Mounts over a root, over a folder below one, or above one.
//
// A changed mount point is checked like a name that had an event: another folder is there now, and is read in
// place of the former one.

import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
    /// Watches for mounts and unmounts. Without /proc they go unnoticed.
    func watchMounts() {
        if let number = access.mountsNumber {
            mountSource = try? loop.watch(number, for: [.urgent, .toldOnce]) { [weak self] _ in
                self?.noteMounts()
            }
        }
        // After the start of the watch, which does not report earlier changes.
        mountTable = access.readMounts().map(MountTable.init)
    }

    /// While the documents are frozen, one check waits, however many changes come.
    private func noteMounts() {
        if isMountLookWaiting { return }
        isMountLookWaiting = true
        workWhenFree { watcher in
            watcher.isMountLookWaiting = false
            watcher.lookAtMounts()
            watcher.finishTurn()
        }
    }

    /// Marks the names at the mount points that changed since the last check.
    /// - Complexity: O(mounts), up to `mountBytes` of text.
    func lookAtMounts() {
        guard let text = access.readMounts() else { return }
        let table = MountTable(text)
        let former = mountTable ?? table
        mountTable = table
        for place in table.places(changedSince: former) {
            for root in rootList { markMount(place, root) }
        }
    }

    private func markMount(_ place: [UInt8], _ root: WatchedRoot) {
        if WatchedRoot.lies(root.path, in: place) || WatchedRoot.lies(root.resolvedPath, in: place)
        {
            rootWaiting.look(at: [root])
            return
        }
        guard var folder = root.folder, WatchedRoot.lies(place, in: root.resolvedPath) else {
            return
        }
        let names = place.dropFirst(root.resolvedPath.count).split(separator: slash).map(Array.init)
        guard let last = names.last else { return }
        for name in names.dropLast() {
            guard let next = folder.folders[name] else { return }
            folder = next
        }
        mark(last, in: folder)
    }
}
