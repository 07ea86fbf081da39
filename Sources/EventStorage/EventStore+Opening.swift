internal import SystemInterface

// What a start finds, and what becomes of it.
//
// Segments are read from the newest to the oldest, until as much is found as may be kept; older ones
// are removed unread. Within a segment the first record that is spoilt, cut short or out of order is
// the end: the file is cut off there, as nothing says where the next record would begin. What is no
// segment at all is put aside under another name, for a person to look at, and the rest is used.

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

    /// The most files that are put aside and left there.
    private static let mostAside = 4

    /// Reads what `folder` holds and makes it ready for more.
    ///
    /// The epoch goes on if the last daemon ended in good order, or the machine, called `boot`, is
    /// still the one that ran it; then the numbers from the last event kept up to the mark are
    /// holes. Otherwise numbers may have been seen that nothing here knows of: the epoch is `newEpoch`,
    /// and the events that are kept keep their numbers in it.
    ///
    /// - Complexity: O(bytes kept).
    package static func open(
        in folder: any StorageFolder, limits: Limits, boot: String, newEpoch: String
    ) throws(StorageError) -> Opened {
        precondition(EpochField.accepts(newEpoch.utf8), "an epoch is a few digits and letters")
        do throws(SystemError) {
            var finding = Finding(folder: folder, limits: limits)
            try finding.readSegments()
            let (file, content) = try openMark(in: folder, &finding.notes)
            let last = finding.events.last?.number ?? 0
            var continues = false
            if let content, content.lastNumber >= last {
                continues = content.isClean || content.boot == boot
            }
            var epoch = content?.epoch ?? newEpoch
            if !continues { epoch = unused(newEpoch, among: finding.epochs, content?.epoch) }
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
            } catch { throw error.systemError }
            try folder.synchronize()
            let store = finding.store(epoch: epoch, storedThrough: storedThrough)
            return Opened(
                store: store, mark: mark, events: finding.events, continues: continues,
                notes: finding.notes)
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
    ) throws(SystemError) -> (any StorageFile, NumberMark.Content?) {
        let name = NumberMark.fileName
        do {
            let file = try folder.open(name)
            let content = try NumberMark.read(file)
            if content == nil {
                notes.append(
                    "'\(folder.path)/\(name)' can't be read: the numbers of events begin a new epoch"
                )
                try file.truncate(to: 0)
            }
            return (file, content)
        } catch {
            if error.code != .noSuchFile {
                try folder.rename(name, to: name + SegmentName.asideSuffix)
                notes.append("'\(folder.path)/\(name)' was put aside: \(error)")
            }
            return (try folder.create(name), nil)
        }
    }

    /// What is found on the way.
    private struct Finding {
        let folder: any StorageFolder
        let limits: Limits
        /// Ascending.
        var segments: [Segment] = []
        var events: [StoredEvent] = []
        var epochs: Set<String> = []
        var notes: [String] = []
        private var newest: (file: any StorageFile, epoch: String)?
        private var bytes = 0

        init(folder: any StorageFolder, limits: Limits) {
            self.folder = folder
            self.limits = limits
        }

        func store(epoch: String, storedThrough: Int) -> EventStore {
            EventStore(
                folder: folder, epoch: epoch, limits: limits, segments: segments,
                // A segment belongs to one epoch.
                active: newest?.epoch == epoch ? newest?.file : nil, storedThrough: storedThrough)
        }

        mutating func readSegments() throws(SystemError) {
            let names = try folder.names().sorted()
            try boundAside(names.filter(SegmentName.isAside))
            var older: [[StoredEvent]] = []
            var bound = StoredEvent.largestNumber + 1
            for name in names.filter(SegmentName.isOne).reversed() {
                let room = limits.count - older.reduce(0) { $0 + $1.count }
                if room <= 0 || bytes >= limits.bytes || segments.count >= mostSegments {
                    try folder.remove(name)
                } else if let found = try readSegment(name, below: bound) {
                    // Below the first number of the segment, even if its first events are too many.
                    bound = SegmentName.number(name) ?? bound
                    older.append(found.suffix(room))
                }
            }
            segments.reverse()
            events = older.reversed().flatMap { $0 }
        }

        /// The events of one segment; nil if there is none.
        private mutating func readSegment(
            _ name: String, below bound: Int
        ) throws(SystemError) -> [StoredEvent]? {
            var found = Newest(limits)
            do throws(SegmentScan.Refusal) {
                let file: any StorageFile
                do throws(SystemError) {
                    file = try folder.open(name)
                } catch { throw .system(error) }
                let scan = try SegmentScan(file, named: name, numbersBelow: bound) {
                    found.append($0, size: $1)
                }
                return try take(scan, of: name, file) ? found.events : nil
            } catch {
                try refuse(name, because: error)
                return nil
            }
        }

        /// Cuts off what can't be read of a segment; false if nothing is left.
        private mutating func take(
            _ scan: SegmentScan, of name: String, _ file: any StorageFile
        ) throws(SegmentScan.Refusal) -> Bool {
            epochs.insert(scan.header.epoch)
            do throws(SystemError) {
                if let fault = scan.fault {
                    notes.append(
                        "'\(folder.path)/\(name)' \(fault.text) at byte \(scan.end): the last "
                            + "\(scan.size - scan.end) bytes were cut off, the \(scan.count) events "
                            + "before are kept")
                    if scan.count > 0 { try file.truncate(to: scan.end) }
                }
                guard scan.count > 0 else {
                    try folder.remove(name)
                    return false
                }
            } catch { throw .system(error) }
            if segments.isEmpty { newest = (file, scan.header.epoch) }
            segments.append(
                Segment(
                    name: name, lastNumber: scan.lastNumber, size: scan.end, count: scan.count))
            bytes += scan.end
            return true
        }

        private mutating func refuse(
            _ name: String, because refusal: SegmentScan.Refusal
        ) throws(SystemError) {
            let shown = "'\(folder.path)/\(name)'"
            if case .unfinished = refusal {
                notes.append("\(shown) had not been begun when the daemon ended: removed")
                return try folder.remove(name)
            }
            notes.append(
                "\(shown) \(refusal.text): it was renamed to end in "
                    + "\(SegmentName.asideSuffix), and the events in it are not used")
            try folder.rename(name, to: name + SegmentName.asideSuffix)
        }

        /// Keeps the newest of what was put aside.
        private func boundAside(_ names: [String]) throws(SystemError) {
            // A folder among them can't be removed like this, and stays.
            for name in names.dropLast(mostAside) { try? folder.remove(name) }
        }
    }
}

