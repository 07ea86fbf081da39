package import StateFolder
internal import SystemInterface

// Whether what is written can be found again, and beginning anew if not.
//
// A folder or a file that is removed, renamed or replaced while it is open takes what is written as
// before, for nobody. Only its path tells.

extension EventStore {
    /// Whether the folder, its segments and the mark are where they were made.
    ///
    /// - Throws: `.misplaced` if one of them is not.
    /// - Complexity: a look at the name of each segment.
    package func requireInPlace() throws(StorageError) {
        try folder.requireInPlace()
        for segment in segments { try folder.requireInPlace(segment.name, segment.identity) }
        if let mark { try folder.requireInPlace(NumberMark.fileName, mark) }
    }

    /// The same store with nothing in it, in the folder that is at the path of the old one by now:
    /// the old one if it is still there, else what `open` opens.
    ///
    /// What is left of this store goes; segments of others are put aside. There is a file for the mark
    /// and no mark in it: it counts from its first `store` on.
    package func anew(
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
        for name in names where SegmentName.isOne(name) {
            if let identity = try place.identity(of: name), own.contains(identity) {
                try place.remove(name)
            } else {
                foreign += 1
                try place.rename(name, to: name + SegmentName.asideSuffix)
            }
        }
        SegmentSearch.boundAside(try place.names().filter(SegmentName.isAside), in: place)
        if names.contains(NumberMark.fileName) {
            do throws(SystemError) {
                try place.remove(NumberMark.fileName)
            } catch {
                // A folder can't be removed like this.
                try place.rename(
                    NumberMark.fileName, to: NumberMark.fileName + SegmentName.asideSuffix)
            }
        }
        guard foreign > 0 else { return [] }
        return [
            "\(foreign) files of events that were put into '\(place.path)' while the daemon ran were "
                + "renamed to end in \(SegmentName.asideSuffix), and the events in them are not used"
        ]
    }
}
