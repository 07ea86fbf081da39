internal import DataBus
internal import JSONText
internal import PluginInterface

/// The newest events of the bus, where they are found without finding out what an event is. Streams that
/// keep up read no others; for those that lag it goes on to the bus's own buffer, where that costs more
/// than sending it.
///
/// - An event of number n is in the place n modulo the number of places; those from `start` on are there,
///   without gaps.
/// - It holds events only as long as the bus does, so it takes no more memory than the places.
final class RecentEvents {
    /// A power of two.
    private static let mostKept = 1024

    private let bus: EventBus
    private let topics: TopicHistory
    private var places = [Place](repeating: Place(), count: mostKept)
    /// The number of the first.
    private var start: Int
    /// The number after the last.
    private var end: Int
    private var writer = JSONWriter(capacity: 1024)

    private struct Place {
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

    /// The bus has sent an event.
    func append(_ event: WireEvent, _ stamp: EventBus.Stamp) {
        if stamp.sequence != end {
            while start < end { dropFirst() }
            start = stamp.sequence
            end = start
        }
        places[Self.index(end)] = Place(event: event, time: stamp.time)
        end += 1
        // It has taken the place of the oldest.
        if end - start > Self.mostKept { start += 1 }
        while start < end, start < bus.oldestSequence { dropFirst() }
    }

    private func dropFirst() {
        places[Self.index(start)].event = nil
        start += 1
    }

    /// Hands `body` the rests of the lines of the kept events from that number on which `group` wants, until it
    /// says that it has no room for more.
    ///
    /// - Returns: the number after the last event that was handed on or not wanted.
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
            let place = places[Self.index(next)]
            if let event = place.event, group.wants(event.topic) {
                let rest = event.rest(sequence: next, time: place.time, using: &writer)
                guard body(next, rest) else { return next }
            }
            next += 1
        }
        // Events of another kind are nothing for clients. One that is still to be delivered is not passed.
        while next <= bus.lastSequence, let sent = bus.kept(sequence: next),
            sent.cast(to: WireEvent.self) == nil
        {
            next += 1
        }
        return next
    }
}