/// The last events of a segment, as many as may be kept.
private struct Newest {
    private let limits: EventStore.Limits
    private var all: [(event: StoredEvent, size: Int)] = []
    private var start = 0
    private var bytes = 0

    init(_ limits: EventStore.Limits) {
        self.limits = limits
    }

    var events: [StoredEvent] { all[start...].map(\.event) }

    mutating func append(_ event: StoredEvent, size: Int) {
        all.append((event, size))
        bytes += size
        while all.count - start > limits.count || bytes > limits.bytes {
            bytes -= all[start].size
            start += 1
        }
        if start > 1024, start > all.count / 2 {
            all.removeSubrange(..<start)
            start = 0
        }
    }
}

extension SegmentScan.Fault {
    fileprivate var text: String {
        switch self {
        case .cutShort: "ends in the middle of an event"
        case .spoilt: "is damaged"
        case .outOfOrder: "has a number out of order"
        }
    }
}

extension SegmentScan.Refusal {
    fileprivate var text: String {
        switch self {
        case .header(.foreign): "holds no events of pickerd"
        case .header(.newer(let version)): "was written by a newer pickerd, in format \(version)"
        case .header(.spoilt): "is damaged at its head"
        case .misnamed: "has a name that its content does not bear out"
        case .unfinished: "is empty"
        case .tooLong(let size): "has \(size) bytes, more than any file of events may"
        case .system(let error): "can't be read (\(error))"
        }
    }
}

extension StorageError {
    fileprivate var systemError: SystemError {
        if case .system(let error) = self { return error }
        return SystemError(.invalidArgument, operation: "open")
    }
}
