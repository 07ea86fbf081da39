internal import DataBus
internal import DequeModule
internal import JSONText
internal import PluginInterface

/// The topics of all events that the bus keeps, as integer codes. A search among tens of thousands of events
/// matches each topic against the filter only once, and does not touch the events. These are in the bus's buffer,
/// which replay and the journal read; the newest ones are at hand here, too, because streams that keep up read
/// them once for each subscription.
///
/// - Each number from the oldest kept event to the newest delivered one has a code; earlier numbers may have one.
/// - Code 0 means that clients get no event: it is missing, or of another type.
/// - The newest 1,024 events with a code are at hand, if the bus keeps them.
/// - Topics of removed events stay until they are as many as those of kept events. Then the index is rebuilt
///   with new codes, a new generation.
final class EventIndex {
    private static let leastTopics = 1024
    /// A power of two.
    private static let newestCount = 1024

    private struct Entry {
        var event: WireEvent?
        var time = 0.0
    }

    private let bus: EventBus
    private var codes = Deque<UInt32>()
    /// The number after the last one with a code.
    private var end = 0
    private var topics = [""]
    private var codeOfTopic: [String: UInt32] = [:]
    private var lastTopic = ""
    private var lastCode: UInt32 = 0
    private var generation = 0
    /// A ring: the entry of number n is at n modulo `newestCount`.
    private var newest = [Entry](repeating: Entry(), count: newestCount)
    private var writer = JSONWriter(capacity: 1024)

    init(of bus: EventBus) {
        self.bus = bus
        rebuild(through: bus.lastSequence)
    }

    /// The number of known topics, including those of removed events.
    var topicCount: Int { topics.count - 1 }

    private var start: Int { end - codes.count }

    /// Adds an event that the bus has delivered.
    /// - Returns: the code of the topic.
    @discardableResult
    func append(_ event: WireEvent, _ stamp: EventBus.Stamp) -> UInt32 {
        let sequence = stamp.sequence
        // The bus may drop an event before it delivers it.
        guard sequence >= end else { return 0 }
        // The events in between were of other types.
        while end < sequence { append(code: 0, Entry()) }
        if topics.count > 2 * max(codes.count, Self.leastTopics) {
            rebuild(through: sequence)
            return lastCode
        }
        let code = code(of: event.topic)
        append(code: code, Entry(event: event, time: stamp.time))
        while !codes.isEmpty, start < bus.oldestSequence {
            if isAtHand(start) { newest[Self.slot(start)] = Entry() }
            codes.removeFirst()
        }
        return code
    }

    private func append(code: UInt32, _ entry: Entry) {
        newest[Self.slot(end)] = entry
        codes.append(code)
        end += 1
    }

    private static func slot(_ sequence: Int) -> Int { sequence & (newestCount - 1) }

    /// Whether the ring has the entry of a number that has a code.
    private func isAtHand(_ sequence: Int) -> Bool { end - sequence <= Self.newestCount }

    private func code(of topic: String) -> UInt32 {
        if topic == lastTopic { return lastCode }
        lastTopic = topic
        if let known = codeOfTopic[topic] {
            lastCode = known
        } else {
            lastCode = UInt32(topics.count)
            codeOfTopic[topic] = lastCode
            topics.append(topic)
        }
        return lastCode
    }

    /// Assigns new codes to all kept events up to that number.
    private func rebuild(through sequence: Int) {
        codes = []
        newest = [Entry](repeating: Entry(), count: Self.newestCount)
        topics = [""]
        codeOfTopic = [:]
        (lastTopic, lastCode) = ("", 0)
        generation += 1
        end = bus.oldestSequence
        while end <= sequence {
            let entry = kept(end)
            append(code: entry.event.map { code(of: $0.topic) } ?? 0, entry)
        }
    }

    /// The entry of an event that the bus keeps; an empty one for other types and numbers.
    private func kept(_ sequence: Int) -> Entry {
        guard let sent = bus.kept(sequence: sequence) else { return Entry() }
        return Entry(event: sent.cast(to: WireEvent.self), time: sent.time)
    }

    // MARK: Reading

    /// A cache of whether a filter matches each topic, for the first `limit` codes.
    struct Answers {
        /// The limit of caches that live as long as a subscription.
        static let usualLimit = 1024
        private enum Answer: UInt8 { case unknown, no, yes }

        let filter: TopicFilter
        private let limit: Int
        private var generation = 0
        private var known: [Answer] = []

        init(of filter: TopicFilter, keeping limit: Int = usualLimit) {
            self.filter = filter
            self.limit = limit
        }

        /// Whether the filter matches the topic with this code.
        mutating func wants(_ code: UInt32, in index: EventIndex) -> Bool {
            let code = Int(code)
            if generation == index.generation, code < known.count, known[code] != .unknown {
                return known[code] == .yes
            }
            return ask(code, in: index)
        }

        private mutating func ask(_ code: Int, in index: EventIndex) -> Bool {
            if generation != index.generation {
                generation = index.generation
                known = []
            }
            let wants = code > 0 && filter.matches(index.topics[code])
            if code < limit {
                let missing = code + 1 - known.count
                if missing > 0 { known.append(contentsOf: repeatElement(.unknown, count: missing)) }
                known[code] = wants ? .yes : .no
            }
            return wants
        }
    }

    /// Calls `body` with the rest of the line of each kept event that `answers` wants, from number `sequence` on,
    /// until `body` returns false for lack of room.
    ///
    /// - Returns: the number after the last event that was passed to `body` or is not wanted.
    /// - Complexity: O(events from `sequence` on), a nanosecond or two for each that is not wanted.
    func forEach(
        from sequence: Int, wantedBy answers: inout Answers, _ body: (Int, ByteSlice) -> Bool
    ) -> Int {
        if topicCount > Answers.usualLimit, end - sequence > Answers.usualLimit {
            // A subscriber that lags behind matches each of many topics only once per call, too.
            var all = Answers(of: answers.filter, keeping: .max)
            return forEach(from: sequence, &all, body)
        }
        return forEach(from: sequence, &answers, body)
    }

    private func forEach(
        from sequence: Int, _ answers: inout Answers, _ body: (Int, ByteSlice) -> Bool
    ) -> Int {
        var next = max(sequence, start)
        while next < end {
            if answers.wants(codes[next - start], in: self) {
                let entry = isAtHand(next) ? newest[Self.slot(next)] : kept(next)
                if let event = entry.event {
                    let rest = event.rest(sequence: next, time: entry.time, using: &writer)
                    guard body(next, rest) else { return next }
                }
            }
            next += 1
        }
        // Clients get no events of other types. An event that is still to be delivered is not skipped.
        while next <= bus.lastSequence, let sent = bus.kept(sequence: next),
            sent.cast(to: WireEvent.self) == nil
        {
            next += 1
        }
        return next
    }

    /// The numbers of the last `count` events that match `filter`, from number `oldest` on, ascending.
    ///
    /// - Complexity: O(events from `oldest` on), a nanosecond or two each.
    func last(_ count: Int, matching filter: TopicFilter, from oldest: Int) -> [Int] {
        var answers = Answers(of: filter, keeping: .max)
        var found: [Int] = []
        var next = end
        while next > max(start, oldest), found.count < count {
            next -= 1
            if answers.wants(codes[next - start], in: self) { found.append(next) }
        }
        found.reverse()
        return found
    }
}
