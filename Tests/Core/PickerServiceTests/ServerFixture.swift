// The server with its plugins on the fake loop, and clients on real sockets in the same thread.

import DataBus
import EventLoops
import EventsPlugin
import Glibc
import ItemsPlugin
import JSONText
import PickerModel
import PluginInterface
import StatisticsPlugin
import SystemInterface
import TestSupport
import Testing
import WireProtocol

// Queues and sessions are internal to the server, and tested here.
@testable import PickerService

/// A server with its documents and plugins.
final class ServerFixture {
    let loop = FakeLoop()
    let documents = DocumentStore(epoch: "e")
    let bus: EventBus
    let registry = MethodRegistry()
    let host: PluginHost
    let server: PickerServer
    private(set) var reports: [Report] = []
    private var known: ProtocolSchema?

    init(
        plugins: [any Plugin] = [ItemsPlugin(), EventsPlugin(), StatisticsPlugin(), SlowPlugin()],
        limits: ServiceLimits = ServiceLimits(),
        settings: HostSettings = HostSettings(roots: [])
    ) {
        bus = EventBus(now: { [loop] in loop.wallSeconds })
        host = PluginHost(
            loop: loop, bus: bus, documents: documents, registry: registry, version: "1.2.3")
        server = PickerServer(
            loop: loop, registry: registry, documents: documents, bus: bus, limits: limits,
            identity: .init(version: "1.2.3", processID: 42, userID: CurrentProcess.uid))
        host.report = { [unowned self] in reports.append($0) }
        server.report = host.report
        host.closeStreams = { [unowned server] in server.closeStreams(of: $0) }
        host.activate(plugins, settings: settings)
    }

    /// The server's own schema.
    func schema() throws -> ProtocolSchema {
        if let known { return known }
        let document = OpenRPCDocument(
            title: "pickerd", daemonVersion: "1.2.3", methods: registry.definitions)
        let schema = ProtocolSchema(try JSONValue(parsing: document.wireBytes))
        known = schema
        return schema
    }

    deinit {
        host.deactivateAll()
    }

    func connect() throws -> TestClient {
        let pair = try UnixSocket.pair().boxed()
        // The server owns its end; only a copy of the number can be passed.
        server.serve(try pair.first.descriptor.duplicate())
        try pair.second.descriptor.setNonBlocking()
        return try client(at: pair.second)
    }

    /// A client at the other end of a connection of the server.
    func client(at socket: DescriptorBox) throws -> TestClient {
        TestClient(socket, loop, ConversationCheck(try schema()))
    }

    /// The session of the only or oldest client.
    var firstSession: Session? {
        server.sessions.min { $0.key < $1.key }?.value
    }

    /// Adds documents with these names, as one change.
    @discardableResult
    func add(_ paths: [String]) -> [Document] {
        let made = paths.map {
            Document(
                key: documents.mintKey(), root: "/r", path: FileName($0), size: 1,
                modified: FileTime(seconds: 0))
        }
        documents.apply(removed: [], inserted: made)
        return made
    }

    /// Changes the size of a document, and returns its new value.
    func touch(_ document: Document, size: Int) -> Document {
        let new = document.with(size: UInt64(size), modified: document.modified)
        documents.apply(removed: [document], inserted: [new])
        return new
    }
}

/// The plugins that need no folder.
func standardPlugins() -> [any Plugin] { [ItemsPlugin(), EventsPlugin()] }

/// A client at the other end of a socket, which reads only on command.
final class TestClient {
    private var socket: DescriptorBox?
    private let loop: FakeLoop
    private let check: ConversationCheck
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private var lastID: Int64 = 1000
    /// Whether the server has closed the connection, and everything has been read.
    private(set) var sawEnd = false
    /// All bytes read so far.
    private(set) var bytesRead = 0

    init(_ socket: DescriptorBox, _ loop: FakeLoop, _ check: ConversationCheck) {
        self.socket = socket
        self.loop = loop
        self.check = check
    }

