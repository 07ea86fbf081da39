internal import DataBus
internal import DequeModule
internal import JSONText
internal import PluginInterface

/// The topics of the events that the bus keeps, as small numbers: what a filter wants among tens of thousands of
/// events is found without looking at them. The events themselves are in the bus's buffer alone, which
/// streams, replay and the journal read.
///
/// - There is a code for each number from the oldest kept to the newest delivered, and perhaps for some before.
/// - Code 0 is nothing that clients can be sent: an event that is missing, or of another kind.
/// - Topics of events that are gone stay until they are as many as those that are there. Then all codes are given
///   anew, which is another generation.
final class EventIndex {
    private static let fewTopics = 1024

    private let bus: EventBus
    private var codes = Deque<UInt32>()
    /// The number after the last that has a code.
    private var end = 0
    private var topics = [""]
    private var codeOfTopic: [String: UInt32] = [:]
    private var lastTopic = ""
    private var lastCode: UInt32 = 0
    private var generation = 0
    private var writer = JSONWriter(capacity: 1024)

    init(of bus: EventBus) {
        self.bus = bus
        giveCodes(through: bus.lastSequence)
    }

    /// How many topics it knows, those of events that are gone among them.
    var topicCount: Int { topics.count - 1 }

    private var start: Int { end - codes.count }

    /// Takes in an event that the bus has delivered.
    /// - Returns: the code of its topic.
    @discardableResult
    func append(_ topic: String, as sequence: Int) -> UInt32 {
        precondition(sequence >= end, "event \(sequence) is delivered after \(end - 1)")
        // Those between were of another kind.
        while end < sequence { append(code: 0) }
        if topics.count > 2 * max(codes.count, Self.fewTopics) {
            giveCodes(through: sequence)
            return lastCode
        }
        let code = code(of: topic)
        append(code: code)
        while start < bus.oldestSequence, codes.popFirst() != nil {}
        return code
    }

    private func append(code: UInt32) {
        codes.append(code)
        end += 1
    }

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

    /// Gives codes to all events that are kept, up to that number, from 1 on.
    private func giveCodes(through sequence: Int) {
        codes = []
        topics = [""]
        codeOfTopic = [:]
        (lastTopic, lastCode) = ("", 0)
        generation += 1
        end = bus.oldestSequence
        while end <= sequence {
            append(code: event(end).map { code(of: $0.event.topic) } ?? 0)
        }
    }

    private func event(_ sequence: Int) -> (event: WireEvent, time: Double)? {
        guard let sent = bus.kept(sequence: sequence), let event = sent.cast(to: WireEvent.self)
        else {
            return nil
        }
        return (event, sent.time)
    }

    // MARK: Reading

    /// What a filter says of each topic, found out once. The answers for the first `limit` codes are kept.
    struct Answers {
        /// How many of them somebody keeps who does so for long.
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

        /// Whether the filter lets through what has this code now.
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

    /// Hands `body` the rests of the lines of the kept events from that number on which `answers` wants, until it
    /// says that it has no room for more.
    ///
    /// - Returns: the number after the last event that was handed on or not wanted.
    /// - Complexity: O(events from there on), a nanosecond or two for each that is not wanted.
    func forEach(
        from sequence: Int, wantedBy answers: inout Answers, _ body: (Int, ByteSlice) -> Bool
    ) -> Int {
        if topicCount > Answers.usualLimit, end - sequence > Answers.usualLimit {
            // A reader that lags, among many topics, asks about each of them once all the same.
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
            if answers.wants(codes[next - start], in: self), let (event, time) = event(next) {
                let rest = event.rest(sequence: next, time: time, using: &writer)
                guard body(next, rest) else { return next }
            }
            next += 1
        }
        // Events of another kind are nothing for clients. One that is still to be delivered is not passed.
        while next <= bus.lastSequence, bus.kept(sequence: next) != nil, event(next) == nil {
            next += 1
        }
        return next
    }

    /// The numbers of the last `count` events that `filter` lets through, from number `oldest` on,
    /// ascending.
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
