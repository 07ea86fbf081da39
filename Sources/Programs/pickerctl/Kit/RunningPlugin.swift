import JSONText
import PickerClient
import PluginProcesses
import SystemInterface
import WireProtocol

/// A process of a plugin, started by the daemon's own launcher, and the conversation on its descriptor 3.
///
/// Nothing runs by itself: the process is heard while somebody waits for it, in `answer` or on the loop. What it asks is
/// for `onRequest`. It is ended by `end`; released while it runs, the guard ends it with this program.
final class RunningPlugin {
    /// What became of a request.
    enum Answer {
        case result(JSONValue)
        case refused(ProtocolError)
        case silence(Duration)
        /// The process is over, or has closed its descriptor 3; and how.
        case ended(String)
    }

    enum Direction { case toPlugin, fromPlugin }

    let loop: PollLoop
    let manifest: ProcessManifest
    /// Called with each line, either way.
    var onLine: (Direction, [UInt8]) -> Void = { _, _ in }
    /// Called with what it asks, and with its notifications.
    var onRequest: (RequestEnvelope, [UInt8]) -> Void = { _, _ in }
    /// Called with each line that it prints, and whether that was on its standard output.
    var onPrint: (String, Bool) -> Void = { _, _ in }
    /// Called with what is wrong with a line.
    var onFault: (String) -> Void = { _ in }

    private let launcher: ChildLauncher
    private var process: (any LaunchedPlugin)?
    private var socket: DescriptorBox?
    private var watch: PollWatch?
    private var printed: [PrintedLines] = []
    private var framer = LineFramer()
    private var outgoing: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var lastID = 0
    private var waiting: Set<Int64> = []
    private var answers: [Int64: Result<JSONValue, ProtocolError>] = [:]
    private var answered: Set<Int64> = []
    private(set) var end: PluginEnd?
    /// How long its own requests were held back, which is not its fault.
    var heldTime = Duration.zero

    /// Starts the process.
    init(
        _ folder: RawPath, _ manifest: ProcessManifest, roots: [String], on loop: PollLoop
    ) throws(SystemError) {
        self.loop = loop
        self.manifest = manifest
        launcher = ChildLauncher(loop: PollEventLoop(loop))
        let (ours, its) = try UnixSocket.pair().boxed()
        try its.descriptor.setBlocking()
        let (output, outputEnd) = try OwnedDescriptor.pipe().boxed()
        let (errors, errorsEnd) = try OwnedDescriptor.pipe().boxed()
        launcher.standardOutput = outputEnd
        socket = ours
        for (descriptor, isOutput) in [(output, true), (errors, false)] {
            printed.append(
                PrintedLines(descriptor, on: loop) { [weak self] in self?.onPrint($0, isOutput) })
        }
        watch = loop.watch(ours.number, for: .readable) { [weak self] in self?.serve($0) }
        let environment = CurrentProcess.environment().filter { PluginLaunch.passesOn($0.key) }
        let launch = PluginLaunch(
            plugin: manifest.id, folder: folder.description, command: manifest.exec,
            environment: PluginLaunch.environment(of: manifest.id, passedOn: environment),
            limits: manifest.limits, needs: manifest.needs, roots: roots)
        process = launcher.launch(launch, socket: its, output: errorsEnd) { [weak self] end in
            self?.ended(end)
        }
        launcher.standardOutput = nil
    }

    /// The guard's process id, whose child the plugin is.
    var guardPid: Int? { process?.pid }
    var isOver: Bool { end != nil || socket == nil }
    /// Whether it has a request that it has not answered.
    var isBusy: Bool { !waiting.isEmpty }

    // MARK: Requests

    /// Sends a request.
    /// - Returns: Its number.
    func begin(_ method: String, _ params: JSONValue, _ extra: JSONObject = [:]) -> Int64 {
        let (id, line) = request(method, params, extra)
        send(line)
        return id
    }

    /// The line of a request, which is not sent, and its number.
    func request(
        _ method: String, _ params: JSONValue, _ extra: JSONObject = [:]
    ) -> (id: Int64, line: [UInt8]) {
        lastID += 1
        var message: JSONObject = [
            "jsonrpc": "2.0", "id": JSONValue(lastID), "method": .string(method), "params": params,
        ]
        for member in extra.members { message[member.key] = member.value }
        waiting.insert(Int64(lastID))
        return (Int64(lastID), JSONValue.object(message).bytes)
    }

    /// Waits for the answer to a request.
    func answer(to id: Int64, within limit: Duration) -> Answer {
        var left = limit
        while left > .zero {
            let held = heldTime
            loop.run(within: left) { answers[id] != nil || isOver }
            left = answers[id] != nil || isOver ? .zero : heldTime - held
        }
        if answers[id] == nil, isOver { awaitEnd(.milliseconds(500)) }
        waiting.remove(id)
        switch answers.removeValue(forKey: id) {
        case .success(let value): return .result(value)
        case .failure(let error): return .refused(error)
        case nil: return isOver ? .ended(endText) : .silence(limit)
        }
    }

