internal import StateFolder
internal import SystemInterface

// Segments are read from the newest to the oldest, until as much is found as may be kept; older ones
// are removed unread. Within a segment the first record that is spoilt, cut short or out of order is
// the end: the file is cut off there, as nothing says where the next record would begin. What is no
// segment at all is put aside under another name, for a person to look at, and the rest is used.

/// What a start finds in the segments of a folder.
struct SegmentSearch {
    /// The most files that are put aside and left there.
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
        boundAside(names.filter(SegmentName.isAside))
        var older: [[StoredEvent]] = []
        var bound = StoredEvent.largestNumber + 1
        for name in names.filter(SegmentName.isOne).reversed() {
            let room = limits.count - older.reduce(0) { $0 + $1.count }
            if room <= 0 || bytes >= limits.bytes || segments.count >= EventStore.mostSegments {
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
        var found = NewestEvents(limits)
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
            notes.append("\(shown) had not been begun when the daemon ended: removed")
            return try folder.remove(name)
        }
        notes.append(
            "\(shown) \(refusal.text): it was renamed to end in "
                + "\(SegmentName.asideSuffix), and the events in it are not used")
        try folder.rename(name, to: name + SegmentName.asideSuffix)
    }

    /// Keeps the newest of what was put aside.
    private func boundAside(_ names: [String]) {
        Self.boundAside(names, in: folder)
    }

    static func boundAside(_ names: [String], in folder: any StorageFolder) {
        // A folder among them can't be removed like this, and stays.
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
        case .header(.spoilt): "is damaged at its head"
        case .misnamed: "has a name that its content does not bear out"
        case .unfinished: "is empty"
        case .tooLong(let size): "has \(size) bytes, more than any file of events may"
        case .system(let error): "can't be read (\(error))"
        }
    }
}
