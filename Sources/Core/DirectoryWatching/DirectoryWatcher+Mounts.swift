// Mounts over a root, over a folder below one, or above one.
//
// A changed mount point is checked like a name that had an event: another folder is there now, and is read in
// place of the former one.

import EventLoops
import SystemInterface

extension DirectoryWatcher {
    /// Watches for mounts and unmounts. Without /proc they go unnoticed.
    func watchMounts() {
        if let number = access.mountsNumber {
            mountSource = try? loop.watch(number, for: [.urgent, .toldOnce]) { [weak self] _ in
                self?.queueMountCheck()
            }
        }
        // After the start of the watch, which does not report earlier changes.
        mountTable = access.readMounts().map(MountTable.init)
    }

    /// While a change hold is on, one check waits, however many changes come.
    private func queueMountCheck() {
        if isMountCheckQueued { return }
        isMountCheckQueued = true
        performWhenFree { watcher in
            watcher.isMountCheckQueued = false
            watcher.checkMounts()
            watcher.finishTurn()
        }
    }

    /// Marks the names at the mount points that changed since the last check.
    /// - Complexity: O(mounts), up to `mountBytes` of text.
    func checkMounts() {
        guard let text = access.readMounts() else { return }
        let table = MountTable(text)
        let former = mountTable ?? table
        mountTable = table
        for place in table.mountPoints(changedSince: former) {
            for root in rootList { markMount(place, root) }
            markMount(place, links.followed)
        }
    }

    private func markMount(_ place: [UInt8], _ root: WatchedRoot) {
        if WatchedRoot.lies(root.path, in: place) || WatchedRoot.lies(root.resolvedPath, in: place)
        {
            rootWaiting.queueProbes(of: [root])
            return
        }
        guard let top = root.folder, WatchedRoot.lies(place, in: root.resolvedPath) else { return }
        let names = place.dropFirst(root.resolvedPath.count).split(separator: slash).map(Array.init)
        guard let last = names.last, let folder = top.folder(at: names.dropLast()) else { return }
        mark(last, in: folder)
    }
}
