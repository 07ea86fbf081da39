// One run of a daemon's documents, with a folder in memory that outlives it.

import DataBus
import DocumentsPlugin
import EventLoops
import Glibc
import JSONText
import PickerModel
import PluginInterface
import StateFolder
import Synchronization
import SystemInterface
import TestSupport
import Testing
import WireProtocol

/// A `MemoryFolder` that one daemon at a time has open, whose operations a test can count, fail and delay.
final class DocumentDisk: Sendable {
    enum Delayed: Sendable {
        /// Writes of more than 64 KiB.
        case largeWrites
        /// Renames: the end of a snapshot.
        case renames
    }

    private struct State {
        weak var folder: LockedFolder?
        var isForeign = false
        var opens = 0
        var steps = 0
        var failsFrom: Int?
        var delayed: Delayed?
        var waiting = 0
        var largeWritesHere = 0
    }

    let memory: MemoryFolder
    private let state = Mutex(State())
    private let ownThread = pthread_self()

    init(_ files: [String: [UInt8]] = [:]) {
        memory = MemoryFolder(files)
    }

    var names: Set<String> { Set(memory.files.keys) }

    /// How often it was opened.
    var opens: Int { state.withLock { $0.opens } }

    /// The number of operations that can fail so far.
    var steps: Int { state.withLock { $0.steps } }

    /// Lets all operations from this one on fail, except for removals; nil ends that.
    var failsFrom: Int? {
        get { state.withLock { $0.failsFrom } }
        set { state.withLock { $0.failsFrom = newValue } }
    }

    /// Another daemon has it.
    var isForeign: Bool {
        get { state.withLock { $0.isForeign } }
        set { state.withLock { $0.isForeign = newValue } }
    }

    /// What other threads than the test's do not get done.
    var delayed: Delayed? {
        get { state.withLock { $0.delayed } }
        set { state.withLock { $0.delayed = newValue } }
    }

    /// Whether a thread is delayed.
    var isWaiting: Bool { state.withLock { $0.waiting > 0 } }

    /// The large writes of the test's own thread.
    var largeWritesHere: Int { state.withLock { $0.largeWritesHere } }

    func open() throws(StorageError) -> any StorageFolder {
        let folder: LockedFolder? = state.withLock { state in
            state.opens += 1
            if state.isForeign || state.folder != nil { return nil }
            let folder = LockedFolder(self)
            state.folder = folder
            return folder
        }
        guard let folder else { throw .inUse(path: memory.path) }
        return folder
    }

    fileprivate func step() throws(SystemError) {
        let fails = state.withLock { state in
            state.steps += 1
            return state.failsFrom.map { state.steps > $0 } ?? false
        }
        if fails { throw SystemError(.noSpace, operation: "write") }
    }

    fileprivate func delay(_ what: Delayed) {
        if pthread_self() == ownThread {
            if what == .largeWrites { state.withLock { $0.largeWritesHere += 1 } }
            return
        }
        state.withLock { $0.waiting += 1 }
        _ = waitUntil { delayed != what }
        state.withLock { $0.waiting -= 1 }
    }
}

private final class LockedFolder: StorageFolder {
    let disk: DocumentDisk

    init(_ disk: DocumentDisk) { self.disk = disk }

    private var memory: MemoryFolder { disk.memory }
    var path: String { memory.path }
    func names() throws(SystemError) -> [String] { try memory.names() }

    func open(_ name: String) throws(SystemError) -> any StorageFile {
        SlowFile(file: try memory.open(name), disk: disk)
    }

    func create(_ name: String) throws(SystemError) -> any StorageFile {
        try disk.step()
        return SlowFile(file: try memory.create(name), disk: disk)
    }

    func rename(_ name: String, to new: String) throws(SystemError) {
        disk.delay(.renames)
        try disk.step()
        try memory.rename(name, to: new)
    }

    func remove(_ name: String) throws(SystemError) { try memory.remove(name) }

    func synchronize() throws(SystemError) {
        try disk.step()
        try memory.synchronize()
    }

    func identity(of name: String) throws(SystemError) -> FileIdentity? {
        try memory.identity(of: name)
    }

    func requireInPlace() throws(StorageError) { try memory.requireInPlace() }
}

private struct SlowFile: StorageFile {
    let file: any StorageFile
    let disk: DocumentDisk

    var identity: FileIdentity { file.identity }
    func size() throws(SystemError) -> Int { try file.size() }

    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
        try file.read(into: &buffer, at: offset)
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        if bytes.count > 64 << 10 { disk.delay(.largeWrites) }
        try disk.step()
        try file.write(bytes, at: offset)
    }

    func truncate(to size: Int) throws(SystemError) { try file.truncate(to: size) }

    func synchronize() throws(SystemError) {
        try disk.step()
        try file.synchronize()
    }
}

