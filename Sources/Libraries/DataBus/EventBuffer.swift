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
    struct Place {
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

    private var places: ContiguousArray<Place> = []
    private var head = 0
    private(set) var count = 0
    private(set) var bytes = 0
    /// The number of the oldest event; `Int.max` if there is none.
    private(set) var firstSequence = Int.max

    /// The capacity up to which the buffer is not shrunk.
    private static let everyday = 64

    private func slot(_ index: Int) -> Int {
        let slot = head &+ index
        return slot < places.count ? slot : slot &- places.count
    }

    subscript(index: Int) -> SentEvent {
        precondition(index < count)
        let place = places[slot(index)]
        guard let event = place.event else { preconditionFailure("an empty place in the ring") }
        return SentEvent(sequence: place.sequence, time: place.time, event: event)
    }

    /// The event with number `sequence`, if it is the newest one here.
    func last(ifNumbered sequence: Int) -> SentEvent? {
        guard count > 0, places[slot(count - 1)].sequence == sequence else { return nil }
        return self[count - 1]
    }

    /// The time of the oldest event.
    var firstTime: Double? { count == 0 ? nil : places[head].time }

    /// Adds an event that is newer than all present ones, and leaves the oldest in `place` if its number
    /// is at least `limit` before that of the new one.
    mutating func append(_ place: inout Place, limit: Int) {
        let makesRoom = count > 0 && place.sequence - firstSequence >= limit
        if makesRoom, count == places.count {
            bytes += place.bytes - places[head].bytes
            swap(&places[head], &place)
            head = slot(1)
            firstSequence = places[head].sequence
            return
        }
        let oldest = makesRoom ? popFirst() : Place()
        if count == places.count { resize(to: max(count + 1, min(max(8, 2 * count), limit))) }
        if count == 0 { firstSequence = place.sequence }
        bytes += place.bytes
        swap(&places[slot(count)], &place)
        count += 1
        place = oldest
    }

    /// Removes the oldest event; returns an empty entry if there is none.
    mutating func popFirst() -> Place {
        var place = Place()
        guard count > 0 else { return place }
        swap(&places[head], &place)
        bytes -= place.bytes
        head = slot(1)
        count -= 1
        firstSequence = count == 0 ? .max : places[head].sequence
        return place
    }

    /// Whether the events exceed a limit, where `sequence` is the newest number.
    func isOver(_ limits: EventBus.Limits, lastSequence sequence: Int) -> Bool {
        count > 0 && (bytes > limits.bytes || sequence - firstSequence >= limits.count)
    }

    /// Releases unused memory.
    mutating func giveBackRoom() {
        guard places.count > Self.everyday, places.count > 4 * count else { return }
        resize(to: count)
    }

    private mutating func resize(to size: Int) {
        var new = ContiguousArray(repeating: Place(), count: size)
        for index in 0..<count { swap(&new[index], &places[slot(index)]) }
        places = new
        head = 0
    }

    /// The index of the first event with that number or a greater one; `count` if there is none.
    ///
    /// - Complexity: O(1) if no number is missing among them, O(log `count`) otherwise.
    func index(from sequence: Int) -> Int {
        guard count > 0, sequence > firstSequence else { return 0 }
        let last = places[slot(count - 1)].sequence
        guard sequence <= last else { return count }
        // With n numbers missing in all, at most n are missing before this one.
        let missing = last - firstSequence + 1 - count
        var low = max(sequence - firstSequence - missing, 0)
        var high = min(sequence - firstSequence, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if places[slot(middle)].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension EventBuffer {
    #if DEBUG
    /// Stops the program unless the invariants in the comment above hold.
    func checkInvariants() {
        precondition(count <= places.count)
        var sum = 0
        var previous = Int.min
        for index in places.indices {
            let place = places[slot(index)]
            precondition((place.event != nil) == (index < count))
            guard index < count else { continue }
            precondition(previous < place.sequence)
            previous = place.sequence
            sum += place.bytes
        }
        precondition(sum == bytes)
        precondition(firstSequence == (count == 0 ? .max : places[head].sequence))
    }
    #endif
}
