import AttributesPlugin
import EventLoops
import ItemsPlugin
import JSONText
import Observables
import PickerModel
import PluginInterface
import TestSupport
import Testing

@testable import ProcessesPlugin

/// The plugin host with a plugin that has sources, whose process the test plays.
final class SourceFixture {
    static let sources = """
        "sources":[{"name":"albums","title":"Albums"},{"name":"shops","title":"Shops"}],\
        "attributes":[{"name":"image.width","type":"integer","group":"header"}]
        """

    let house: HouseFixture
    /// What the processes were sent and the test has not looked at.
    private var heard: [ObjectIdentifier: [JSONValue]] = [:]
    private var lastID = 0

    init(_ more: String = "", version: UInt64 = 1) throws {
        house = try HouseFixture(with: [ItemsPlugin(), AttributesPlugin()])
        let documents = house.documents
        documents.whenRowsAreFreed = { [loop = house.loop, unowned documents] in
            loop.enqueue { documents.releaseFreedRows() }
        }
        documents.marks.settle()
        try find(more, version: version)
    }

    /// The files of the plugin are these now.
    func find(_ more: String = "", version: UInt64 = 1) throws {
        let manifest = Self.sources + (more.isEmpty ? "" : "," + more)
        house.find(try HouseFixture.found("image", manifest, version: version))
    }

    var loop: FakeLoop { house.loop }
    var documents: DocumentStore { house.documents }

    // MARK: What there is

    func collection(_ name: String = "image:albums") -> SourcedCollection? {
        documents.sources.all.first { $0.name == name }
    }

    var state: SourcedCollection.State? { collection()?.state }

    /// The names of the items of a collection, in ascending order.
    func names(_ collection: String = "image:albums") -> [String] {
        let range = DocumentRange(.all, of: CollectionSet([collection]))
        return documents.documents(in: range).value.map {
            documents.table.name(of: $0).text
        }.sorted()
    }

    // MARK: Clients

    /// Opens a list, by a client that stays.
    @discardableResult
    func openList(_ collection: String = "image:albums") -> JSONValue? {
        house.call("items.open", ["in": [.string(collection)]])
    }

    /// Asks for the items once.
    /// - Returns: the number of the request.
    func get(_ collection: String = "image:albums") -> Int {
        house.send("items.get", ["in": [.string(collection)], "timeoutMs": 600_000])
    }

    // MARK: The process

    /// The messages of a method that a process was sent and nobody looked at.
    func take(_ method: String, of process: ScriptedLauncher.Process) -> [JSONValue] {
        hear(process)
        let id = ObjectIdentifier(process)
        let taken = (heard[id] ?? []).filter { $0["method"] == .string(method) }
        heard[id]?.removeAll { $0["method"] == .string(method) }
        return taken
    }

    private func hear(_ process: ScriptedLauncher.Process) {
        loop.turn()
        for line in process.read() {
            // It is alive.
            if line["method"] == "plugin.ping" {
                process.send(["id": line["id"] ?? .null, "result": [:]])
            } else {
                heard[ObjectIdentifier(process), default: []].append(line)
            }
        }
        loop.turn()
    }

    /// Lets the newest process answer `plugin.hello`.
    @discardableResult
    func greet() throws -> ScriptedLauncher.Process {
        let process = try house.process
        hear(process)
        let hello = try #require(take("plugin.hello", of: process).first)
        process.send([
            "id": hello["id"] ?? .null,
            "result": ["api": 1, "version": "1.2.0", "provides": ["source"]],
        ])
        loop.turn()
        return process
    }

    /// The parameters of the only `source.open` that a process was sent, which is answered like this.
    @discardableResult
    func answerOpen(
        _ process: ScriptedLauncher.Process, epoch: String = "a1", rev: Int = 0,
        resumed: Bool = false
    ) throws -> JSONValue {
        let asked = take("source.open", of: process)
        try #require(asked.count == 1, "\(asked)")
        process.send([
            "id": asked[0]["id"] ?? .null,
            "result": [
                "epoch": .string(epoch), "rev": JSONValue(rev), "resumed": .bool(resumed),
            ],
        ])
        loop.turn()
        return asked[0]["params"] ?? .null
    }

    /// Sends a request without waiting for its answer.
    func post(
        _ method: String, _ params: JSONValue, from process: ScriptedLauncher.Process
    ) -> String {
        lastID += 1
        let line: JSONValue = [
            "id": .string("p\(lastID)"), "method": .string(method), "params": params,
        ]
        // More than a socket takes at once.
        var rest = (line.bytes + [0x0A])[...]
        while !rest.isEmpty {
            process.send(bytes: Array(rest.prefix(64 << 10)))
            rest = rest.dropFirst(64 << 10)
            if !rest.isEmpty { loop.turn() }
        }
        return "p\(lastID)"
    }

    /// The answer to a request; nil if there is none yet.
    func answer(to id: String, of process: ScriptedLauncher.Process) -> JSONValue? {
        hear(process)
        return heard[ObjectIdentifier(process)]?.first {
            $0["id"] == .string(id) && $0["method"] == nil
        }
    }

    /// Sends a request, and returns the answer.
    func ask(
        _ method: String, _ params: JSONValue, of process: ScriptedLauncher.Process
    ) -> JSONValue? {
        answer(to: post(method, params, from: process), of: process)
    }

    static func items(_ ids: some Sequence<String>, _ more: JSONObject = [:]) -> JSONValue {
        .array(
            ids.map { id in
                var item = more
                item["id"] = .string(id)
                item["name"] = .string("n\(id)")
                return .object(item)
            })
    }

    static func change(
        from: Int, to: Int, removed: [String] = [], put: JSONValue = [],
        of source: String = "albums"
    ) -> JSONValue {
        [
            "source": .string(source), "from": JSONValue(from), "to": JSONValue(to),
            "removed": .array(removed.map { .string($0) }), "put": put,
        ]
    }

    static func reset(
        rev: Int, chunk: Int = 0, last: Bool = true, put: JSONValue = [],
        of source: String = "albums"
    ) -> JSONValue {
        [
            "source": .string(source), "rev": JSONValue(rev), "chunk": JSONValue(chunk),
            "last": .bool(last), "put": put,
        ]
    }

    /// A source that is open and has these items at revision 7 of the epoch `a1`, and a client that has a list of them.
    func watching(_ ids: [String] = ["1", "2"]) throws -> ScriptedLauncher.Process {
        openList()
        let process = try greet()
        try answerOpen(process, rev: 7)
        let answer = ask(
            "source.reset", Self.reset(rev: 7, put: Self.items(ids)), of: process)
        #expect(answer?["result"] == [:], "\(answer ?? .null)")
        #expect(state == .watching && names() == ids.map { "n\($0)" }.sorted())
        return process
    }

    /// Lets time pass, in which a process answers pings.
    func wait(_ seconds: Int, _ process: ScriptedLauncher.Process? = nil) {
        for _ in 0..<seconds {
            loop.advance(by: .seconds(1))
            if let process { hear(process) }
        }
    }
}