    /// Sends a line, as far as the socket accepts it without a reader.
    func send(_ line: String) {
        send(bytes: Array(line.utf8) + [0x0A])
    }

    func send(bytes: [UInt8]) {
        check.didSend(bytes)
        outgoing += bytes
        pump()
    }

    /// Sends a request without waiting for anything.
    func send(_ method: String, _ params: JSONValue = [:], id: JSONValue) {
        let request: JSONValue = ["id": id, "method": JSONValue(method), "params": params]
        send(bytes: request.bytes + [0x0A])
    }

    @discardableResult
    private func pump() -> Bool {
        guard let socket, !outgoing.isEmpty,
            case .bytes(let count)? = try? socket.descriptor.send(outgoing)
        else { return false }
        outgoing.removeFirst(count)
        return true
    }

    /// Reads at most `limit` available bytes.
    @discardableResult
    func readBytes(_ limit: Int = .max) -> Int {
        guard let socket else { return 0 }
        var count = 0
        while count < limit {
            var piece = [UInt8](repeating: 0, count: min(64 << 10, limit - count))
            guard let transfer = try? socket.descriptor.read(into: &piece) else { break }
            switch transfer {
            case .bytes(let read):
                incoming += piece[..<read]
                count += read
                continue
            case .closed: sawEnd = true
            case .wouldBlock: break
            }
            break
        }
        bytesRead += count
        return count
    }

    /// The complete lines that were read and not returned yet.
    func takeLines() throws -> [JSONValue] {
        var lines: [JSONValue] = []
        var start = incoming.startIndex
        while let end = incoming[start...].firstIndex(of: 0x0A) {
            let line = ByteSlice(incoming, start..<end)
            #expect(line.count <= 1 << 20, "a line is too long")
            let value = try JSONValue(parsing: line)
            let problems = check.problems(of: value)
            #expect(problems.isEmpty, "not as daemon.schema says: \(problems)")
            lines.append(value)
            start = end + 1
        }
        incoming.removeSubrange(..<start)
        return lines
    }

    /// Reads all available lines and drops them, except the answer to a request.
    func takeReply(to id: String) throws -> JSONValue? {
        pump()
        readBytes()
        let mark = "\"id\":\"\(id)\""
        var found: JSONValue?
        var start = incoming.startIndex
        while let end = incoming[start...].firstIndex(of: 0x0A) {
            if String(decoding: incoming[start..<end].prefix(64), as: UTF8.self).contains(mark) {
                found = try JSONValue(parsing: ByteSlice(incoming, start..<end))
            }
            start = end + 1
        }
        incoming.removeSubrange(..<start)
        return found
    }

    /// The next line, as it came.
    func takeRawLine() -> [UInt8] {
        readBytes()
        guard let end = incoming.firstIndex(of: 0x0A) else { return [] }
        defer { incoming.removeSubrange(...end) }
        return Array(incoming[..<end])
    }

    /// The bytes after the last complete line.
    var unfinished: Int { incoming.count }

    /// Sends, lets the server work and reads, until nothing more happens.
    @discardableResult
    func exchange() throws -> [JSONValue] {
        var hasWork = true
        while hasWork {
            let hasSent = pump()
            let handlers = loop.turn()
            let hasRead = readBytes() > 0
            hasWork = hasSent || hasRead || handlers > 0
        }
        return try takeLines()
    }

    /// The reply to a request; other lines are put into `others`.
    func reply(
        _ method: String, _ params: JSONValue = [:], id: JSONValue? = nil,
        others: ((JSONValue) -> Void)? = nil
    ) throws -> JSONValue {
        lastID += 1
        let id = id ?? .integer(lastID)
        send(method, params, id: id)
        var found: JSONValue?
        for line in try exchange() {
            if line["id"] == id, line["method"] == nil {
                #expect(found == nil, "two replies to \(method)")
                found = line
            } else {
                others?(line)
            }
        }
        let reply = try #require(found, "no reply to \(method)")
        #expect(reply["jsonrpc"] == "2.0")
        return reply
    }

