internal import DataBus
internal import JSONText
internal import Observables
internal import PickerModel
package import PluginInterface
package import StateFolder
internal import WireProtocol

/// The event bus for clients: publish, subscribe by topic, replay; and its storage across restarts.
///
/// A subscription is a filter and a position in the bus's buffer of past events. Events that a client has
/// not been sent yet wait in this buffer, once for all clients, so a client that does not read costs
/// nothing. When it reads again, it is told the numbers of events that are no longer kept.
///
/// Fast readers are served from the same buffer, so it is never smaller than `leastKept`, whatever the
/// settings; the settings only limit how many events are replayed.
package final class EventsPlugin: Plugin {
    static let identifier = "events"
    private static let replay = SettingDefinition.integer(
        "replay", in: 0...10_000_000, usual: 65_536,
        "How many events are kept for those that come late")
    private static let replayBytes = SettingDefinition.integer(
        "replay-bytes", in: 0...(1 << 32), usual: 24 << 20, "How many bytes of them, at most")
    static let store = SettingDefinition.boolean(
        "store", usual: true, "Whether they are kept across restarts; counts at the start")

    package let manifest = PluginManifest(
        identifier, "Events that any program publishes and any other subscribes to.",
        methods: [.eventsPublish, .eventsSubscribe, .eventsUnsubscribe, .eventsReplay],
        settings: [replay, replayBytes, store],
        info: [
            .optional(
                "events",
                .object([
                    .required("epoch", .string),
                    .optional("stored", .count, "The newest event that outlives a restart"),
                    .optional("bytes", .count, "What the stored ones take"),
                    .optional("degraded", .string, "Why events do not outlive a restart"),
                ]))
        ], keepsState: true)

    /// The least that is kept for subscribers: enough for the events of one turn of the loop.
    private static let leastKept = EventBus.Limits(count: 4096, bytes: 4 << 20)
    /// The most bytes of an event's data: an event with the id of a subscription then fits into a line.
    private static let mostData = (1 << 20) - (8 << 10)

    private var context: PluginContext?
    private let groups = StreamGroups()
    private var connection: Connection?
    private var index: EventIndex?
    /// The most events that are replayed.
    private(set) var replayCount = 0
    /// The epoch of the event numbers.
    var epoch = ""
    var gaps = EventGaps()
    /// Nil if events are not kept across restarts.
    var journal: EventJournal?
    /// The reason for a missing journal, unless the settings switch it off.
    var journalFault: String?

    /// Opens the folder of the stored events.
    let openFolder: @Sendable (_ path: String) throws(StorageError) -> any StorageFolder

    /// The time limit for storing the last events at the end, in milliseconds.
    private let finishLimit: Int32

    /// A plugin that stores events in the folder that `openFolder` opens. At its end it waits at most
    /// `limit` milliseconds for the last of them.
    package init(
        finishWithin limit: Int32 = 2000,
        openFolder:
            @escaping @Sendable (_ path: String) throws(StorageError) -> any StorageFolder = {
                (path) throws(StorageError) in try DiskFolder(at: path)
            }
    ) {
        finishLimit = limit
        self.openFolder = openFolder
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        self.context = context
        applyLimits(of: context.settings)
        openJournal(in: context)
        let index = EventIndex(of: context.bus)
        self.index = index
        // All events for clients have this type.
        connection = context.bus.subscribe(numbered: { [groups] (event: WireEvent, stamp) in
            let code = index.append(event, stamp)
            for group in groups.byFilter.values { group.wasSent(stamp.sequence, under: code) }
        })
        var published = PublishedTopic(in: context)
        context.register(.eventsPublish) { (call, writer) throws(ProtocolError) in
            try Self.publish(call, on: context.bus, &published, &writer)
            return .answered
        }
        context.register(.eventsSubscribe) {
            [unowned self] (call, writer) throws(ProtocolError) in
            try subscribe(call, on: context, index, &writer)
            return .answered
        }
        context.register(closing: .eventsUnsubscribe, EventStream.self)
        context.register(.eventsReplay) { [unowned self] (call, writer) throws(ProtocolError) in
            try replay(call, of: context.bus, &writer)
            return .answered
        }
    }

    package func adopt(_ settings: PluginSettings) throws(PluginError) {
        applyLimits(of: settings)
        journal?.count = replayCount
        journal?.retry()
    }

    package func deactivate() {
        journal?.finish(within: finishLimit)
        journal = nil
        connection = nil
        groups.byFilter = [:]
        index = nil
        context = nil
    }

    private func applyLimits(of settings: PluginSettings) {
        replayCount = settings.values.integer(Self.replay)
        context?.bus.limits = EventBus.Limits(
            count: max(replayCount, Self.leastKept.count),
            bytes: max(settings.values.integer(Self.replayBytes), Self.leastKept.bytes))
    }

    private func subscribe(
        _ call: MethodCall, on context: PluginContext, _ index: EventIndex,
        _ writer: inout JSONWriter
    ) throws(ProtocolError) {
        let id = try call.streamID()
        let params = try call.reader()
        let filter = try Self.filter(in: params)
        let bus = context.bus
        let group = groups.byFilter[filter] ?? StreamGroup(filter, in: index)
        let (start, lost) = try start(params, filter, in: bus)
        let stream = EventStream(
            id: id, bus: bus, index: index, group: group, from: start, gaps: gaps)
        try call.session.open(stream, as: id)
        groups.byFilter[filter] = group
        group.add(stream)
        stream.onClose = { [groups, unowned stream] in
            group.remove(stream)
            if group.isEmpty { groups.byFilter[filter] = nil }
        }
        stream.start()
        writer.object { writer in
            writer.member("sub", id)
            writer.member("epoch", epoch)
            writer.member("from", stream.next)
            writer.member("lost", lost)
            writer.member("oldest", bus.oldestSequence)
        }
    }

    private static func publish(
        _ call: MethodCall, on bus: EventBus, _ topics: inout PublishedTopic,
        _ writer: inout JSONWriter
    ) throws(ProtocolError) {
        let params = try call.reader()
        let topic = try topics.topic(in: params, for: call.session)
        let data = try params.optionalText(refusingDoubleKeysIn: "data")
        if let count = data?.bytes.count, count > mostData {
            throw .limitExceeded(
                limit: mostData,
                "'data' has \(count) bytes and may have \(mostData): send less, or where it is")
        }
        let event = WireEvent(topic: topic, copying: data)
        guard let sequence = bus.send(event) else {
            throw .overloaded(
                retryAfterMs: 100, "too many events wait to be delivered: try again")
        }
        guard call.isAnswered else { return }
        writer.object { writer in
            writer.member("seq", sequence)
        }
    }

    private func replay(
        _ call: MethodCall, of bus: EventBus, _ writer: inout JSONWriter
    ) throws(ProtocolError) {
        let params = try call.reader()
        let filter = try Self.filter(in: params)
        let count = try params.optionalInt("count", in: 0...Int(Int32.max)) ?? Int.max
        let numbers = lastNumbers(count, matching: filter, in: bus)
        var scratch = JSONWriter()
        try writer.object { (writer) throws(ProtocolError) in
            try writer.member(array: "events") { (writer) throws(ProtocolError) in
                for number in numbers {
                    guard let sent = bus.kept(sequence: number),
                        let event = sent.cast(to: WireEvent.self)
                    else { continue }
                    let rest = event.rest(
                        sequence: number, time: sent.time, using: &scratch)
                    writer.object { $0.splice(members: WireEvent.members(of: rest)) }
                    try call.checkLength(of: writer)
                }
            }
        }
    }

    /// The numbers of the last `count` matching events that may be replayed.
    func lastNumbers(_ count: Int, matching filter: TopicFilter, in bus: EventBus) -> [Int] {
        let oldest = max(bus.oldestSequence, bus.lastSequence - replayCount + 1)
        return index?.last(count, matching: filter, from: oldest) ?? []
    }

    private static func filter(in params: ParameterReader) throws(ProtocolError) -> TopicFilter {
        let patterns = try params.strings("topics", limit: 4 * TopicFilter.mostPatterns)
        do throws(TopicError) {
            return try TopicFilter(patterns)
        } catch {
            throw .invalidParams(
                at: error.position.map { "topics[\($0)]" } ?? "topics", "\(error)")
        }
    }
}
