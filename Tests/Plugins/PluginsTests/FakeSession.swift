// A session without a socket: it calls methods of a registry like the server, and takes as many lines from
// open streams as the test allows.

import JSONText
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

/// A client's session whose reader is the test.
final class FakeSession: ClientSession {
    var textUnits = "utf8"
    var pluginProcess: String?
    private let registry: MethodRegistry
    private var streams: [RequestID: any SessionStream] = [:]
    private var wanting: [RequestID] = []
    private var lines: [JSONValue] = []
    private var schema: ProtocolSchema?
    /// How many more lines fit into the queue.
    private var room = 0
    /// The longest line so far, its LF not counted.
    private(set) var longestLine = 0
    /// The most bytes that `sendIfItFits` lets through.
    var lineLimit = 1 << 20
    /// Whether lines are parsed and handed to the test, and answers too are checked; if not, lines are counted only,
    /// at no cost.
    var looksAtLines = true
    /// How many lines have been sent.
    private(set) var lineCount = 0

    init(registry: MethodRegistry) {
        self.registry = registry
    }

    // MARK: Requests

    /// Calls a method, and answers its result or its error.
    func call(
        _ method: String, _ params: JSONValue = [:], id: RequestID = 1
    ) -> Result<JSONValue, ProtocolError> {
        call(method, written: JSONView(params), id: id)
    }

    /// The same, with parameters as a client writes them.
    func call(
        _ method: String, written params: JSONView, id: RequestID = 1
    ) -> Result<JSONValue, ProtocolError> {
        var writer = JSONWriter()
        let call = MethodCall(
            RequestEnvelope(id: id, method: method, params: params), session: self,
            isInBatch: false)
        do throws(ProtocolError) {
            guard let handler = registry.handler(of: method) else {
                throw .methodNotFound(method)
            }
            guard case .answered = try handler(call, &writer) else {
                throw .internalError("the answer is pending")
            }
            let result = Self.parse(writer.finish())
            check(["jsonrpc": "2.0", "id": id.value, "result": result], of: method)
            return .success(result)
        } catch {
            let written = Self.parse(error.wireBytes)
            check(["jsonrpc": "2.0", "id": id.value, "error": written], of: method)
            return .failure(error)
        }
    }

    /// Calls a method whose answer may come later.
    func begin(
        _ method: String, _ params: JSONValue = [:], isInBatch: Bool = false
    ) -> LaterAnswer {
        let later = LaterAnswer()
        var writer = JSONWriter()
        let call = MethodCall(
            RequestEnvelope(id: 1, method: method, params: JSONView(params)), session: self,
            isInBatch: isInBatch)
        do throws(ProtocolError) {
            guard let handler = registry.handler(of: method) else {
                throw .methodNotFound(method)
            }
            switch try handler(call, &writer) {
            case .answered: take(.success(Self.parse(writer.finish())), of: method, as: later)
            case .pending(let reply):
                later.reply = reply
                reply.onProgress = { [unowned later] in later.progress.append($0) }
                reply.onAnswer { [unowned self, unowned later] in
                    take(Self.result(of: $0), of: method, as: later)
                }
            }
        } catch {
            take(.failure(error), of: method, as: later)
        }
        return later
    }

    /// An answer, once it has come.
    final class LaterAnswer {
        fileprivate(set) var value: Result<JSONValue, ProtocolError>?
        /// The progress told before it.
        fileprivate(set) var progress: [ScanCounts] = []
        fileprivate var reply: PendingReply?

        /// The client has gone, and waits for it no more.
        func abandon() {
            reply?.abandon()
            reply = nil
        }
    }

    private func take(
        _ result: Result<JSONValue, ProtocolError>, of method: String, as later: LaterAnswer
    ) {
        later.value = result
        switch result {
        case .success(let result):
            check(["jsonrpc": "2.0", "id": 1, "result": result], of: method)
        case .failure(let error):
            let written = Self.parse(error.wireBytes)
            check(["jsonrpc": "2.0", "id": 1, "error": written], of: method)
        }
    }

    private static func result(
        of answer: PendingReply.Answer
    ) -> Result<JSONValue, ProtocolError> {
        switch answer {
        case .result(let write):
            var writer = JSONWriter()
            write(&writer)
            return .success(parse(writer.finish()))
        case .failure(let error): return .failure(error)
        }
    }

    /// Holds a line against what the plugin's definitions say.
    private func check(_ line: JSONValue, of method: String?) {
        guard looksAtLines else { return }
        let schema =
            schema
            ?? ProtocolSchema(
                Self.parse(
                    OpenRPCDocument(
                        title: "pickerd", daemonVersion: "0", methods: registry.definitions
                    ).wireBytes))
        self.schema = schema
        let problems =
            method.map { schema.problems(ofReply: line, to: $0, params: nil) }
            ?? schema.problems(ofNotification: line)
        #expect(problems.isEmpty, "not as daemon.schema says: \(problems)")
    }

    // MARK: Reading

    /// Whether some stream has said that it has something to send.
    var hasWork: Bool { !wanting.isEmpty }

    /// Whether the stream of that id has said so.
    func isWanting(_ id: RequestID) -> Bool { wanting.contains(id) }

    /// Lets the streams send at most `limit` lines, and answers these.
    func read(lines limit: Int = .max) -> [JSONValue] {
        room = limit
        while hasRoom, !wanting.isEmpty {
            let id = wanting.removeFirst()
            if streams[id]?.produce(into: self) == true { requestRoom(for: id) }
        }
        room = 0
        defer { lines = [] }
        return lines
    }

    // MARK: ClientSession

    func open(_ stream: any SessionStream, as id: RequestID) throws(ProtocolError) {
        if streams[id] != nil { throw .conflict("\(id) is open") }
        streams[id] = stream
        stream.place = Place(self, id)
    }

    private final class Place: StreamPlace {
        private unowned let session: FakeSession
        private let id: RequestID

        init(_ session: FakeSession, _ id: RequestID) {
            self.session = session
            self.id = id
        }

        func requestRoom() { session.requestRoom(for: id) }
    }

    func stream(_ id: RequestID) -> (any SessionStream)? { streams[id] }

    func close(_ id: RequestID) {
        wanting.removeAll { $0 == id }
        let stream = streams.removeValue(forKey: id)
        stream?.place = nil
        stream?.close()
    }

    private func requestRoom(for id: RequestID) {
        if streams[id] != nil, !wanting.contains(id) { wanting.append(id) }
    }

    private static func parse(_ bytes: [UInt8]) -> JSONValue {
        do {
            return try JSONValue(
                parsing: bytes, limits: JSONLimits(depth: 32, bytes: 1 << 30))
        } catch {
            Issue.record("a line is no JSON: \(error)")
            return .null
        }
    }
}

extension FakeSession: LineSink {
    var hasRoom: Bool { room > 0 }

    func send(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        take(writer.finish())
    }

    func send(line head: [UInt8], _ rest: ByteSlice) {
        guard looksAtLines else { return count(head.count + rest.count - 1) }
        take((head + rest).dropLast())
    }

    func sendIfItFits(_ write: (inout JSONWriter) -> Void) -> Bool {
        var writer = JSONWriter()
        write(&writer)
        let line = writer.finish()
        guard line.count <= lineLimit else { return false }
        take(line)
        return true
    }

    private func count(_ length: Int) {
        longestLine = max(longestLine, length)
        lineCount += 1
        room -= 1
    }

    private func take(_ line: some Collection<UInt8>) {
        count(line.count)
        guard looksAtLines else { return }
        let value = Self.parse(Array(line))
        check(value, of: nil)
        lines.append(value)
    }
}
