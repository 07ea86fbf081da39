package import StateFolder
internal import SystemInterface

/// Events in a folder, kept in the order of their numbers.
///
/// What it holds: segments, each a file that is only ever appended to, and never more than a fourth
/// of what may be kept. The newest takes new events until it is full. The oldest is removed as a whole
/// when none of its events is wanted any more; so there is on disk what is wanted, and at most one
/// segment beyond it.
///
/// What holds true: numbers ascend from record to record and from segment to segment; numbers
/// may be missing. What was written stays readable up to the first spoilt byte of its segment.
///
/// On failure: an error of any write leaves all that was written before it readable. The store then
/// takes no more, until `recover()` has been called; who goes on appending then begins a new segment.
/// A process that is killed leaves a torn record at most, which the next `open` cuts off.
///
/// A value that one thread at a time uses; it can be handed from one to another.
package struct EventStore: Sendable {
    /// How much may be kept. Decides how long segments get, and how much is read back.
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

    /// The most segments. Only many starts, each of a new epoch, come to so many.
    static let mostSegments = 64
    /// So many bytes are gathered before they are written.
    private static let bufferedBytes = 256 << 10

    package var limits: Limits
    /// Nothing up to this number need be handed over again: it is stored, or a hole.
    package private(set) var storedThrough: Int
    /// The bytes of all segments.
    package var bytes: Int { segments.reduce(0) { $0 + $1.size } }
    /// Whether something was written that may not be on the disk yet.
    package private(set) var needsSynchronizing = false

    /// The file of the mark, if there is one.
    package var mark: FileIdentity?

    let folder: any StorageFolder
    let epoch: String
    var segments: [Segment]
    /// The newest segment, while it takes events.
    private var active: (any StorageFile)?
    /// Segments that are full, and perhaps not on the disk yet.
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

    /// Writes `events`, whose numbers must ascend; those that are stored already are passed over.
    /// They outlive the process when this returns, and the machine's power after `synchronize`.
    ///
    /// - Complexity: O(bytes), a system call for each quarter of a megabyte.
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
        // However small the limits, a segment takes one event.
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
            abandonActive()
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

    /// Makes a new segment and its header.
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
            abandonActive()
            throw .system(error.naming(folder.path + "/" + name))
        }
        needsSynchronizing = true
    }

    /// Makes a file; what has its name already is not ours and goes aside.
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

    /// After an error: cuts off what was half written, as far as that can be done.
    private mutating func abandonActive() {
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

    /// Removes the segments of which nothing is at `oldest` or above.
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

    /// Returns when all that was written is on the disk.
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

    /// Makes the store ready to take events again after an error.
    package mutating func recover() {
        abandonActive()
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
