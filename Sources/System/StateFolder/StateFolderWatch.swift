package import EventLoops
internal import Glibc
package import SystemInterface

/// Reports that a state folder may no longer be in its place.
///
/// The kernel reports files entering and leaving the folder, renames and removals of each folder above, and any
/// mount; also those by the daemon itself. So a report is only a reason to check. While nothing happens there,
/// nothing runs. A change without a report (a link above that leads elsewhere) is found at the next store.
package final class StateFolderWatch {
    private var source: (any IOSource)?
    private var queue: Inotify
    private var mountSource: (any IOSource)?
    /// The mount table; nil without /proc, when mounts are not reported.
    private let mounts: DescriptorBox?
    private let onChange: () -> Void

    /// Watches the folder at `path` and its ancestors.
    package init(
        _ path: String, on loop: any EventLoop, onChange: @escaping () -> Void
    ) throws(SystemError) {
        self.onChange = onChange
        queue = try Inotify()
        mounts = try? DescriptorBox(OwnedDescriptor.open(Self.mountsPath, flags: O_RDONLY))
        try add(
            RawPath(path),
            [.created, .deleted, .movedFrom, .movedTo, .selfDeleted, .selfMoved, .doNotFollowLinks])
        var above = RawPath(path).folder
        while true {
            try add(above, [.selfDeleted, .selfMoved])
            let next = above.folder
            if next == above || above == RawPath(".") { break }
            above = next
        }
        source = try loop.watch(queue.number, for: .readable) { [unowned self] _ in read() }
        guard let mounts else { return }
        mountSource = try? loop.watch(mounts.number, for: [.urgent, .toldOnce]) {
            [unowned self] _ in self.onChange()
        }
    }

    private static let mountsPath = RawPath("/proc/self/mountinfo")

    deinit {
        // Before their descriptors are closed.
        source?.cancel()
        mountSource?.cancel()
    }

    private func add(_ path: RawPath, _ mask: InotifyMask) throws(SystemError) {
        do {
            _ = try queue.add(path, [mask, .onlyDirectory])
        } catch {
            // A folder above may be unreadable while those in it are accessible.
            if error.code != .permissionDenied { throw error }
        }
    }

    private func read() {
        // The check reads the disk, once, whatever the events were.
        while (try? queue.readEvents { _ in }) ?? false {}
        onChange()
    }
}
