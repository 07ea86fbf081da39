internal import SystemInterface
internal import SystemdEventLoop

/// Reports that something may have changed where plugins are: in their folders, or in the places that have these.
///
/// Of a place that does not exist, the nearest folder above that does is watched. At most 1,024 folders of plugins are; of
/// others a change is seen at the next search.
final class PluginFolderWatch {
    static let mostFolders = 1024

    private var queue: Inotify
    private var source: (any IOSource)?

    init(
        _ places: [RawPath], _ folders: [RawPath], on loop: any EventLoop,
        onChange: @escaping () -> Void
    ) throws(SystemError) {
        queue = try Inotify()
        for folder in folders.prefix(Self.mostFolders) {
            // It may have gone by now, which its place reports.
            _ = try? queue.add(
                folder,
                [
                    .created, .deleted, .movedFrom, .movedTo, .closedAfterWriting, .attributes,
                    .onlyDirectory,
                ])
        }
        for place in places { add(place) }
        source = try loop.watch(queue.number, for: .readable) { [unowned self] _ in
            while (try? queue.readEvents { _ in }) ?? false {}
            onChange()
        }
    }

    deinit {
        // Before its descriptor is closed.
        source?.cancel()
    }

    private func add(_ place: RawPath) {
        var path = place
        while true {
            let added = try? queue.add(
                path,
                [
                    .created, .deleted, .movedFrom, .movedTo, .selfMoved, .onlyDirectory,
                    .addedToOthers,
                ])
            if added != nil || path.folder == path || path == RawPath(".") { return }
            path = path.folder
        }
    }
}
