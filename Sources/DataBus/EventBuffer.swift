internal import DequeModule

/// The last events of a bus, in order of their numbers, which may have gaps: those of an earlier run may be
/// incomplete. A gap costs nothing: numbers stand with the events, and are searched for where they can't be
/// counted.
///
/// A ring; dropping the oldest and adding one moves nothing.
struct EventBuffer {
    private struct Place {
        let sent: SentEvent
        /// What it counted when it was added: it may say something else later.
        let bytes: Int
    }

    private var places = Deque<Place>()
    private(set) var bytes = 0

    var count: Int { places.count }
    var first: SentEvent? { places.first?.sent }

    subscript(index: Int) -> SentEvent { places[index].sent }

    /// Adds an event that is newer than all that are here.
    mutating func append(_ sent: SentEvent, bytes count: Int) {
        // Two numbers of any size: what is over any limit is dropped, so a sum that is at the limit will do.
        let (sum, isTooMuch) = bytes.addingReportingOverflow(count)
        let counted = isTooMuch ? .max - bytes : count
        places.append(Place(sent: sent, bytes: counted))
        bytes = isTooMuch ? .max : sum
    }

    /// Takes the oldest out. It is for the caller to let go of it when this is no longer being changed.
    mutating func popFirst() -> SentEvent? {
        guard let place = places.popFirst() else { return nil }
        bytes -= place.bytes
        return place.sent
    }

    /// Whether the oldest has to go to make room for the event numbered `sequence`.
    func isFull(for sequence: Int, count: Int) -> Bool {
        guard let first = places.first else { return false }
        return sequence - first.sent.sequence >= count
    }

    func isOver(_ limits: EventBus.Limits, lastSequence: Int) -> Bool {
        guard let first = places.first else { return false }
        return bytes > limits.bytes || lastSequence - first.sent.sequence >= limits.count
    }

    /// Gives back memory after much has been dropped.
    mutating func giveBackRoom() {
        if places.isEmpty {
            places = []
        } else {
            places = Deque(Array(places))
        }
    }

    /// The place of the first event with that number or a greater one; `count` if there is none.
    ///
    /// - Complexity: O(1) if no number is missing from there on, O(log `count`) otherwise.
    func index(from sequence: Int) -> Int {
        guard let first = places.first?.sent.sequence, let last = places.last?.sent.sequence,
            sequence <= last
        else { return places.count }
        guard sequence > first else { return 0 }
        // With n numbers missing in all, there are at most n missing on either side of it.
        let missing = last - first + 1 - places.count
        var low = max(sequence - first - missing, 0)
        var high = min(sequence - first, places.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].sent.sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
