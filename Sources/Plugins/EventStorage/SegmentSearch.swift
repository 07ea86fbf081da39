internal import StateFolder
internal import SystemInterface

// Segments are read from the newest to the oldest until the limits are reached; older ones are removed
// unread. A segment ends at its first record that is damaged, incomplete or out of order: the file is
// truncated there, because the start of the next record is unknown. A file that is not a segment is renamed
// and kept for inspection, and the other segments are used.

/// Reads the segments of a folder at the start.
struct SegmentSearch {
    /// The most renamed files that are kept.
    private static let mostAside = 4

    private let folder: any StorageFolder
    private let limits: EventStore.Limits
    /// Ascending.
    private(set) var segments: [EventStore.Segment] = []
    private(set) var events: [StoredEvent] = []
    private(set) var epochs: Set<String> = []
    var notes: [String] = []
    private var newest: (file: any StorageFile, epoch: String)?
    private var bytes = 0

    init(folder: any StorageFolder, limits: EventStore.Limits) {
        self.folder = folder
        self.limits = limits
    }

    func store(epoch: String, storedThrough: Int, mark: FileIdentity) -> EventStore {
        EventStore(
            folder: folder, epoch: epoch, limits: limits, segments: segments,
            // A segment belongs to one epoch.
            active: newest?.epoch == epoch ? newest?.file : nil, storedThrough: storedThrough,
            mark: mark)
    }

    mutating func readSegments() throws(SystemError) {
        let names = try folder.names().sorted()
        Self.pruneSetAside(names.filter(SegmentName.isAside), in: folder)
        var older: [[StoredEvent]] = []
        var bound = StoredEvent.largestNumber + 1
        for name in names.filter(SegmentName.isSegment).reversed() {
            let room = limits.count - older.reduce(0) { $0 + $1.count }
            if room <= 0 || bytes >= limits.bytes || segments.count >= EventStore.mostSegments {
                try folder.remove(name)
            } else if let found = try readSegment(name, below: bound) {
                // The first number of the segment, even if its first events were dropped by the limits.
                bound = SegmentName.number(name) ?? bound
                older.append(found.suffix(room))
            }
        }
        segments.reverse()
        events = older.reversed().flatMap { $0 }
    }

    /// The events of one segment; nil if the segment is not used.
    private mutating func readSegment(
        _ name: String, below bound: Int
    ) throws(SystemError) -> [StoredEvent]? {
        var found = NewestEvents(limits)
        do throws(SegmentScan.Refusal) {
            let file: any StorageFile
            do throws(SystemError) {
                file = try folder.open(name)
            } catch { throw .system(error) }
            let scan = try SegmentScan(file, named: name, numbersBelow: bound) {
                found.append($0, size: $1)
            }
            return try add(scan, of: name, file) ? found.events : nil
        } catch {
            try refuse(name, because: error)
            return nil
        }
    }

    /// Adds a segment and truncates its unreadable end. Returns false if no event is left.
    private mutating func add(
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
            EventStore.Segment(
                name: name, identity: file.identity, lastNumber: scan.lastNumber, size: scan.end,
                count: scan.count))
        bytes += scan.end
        return true
    }

    private mutating func refuse(
        _ name: String, because refusal: SegmentScan.Refusal
    ) throws(SystemError) {
        let shown = "'\(folder.path)/\(name)'"
        if case .unfinished = refusal {
            notes.append("\(shown) was not complete when the daemon ended: removed")
            return try folder.remove(name)
        }
        notes.append(
            "\(shown) \(refusal.text): it was renamed to end in "
                + "\(SegmentName.asideSuffix), and the events in it are not used")
        try folder.rename(name, to: name + SegmentName.asideSuffix)
    }

    /// Removes all but the newest of the renamed files.
    static func pruneSetAside(_ names: [String], in folder: any StorageFolder) {
        // A folder stays: `remove` removes files only.
        for name in names.sorted().dropLast(mostAside) { try? folder.remove(name) }
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
        case .header(.spoilt): "has a damaged header"
        case .misnamed: "has a name that does not match its content"
        case .unfinished: "is empty"
        case .tooLong(let size): "has \(size) bytes, more than any file of events may"
        case .system(let error): "can't be read (\(error))"
        }
    }
}
