package import StateFolder
internal import SystemInterface

// Opening a store: reading what a folder holds, and continuing or replacing the epoch.

extension EventStore {
    /// The result of opening a store.
    package struct Opened: Sendable {
        package var store: EventStore
        package var mark: NumberMark
        /// The stored events, in ascending order of their numbers.
        package var events: [StoredEvent]
        /// Whether the epoch of the last run continues. Otherwise it is a new one.
        package var continues: Bool
        /// Messages about faults, for the log.
        package var notes: [String]
    }

    /// Reads the contents of `folder` and prepares the store for new events.
    ///
    /// The epoch continues if the last daemon ended cleanly, or if the machine has not restarted since
    /// (`boot` identifies its run). The numbers from the last stored event up to the mark are then gaps.
    /// Otherwise, and if the mark is a copy, clients may have seen numbers that are not recorded here: the
    /// epoch is `newEpoch`, and the stored events keep their numbers in it.
    ///
    /// - Complexity: O(bytes kept).
    package static func open(
        in folder: any StorageFolder, limits: Limits, boot: String, newEpoch: String
    ) throws(StorageError) -> Opened {
        precondition(EpochField.accepts(newEpoch.utf8), "an epoch is a few digits and letters")
        do throws(SystemError) {
            var search = SegmentSearch(folder: folder, limits: limits)
            try search.readSegments()
            let (file, content, isCopy) = try openMark(in: folder, &search.notes)
            // From the segments, not the events read: an event larger than the limits is stored but not
            // read.
            let last = search.segments.last?.lastNumber ?? 0
            var continues = false
            if let content, !isCopy, content.lastNumber >= last {
                continues = content.isClean || content.boot == boot
            }
            var epoch = content?.epoch ?? newEpoch
            if !continues { epoch = unused(newEpoch, among: search.epochs, content?.epoch) }
            let storedThrough = max(last, content?.lastNumber ?? 0)
            var mark = NumberMark(
                .init(epoch: epoch, boot: boot, lastNumber: storedThrough, isClean: false),
                file, in: folder
            )
            // On disk before any number is given out: otherwise, after a loss of power, the clean mark of
            // the last run would still be valid.
            do throws(StorageError) {
                try mark.write()
                try mark.synchronize()
            } catch {
                throw error.cause ?? SystemError(.invalidArgument, operation: "open")
            }
            try folder.synchronize()
            let store = search.store(
                epoch: epoch, storedThrough: storedThrough, mark: mark.identity)
            return Opened(
                store: store, mark: mark, events: search.events, continues: continues,
                notes: search.notes)
        } catch { throw .system(error.naming(folder.path)) }
    }

    /// `epoch`, or a variant if it was used before, as happens when the clock is set back.
    private static func unused(
        _ epoch: String, among known: Set<String>, _ last: String?
    ) -> String {
        var candidate = epoch
        var count = 0
        while known.contains(candidate) || candidate == last {
            count += 1
            candidate = epoch.prefix(EpochField.mostBytes - 8) + "x\(count)"
        }
        return candidate
    }

    private static func openMark(
        in folder: any StorageFolder, _ notes: inout [String]
    ) throws(SystemError) -> (any StorageFile, NumberMark.Content?, isCopy: Bool) {
        let name = NumberMark.fileName
        do {
            let file = try folder.open(name)
            switch try NumberMark.read(file) {
            case .mark(let content): return (file, content, isCopy: false)
            case .copied(let content):
                notes.append(
                    "'\(folder.path)/\(name)' is a copy, and numbers may have been given since it was "
                        + "made: the numbers of events begin a new epoch")
                return (file, content, isCopy: true)
            case .none:
                notes.append(
                    "'\(folder.path)/\(name)' can't be read: the numbers of events begin a new epoch"
                )
                try file.truncate(to: 0)
                return (file, nil, isCopy: false)
            }
        } catch {
            if error.code != .noSuchFile {
                try folder.rename(name, to: name + SegmentName.asideSuffix)
                notes.append("'\(folder.path)/\(name)' was put aside: \(error)")
            }
            return (try folder.create(name), nil, isCopy: false)
        }
    }
}
