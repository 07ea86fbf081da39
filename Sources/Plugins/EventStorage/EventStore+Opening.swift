package import StateFolder
internal import SystemInterface

// What a start finds, and what becomes of it.

extension EventStore {
    /// What a start finds.
    package struct Opened: Sendable {
        package var store: EventStore
        package var mark: NumberMark
        /// The events that are kept, their numbers ascending.
        package var events: [StoredEvent]
        /// Whether the numbers of the last run go on. Otherwise the epoch is a new one.
        package var continues: Bool
        /// What was wrong, in words for the log.
        package var notes: [String]
    }

    /// Reads what `folder` holds and makes it ready for more.
    ///
    /// The epoch goes on if the last daemon ended in good order, or the machine, called `boot`, is
    /// still the one that ran it; then the numbers from the last event kept up to the mark are
    /// holes. Otherwise, and if the mark is a copy of one, numbers may have been seen that nothing here
    /// knows of: the epoch is `newEpoch`,
    /// and the events that are kept keep their numbers in it.
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
            // Of the segments, not of the events read: an event larger than the limits is not among those.
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
            // On the disk before any number is given: else, after power is lost, a clean mark of the
            // run before would be believed.
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

    /// `epoch`, or, if a clock that was set back has made it once before, one that differs.
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
