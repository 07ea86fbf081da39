// A daemon by script, on a socketpair. The plugin is on a thread of its own, or in a process.

import Foundation
import Glibc
import JSONText
import PickerPlugin
import Synchronization
import SystemInterface
import TestSupport
import Testing
import WireProtocol

/// What a plugin has printed.
final class Printed: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: String { lines.withLock { $0.joined(separator: "\n") } }
}

/// The other side of a plugin's socket. Reads wait for as long as tests have patience.
final class ScriptedDaemon {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let printed = Printed()
    private var socket: DescriptorBox?
    private var framer = LineFramer(limit: 4 << 20)
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var replies: [JSONValue] = []
    private var lastID: Int64 = 0
    /// What the plugin has sent besides replies.
    var told: [JSONValue] = []

    /// A plugin on a thread, which greets it unless told otherwise.
    init(
        _ manifest: String = sampleManifest, greets: Bool = true, traced: Bool = false,
        parts: @escaping @Sendable () -> PluginParts
    ) throws {
        let (ours, theirs) = try UnixSocket.pair().boxed()
        socket = ours
        let read = try PluginManifest(reading: Array(manifest.utf8))
        let printed = printed
        let started = Started(manifest: read, socket: theirs)
        try WorkerThread.start {
            let daemon = PluginDaemon(
                started.socket, manifest: started.manifest, parts: parts(), isTraced: traced,
                report: { printed.add($0) })
            let status = daemon.serve()
            printed.add("status \(status)")
        }
        if greets { _ = try hello() }
    }

    /// What goes over to the thread, and is used there alone.
    private struct Started: @unchecked Sendable {
        let manifest: PluginManifest
        let socket: DescriptorBox
    }

    /// The other side of a process.
    init(adopting socket: DescriptorBox) { self.socket = socket }

    func hangUp() { socket = nil }

    /// Sends no more.
    func finishSending() throws {
        let socket = try #require(socket)
        try UnixSocket.finishSending(on: socket.descriptor)
    }

    // MARK: Lines

    /// Sends bytes, and takes in what comes meanwhile.
    func write(_ bytes: [UInt8]) throws {
        let socket = try #require(socket)
        var sent = 0
        while sent < bytes.count {
            switch try socket.descriptor.send(bytes, from: sent) {
            case .bytes(let count): sent += count
            case .wouldBlock:
                let events = socket.descriptor.poll(
                    for: POLLIN | POLLOUT, milliseconds: Int32(patienceMilliseconds))
                if events & POLLIN != 0 { _ = try receive() }
                if events == 0 { throw Failure(description: "the plugin does not read") }
            case .closed: throw Failure(description: "the plugin has closed its end")
            }
        }
    }

