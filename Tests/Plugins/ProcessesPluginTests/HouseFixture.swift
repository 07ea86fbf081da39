import ActionsPlugin
import DataBus
import EventLoops
import EventsPlugin
import JSONText
import PickerModel
import PickerService
import PluginInterface
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@testable import PluginProcesses
@testable import ProcessesPlugin

/// The server with the plugin host, on a loop whose clock the test moves. The files of plugins are what the test says.
final class HouseFixture {
    let loop = FakeLoop()
    let documents = DocumentStore(epoch: "e")
    let bus: EventBus
    let registry = MethodRegistry()
    let host: PluginHost
    let server: PickerServer
    let launcher: ScriptedLauncher
    let house: PluginHouse
    private let told = Told()

    private final class Told {
        var reports: [Report] = []
    }

    /// What was said to the people who run the daemon.
    var reports: [Report] { told.reports }

    private let plugin: ProcessesPlugin
    private let folder: TemporaryFolder
    /// Calls the methods of plugins.
    private(set) var client: Client?
    /// Looks at states and events meanwhile.
    private(set) var observer: Client?

    init(
        enabled: [String] = ["image"], choicesFile: String? = nil, with more: [any Plugin] = []
    ) throws {
        folder = try TemporaryFolder()
        bus = EventBus(now: { [loop] in loop.wallSeconds })
        host = PluginHost(
            loop: loop, bus: bus, documents: documents, registry: registry, version: "1.2.3")
        server = PickerServer(
            loop: loop, registry: registry, documents: documents, bus: bus,
            identity: .init(version: "1.2.3", processID: 42, userID: CurrentProcess.uid))
        launcher = ScriptedLauncher(on: loop)
        host.connect = { [unowned server] (socket, peer) throws(SystemError) in
            try server.connect(socket, to: peer)
        }
        host.closeStreams = { [unowned server] in server.closeStreams(of: $0) }
        plugin = ProcessesPlugin(chance: { 0 }) { [launcher] _ in launcher }
        var settings = HostSettings(roots: [FileName("/r")])
        for id in enabled {
            settings.processes.choices[id, default: .init()].isEnabled = true
        }
        settings.processes.choicesFile = choicesFile ?? folder.path("plugins.toml")
        settings.processes.environment = ["HOME": "/h", "PATH": "/bin"]
        host.report = { [told] in told.reports.append($0) }
        host.activate(
            [EventsPlugin(), ActionsPlugin(environment: [:]), plugin] + more, settings: settings)
        house = try #require(plugin.house)
        #expect(told.reports.filter { $0.level == .error }.isEmpty)
        client = try connect()
        observer = try connect()
    }

    deinit { host.deactivateAll() }

    /// The contents of its `plugins.toml`.
    var choices: String { (try? folder.contents(of: "plugins.toml")) ?? "" }

    // MARK: Files

    static func manifest(_ id: String = "image", _ more: String = "") throws -> ProcessManifest {
        let text = """
            {"id":"\(id)","name":"Image facts","version":"1.2.0","api":{"min":1,"max":1},\
            "exec":["./facts"]\(more.isEmpty ? "" : "," + more)}
            """
        return try ProcessManifest(reading: Array(text.utf8))
    }

    static let method = """
        "methods":[{"name":"image.palette","params":{"type":"object","properties":{"count":\
        {"type":"integer","minimum":1}},"required":["count"]},"result":{"type":"array"}}]
        """

    /// A plugin that was found.
    static func found(
        _ id: String = "image", _ more: String = method, version: UInt64 = 1
    ) throws -> FoundPlugin {
        FoundPlugin(
            id: id, folder: RawPath("/plugins/\(id)"), place: 0,
            state: .usable(try manifest(id, more)), fingerprint: version)
    }

    /// What is found now.
    func find(_ plugins: FoundPlugin...) {
        house.take(PluginFolders.Listing(plugins: plugins))
    }

    // MARK: Clients

    /// A client. Its requests are answered in order, so one that waits for a plugin learns nothing meanwhile.
    final class Client {
        private let socket: DescriptorBox
        private let loop: FakeLoop
        private var incoming: [UInt8] = []
        private var lastID = 0

