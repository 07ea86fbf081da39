/// The last events of a bus, in ascending order of their numbers. The numbers may have gaps, because the
/// events of an earlier run may be incomplete. A gap costs nothing: numbers are stored with the events,
/// and searched if they can't be computed.
///
/// The buffer is a ring: dropping the oldest event and adding one moves nothing. Events are swapped in
/// and out, so that the caller releases dropped ones when the ring is consistent again.
///
/// - The `count` entries from `head` on, wrapping around, have an event; the others are empty.
/// - Their numbers ascend.
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

    private var entries: ContiguousArray<Entry> = []
    private var head = 0
    private(set) var count = 0
    private(set) var bytes = 0
    /// The number of the oldest event; `Int.max` if there is none.
    private(set) var firstSequence = Int.max

    /// The capacity up to which the buffer is not shrunk.
    private static let retainedCapacity = 64

    private func slot(_ index: Int) -> Int {
        let slot = head &+ index
        return slot < entries.count ? slot : slot &- entries.count
    }

    subscript(index: Int) -> SentEvent {
        precondition(index < count)
        let entry = entries[slot(index)]
        guard let event = entry.event else { preconditionFailure("an empty entry in the ring") }
        return SentEvent(sequence: entry.sequence, time: entry.time, event: event)
    }

    /// The event with number `sequence`, if it is the newest one here.
    func last(ifNumbered sequence: Int) -> SentEvent? {
        guard count > 0, entries[slot(count - 1)].sequence == sequence else { return nil }
        return self[count - 1]
    }

    /// The time of the oldest event.
    var firstTime: Double? { count == 0 ? nil : entries[head].time }

    /// Adds an event that is newer than all present ones, and leaves the oldest in `entry` if its number
    /// is at least `limit` before that of the new one.
    mutating func append(_ entry: inout Entry, limit: Int) {
        let makesRoom = count > 0 && entry.sequence - firstSequence >= limit
        if makesRoom, count == entries.count {
            bytes += entry.bytes - entries[head].bytes
            swap(&entries[head], &entry)
            head = slot(1)
            firstSequence = entries[head].sequence
            return
        }
        let oldest = makesRoom ? popFirst() : Entry()
        if count == entries.count { resize(to: max(count + 1, min(max(8, 2 * count), limit))) }
        if count == 0 { firstSequence = entry.sequence }
        bytes += entry.bytes
        swap(&entries[slot(count)], &entry)
        count += 1
        entry = oldest
    }

    /// Removes the oldest event; returns an empty entry if there is none.
    mutating func popFirst() -> Entry {
        var entry = Entry()
        guard count > 0 else { return entry }
        swap(&entries[head], &entry)
        bytes -= entry.bytes
        head = slot(1)
        count -= 1
        firstSequence = count == 0 ? .max : entries[head].sequence
        return entry
    }

    /// Whether the events exceed a limit, where `sequence` is the newest number.
    func isOver(_ limits: EventBus.Limits, lastSequence sequence: Int) -> Bool {
        count > 0 && (bytes > limits.bytes || sequence - firstSequence >= limits.count)
    }

    /// Releases unused memory.
    mutating func releaseUnusedCapacity() {
        guard entries.count > Self.retainedCapacity, entries.count > 4 * count else { return }
        resize(to: count)
    }

    private mutating func resize(to size: Int) {
        var new = ContiguousArray(repeating: Entry(), count: size)
        for index in 0..<count { swap(&new[index], &entries[slot(index)]) }
        entries = new
        head = 0
    }

    /// The index of the first event with that number or a greater one; `count` if there is none.
    ///
    /// - Complexity: O(1) if no number is missing among them, O(log `count`) otherwise.
    func index(from sequence: Int) -> Int {
        guard count > 0, sequence > firstSequence else { return 0 }
        let last = entries[slot(count - 1)].sequence
        guard sequence <= last else { return count }
        // With n numbers missing in all, at most n are missing before this one.
        let missing = last - firstSequence + 1 - count
        var low = max(sequence - firstSequence - missing, 0)
        var high = min(sequence - firstSequence, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[slot(middle)].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension EventBuffer {
    #if DEBUG
    /// Stops the program unless the invariants in the comment above hold.
    func checkInvariants() {
        precondition(count <= entries.count)
        var sum = 0
        var previous = Int.min
        for index in entries.indices {
            let entry = entries[slot(index)]
            precondition((entry.event != nil) == (index < count))
            guard index < count else { continue }
            precondition(previous < entry.sequence)
            previous = entry.sequence
            sum += entry.bytes
        }
        precondition(sum == bytes)
        precondition(firstSequence == (count == 0 ? .max : entries[head].sequence))
    }
    #endif
}