    func send(_ lines: String...) throws {
        try write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    static func line(_ id: Int64, _ method: String, _ params: JSONValue) -> String {
        JSONValue.object([
            "jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": params,
        ]).description
    }

    /// Sends a request without waiting.
    @discardableResult
    func ask(_ method: String, _ params: JSONValue = [:]) throws -> Int64 {
        lastID += 1
        try send(Self.line(lastID, method, params))
        return lastID
    }

    private func receive() throws -> Bool {
        let socket = try #require(socket)
        switch try socket.descriptor.read(into: &buffer) {
        case .bytes(let count): framer.append(buffer[..<count])
        case .wouldBlock: break
        case .closed: return false
        }
        return true
    }

    /// The next message; nil at the end of the socket.
    func next() throws -> JSONValue? {
        let socket = try #require(socket)
        let deadline = ContinuousClock.now + patience
        while true {
            switch framer.next() {
            case .line(let line): return try JSONValue(parsing: line)
            case .overlong: throw Failure(description: "an overlong line")
            case nil: break
            }
            socket.descriptor.waitUntilReadable(milliseconds: 1000)
            if !(try receive()) { return nil }
            if ContinuousClock.now > deadline {
                throw Failure(description: "the plugin says nothing; \(printed.all)")
            }
        }
    }

    private func keepNext() throws {
        guard let message = try next() else {
            throw Failure(description: "the plugin has closed its end; \(printed.all)")
        }
        if message["method"] == nil { replies.append(message) } else { told.append(message) }
    }

    /// The reply to a request; what comes before is kept.
    func reply(_ id: JSONValue) throws -> JSONValue {
        while true {
            if let index = replies.firstIndex(where: { $0["id"] == id }) {
                return replies.remove(at: index)
            }
            try keepNext()
        }
    }

    func request(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
        let reply = try reply(.integer(try ask(method, params)))
        guard let result = reply["result"] else {
            throw Failure(description: "\(method) is refused: \(reply)")
        }
        return result
    }

    func error(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
        try error(of: try ask(method, params))
    }

    func error(of id: Int64) throws -> JSONValue {
        let reply = try reply(.integer(id))
        return try #require(reply["error"], "not refused: \(reply)")
    }

    func result(of id: Int64) throws -> JSONValue {
        let reply = try reply(.integer(id))
        return try #require(reply["result"], "refused: \(reply)")
    }

    /// The next request or notification of the plugin, which must be of this method.
    func hears(_ method: String) throws -> JSONValue {
        while told.isEmpty { try keepNext() }
        let message = told.removeFirst()
        guard message["method"]?.stringValue == method else {
            throw Failure(description: "\(method) was expected, and this came: \(message)")
        }
        return message
    }

    func answer(_ request: JSONValue, _ result: JSONValue = [:]) throws {
        try send(
            JSONValue.object(["jsonrpc": "2.0", "id": request["id"] ?? .null, "result": result])
                .description)
    }

    /// Reads until the plugin has closed its end.
    func waitForEnd() throws {
        while let message = try next() {
            if message["method"] == nil { replies.append(message) } else { told.append(message) }
        }
    }

    // MARK: What the daemon does

    func hello(_ more: JSONObject = [:]) throws -> JSONValue {
        var params: JSONObject = ["api": 1, "capabilities": ["extract"], "config": [:]]
        for member in more.members { params[member.key] = member.value }
        return try request("plugin.hello", .object(params))
    }

    /// The answers for files.
    func extract(
        _ group: String, _ paths: [RawPath], want: [String] = []
    ) throws -> [JSONValue] {
        let params: JSONValue = [
            "group": .string(group), "want": .array(want.map { .string($0) }), "priority": 0,
            "files": .array(paths.map(Self.file)),
        ]
        return try #require(try request("attributes.extract", params)["files"]?.arrayValue)
    }

    static func file(_ path: RawPath) -> JSONValue {
        if let text = String(validating: path.bytes, as: UTF8.self) {
            return ["key": "f1", "path": .string(text), "type": "text/plain", "size": 1]
        }
        return ["key": "f1", "pathB64": .string(Base64.encode(path.bytes))]
    }
}

/// Has what the parts of the tests have.
let sampleManifest: String = {
    let long = (0..<50).map {
        #"{"name":"sample.t\#($0)","type":"text","group":"long"}"#
    }.joined(separator: ",")
    let methods = [
        "echo", "ask", "spin", "fail", "big", "refuse", "publish", "change", "state", "edit", "run",
    ]
    .map { #"{"name":"sample.\#($0)"}"# }.joined(separator: ",")
    return #"""
        {"id":"sample","name":"Sample","version":"1.2.3","api":{"min":1,"max":1},
         "exec":["./SamplePlugin"],"methods":[\#(methods)],"topics":["sample.done"],"attributes":[
         {"name":"sample.first","type":"text","group":"text"},
         {"name":"sample.length","type":"integer","group":"text"},
         {"name":"sample.flag","type":"boolean","group":"any"},
         {"name":"sample.count","type":"integer","group":"any"},
         {"name":"sample.share","type":"number","group":"any"},
         {"name":"sample.when","type":"time","group":"any"},
         {"name":"sample.words","type":"text","group":"any"},
         {"name":"sample.even","type":"boolean","group":"batch"},\#(long)],
         "sources":[{"name":"things","title":"Things"}],
         "actions":[{"id":"touch","title":"Touch","many":true,"writes":true}]}
        """#
}()
