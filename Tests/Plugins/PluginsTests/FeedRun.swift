// One run of a daemon's feed: the plugin, a set of documents, and a store that outlives it.

import DataBus
import EventLoops
import FeedPlugin
import FeedStorage
import ItemsPlugin
import JSONText
import PickerModel
import PluginInterface
import StateFolder
import StatisticsPlugin
import Synchronization
import TestSupport
import Testing
import WireProtocol

/// A store in memory with injected failures and delays.
final class FakeMarkStore: MarkStore {
    struct State {
        var marks: [Int64: StoredMark] = [:]
        var batches: [MarkBatch] = []
        var openError: StorageError?
        var writeError: StorageError?
        /// Whether writing waits.
        var isHeld = false
        var isUnused = false
    }

    let path = "/state/feed"
    let state = Mutex(State())

    var isUnused: Bool { state.withLock { $0.isUnused } }

    func open(_ opening: MarkOpening) throws(StorageError) -> OpenedMarks {
        let (error, marks) = state.withLock { state in
            (state.openError, state.marks.values.sorted { $0.id < $1.id })
        }
        if let error { throw error }
        return OpenedMarks(connection: Connection(self), marks: marks, notes: [])
    }

    private final class Connection: MarkConnection {
        private let store: FakeMarkStore

        init(_ store: FakeMarkStore) { self.store = store }

        var identity: FileIdentity? { nil }
        func requireInPlace() throws(StorageError) {}
        func checkpoint() {}

        func write(_ batch: MarkBatch) throws(StorageError) {
            _ = waitUntil { store.state.withLock { !$0.isHeld } }
            let error = store.state.withLock { state in
                if let error = state.writeError { return Optional(error) }
                state.batches.append(batch)
                if batch.replacesAll { state.marks = [:] }
                for id in batch.changes.removals { state.marks[id] = nil }
                for mark in batch.changes.puts { state.marks[mark.id] = mark }
                return nil
            }
            if let error { throw error }
        }
    }
}

/// The feed's plugin, and that of lists, as one daemon has them.
final class FeedRun {
    let loop = FakeLoop()
    let bus = EventBus(now: { 1 })
    let documents: DocumentStore
    let session: FakeSession
    let store: FakeMarkStore
    private(set) var reports: [String] = []
    private let registry = MethodRegistry()
    private let plugins: [any Plugin]

    /// Starts with what `store` holds, and scans nothing.
    init(
        _ store: FakeMarkStore = FakeMarkStore(), epoch: String = "e",
        stateFolder: String? = "/state/feed"
    ) throws {
        self.store = store
        documents = DocumentStore(epoch: epoch)
        session = FakeSession(registry: registry)
        plugins = [
            FeedPlugin(finishWithin: Int32(patienceMilliseconds)) { _ in store }, ItemsPlugin(),
            StatisticsPlugin(),
        ]
        documents.whenRowsAreFreed = { [loop, unowned documents] in
            loop.enqueue { documents.releaseFreedRows() }
        }
        for plugin in plugins {
            try plugin.activate(
                in: PluginContext(
                    plugin: plugin.manifest, loop: loop, bus: bus, documents: documents,
                    settings: PluginSettings(roots: [], stateFolder: stateFolder),
                    registry: registry, report: { [unowned self] in reports.append($0.message) }))
        }
    }

    /// Ends in good order.
    func end() {
        for plugin in plugins.reversed() { plugin.deactivate() }
    }

    func reload() throws {
        for plugin in plugins {
            try plugin.adopt(PluginSettings(stateFolder: "/state/feed"))
        }
    }

    @discardableResult
    func add(_ paths: String..., inode: UInt64 = 0) -> [Document] {
        let made = paths.map {
            Document(
                key: documents.mintKey(), root: "/r", path: FileName($0), size: 1,
                modified: FileTime(seconds: 1), inode: inode)
        }
        documents.apply(inserted: made)
        return made
    }

    /// Adds so many documents, as one change.
    func addMany(_ count: Int) -> [Document] {
        let made = (0..<count).map {
            Document(
                key: documents.mintKey(), root: "/r", path: FileName("file \($0)"), size: 1,
                modified: FileTime(seconds: 1), inode: UInt64(1000 + $0))
        }
        documents.apply(inserted: made)
        return made
    }

    /// Waits for the answer.
    func answer(
        _ later: FakeSession.LaterAnswer
    ) throws -> Result<JSONValue, ProtocolError> {
        #expect(loop.run { later.value != nil })
        return try #require(later.value)
    }

    func call(_ method: String, _ params: JSONValue) throws -> JSONValue {
        try answer(session.begin(method, params)).get()
    }

    func refusal(_ method: String, _ params: JSONValue) throws -> ProtocolError? {
        if case .failure(let error) = try answer(session.begin(method, params)) { return error }
        return nil
    }

    /// The paths of a list, and whether each is liked.
    func list(_ params: JSONValue = [:]) throws -> [String] {
        let items = try session.call("items.get", params).get()["items"]?.arrayValue ?? []
        return items.compactMap { item in
            item["path"]?.stringValue.map { item["liked"] == true ? "♥" + $0 : $0 }
        }
    }

    var stored: [StoredMark] {
        store.state.withLock { $0.marks.values.sorted { $0.id < $1.id } }
    }

    var batches: [MarkBatch] { store.state.withLock { $0.batches } }

    var info: JSONValue {
        var writer = JSONWriter()
        writer.object { registry.writeInfo(into: &$0) }
        let all = try? JSONValue(
            parsing: writer.finish(), limits: JSONLimits(depth: 9, bytes: 1 << 20))
        return all?["feed"] ?? .null
    }
}
