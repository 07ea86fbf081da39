internal import Glibc
package import SystemInterface
package import SystemdEventLoop

/// Tells when a folder that the daemon keeps something in may not be where it was.
///
/// The kernel tells of what comes into the folder and goes from it, of each folder above that is renamed or
/// removed, and of what is mounted anywhere; what the daemon does there itself, too. So this is a reason to
/// look, and no more. While nothing happens there, nothing runs. What it is not told of (a link above that
/// leads elsewhere) is found when something is stored.
package final class StateFolderWatch {
    private var source: (any IOSource)?
    private var queue: Inotify
    private var mountSource: (any IOSource)?
    /// The table of mounts; nil where there is no /proc, and nothing tells of mounts.
    private let mounts: DescriptorBox?
    private let onChange: () -> Void

    /// Watches the folder at `path`, and those above it.
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
            // A folder above may be closed to reading and the folders in it open.
            if error.code != .permissionDenied { throw error }
        }
    }

    private func read() {
        // What happened is looked at on disk: once, whatever it was.
        while (try? queue.readEvents { _ in }) ?? false {}
        onChange()
    }
}
