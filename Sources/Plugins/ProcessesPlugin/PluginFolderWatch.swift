internal import EventLoops
internal import SystemInterface

/// Reports that something may have changed where plugins are: in their folders, or in the places that have these.
///
/// Of a place that does not exist, the nearest folder above that does is watched, and of what happens there only what
/// makes the next folder of the way: others may be busy there, and wake this four times a second at most. At most 1,024
/// folders of plugins are watched; of others a change is seen at the next search.
final class PluginFolderWatch {
    static let mostFolders = 1024
    /// How long nothing is read after events that do not matter.
    static let rest = Duration.milliseconds(250)

    private let loop: any EventLoop
    private var queue: Inotify
    private var source: (any IOSource)?
    private var timer: (any TimerSource)?
    /// Of watched folders above places, the names that matter there; nil for a folder in which all do.
    private var awaited: [Int32: Set<[UInt8]>?] = [:]

    init(
        _ places: [RawPath], _ folders: [RawPath], on loop: any EventLoop,
        onChange: @escaping () -> Void
    ) throws(SystemError) {
        self.loop = loop
        queue = try Inotify()
        for folder in folders.prefix(Self.mostFolders) {
            // It may have gone by now, which its place reports.
            let added = try? queue.add(
                folder,
                [
                    .created, .deleted, .movedFrom, .movedTo, .closedAfterWriting, .attributes,
                    .onlyDirectory,
                ])
            if let added { awaited[added] = .some(nil) }
        }
        for place in places { add(place) }
        source = try loop.watch(queue.number, for: .readable) { [unowned self] _ in
            if readChanges() { onChange() } else { pause() }
        }
    }

    private func pause() {
        source?.events = []
        if let timer { return timer.reschedule(after: Self.rest) }
        timer = try? loop.schedule(after: Self.rest) { [unowned self] in
            source?.events = .readable
        }
        // Without a timer it goes on as before.
        if timer == nil { source?.events = .readable }
    }

    /// Reads all events.
    /// - Returns: Whether one of them matters.
    private func readChanges() -> Bool {
        var isChange = false
        let awaited = awaited
        while true {
            let isMore = try? queue.readEvents { event in
                // Of the folder itself, and of lost events, there is no name.
                if let names = awaited[event.watch] ?? nil, !event.name.isEmpty {
                    isChange = isChange || names.contains(event.name)
                } else {
                    isChange = true
                }
            }
            if isMore != true { return isChange }
        }
    }

    deinit {
        // Before its descriptor is closed.
        source?.cancel()
        timer?.cancel()
    }

    private func add(_ place: RawPath) {
        var path = place
        var missing: [UInt8]?
        while true {
            let added = try? queue.add(
                path,
                [
                    .created, .deleted, .movedFrom, .movedTo, .selfMoved, .onlyDirectory,
                    .addedToOthers,
                ])
            if let added { return note(missing, in: added) }
            if path.folder == path || path == RawPath(".") { return }
            let slash = path.bytes.lastIndex(of: UInt8(ascii: "/"))
            missing = Array(path.bytes.suffix(from: slash.map { $0 + 1 } ?? 0))
            path = path.folder
        }
    }

    /// Notes the name that matters in a folder; nil if all do.
    private func note(_ name: [UInt8]?, in watch: Int32) {
        guard let name else {
            awaited[watch] = .some(nil)
            return
        }
        switch awaited[watch] {
        case nil: awaited[watch] = [name]
        case .some(nil): break
        case .some(.some(let names)): awaited[watch] = names.union([name])
        }
    }
}
