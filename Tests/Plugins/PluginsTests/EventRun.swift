// One run of a daemon's events, with a folder in memory that outlives it.

import DataBus
import EventsPlugin
import JSONText
import PickerModel
import PluginInterface
import StateFolder
import TestSupport
import Testing
import WireProtocol

/// The Events plugin as one daemon has it, from its start to its end.
final class EventRun {
    let loop = FakeLoop()
    let bus: EventBus
    let session: FakeSession
    let folder: MemoryFolder
    private(set) var reports: [String] = []
    private let registry = MethodRegistry()
    private let plugin: EventsPlugin
    private var settings: PluginSettings

    /// Starts with what `folder` holds. A new epoch would be called `epoch`.
    init(
        _ folder: MemoryFolder = MemoryFolder(), epoch: String = "e", keeping count: Int = 65_536,
        stores: Bool = true, stateFolder: String? = "/state/events"
    ) throws {
        self.folder = folder
        bus = EventBus(now: { 12.5 })
        session = FakeSession(registry: registry)
        plugin = EventsPlugin(finishWithin: Int32(patienceMilliseconds)) { _ in folder }
        settings = PluginSettings(
            ["replay": .integer(count), "store": .boolean(stores)], stateFolder: stateFolder)
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus,
                documents: DocumentStore(epoch: epoch), settings: settings, registry: registry,
                report: { [unowned self] in reports.append($0.message) }))
    }

    /// What is left of the folder if the daemon is killed now, after its clients were sent all.
    func killed() -> MemoryFolder {
        registry.prepareOutput()
        return MemoryFolder(folder.files)
    }

    /// Ends in good order.
    func end() -> MemoryFolder {
        plugin.deactivate()
        return folder
    }

    func reload() throws { try plugin.adopt(settings) }

    /// Offers the last `count` events for replay from now on.
    func offer(_ count: Int) throws {
        settings.values = ["replay": .integer(count)]
        try reload()
    }

    /// A further client.
    func connect() -> FakeSession { FakeSession(registry: registry) }

    var epoch: String? { registry.eventEpoch }

    var info: JSONValue {
        var writer = JSONWriter()
        writer.object { registry.writeInfo(into: &$0) }
        let all = try? JSONValue(
            parsing: writer.finish(), limits: JSONLimits(depth: 9, bytes: 1 << 20))
        return all?["events"] ?? .null
    }

    @discardableResult
    func publish(_ topic: String, _ count: Int = 1) throws -> Int {
        var last = 0
        for _ in 0..<count {
            let reply = try session.call(
                "events.publish",
                ["topic": JSONValue(topic), "data": ["n": JSONValue(bus.lastSequence + 1)]]
            ).get()
            last = Int(try #require(reply["seq"]?.integerValue))
        }
        return last
    }

    /// Lets time pass until a batch is due, and waits until it is stored.
    func store() -> Bool {
        loop.advance(by: .milliseconds(300))
        return loop.run { isStored }
    }

    var isStored: Bool { info["stored"]?.integerValue == Int64(bus.lastSequence) }

    func subscribe(_ params: JSONValue, id: RequestID = 9) throws -> JSONValue {
        try session.call("events.subscribe", params, id: id).get()
    }

    func refusal(_ params: JSONValue) -> ProtocolError? {
        if case .failure(let error) = session.call("events.subscribe", params, id: 99) {
            return error
        }
        return nil
    }

    /// The numbers of the events that came.
    func numbers(lines: Int = .max) -> [Int] {
        session.read(lines: lines).compactMap { $0["params"]?["seq"]?.integerValue }.map { Int($0) }
    }
}
