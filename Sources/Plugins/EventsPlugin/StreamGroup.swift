internal import DataBus

/// The groups of all subscriptions: a class, so that the handler of events needs one reference only.
final class StreamGroups {
    var byFilter: [TopicFilter: StreamGroup] = [:]
}

/// The subscriptions with the same filter. Each topic is matched once for the group, and an event costs nothing
/// for subscriptions that are awake already.
final class StreamGroup {
    /// Whether the filter matches each topic of `index`.
    var answers: EventIndex.Answers
    private let index: EventIndex
    private var streams: [ObjectIdentifier: EventStream] = [:]
    /// Whether all streams are awake, and none has been exhausted since.
    var isAnnounced = false

    init(_ filter: TopicFilter, in index: EventIndex) {
        answers = EventIndex.Answers(of: filter)
        self.index = index
    }

    var isEmpty: Bool { streams.isEmpty }

    func add(_ stream: EventStream) {
        streams[ObjectIdentifier(stream)] = stream
        isAnnounced = false
    }

    func remove(_ stream: EventStream) {
        streams[ObjectIdentifier(stream)] = nil
    }

    /// Called when an event has been sent, with the code of its topic.
    func wasSent(_ sequence: Int, under code: UInt32) {
        guard !isAnnounced, answers.wants(code, in: index) else { return }
        isAnnounced = true
        for stream in streams.values { stream.wake(for: sequence) }
    }
}
