internal import DataBus
internal import JSONText
internal import PluginInterface

/// The newest events of the bus with their type known, in a ring. Streams that keep up read only these.
/// Lagging streams read the bus's own buffer first; there, finding an event costs more than sending it.
///
/// - The event with number n is in the slot n modulo the number of slots; the events from `start` on are
///   present without gaps.
/// - An event is held only as long as the bus holds it, so the ring adds no memory but its slots.
final class RecentEvents {
    /// A power of two.
    private static let mostKept = 1024

    private let bus: EventBus
    private let topics: TopicHistory
    private var slots = [Slot](repeating: Slot(), count: mostKept)
    /// The number of the first event.
    private var start: Int
    /// The number after the last event.
    private var end: Int
    private var writer = JSONWriter(capacity: 1024)

    private struct Slot {
        var event: WireEvent?
        var time = 0.0
    }

    init(of bus: EventBus, topics: TopicHistory) {
        self.bus = bus
        self.topics = topics
        start = bus.lastSequence + 1
        end = start
    }

    private static func index(_ sequence: Int) -> Int { sequence & (mostKept - 1) }

    /// Adds an event that the bus has sent.
    func append(_ event: WireEvent, _ stamp: EventBus.Stamp) {
        if stamp.sequence != end {
            while start < end { dropFirst() }
            start = stamp.sequence
            end = start
        }
        slots[Self.index(end)] = Slot(event: event, time: stamp.time)
        end += 1
        // The new event has overwritten the oldest.
        if end - start > Self.mostKept { start += 1 }
        while start < end, start < bus.oldestSequence { dropFirst() }
    }

    private func dropFirst() {
        slots[Self.index(start)].event = nil
        start += 1
    }

    /// Passes to `body` the common part of the lines of all events that `group` wants, from number
    /// `sequence` on, until `body` returns false because its sink is full.
    ///
    /// - Returns: the number after the last event that was passed on or not wanted.
    func forEach(
        from sequence: Int, for group: StreamGroup, _ body: (Int, ByteSlice) -> Bool
    ) -> Int {
        var next = sequence
        if next < start {
            var search = topics.search(for: group.filter)
            while let number = topics.first(from: next, before: start, &search) {
                next = number + 1
                guard let sent = bus.kept(sequence: number),
                    let event = sent.cast(to: WireEvent.self)
                else { continue }
                let rest = event.rest(sequence: number, time: sent.time, using: &writer)
                guard body(number, rest) else { return number }
            }
            next = max(next, start)
        }
        while next < end {
            let slot = slots[Self.index(next)]
            if let event = slot.event, group.wants(event.topic) {
                let rest = event.rest(sequence: next, time: slot.time, using: &writer)
                guard body(next, rest) else { return next }
            }
            next += 1
        }
        // Clients do not see events of other types. An event that is still to be delivered is not skipped.
        while next <= bus.lastSequence, let sent = bus.kept(sequence: next),
            sent.cast(to: WireEvent.self) == nil
        {
            next += 1
        }
        return next
    }
}
