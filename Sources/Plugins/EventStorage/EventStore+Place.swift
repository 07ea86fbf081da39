package import StateFolder
internal import SystemInterface

// Checks that files are still at their paths, and recreates the store if not.
//
// Writes to a folder or file that was removed, renamed or replaced while it is open still succeed, but the
// data is lost. Only a check of the path shows it.

extension EventStore {
    /// Checks that the folder, its segments and the mark are still at their paths.
    ///
    /// - Throws: `.misplaced` if one of them is not.
    /// - Complexity: one lookup of the name of each segment.
    package func requireInPlace() throws(StorageError) {
        try folder.requireInPlace()
        for segment in segments { try folder.requireInPlace(segment.name, segment.identity) }
        if let mark { try folder.requireInPlace(NumberMark.fileName, mark) }
    }

    /// An empty store with the same epoch and limits. It uses the current folder if that is still at its
    /// path, else the folder that `open` opens.
    ///
    /// Remaining files of this store are removed; segments of others are set aside. The file of the mark is
    /// empty until the first `store`.
    package func recreated(
        _ content: NumberMark.Content,
        opening open: () throws(StorageError) -> any StorageFolder
    ) throws(StorageError) -> (store: EventStore, mark: NumberMark, notes: [String]) {
        let place: any StorageFolder
        if (try? folder.requireInPlace()) != nil { place = folder } else { place = try open() }
        do throws(SystemError) {
            let notes = try clear(place)
            let file = try place.create(NumberMark.fileName)
            try place.synchronize()
            var content = content
            content.isClean = false
            let store = EventStore(
                folder: place, epoch: epoch, limits: limits, segments: [], active: nil,
                storedThrough: 0, mark: file.identity)
            return (store, NumberMark(content, file, in: place), notes)
        } catch { throw .system(error.naming(place.path)) }
    }

    private func clear(_ place: any StorageFolder) throws(SystemError) -> [String] {
        let names = try place.names().sorted()
        let own = Set(segments.map(\.identity))
        var foreign = 0
        for name in names where SegmentName.isSegment(name) {
            if let identity = try place.identity(of: name), own.contains(identity) {
                try place.remove(name)
            } else {
                foreign += 1
                try place.rename(name, to: name + SegmentName.asideSuffix)
            }
        }
        SegmentSearch.pruneSetAside(try place.names().filter(SegmentName.isAside), in: place)
        if names.contains(NumberMark.fileName) {
            do throws(SystemError) {
                try place.remove(NumberMark.fileName)
            } catch {
                // It may be a folder, which `remove` does not remove.
                try place.rename(
                    NumberMark.fileName, to: NumberMark.fileName + SegmentName.asideSuffix)
            }
        }
        guard foreign > 0 else { return [] }
        return [
            "\(foreign) files of events that appeared in '\(place.path)' while the daemon ran were "
                + "renamed to end in \(SegmentName.asideSuffix), and the events in them are not used"
        ]
    }
}
