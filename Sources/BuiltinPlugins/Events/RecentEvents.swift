internal import DataBus
internal import DequeModule
internal import JSONText
internal import PluginInterface

/// The newest events of the bus, in the form in which clients are sent them. Streams that keep up
/// read no others; for those that lag it goes on to the bus's own buffer, where finding out what an
/// event is costs more than sending it.
///
/// It holds events only as long as the bus does, so it takes no more memory than the entries.
final class RecentEvents {
    private static let mostKept = 1024

    private let bus: EventBus
    private let topics: TopicHistory
    /// Of consecutive numbers.
    private var events = Deque<Entry>()
    /// The number after the last.
    private var end: Int
    private var writer = JSONWriter(capacity: 1024)
    /// The topic of the newest event, and since when events have it.
    private var run: (topic: String, start: Int) = ("", 0)

    private struct Entry {
        let event: WireEvent
        let time: Double
        /// Events that have the same of these have the same topic.
        let topicRun: Int
        var encoding: WireEvent.Encoding?
    }

    init(of bus: EventBus, topics: TopicHistory) {
        self.bus = bus
        self.topics = topics
        end = bus.lastSequence + 1
    }

    /// The bus has sent an event.
    func append(_ sent: SentEvent) {
        guard let event = sent.cast(to: WireEvent.self), sent.sequence == end else {
            events.removeAll(keepingCapacity: true)
            end = sent.sequence + 1
            return
        }
        if run.topic != event.topic || events.isEmpty { run = (event.topic, sent.sequence) }
        events.append(Entry(event: event, time: sent.time, topicRun: run.start))
        end += 1
        let oldest = bus.oldestSequence
        while events.count > Self.mostKept || end - events.count < oldest {
            guard events.popFirst() != nil else { break }
        }
    }

    /// Hands `body` the encodings of the kept events from that number on which `filter` lets through,
    /// until it says that it has no room for more.
    ///
    /// - Returns: the number after the last event that was handed on or not wanted.
    func forEach(
        from sequence: Int, of filter: TopicFilter,
        _ body: (Int, borrowing WireEvent.Encoding) -> Bool
    ) -> Int {
        var next = sequence
        if next < end - events.count {
            var search = topics.search(for: filter)
            while let number = topics.first(from: next, before: end - events.count, &search) {
                next = number + 1
                guard let sent = bus.kept(sequence: number),
                    let event = sent.cast(to: WireEvent.self)
                else { continue }
                let encoding = event.encoding(
                    sequence: number, time: sent.time, using: &writer)
                guard body(number, encoding) else { return number }
            }
            next = max(next, end - events.count)
        }
        var run = 0
        var wantsRun = false
        var index = max(0, next - (end - events.count))
        while index < events.count {
            if events[index].topicRun != run {
                run = events[index].topicRun
                wantsRun = filter.matches(events[index].event.topic)
            }
            if wantsRun {
                let sequence = end - events.count + index
                if events[index].encoding == nil { encode(index, as: sequence) }
                if let encoding = events[index].encoding, !body(sequence, encoding) {
                    return sequence
                }
            }
            index += 1
        }
        return max(next, end)
    }

    private func encode(_ index: Int, as sequence: Int) {
        let entry = events[index]
        events[index].encoding = entry.event.encoding(
            sequence: sequence, time: entry.time, using: &writer)
    }
}
