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
    private let recent: RecentEvents
    private let group: StreamGroup
    /// It has looked at all that there is, and is asked again when there is something that it wants.
    private var isExhausted = false
    private let filter: TopicFilter
    /// What each line begins with.
    private let head: [UInt8]
    /// Events up to this number are sent as replayed.
    private let replayedUpTo: Int

    init(
        id: RequestID, session: any ClientSession, bus: EventBus, recent: RecentEvents,
        group: StreamGroup, filter: TopicFilter, replaying count: Int, of replayable: Int
    ) {
        self.id = id
        self.session = session
        self.bus = bus
        self.recent = recent
        self.group = group
        head = Self.head(for: id)
        self.filter = filter
        replayedUpTo = bus.lastSequence
        next = Self.start(ofLast: count, of: replayable, matching: filter, in: bus)
    }

    /// Begins with what is to be replayed.
    func start() {
        if next <= bus.lastSequence {
            session.requestRoom(for: id)
        } else {
            isExhausted = true
        }
    }

    /// An event that it wants has been sent. If it had come to the end, it wants none of those before.
    func wake(for sequence: Int) {
        if isExhausted {
            isExhausted = false
            next = max(next, sequence)
        }
        session.requestRoom(for: id)
    }

    /// The number of the first of the last `count` events that match, among the last `replayable`
    /// that are kept; one past the newest if there are none.
    static func start(
        ofLast count: Int, of replayable: Int, matching filter: TopicFilter, in bus: EventBus
    ) -> Int {
        var start = bus.lastSequence + 1
        var left = count
        var sequence = bus.lastSequence
        while left > 0, bus.lastSequence - sequence < replayable,
            let sent = bus.kept(sequence: sequence)
        {
            if filter.matches(sent) {
                start = sequence
                left -= 1
            }
            sequence -= 1
        }
        return start
    }

    func produce(into sink: any LineSink) -> Bool {
        if next < bus.oldestSequence {
            let lost = LostNotice(sub: id, from: next, to: bus.oldestSequence - 1)
            next = bus.oldestSequence
            sink.send { $0.notification(lost) }
        }
        next = recent.forEach(from: next, of: filter) { sequence, encoding in
            guard sink.hasRoom else { return false }
            send(encoding, as: sequence, into: sink)
            return true
        }
        if next <= bus.lastSequence { return true }
        isExhausted = true
        group.didExhaust()
        return false
    }

    private func send(
        _ encoding: borrowing WireEvent.Encoding, as sequence: Int, into sink: any LineSink
    ) {
        if sequence > replayedUpTo {
            sink.send(line: head, encoding.rest)
        } else {
            let members = encoding.members
            sink.send { writer in
                writer.notification(EventRecord.method) { writer in
                    writer.object { writer in
                        writer.member("sub", id)
                        writer.splice(members: members)
                        writer.member("replayed", true)
                    }
                }
            }
        }
    }

    /// A notification up to the members that all subscribers see alike.
    private static func head(for id: RequestID) -> [UInt8] {
        var writer = JSONWriter()
        writer.notification(EventRecord.method) { writer in
            writer.object { $0.member("sub", id) }
        }
        return writer.finish().dropLast(2) + [UInt8(ascii: ",")]
    }

    func close() {
        let told = onClose
        onClose = {}
        told()
    }
}

extension TopicFilter {
    /// Whether a subscriber with this filter wants `sent`.
    func matches(_ sent: SentEvent) -> Bool {
        guard let event = sent.event as? WireEvent else { return false }
        return matches(event.topic)
    }
}
