// Mounts over a root, over a folder below one, or above one.
//
// A place that changed is looked at as a name that an event came for: what stands there now is another
// folder, which is read in the place of the one before.

import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
    /// Has the loop tell when something is mounted or unmounted. Without it (no /proc) nothing does.
    func watchMounts() {
        if let number = access.mountsNumber {
            mountSource = try? loop.watch(number, for: [.urgent, .toldOnce]) { [weak self] _ in
                self?.noteMounts()
            }
        }
        // After the watch has begun: what changed before is not told of.
        mountTable = access.readMounts().map(MountTable.init)
    }

    /// While the documents are held as they are, one look waits, however often there is reason for it.
    private func noteMounts() {
        if isMountLookWaiting { return }
        isMountLookWaiting = true
        workWhenFree { watcher in
            watcher.isMountLookWaiting = false
            watcher.lookAtMounts()
            watcher.finishTurn()
        }
    }

    /// Marks what lies where the table of mounts has changed since it was last looked at.
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
