package import StateFolder
internal import SystemInterface

/// A log of events in a folder, ordered by number.
///
/// Storage: append-only segment files, each holding at most a fourth of the events that may be kept. New
/// events go to the newest segment until it is full. The oldest segment is removed as a whole once none of
/// its events is wanted. So the disk holds the wanted events and at most one segment more.
///
/// Invariants: numbers ascend within a segment and across segments, possibly with gaps. A segment stays
/// readable up to its first damaged byte.
///
/// Failures: after a write error all earlier events stay readable. The store accepts no more events until
/// `recover()`, after which a new segment begins. A killed process leaves at most one torn record, which
/// the next `open` cuts off.
///
/// One thread at a time may use a store; it can be passed between threads.
package struct EventStore: Sendable {
    /// The limits on stored events. They determine the size of segments and how much is read back.
    package struct Limits: Hashable, Sendable {
        package var count: Int
        package var bytes: Int

        package init(count: Int, bytes: Int) {
            self.count = count
            self.bytes = bytes
        }

        var segmentCount: Int { max(count / 4, 1) }
        var segmentBytes: Int { min(max(bytes / 4, 64 << 10), 1 << 30) }
    }

    /// One file.
    struct Segment: Sendable {
        let name: String
        let identity: FileIdentity
        var lastNumber: Int
        var size: Int
        var count: Int
    }

    /// The most segments. Only many starts, each with a new epoch, reach this number.
    static let mostSegments = 64
    /// The size of the write buffer.
    private static let bufferedBytes = 256 << 10

    package var limits: Limits
    /// All events up to this number are stored or were skipped.
    package private(set) var storedThrough: Int
    /// The total size of all segments.
    package var bytes: Int { segments.reduce(0) { $0 + $1.size } }
    /// Whether written data may not have reached the disk.
    package private(set) var needsSynchronizing = false

    /// The file of the mark, if there is one.
    package var mark: FileIdentity?

    let folder: any StorageFolder
    let epoch: String
    var segments: [Segment]
    /// The file of the newest segment while it accepts events.
    private var active: (any StorageFile)?
    /// Full segments that may not have reached the disk.
    private var unsynchronized: [(name: String, file: any StorageFile)] = []
    private var buffer: [UInt8] = []
    private var buffered = (count: 0, lastNumber: 0)

    init(
        folder: any StorageFolder, epoch: String, limits: Limits, segments: [Segment],
        active: (any StorageFile)?, storedThrough: Int, mark: FileIdentity?
    ) {
        self.folder = folder
        self.epoch = epoch
        self.limits = limits
        self.segments = segments
        self.active = active
        self.storedThrough = storedThrough
        self.mark = mark
    }

    /// Writes `events`, whose numbers must ascend; stored ones are skipped. Written events survive the end
    /// of the process, and a loss of power once `synchronize` has returned.
    ///
    /// - Complexity: O(bytes), with one system call for each 256 KiB.
    package mutating func append(_ events: [StoredEvent]) throws(StorageError) {
        for event in events where event.number > storedThrough {
            guard event.number > buffered.lastNumber, Record.fits(event) else { continue }
            let size = Record.size(of: event)
            if !hasRoom(for: size) {
                try flush()
                closeActive()
            }
            if active == nil { try begin(with: event.number) }
            Record.append(event, to: &buffer)
            buffered = (buffered.count + 1, event.number)
            if buffer.count >= Self.bufferedBytes { try flush() }
        }
        try flush()
        if let last = events.last { storedThrough = max(storedThrough, last.number) }
    }

    private func hasRoom(for size: Int) -> Bool {
        guard active != nil, let newest = segments.last else { return true }
        // A segment takes at least one event, however small the limits.
        let count = newest.count + buffered.count
        return count == 0
            || (count < limits.segmentCount
                && newest.size + buffer.count + size <= limits.segmentBytes)
    }

    private mutating func flush() throws(StorageError) {
        guard !buffer.isEmpty, let file = active, let newest = segments.indices.last else { return }
        do throws(SystemError) {
            try file.write(buffer, at: segments[newest].size)
        } catch {
            let name = segments[newest].name
            recover()
            throw .system(error.naming(folder.path + "/" + name))
        }
        segments[newest].size += buffer.count
        segments[newest].count += buffered.count
        segments[newest].lastNumber = buffered.lastNumber
        storedThrough = buffered.lastNumber
        needsSynchronizing = true
        buffered.count = 0
        buffer.removeAll(keepingCapacity: true)
    }

    /// Creates a segment with its header.
    private mutating func begin(with number: Int) throws(StorageError) {
        let name = SegmentName.text(number)
        do throws(SystemError) {
            if segments.count >= Self.mostSegments { try removeOldest() }
            let file = try make(name)
            let header = SegmentHeader(epoch: epoch, firstNumber: number).bytes
            active = file
            segments.append(
                Segment(
                    name: name, identity: file.identity, lastNumber: number - 1,
                    size: header.count, count: 0))
            try file.write(header, at: 0)
        } catch {
            recover()
            throw .system(error.naming(folder.path + "/" + name))
        }
        needsSynchronizing = true
    }

    /// Creates a file; a foreign file of the same name is set aside.
    private func make(_ name: String) throws(SystemError) -> any StorageFile {
        do {
            return try folder.create(name)
        } catch {
            guard error.code == .alreadyExists else { throw error }
            try folder.rename(name, to: name + SegmentName.asideSuffix)
            return try folder.create(name)
        }
    }

    private mutating func closeActive() {
        if let file = active, let name = segments.last?.name {
            unsynchronized.append((name, file))
        }
        active = nil
    }

    /// Prepares the store for new events after an error: cuts off a partial write, as far as possible.
    package mutating func recover() {
        if let file = active, let newest = segments.last {
            if newest.count == 0 {
                try? folder.remove(newest.name)
                segments.removeLast()
            } else {
                try? file.truncate(to: newest.size)
                closeActive()
            }
        }
        active = nil
        buffer.removeAll()
        buffered = (0, 0)
    }

    /// Removes the segments whose events all have numbers below `oldest`.
    package mutating func drop(before oldest: Int) throws(StorageError) {
        do throws(SystemError) {
            while let first = segments.first, first.lastNumber < oldest { try removeOldest() }
        } catch { throw .system(error) }
    }

    private mutating func removeOldest() throws(SystemError) {
        guard let first = segments.first else { return }
        try folder.remove(first.name)
        segments.removeFirst()
        if segments.isEmpty { active = nil }
        unsynchronized.removeAll { $0.name == first.name }
        needsSynchronizing = true
    }

    /// Flushes all written data to the disk.
    package mutating func synchronize() throws(StorageError) {
        guard needsSynchronizing else { return }
        do throws(SystemError) {
            for (_, file) in unsynchronized { try file.synchronize() }
            unsynchronized = []
            try active?.synchronize()
            try folder.synchronize()
        } catch { throw .system(error.naming(folder.path)) }
        needsSynchronizing = false
    }

    #if DEBUG
    package func checkInvariants() {
        var last = 0
        for segment in segments {
            precondition(segment.lastNumber > last, "numbers ascend over segments")
            precondition(segment.size >= SegmentHeader.size && segment.count > 0)
            last = segment.lastNumber
        }
        precondition(last <= storedThrough)
        precondition(buffer.isEmpty && segments.count <= Self.mostSegments)
    }
    #endif
}