        init(_ socket: DescriptorBox, _ loop: FakeLoop) {
            self.socket = socket
            self.loop = loop
        }

        /// Sends a request, and lets the daemon work.
        func send(_ method: String, _ params: JSONValue = [:]) -> Int {
            lastID += 1
            post(["id": JSONValue(lastID), "method": .string(method), "params": params])
            return lastID
        }

        /// Takes a request back.
        func cancel(_ id: Int) {
            post(["method": "$/cancel", "params": ["id": JSONValue(id)]])
        }

        private func post(_ line: JSONValue) {
            _ = try? socket.descriptor.send(line.bytes + [0x0A])
            loop.turn()
        }

        /// The lines that it was sent since the last call.
        func read() -> [JSONValue] {
            loop.turn()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while case .bytes(let count)? = try? socket.descriptor.read(into: &buffer) {
                incoming += buffer[..<count]
                loop.turn()
            }
            var lines: [JSONValue] = []
            while let end = incoming.firstIndex(of: 0x0A) {
                lines.append((try? JSONValue(parsing: Array(incoming[..<end]))) ?? .null)
                incoming.removeSubrange(...end)
            }
            return lines
        }

        /// The answer to a request that is answered by now. On a machine that is busy, a turn may end before all is done.
        func answer(to id: Int) -> JSONValue? {
            for _ in 0..<8 {
                if let answer = read().first(where: { $0["id"] == JSONValue(id) }) { return answer }
            }
            return nil
        }

        func call(_ method: String, _ params: JSONValue = [:]) -> JSONValue? {
            answer(to: send(method, params))
        }
    }

    func connect() throws -> Client {
        let pair = try UnixSocket.pair().boxed()
        server.serve(try pair.first.descriptor.duplicate())
        return Client(pair.second, loop)
    }

    func send(_ method: String, _ params: JSONValue = [:]) -> Int {
        client?.send(method, params) ?? 0
    }

    func answer(to id: Int) -> JSONValue? { client?.answer(to: id) }

    func call(_ method: String, _ params: JSONValue = [:]) -> JSONValue? {
        client?.call(method, params)
    }

    /// The state of a plugin in `plugins.list`.
    func state(_ id: String = "image") -> String? { record(id)?["state"]?.stringValue }

    func record(_ id: String = "image") -> JSONValue? {
        observer?.call("plugins.list")?["result"]?.arrayValue?.first { $0["id"] == .string(id) }
    }

    /// The events of plugins so far: topic, state and reason.
    var events: [String] {
        let all = observer?.call("events.replay", ["topics": ["plugin.*"]])?["result"]?["events"]
        return (all?.arrayValue ?? []).map { event in
            [event["topic"], event["data"]?["state"], event["data"]?["reason"]]
                .compactMap { $0?.stringValue }.joined(separator: " ")
        }
    }

    // MARK: The process

    var process: ScriptedLauncher.Process {
        get throws { try #require(launcher.processes.last, "no process was started") }
    }

    /// The request of that method that the process was sent.
    func asked(_ method: String, of process: ScriptedLauncher.Process) throws -> JSONValue {
        loop.turn()
        let lines = process.read()
        return try #require(
            lines.first { $0["method"] == .string(method) }, "no \(method) among \(lines)")
    }

    /// Lets the newest process answer `plugin.hello`.
    @discardableResult
    func greet(_ answer: JSONValue = ["api": 1, "version": "1.2.0", "provides": []]) throws
        -> ScriptedLauncher.Process
    {
        let process = try process
        let hello = try asked("plugin.hello", of: process)
        process.send(["id": hello["id"] ?? .null, "result": answer])
        loop.turn()
        return process
    }

    /// A plugin that is ready, and its process.
    func ready(_ more: String = method) throws -> ScriptedLauncher.Process {
        find(try Self.found("image", more))
        let id = send("image.palette", ["count": 1])
        let process = try greet()
        let call = try asked("image.palette", of: process)
        process.send(["id": call["id"] ?? .null, "result": []])
        #expect(answer(to: id)?["result"] == [])
        return process
    }
}
