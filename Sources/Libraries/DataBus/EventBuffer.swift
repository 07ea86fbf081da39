/// The last events of a bus, in ascending order of their numbers. The numbers may have gaps, because the
/// events of an earlier run may be incomplete. A gap costs nothing: numbers are stored with the events,
/// and searched if they can't be computed.
///
/// The events are in chunks: the buffer grows without moving any of them, and a chunk whose events have all been dropped
/// is filled again. Dropped events are left to the caller, who releases them when the buffer is consistent again.
///
/// - The `count` entries from `head` of the first chunk on have an event; those before are empty, and there are no others.
/// - Each chunk but the last is full. There is none without an event, but for one if the buffer is empty.
/// - The numbers ascend.
/// - `bytes` is the sum of their bytes, and `firstSequence` the number of the first of them.
@usableFromInline
struct EventBuffer {
    /// An event with its metadata. Events are passed to the bus as entries, which are created once,
    /// where their type is known.
    @usableFromInline
    struct Entry {
        @usableFromInline var sequence = 0
        @usableFromInline var time = 0.0
        /// The retained bytes when it was added: the event may return something else later.
        @usableFromInline var bytes = 0
        @usableFromInline var event: (any Event)?

        /// An empty entry.
        init() {}

        @inlinable
        init(bytes: Int, event: any Event) {
            // Clamped so that the sum can't overflow, whatever events return.
            self.bytes = min(max(bytes, 0), 1 << 40)
            self.event = event
        }
    }

    private typealias Chunk = ContiguousArray<Entry>

    /// The entries of a full chunk: 16 KiB, and few in debug builds, so that tests have many chunks.
    #if DEBUG
    static let chunkSize = 16
    #else
    static let chunkSize = 256
    #endif
    /// The entries up to which a buffer is not compacted.
    private static let retainedCapacity = chunkSize / 4

    private var chunks: [Chunk] = []
    /// The first entry of the first chunk that has an event.
    private var head = 0
    /// A chunk that was emptied, to be filled again.
    private var spare: Chunk?
    private(set) var count = 0
    private(set) var bytes = 0
    /// The number of the oldest event; `Int.max` if there is none.
    private(set) var firstSequence = Int.max

    private func entry(at index: Int) -> Entry {
        let place = head + index
        return chunks[place / Self.chunkSize][place % Self.chunkSize]
    }

    private func sequence(at index: Int) -> Int { entry(at: index).sequence }

    subscript(index: Int) -> SentEvent {
        precondition(index < count)
        let entry = entry(at: index)
        guard let event = entry.event else { preconditionFailure("an empty entry in the buffer") }
        return SentEvent(sequence: entry.sequence, time: entry.time, event: event)
    }

    /// The event with number `sequence`, if it is the newest one here.
    func last(ifNumbered sequence: Int) -> SentEvent? {
        guard count > 0, self.sequence(at: count - 1) == sequence else { return nil }
        return self[count - 1]
    }

    /// The time of the oldest event.
    var firstTime: Double? { count == 0 ? nil : chunks[0][head].time }

    /// Adds an event that is newer than all present ones, and leaves the oldest in `entry` if its number
    /// is at least `limit` before that of the new one.
    ///
    /// - Complexity: O(1), whatever the number of events; amortized for the first chunk.
    mutating func append(_ entry: inout Entry, limit: Int) {
        let makesRoom = count > 0 && entry.sequence - firstSequence >= limit
        let oldest = makesRoom ? popFirst() : Entry()
        if count == 0 { firstSequence = entry.sequence }
        bytes += entry.bytes
        if chunks.last.map({ $0.count == Self.chunkSize }) ?? true { addChunk() }
        chunks[chunks.count - 1].append(entry)
        count += 1
        entry = oldest
    }

    /// Adds an empty chunk, which has room for all of its entries unless it is the first.
    private mutating func addChunk() {
        var chunk = spare.take() ?? Chunk()
        if !chunks.isEmpty { chunk.reserveCapacity(Self.chunkSize) }
        chunks.append(chunk)
    }

    /// Removes the oldest event; returns an empty entry if there is none.
    mutating func popFirst() -> Entry {
        var entry = Entry()
        guard count > 0 else { return entry }
        swap(&chunks[0][head], &entry)
        bytes -= entry.bytes
        head += 1
        count -= 1
        if count == 0 {
            chunks[0].removeAll(keepingCapacity: true)
            head = 0
        } else if head == Self.chunkSize {
            var emptied = chunks.removeFirst()
            emptied.removeAll(keepingCapacity: true)
            spare = emptied
            head = 0
        }
        firstSequence = count == 0 ? .max : sequence(at: 0)
        return entry
    }

    /// Whether the events exceed a limit, where `sequence` is the newest number.
    func isOver(_ limits: EventBus.Limits, lastSequence sequence: Int) -> Bool {
        count > 0 && (bytes > limits.bytes || sequence - firstSequence >= limits.count)
    }

    /// Releases unused memory.
    mutating func releaseUnusedCapacity() {
        spare = nil
        guard chunks.count == 1, chunks[0].capacity > Self.retainedCapacity,
            chunks[0].capacity > 4 * count
        else { return }
        // The dropped entries are empty.
        chunks = count == 0 ? [] : [Chunk(chunks[0][head...])]
        head = 0
    }

    /// The index of the first event with that number or a greater one; `count` if there is none.
    ///
    /// - Complexity: O(1) if no number is missing among them, O(log `count`) otherwise.
    func index(from sequence: Int) -> Int {
        guard count > 0, sequence > firstSequence else { return 0 }
        let last = self.sequence(at: count - 1)
        guard sequence <= last else { return count }
        // With n numbers missing in all, at most n are missing before this one.
        let missing = last - firstSequence + 1 - count
        var low = max(sequence - firstSequence - missing, 0)
        var high = min(sequence - firstSequence, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self.sequence(at: middle) < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension EventBuffer {
    #if DEBUG
    /// Stops the program unless the invariants in the comment above hold.
    func checkInvariants() {
        var sum = 0
        var previous = Int.min
        let entries = chunks.joined()
        precondition(entries.count == head + count)
        precondition(chunks.dropLast().allSatisfy { $0.count == Self.chunkSize })
        precondition(count == 0 ? chunks.count <= 1 && head == 0 : head < chunks[0].count)
        precondition(spare?.isEmpty ?? true)
        for (index, entry) in entries.enumerated() {
            precondition((entry.event != nil) == (index >= head))
            guard index >= head else { continue }
            precondition(previous < entry.sequence)
            previous = entry.sequence
            sum += entry.bytes
        }
        precondition(sum == bytes)
        precondition(firstSequence == (count == 0 ? .max : sequence(at: 0)))
    }
    #endif
}
