internal import DataBus
internal import DequeModule
internal import PluginInterface

/// The topics of all events that the bus keeps, as integer codes. A search among tens of thousands of
/// events matches each topic against the filter only once, and does not touch the events.
///
/// - Each number from the oldest kept event to the newest has a code; earlier numbers may have one, too.
/// - Code 0 means that clients get no event: it is missing, or of another type.
/// - Topics of removed events stay until they are as many as those of kept events.
final class TopicHistory {
    private static let leastTopics = 1024

    private let bus: EventBus
    private var codes = Deque<UInt32>()
    /// The number after the last one with a code.
    private var end = 0
    private var topics = [""]
    private var codeOfTopic: [String: UInt32] = [:]
    private var lastTopic = ""
    private var lastCode: UInt32 = 0

    init(of bus: EventBus) {
        self.bus = bus
        rebuild()
    }

    /// The number of known topics, including those of removed events.
    var topicCount: Int { topics.count - 1 }

    private var start: Int { end - codes.count }

    /// Adds the topic of an event that the bus has sent.
    func append(_ topic: String, as sequence: Int) {
        guard sequence >= end else { return }
        // The events in between were of other types.
        while end < sequence { add(nil) }
        if topics.count > 2 * max(codes.count, Self.leastTopics) {
            return rebuild()
        }
        add(topic)
        while start < bus.oldestSequence, codes.popFirst() != nil {}
    }

    private func add(_ topic: String?) {
        codes.append(topic.map { code(of: $0) } ?? 0)
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

    private func rebuild() {
        codes = []
        topics = [""]
        codeOfTopic = [:]
        (lastTopic, lastCode) = ("", 0)
        end = bus.oldestSequence
        while end <= bus.lastSequence {
            add(bus.kept(sequence: end)?.cast(to: WireEvent.self)?.topic)
        }
    }

    /// The numbers of the last `count` events that match `filter`, from number `oldest` on, ascending.
    ///
    /// - Complexity: O(events from `oldest` on), a nanosecond or two each.
    func last(_ count: Int, matching filter: TopicFilter, from oldest: Int) -> [Int] {
        var search = Search(filter, topics)
        var found: [Int] = []
        var index = codes.count
        let stop = max(0, oldest - start)
        while index > stop, found.count < count {
            index -= 1
            if search.wants(codes[index]) { found.append(start + index) }
        }
        found.reverse()
        return found
    }

    /// A filter with its cached result for each topic.
    struct Search {
        private let filter: TopicFilter
        private let topics: [String]
        private var isWanted: [Bool?]

        fileprivate init(_ filter: TopicFilter, _ topics: [String]) {
            self.filter = filter
            self.topics = topics
            isWanted = Array(repeating: nil, count: topics.count)
            isWanted[0] = false
        }

        fileprivate mutating func wants(_ code: UInt32) -> Bool {
            if let known = isWanted[Int(code)] { return known }
            let wants = filter.matches(topics[Int(code)])
            isWanted[Int(code)] = wants
            return wants
        }
    }

    /// A search for `filter`, valid until the next event is sent.
    func search(for filter: TopicFilter) -> Search { Search(filter, topics) }

    /// The first number in `number..<limit` whose topic `search` wants.
    func first(from number: Int, before limit: Int, _ search: inout Search) -> Int? {
        var index = max(number, start) - start
        let stop = min(limit, end) - start
        while index < stop {
            if search.wants(codes[index]) { return start + index }
            index += 1
        }
        return nil
    }
}
