// A client written for tests: plain, and strict about what it is sent.

import Glibc
import JSONText
import SystemInterface
import TestSupport
import WireProtocol

/// One connection. Every wait has a deadline, and a miss is an error.
final class TestConnection {
    enum Failure: Error, Equatable {
        case late(String)
        case closed
        case unexpected(String)
        /// The daemon answered with an error.
        case refused(code: Int, message: String)
    }

    struct Notification {
        let method: String
        let params: JSONView
    }

    private let socket: DescriptorBox
    /// Nil only for the connection that asks for the schema.
    private let check: ConversationCheck?
    private var framer = LineFramer(limit: 2 << 20)
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var lastID = 1_000_000
    /// What came and was not taken yet, in order.
    private var notifications: [Notification] = []
    private(set) var isClosed = false

    convenience init(to path: String) throws {
        try self.init(to: path, ConversationCheck(DaemonSchema.shared()))
    }

    init(to path: String, _ check: ConversationCheck?) throws {
        self.check = check
        var made: DescriptorBox?
        _ = try waitUntil {
            do throws(SystemError) {
                made = DescriptorBox(try UnixSocket.connect(to: RawPath(path)))
            } catch {
                // A full backlog drains as soon as the daemon gets its turn.
                if error.code != .wouldBlock { throw error }
            }
            return made != nil
        }
        guard let made else { throw Failure.late("connect") }
        socket = made
    }

    /// Has the kernel keep as little as it can for this side.
    func shrinkReceiveBuffer() {
        var size: Int32 = 4096
        // The address is of a local variable, and the length is its size.
        unsafe setsockopt(
            socket.number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Bytes

    /// Sends all of `bytes`.
    func send(_ bytes: [UInt8], within limit: Duration = patience) throws {
        check?.didSend(bytes)
        let deadline = ContinuousClock.now + limit
        var sent = 0
        while sent < bytes.count {
            switch try socket.descriptor.send(bytes, from: sent) {
            case .bytes(let count): sent += count
            case .wouldBlock: try wait(for: Int16(POLLOUT), until: deadline, "send")
            case .closed: throw Failure.closed
            }
        }
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends as much as goes without waiting; answers how much.
    func sendSome(_ bytes: [UInt8], from start: Int) throws -> Int {
        switch try socket.descriptor.send(bytes, from: start) {
        case .bytes(let count):
            check?.didSend(bytes[start..<(start + count)])
            return count
        case .wouldBlock: return 0
        case .closed: throw Failure.closed
        }
    }

    func finishSending() throws {
        try UnixSocket.finishSending(on: socket.descriptor)
    }

    /// The next line; nil once the daemon has closed.
    func readLine(within limit: Duration = patience) throws -> [UInt8]? {
        let deadline = ContinuousClock.now + limit
        while true {
            switch framer.next() {
            case .line(let line):
                try hold(line)
                return Array(line)
            case .overlong: throw Failure.unexpected("a line over the limit")
            case nil: break
            }
            if isClosed { return nil }
            switch try socket.descriptor.read(into: &buffer) {
            case .bytes(let count): framer.append(buffer[..<count])
            case .wouldBlock: try wait(for: Int16(POLLIN), until: deadline, "read")
            case .closed:
                isClosed = true
                let count = framer.bufferedCount
                if count > 0 {
                    throw Failure.unexpected("\(count) bytes without LF at the end")
                }
            }
        }
    }

    /// Holds a line against what the daemon says that it sends.
    private func hold(_ line: ByteSlice) throws {
        guard let check else { return }
        // Data of events may be as deep as a request, with levels around it.
        let limits = JSONLimits(depth: 64, bytes: 2 << 20)
        let problems = check.problems(of: try JSONValue(parsing: line, limits: limits))
        if !problems.isEmpty {
            throw Failure.unexpected("not as daemon.schema says: \(problems.prefix(5))")
        }
    }

    private func wait(
        for events: Int16, until deadline: ContinuousClock.Instant, _ what: String
    ) throws {
        let left = (deadline - ContinuousClock.now).components
        if left.seconds < 0 || left.attoseconds < 0 { throw Failure.late(what) }
        var watched = pollfd(fd: socket.number, events: events, revents: 0)
        // One structure, a local variable.
        unsafe poll(
            &watched, 1, Int32(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
    }

    // MARK: Messages

    /// Sends a request and returns its result. Notifications that come before it are kept.
    @discardableResult
    func call(
        _ method: String, _ params: JSONObject = [:], id: RequestID? = nil,
        within limit: Duration = patience
    ) throws -> JSONView {
        lastID += 1
        let id = id ?? .integer(Int64(lastID))
        try send(WireLine.request(id: id, method: method, params: params))
        return try reply(to: id, within: limit)
    }

    /// The next reply, which must be to `id`.
    func reply(to id: RequestID, within limit: Duration = patience) throws -> JSONView {
        while true {
            guard let line = try readLine(within: limit) else { throw Failure.closed }
            let message = try JSONView(validating: line).object()
            if take(message) { continue }
            guard let given = message["id"].flatMap({ RequestID($0) }), given == id else {
                throw Failure.unexpected(String(decoding: line, as: UTF8.self))
            }
            if let error = try message["error"]?.object() {
                throw Failure.refused(
                    code: Int(error["code"]?.integerValue ?? 0),
                    message: error["message"]?.stringValue ?? "")
            }
            guard let result = message["result"] else {
                throw Failure.unexpected(String(decoding: line, as: UTF8.self))
            }
            return result
        }
    }

    /// Keeps a notification; false if the message is none.
    private func take(_ message: JSONObjectView) -> Bool {
        guard message["id"] == nil, let method = message["method"]?.stringValue,
            let params = message["params"]
        else { return false }
        notifications.append(Notification(method: method, params: params))
        return true
    }

    /// The notifications that have come so far.
    func takeNotifications() -> [Notification] {
        defer { notifications = [] }
        return notifications
    }

    /// Waits for one more notification than have come, or the end of the connection.
    func waitForNotification(within limit: Duration = patience) throws {
        guard let line = try readLine(within: limit) else { throw Failure.closed }
        if take(try JSONView(validating: line).object()) { return }
        throw Failure.unexpected(String(decoding: line, as: UTF8.self))
    }

    /// The folder as it is now has been seen; answers the revision.
    @discardableResult
    func sync() throws -> Int {
        let result = try call(
            "sync", ["timeoutMs": JSONValue(patienceMilliseconds)], within: patience * 2)
        return Int(try result.object()["rev"]?.integerValue ?? -1)
    }

    /// All documents that the daemon knows.
    func allDocuments() throws -> [DocumentRecord] {
        var documents: [DocumentRecord] = []
        var start = 0
        while true {
            let window: JSONValue = ["start": JSONValue(start), "count": 1000]
            let result = try ItemsResult(
                decoding: call("items.get", ["sort": "path", "window": window]))
            documents += result.items.compactMap(\.document)
            start += result.items.count
            if result.items.isEmpty || start >= result.total { return documents }
        }
    }
}