/// What a client knows of a document.
struct KnownDocument: Hashable {
    let key: String
    let path: String
    let size: UInt64
    let modified: PickerModel.FileTime
    let inode: UInt64

    init(_ document: Document) {
        key = document.key
        path = String(decoding: document.path.bytes, as: UTF8.self)
        size = document.size
        modified = document.modified
        inode = document.inode
    }
}

/// The Documents plugin as one daemon has it, from its start to its end.
final class DocumentRun {
    let loop = FakeLoop()
    let bus = EventBus(limits: .init(count: 100_000))
    let documents: DocumentStore
    let disk: DocumentDisk
    let root: String
    let session: FakeSession
    private(set) var reports: [String] = []
    private let registry = MethodRegistry()
    private let plugin: DocumentsPlugin

    /// Starts with what `disk` holds. A new epoch would be called `epoch`.
    init(
        _ root: String, _ disk: DocumentDisk = DocumentDisk(), epoch: String = "e",
        stores: Bool = true, marks: [StoredMark] = []
    ) throws {
        self.root = root
        self.disk = disk
        documents = DocumentStore(epoch: epoch)
        session = FakeSession(registry: registry)
        plugin = DocumentsPlugin(finishWithin: Int32(patienceMilliseconds)) {
            _ throws(StorageError) in try disk.open()
        }
        if !marks.isEmpty { documents.restoreMarks(marks) }
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: loop, bus: bus, documents: documents,
                settings: PluginSettings(
                    roots: [root], ["store": .boolean(stores)], stateFolder: "/state/documents"),
                registry: registry,
                report: { [unowned self] in if $0.level != .status { reports.append($0.message) } }
            ))
        // As the server does it.
        documents.whenRowsAreFreed = { [unowned self] in
            loop.enqueue { [unowned self] in _ = documents.releaseFreedRows() }
        }
    }

    /// The watcher goes, and with it what the kernel has few of.
    deinit {
        plugin.deactivate()
        registry.removeAll(of: plugin.identifier)
    }

    /// A new disk with what is left if the daemon is killed now. What was not sent may not be there.
    func killed() -> DocumentDisk {
        let left = DocumentDisk(disk.memory.files)
        plugin.deactivate()
        // Its watcher goes, and with it what the kernel has few of.
        registry.removeAll(of: plugin.identifier)
        return left
    }

    /// The same, after clients were sent all.
    func killedAfterOutput() -> DocumentDisk {
        flush()
        return killed()
    }

    /// Reads its settings again.
    func reload() throws {
        try plugin.adopt(PluginSettings(roots: [root], stateFolder: "/state/documents"))
    }

    /// Ends in good order.
    func end() -> DocumentDisk {
        plugin.end()
        let left = DocumentDisk(disk.memory.files)
        plugin.deactivate()
        // Its watcher goes, and with it what the kernel has few of.
        registry.removeAll(of: plugin.identifier)
        return left
    }

    /// What happens before output to a client.
    func flush() { registry.prepareOutput() }

    /// Waits until the log has all changes, also what a thread writes.
    func storeChanges() -> Bool {
        loop.run {
            flush()
            return plugin.hasStoredAll
        }
    }

    /// Follows all that has happened on the disk.
    func settle() -> Bool {
        let later = session.begin("sync", ["timeoutMs": 600_000])
        let isDone = loop.run { later.value != nil && documents.isWhole }
        loop.turn()
        return isDone
    }

    /// Waits until there is a snapshot, and none under way.
    func store() -> Bool {
        loop.run {
            info["stored"] == true && disk.memory.files["snapshot.new"] == nil && loop.isIdle
        }
    }

    /// The member `snapshot` of `daemon.info`.
    var info: JSONValue {
        var writer = JSONWriter()
        writer.object { registry.writeInfo(into: &$0) }
        return (try? JSONValue(parsing: writer.finish()))?["snapshot"] ?? .null
    }

    var known: Set<KnownDocument> { Set(documents.documents.map(KnownDocument.init)) }

    func document(_ path: String) -> Document? {
        documents[root: root, path: FileName(path)]
    }

    func key(_ path: String) -> String? { document(path)?.key }

    /// The events of a topic.
    func events(_ topic: String) -> [JSONValue] {
        (bus.oldestSequence..<(bus.lastSequence + 1)).compactMap { number in
            guard let event = bus.kept(sequence: number)?.event as? WireEvent,
                event.topic.description == topic
            else { return nil }
            return (try? event.data?.value()) ?? .null
        }
    }

    /// The reports with these words.
    func reports(_ words: String) -> [String] { reports.filter { $0.contains(words) } }
}
