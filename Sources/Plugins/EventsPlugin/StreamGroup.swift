internal import DataBus

/// The groups of all subscriptions. An object of its own, which an event comes to by one reference.
final class StreamGroups {
    var byFilter: [TopicFilter: StreamGroup] = [:]
}

/// The subscriptions that want the same topics. An event is held against each filter once, and costs
/// nothing more for those that know already that there is something to read.
final class StreamGroup {
    let filter: TopicFilter
    private var streams: [ObjectIdentifier: EventStream] = [:]
    /// Every stream knows that there is something to read, and none has come to the end since.
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

    /// A stream has come to the end of what there is.
    func didExhaust() {
        isAnnounced = false
    }

    /// An event has been sent.
    func wasSent(_ sequence: Int, under topic: String) {
        guard !isAnnounced, wants(topic) else { return }
        isAnnounced = true
        for stream in streams.values { stream.wake(for: sequence) }
    }

    /// Whether the filter lets a topic through. Events of one topic tend to come together.
    func wants(_ topic: String) -> Bool {
        if topic != lastTopic {
            lastTopic = topic
            wantsLastTopic = filter.matches(topic)
        }
        return wantsLastTopic
    }
}
