internal import DataBus

/// The groups of all subscriptions. An object of its own, which an event comes to by one reference.
final class StreamGroups {
    var byFilter: [TopicFilter: StreamGroup] = [:]
}

/// The subscriptions that want the same topics. A topic is held against each filter once, and an event costs
/// nothing more for those that know already that there is something to read.
final class StreamGroup {
    /// What the filter says of the topics in `index`.
    var answers: EventIndex.Answers
    private let index: EventIndex
    private var streams: [ObjectIdentifier: EventStream] = [:]
    /// Every stream knows that there is something to read, and none has come to the end since.
    private var isAnnounced = false

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

    /// A stream has come to the end of what there is.
    func didExhaust() {
        isAnnounced = false
    }

    /// An event has been sent; `code` is that of its topic.
    func wasSent(_ sequence: Int, under code: UInt32) {
        guard !isAnnounced, answers.wants(code, in: index) else { return }
        isAnnounced = true
        for stream in streams.values { stream.wake(for: sequence) }
    }
}
