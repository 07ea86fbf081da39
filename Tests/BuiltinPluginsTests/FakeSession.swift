// A session without a socket: it calls methods of a registry as the server does, and takes from
// the streams that were opened as many lines as the test allows.

import JSONText
import PluginInterface
import Testing
import WireProtocol

/// A client's session whose reader is the test.
final class FakeSession: ClientSession {
    private let registry: MethodRegistry
    private var streams: [RequestID: any SessionStream] = [:]
    private var wanting: [RequestID] = []
    private var lines: [JSONValue] = []
    /// How many more lines fit into the queue.
    private var room = 0
    /// The longest line so far, its LF not counted.
    private(set) var longestLine = 0
    /// The most bytes that `sendIfItFits` lets through.
    var lineLimit = 1 << 20

    init(registry: MethodRegistry) {
        self.registry = registry
    }

    // MARK: Requests

    /// Calls a method, and answers its result or its error.
    func call(
        _ method: String, _ params: JSONValue = [:], id: RequestID = 1
    ) -> Result<JSONValue, ProtocolError> {
        var writer = JSONWriter()
        let call = MethodCall(
            id: id, method: method, params: JSONView(params), session: self, isInBatch: false)
        do throws(ProtocolError) {
            guard let handler = registry.handler(of: method) else {
                throw .methodNotFound(method)
            }
            guard case .answered = try handler(call, &writer) else {
                throw .internalError("the answer is pending")
            }
            return .success(Self.parse(writer.finish()))
        } catch {
            return .failure(error)
        }
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
    }

    func stream(_ id: RequestID) -> (any SessionStream)? { streams[id] }

    func close(_ id: RequestID) {
        wanting.removeAll { $0 == id }
        streams.removeValue(forKey: id)?.close()
    }

    func requestRoom(for id: RequestID) {
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

    func send(line head: [UInt8], _ rest: [UInt8]) {
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

    private func take(_ line: some Collection<UInt8>) {
        longestLine = max(longestLine, line.count)
        room -= 1
        lines.append(Self.parse(Array(line)))
    }
}