    func ask(_ method: String, _ params: JSONValue, within limit: Duration) -> Answer {
        answer(to: begin(method, params), within: limit)
    }

    func notify(_ method: String, _ params: JSONValue) {
        send(
            JSONValue.object(["jsonrpc": "2.0", "method": .string(method), "params": params])
                .bytes)
    }

    /// Answers a request of the plugin.
    func reply(to id: RequestID, _ result: Result<JSONValue, ProtocolError>) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.key("id")
            id.write(to: &writer)
            switch result {
            case .success(let value): writer.member("result", value)
            case .failure(let error):
                writer.key("error")
                error.write(to: &writer)
            }
        }
        send(writer.finish())
    }

    /// Sends a line, given without its end.
    func send(_ line: [UInt8]) { sendAll([line]) }

    /// Sends lines in one write.
    func sendAll(_ lines: [[UInt8]]) {
        for line in lines {
            onLine(.toPlugin, line)
            outgoing += line
            outgoing.append(UInt8(ascii: "\n"))
        }
        flush()
    }

    /// Sends a line, each byte by a write of its own, and gives the plugin a moment to read it.
    func sendByBytes(_ line: [UInt8]) {
        onLine(.toPlugin, line)
        for byte in line + [UInt8(ascii: "\n")] {
            outgoing.append(byte)
            flush()
            loop.run(within: .milliseconds(1)) { isOver }
        }
    }

    // MARK: The end

    /// Closes the connection, as the end of the daemon does.
    func close() {
        watch?.cancel()
        watch = nil
        socket = nil
    }

    /// Has it ended, by SIGTERM, and two seconds later by SIGKILL.
    func terminate() { process?.end() }

    /// Waits for the end of the process.
    @discardableResult
    func awaitEnd(_ limit: Duration) -> PluginEnd? {
        loop.run(within: limit) { end != nil }
        return end
    }

    /// Ends it, and waits for that. The guard kills what does not end by itself.
    func dismiss() {
        close()
        guard end == nil else { return }
        terminate()
        awaitEnd(.seconds(10))
    }

    private var endText: String {
        end.map { "it ended: \($0.reason)" } ?? "it closed its descriptor 3"
    }

    private func ended(_ end: PluginEnd) {
        // What it sent last is read before.
        if watch != nil { serve(.readable) }
        for lines in printed { lines.drain() }
        self.end = end
        process = nil
    }

    // MARK: Lines

    private func serve(_ events: PollLoop.Events) {
        if events.contains(.writable) { flush() }
        guard let socket else { return }
        do throws(SystemError) {
            switch try socket.descriptor.read(into: &buffer) {
            case .bytes(let count): framer.append(buffer[..<count])
            case .wouldBlock: return
            case .closed: return close()
            }
        } catch {
            return close()
        }
        while let event = framer.next() {
            switch event {
            case .line(let line): take(Array(line))
            case .overlong: onFault("it sent a line longer than \(framer.limit) bytes")
            }
        }
    }

    private func take(_ line: [UInt8]) {
        onLine(.fromPlugin, line)
        do throws(RefusedLine) {
            switch try WireMessage(parsing: line) {
            case .request(let request): onRequest(request, line)
            case .reply(let reply): take(reply, line)
            }
        } catch {
            onFault("\(error.error.message): \(Self.shown(line))")
        }
    }

    private func take(_ reply: ReplyEnvelope, _ line: [UInt8]) {
        guard case .integer(let id)? = reply.id, id >= 1, id <= Int64(lastID) else {
            return onFault("it answered what was not asked: \(Self.shown(line))")
        }
        guard answered.insert(id).inserted else {
            return onFault("it answered twice: \(Self.shown(line))")
        }
        // An answer that comes late was missed already.
        guard waiting.remove(id) != nil else { return }
        switch reply.outcome {
        case .failure(let error): answers[id] = .failure(error)
        case .success(let view):
            do throws(JSONError) {
                answers[id] = .success(try view.value())
            } catch {
                onFault("\(error.message): \(Self.shown(line))")
            }
        }
    }

    /// The beginning of a line, for people.
    static func shown(_ line: [UInt8], atMost limit: Int = 200) -> String {
        String(decoding: line.prefix(limit), as: UTF8.self) + (line.count > limit ? "…" : "")
    }

    private func flush() {
        guard let socket else { return outgoing.removeAll() }
        var start = 0
        sending: while start < outgoing.count {
            guard let sent = try? socket.descriptor.send(outgoing, from: start) else { break }
            switch sent {
            case .bytes(let count): start += count
            case .wouldBlock: break sending
            // What it said before is still read.
            case .closed: start = outgoing.count
            }
        }
        outgoing.removeFirst(start)
        watch?.events = outgoing.isEmpty ? .readable : [.readable, .writable]
    }
}
