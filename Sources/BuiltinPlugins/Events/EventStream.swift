internal import DataBus
internal import JSONText
internal import PluginInterface
internal import WireProtocol

/// One subscription of one client: which topics, and the number of the next event to look at.
final class EventStream: SessionStream {
    let id: RequestID
    /// Called once, when the subscription ends.
    var onClose: () -> Void = {}
    /// The number of the next event that it may send.
    private(set) var next: Int

    private unowned let session: any ClientSession
    private let bus: EventBus
    private let filter: TopicFilter
    /// Events up to this number are sent as replayed.
    private let replayedUpTo: Int
    /// What nobody can have, and the subscriber has been told of.
    private let gaps: EventGaps

    /// A subscription that looks at the event with the number `next` first; what is there already
    /// is sent as replayed.
    init(
        id: RequestID, session: any ClientSession, bus: EventBus, filter: TopicFilter,
        from next: Int, gaps: EventGaps
    ) {
        self.id = id
        self.session = session
        self.bus = bus
        self.filter = filter
        self.next = next
        self.gaps = gaps
        replayedUpTo = bus.lastSequence
    }

    func start() {
        if next <= bus.lastSequence { session.requestRoom(for: id) }
    }

    /// The number of the first of the last `count` events that match, among the last `replayable`
    /// that are kept; one past the newest if there are none.
    static func start(
        ofLast count: Int, of replayable: Int, matching filter: TopicFilter, in bus: EventBus
    ) -> Int {
        var start = bus.lastSequence + 1
        var left = count
        var sequence = bus.lastSequence
        let oldest = max(bus.oldestSequence, bus.lastSequence - replayable + 1)
        while left > 0, sequence >= oldest {
            if let sent = bus.kept(sequence: sequence), filter.matches(sent) {
                start = sequence
                left -= 1
            }
            sequence -= 1
        }
        return start
    }

    /// An event has been sent on the bus.
    func wasSent(_ sent: SentEvent) {
        if filter.matches(sent) {
            session.requestRoom(for: id)
        } else if next == sent.sequence {
            // It has all before this one and doesn't want this one, so it can't miss it later.
            next += 1
        }
    }

    func produce(into sink: any LineSink) -> Bool {
        while next < bus.oldestSequence {
            guard sink.hasRoom else { return true }
            guard let lost = gaps.firstRun(from: next, through: bus.oldestSequence - 1) else {
                next = bus.oldestSequence
                break
            }
            let notice = LostNotice(sub: id, from: lost.lowerBound, to: lost.upperBound)
            next = lost.upperBound + 1
            sink.send { $0.notification(notice) }
        }
        while let sent = bus.firstKept(after: next - 1) {
            guard sink.hasRoom else { return true }
            next = sent.sequence + 1
            if filter.matches(sent) { send(sent, into: sink) }
        }
        next = bus.lastSequence + 1
        return false
    }

    private func send(_ sent: SentEvent, into sink: any LineSink) {
        sink.send { writer in
            writer.notification(EventRecord.method) { writer in
                writer.object { writer in
                    writer.member("sub", id)
                    writer.splice(members: sent.wireMembers)
                    if sent.sequence <= replayedUpTo { writer.member("replayed", true) }
                }
            }
        }
    }

    func close() {
        let told = onClose
        onClose = {}
        told()
    }
}

extension SentEvent {
    /// The members that all subscribers see alike, encoded once.
    var wireMembers: [UInt8] {
        guard let event = event as? WireEvent else { return wireMembers(data: nil) }
        return event.encoding(sequence: sequence) { wireMembers(data: event.data) }
    }

    private func wireMembers(data: JSONFragment?) -> [UInt8] {
        var writer = JSONWriter()
        writer.member("seq", sequence)
        writer.member("time", time)
        writer.member("topic", event.topic)
        if let data { writer.member("data", data) }
        return writer.finish()
    }
}

extension TopicFilter {
    /// Whether a subscriber with this filter wants `sent`.
    func matches(_ sent: SentEvent) -> Bool {
        guard let event = sent.event as? WireEvent else { return false }
        return matches(event.topic)
    }
}
