internal import DataBus
internal import JSONText
internal import PluginInterface
internal import WireProtocol

/// One subscription of one client: a topic filter, and the number of the next event to consider.
final class EventStream: SessionStream {
    let plugin = EventsPlugin.identifier
    let id: RequestID
    /// Called once, when the subscription ends.
    var onClose: () -> Void = {}
    /// The number of the next event to consider.
    private(set) var next: Int

    var place: (any StreamPlace)?

    private let bus: EventBus
    private let index: EventIndex
    private let group: StreamGroup
    /// Whether it has considered all events; `wake` resets this.
    private var isExhausted = false
    /// The beginning of each line.
    private let head: [UInt8]
    /// Events up to this number are sent as replayed.
    private let replayedUpTo: Int
    /// Numbers without events, which the subscriber knows of already.
    private let gaps: EventGaps

    /// A subscription that starts at the number `next`. Events that exist already are sent as replayed.
    init(
        id: RequestID, bus: EventBus, index: EventIndex, group: StreamGroup, from next: Int,
        gaps: EventGaps
    ) {
        self.id = id
        self.bus = bus
        self.index = index
        self.group = group
        head = Self.head(for: id)
        self.next = next
        self.gaps = gaps
        replayedUpTo = bus.lastSequence
    }

    /// Starts with the events to replay.
    func start() {
        if next <= bus.lastSequence {
            requestRoom()
        } else {
            isExhausted = true
        }
    }

    /// Called when a wanted event has been sent. An exhausted stream skips all events before it.
    func wake(for sequence: Int) {
        if isExhausted {
            isExhausted = false
            next = max(next, sequence)
        }
        requestRoom()
    }

    func produce(into sink: any LineSink) -> Bool {
        while next < bus.oldestSequence {
            // What needs no line is passed over even without room: it must not be told as lost later.
            guard let lost = gaps.firstRun(from: next, through: bus.oldestSequence - 1) else {
                next = bus.oldestSequence
                break
            }
            guard sink.hasRoom else { return true }
            let notice = LostNotice(sub: id, from: lost.lowerBound, to: lost.upperBound)
            next = lost.upperBound + 1
            sink.send { $0.notification(notice) }
        }
        next = index.forEach(from: next, wantedBy: &group.answers) { sequence, rest in
            guard sink.hasRoom else { return false }
            send(rest, as: sequence, into: sink)
            return true
        }
        if next <= bus.lastSequence { return true }
        isExhausted = true
        group.isAnnounced = false
        return false
    }

    private func send(
        _ rest: ByteSlice, as sequence: Int, into sink: any LineSink
    ) {
        if sequence > replayedUpTo {
            sink.send(line: head, rest)
        } else {
            let members = WireEvent.members(of: rest)
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

    /// The beginning of a notification, up to the members that are the same for all subscribers.
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
