// A daemon by script, on the loop of the test.

import JSONText
import PickerClient
import SystemInterface
import TestSupport
import WireProtocol

/// Listens at a path and hands each request to `respond`.
final class FakeServer {
    let loop: PollLoop
    let path: String
    /// Answers a request; by default with an empty object.
    var respond: (RequestEnvelope, FakeClient) -> Void = { request, client in
        client.reply(request, [:])
    }
    /// For scripts that answer after the end of a client's input.
    var keepsEndedClients = false
    private(set) var clients: [FakeClient] = []
    private(set) var requests: [RequestEnvelope] = []
    /// For scripts: which life of the server this is.
    var epoch = 0
    /// For scripts: what lives as long as the server.
    var companion: AnyObject?

    private var listener: DescriptorBox?
    private var watch: PollWatch?

    init(_ loop: PollLoop, at path: String) throws {
        self.loop = loop
        self.path = path
        try start()
    }

    deinit { stop() }

    var methods: [String] { requests.map(\.method) }

    func start() throws {
        let box = DescriptorBox(try UnixSocket.listen(at: RawPath(path)))
        listener = box
        watch = loop.watch(box.number, for: .readable) { [weak self] _ in self?.accept() }
    }

    /// Closes the listener and all connections; the file stays, as after a crash.
    func stop() {
        watch?.cancel()
        listener = nil
        for client in clients { client.close() }
        clients = []
    }

    /// Stops, and starts in another life. A process that another test is just spawning may still hold the former
    /// listener, so this tries until the path is free.
    func restart(as epoch: Int) {
        stop()
        self.epoch = epoch
        startWhenFree()
    }

    private func startWhenFree() {
        do {
            try start()
        } catch {
            loop.schedule(after: .milliseconds(1)) { [weak self] in self?.startWhenFree() }
        }
    }

    private func accept() {
        guard let listener else { return }
        while case .connection(let socket)? = try? UnixSocket.accept(on: listener.number) {
            clients.append(FakeClient(socket, self))
        }
    }

    /// As the real one does: what is owed is sent, and then the connection is closed.
    fileprivate func ended(_ client: FakeClient) {
        if !keepsEndedClients { client.closeWhenSent() }
    }

    fileprivate func take(_ request: RequestEnvelope, _ client: FakeClient) {
        requests.append(request)
        respond(request, client)
    }
}

/// One connection, as the server sees it.
final class FakeClient {
    private(set) var received: [UInt8] = []
    private(set) var hasEnded = false
    /// For scripts that send no more than the client reads: all that was sent has gone out.
    var onDrained: () -> Void = {}
    /// What was sent and has not gone out.
    var waitingBytes: Int { queue.count }
    private var box: DescriptorBox?
    private var watch: PollWatch?
    private var framer = LineFramer()
    private var queue: [UInt8] = []
    private var isClosing = false
    private weak var server: FakeServer?

    init(_ socket: consuming OwnedDescriptor, _ server: FakeServer) {
        let box = DescriptorBox(socket)
        self.box = box
        self.server = server
        watch = server.loop.watch(box.number, for: .readable) { [weak self] events in
            if events.contains(.writable) { self?.flush() }
            if events.contains(.readable) { self?.receive() }
            if events == .hangup { self?.close() }
        }
    }

    func close() {
        watch?.cancel()
        box = nil
    }

    func send(_ line: [UInt8]) {
        queue += line
        flush()
    }

    private func flush() {
        guard let box, let watch else { return }
        while !queue.isEmpty, case .bytes(let count)? = try? box.descriptor.send(queue) {
            queue.removeFirst(count)
        }
        watch.events = queue.isEmpty ? reading : reading.union(.writable)
        if queue.isEmpty, isClosing { close() }
        // A client that reads no more hangs up in every turn.
        watch.isPaused = watch.events.isEmpty
        if queue.isEmpty { onDrained() }
    }

    private var reading: PollLoop.Events { hasEnded ? [] : .readable }

    func closeWhenSent() {
        isClosing = true
        if queue.isEmpty { close() }
    }

    func send(text: String) { send(Array(text.utf8)) }

    func reply(_ request: RequestEnvelope, _ result: JSONValue) {
        guard let id = request.id else { return }
        var line = JSONWriter()
        line.beginReply(id)
        line.value(result)
        line.endReply()
        send(line.finish())
    }

    func refuse(_ request: RequestEnvelope, _ error: ProtocolError) {
        send(WireLine.error(error, to: request.id))
    }

    func notify(_ message: some WireNotification) { send(WireLine.notification(message)) }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        guard let box, let transfer = try? box.descriptor.read(into: &buffer) else { return }
        switch transfer {
        case .bytes(let count):
            received += buffer[..<count]
            framer.append(buffer[..<count])
        case .wouldBlock: return
        case .closed:
            hasEnded = true
            flush()
            server?.ended(self)
        }
        while case .line(let line)? = framer.next() {
            var method = NamedMethod()
            guard let request = try? RequestEnvelope(parsing: line, after: &method) else {
                continue
            }
            server?.take(request, self)
        }
    }
}

extension PollLoop {
    /// Runs until `condition` holds, looking at it every few milliseconds too, for what happens
    /// elsewhere.
    func reach(within limit: Duration = patience, _ condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + limit
        var isDone = false
        while !isDone, ContinuousClock.now < deadline {
            var isTime = false
            let timer = schedule(after: .milliseconds(3)) { isTime = true }
            run { isTime }
            timer.cancel()
            isDone = condition()
        }
        return isDone
    }
}

/// A server and a connection to it, in a folder of their own.
struct Bench {
    let folder: TemporaryFolder
    let loop = PollLoop()
    let server: FakeServer

    init() throws {
        folder = try TemporaryFolder()
        server = try FakeServer(loop, at: folder.path("d.sock"))
    }

    func connect() throws -> PickerConnection {
        try PickerConnection(to: server.path, on: loop)
    }
}

extension PickerConnection {
    /// A feed that is attached to the connection.
    func subscribe(
        topics: [String], start: EventFeed.Start = .latest(0),
        _ handler: @escaping (FeedMessage) -> Void
    ) -> EventFeed {
        let feed = EventFeed(topics: topics, start: start, handler: handler)
        feed.attach(to: self)
        return feed
    }
}

extension ItemRecord {
    /// A document of this name and size. A daemon that was started again gives out the same keys,
    /// to other documents.
    static func sample(
        _ name: String, size: Int64 = 1, modified: Double = 1000, life: Int = 1
    ) -> ItemRecord {
        ItemRecord(
            DocumentRecord(
                key: life == 1 ? "k-\(name)" : "k-\(String(name.unicodeScalars.map(previous)))",
                name: WireName(name), path: WireName(name), root: "/root",
                size: size, modified: modified, type: "text/plain"))
    }
}

/// `a` for `b`.
private func previous(_ scalar: Unicode.Scalar) -> Character {
    Character(Unicode.Scalar(scalar.value - 1) ?? scalar)
}

extension RequestEnvelope {
    /// The decoded parameters; an empty object if there are none.
    func paramsValue() throws -> JSONValue { try params?.value() ?? [:] }
}