    func result(_ method: String, _ params: JSONValue = [:], id: JSONValue? = nil) throws
        -> JSONValue
    {
        let reply = try reply(method, params, id: id)
        return try #require(reply["result"], "\(reply)")
    }

    /// The error answer of a request, checked for the common form of errors.
    func error(
        _ method: String, _ params: JSONValue = [:], id: JSONValue? = nil
    ) throws -> ProtocolError {
        let reply = try reply(method, params, id: id)
        #expect(reply["result"] == nil)
        return try ProtocolError(line: reply)
    }

    /// Closes the sending side, and continues to read.
    func finishSending() throws {
        try UnixSocket.finishSending(on: #require(socket).descriptor)
    }

    /// Shuts down both directions, and keeps the descriptor.
    func hangUp() throws {
        _ = shutdown(try #require(socket).number, Int32(SHUT_RDWR))
    }

    /// Whether the server closes the connection. A process started by another test may hold a copy of its end
    /// for a moment.
    func comesToEnd() -> Bool {
        waitUntil {
            readBytes()
            return sawEnd
        }
    }

    /// Disconnects at once for the server. A process started by another test may hold a copy of the descriptor
    /// between its fork and its exec.
    func close() {
        if let socket { _ = shutdown(socket.number, Int32(SHUT_RDWR)) }
        socket = nil
    }
}

extension ProtocolError {
    /// The error of a reply, in the common form.
    init(line: JSONValue) throws {
        let error = try #require(line["error"], "\(line)")
        #expect(error["message"]?.stringValue?.isEmpty == false)
        #expect(error["data"]?["kind"]?.stringValue != nil)
        try self.init(reading: ParameterReader(error))
        #expect(ProtocolError.Kind.all.contains(kind))
    }
}

extension MethodDefinition {
    /// A method for tests only.
    static func test(
        _ name: String, parameters: [Schema.Member] = [], errors: [ProtocolError.Kind] = []
    ) -> MethodDefinition {
        MethodDefinition(
            name, "Is there for the tests.", parameters: parameters, result: .any, errors: errors)
    }
}

extension PluginManifest {
    /// A plugin for tests only, with such methods.
    static func test(_ identifier: String, _ methods: String..., info: [Schema.Member] = [])
        -> PluginManifest
    {
        PluginManifest(
            identifier, "Is there for the tests.", methods: methods.map { .test($0) }, info: info)
    }
}

/// A test plugin: `slow.wait` is answered on the test's command.
final class SlowPlugin: Plugin {
    let manifest = PluginManifest.test(
        "slow", "slow.wait", "slow.never", "slow.large", "slow.spend", "slow.broken")
    private(set) var replies: [PendingReply] = []
    private(set) var ended = 0
    /// The work of `slow.spend`.
    var onSpend: () -> Void = {}

    func activate(in context: PluginContext) throws(PluginError) {
        context.register(.test("slow.wait", errors: [.notReady, .unsupported])) {
            [unowned self] (call, writer) throws(ProtocolError) in
            let reply = PendingReply()
            reply.onEnd = { [unowned self] in ended += 1 }
            replies.append(reply)
            return .pending(reply)
        }
        context.register(.test("slow.never", errors: [.timeout])) {
            (call, writer) throws(ProtocolError) in
            let reply = PendingReply()
            reply.fail(.timeout("at once"))
            return .pending(reply)
        }
        context.register(
            .test("slow.large", parameters: [.required("count", .count)])
        ) { (call, writer) throws(ProtocolError) in
            let count = try call.reader().int("count")
            writer.string(String(repeating: "x", count: count))
            return .answered
        }
        context.register(.test("slow.spend")) {
            [unowned self] (call, writer) throws(ProtocolError) in
            onSpend()
            writer.object { _ in }
            return .answered
        }
        context.register(.test("slow.broken", errors: [.pluginFailed])) {
            (call, writer) throws(ProtocolError) in
            writer.beginObject()
            writer.member("half", 1)
            throw .pluginFailed("slow", "broken in the middle")
        }
    }
}
