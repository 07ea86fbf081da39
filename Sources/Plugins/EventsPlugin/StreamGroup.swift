internal import DataBus

/// The groups of all subscriptions: a class, so that the handler of events needs one reference only.
final class StreamGroups {
    var byFilter: [TopicFilter: StreamGroup] = [:]
}

/// The subscriptions with the same filter. Each event is matched once for the group, and costs nothing for
/// subscriptions that are awake already.
final class StreamGroup {
    let filter: TopicFilter
    private var streams: [ObjectIdentifier: EventStream] = [:]
    /// Whether all streams are awake, and none has been exhausted since.
    private var isAnnounced = false
    private var lastTopic = ""
    private var wantsLastTopic = false

    init(_ filter: TopicFilter) {
        self.filter = filter
    }

    var isEmpty: Bool { streams.isEmpty }

    func add(_ stream: EventStream) {
        streams[ObjectIdentifier(stream)] = stream
        isAnnounced = false
    }

    func remove(_ stream: EventStream) {
        streams[ObjectIdentifier(stream)] = nil
    }

    /// Called when a stream has considered all events.
    func didExhaust() {
        isAnnounced = false
    }

    /// Called when an event has been sent.
    func wasSent(_ sequence: Int, under topic: String) {
        guard !isAnnounced, wants(topic) else { return }
        isAnnounced = true
        for stream in streams.values { stream.wake(for: sequence) }
    }

    /// Whether the filter matches a topic. The last result is cached, because events of one topic tend to
    /// come together.
    func wants(_ topic: String) -> Bool {
        if topic != lastTopic {
            lastTopic = topic
            wantsLastTopic = filter.matches(topic)
        }
        return wantsLastTopic
    }
}
