/// The last events of a bus, in order of their numbers, which may have gaps: those of an earlier run may be
/// incomplete. A gap costs nothing: numbers stand with the events, and are searched for where they can't be
/// counted.
///
/// A ring: dropping the oldest and adding one moves nothing. Events are moved in and out by exchanging places,
/// so that what goes is let go of by the caller, when the ring is in order again.
///
/// - `count` places from `head` on, round the end, have an event; the others are empty.
/// - Their numbers ascend.
/// - `bytes` is the sum of what they count, and `firstSequence` the number of the first of them.
@usableFromInline
struct EventBuffer {
    /// An event with what is known of it. As it goes to the bus in one of these, it is put together once,
    /// where its type is known.
    @usableFromInline
    struct Place {
        @usableFromInline var sequence = 0
        @usableFromInline var time = 0.0
        /// What it counted when it was added: it may say something else later.
        @usableFromInline var bytes = 0
        @usableFromInline var event: (any Event)?

        /// An empty place.
        init() {}

        @inlinable
        init(bytes: Int, event: any Event) {
            // Whatever events say of themselves, their sum stays a number.
            self.bytes = min(max(bytes, 0), 1 << 40)
            self.event = event
        }
    }

    private var places: ContiguousArray<Place> = []
    private var head = 0
    private(set) var count = 0
    private(set) var bytes = 0
    /// `Int.max` if there is none.
    private(set) var firstSequence = Int.max

    /// So many places are not worth giving back.
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

    /// The event numbered `sequence`, if it is the newest one here.
    func last(ifNumbered sequence: Int) -> SentEvent? {
        guard count > 0, places[slot(count - 1)].sequence == sequence else { return nil }
        return self[count - 1]
    }

    /// When the oldest was sent.
    var firstTime: Double? { count == 0 ? nil : places[head].time }

    /// Adds an event that is newer than all that are here, and leaves in `place` the oldest, if its
    /// number is `limit` before that of the new one.
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

    /// Takes the oldest out; an empty place if there is none.
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

    /// Whether a limit is passed by what is here, with `sequence` the newest number.
    func isOver(_ limits: EventBus.Limits, lastSequence sequence: Int) -> Bool {
        count > 0 && (bytes > limits.bytes || sequence - firstSequence >= limits.count)
    }

    /// Gives back the memory that what is left doesn't need.
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

    /// The place of the first event with that number or a greater one; `count` if there is none.
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
    /// Stops the program unless all that is said above of a buffer is so.
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
