import JSONText
import PickerClient
import Picking
import Testing
import WireProtocol
import pickerctl

@Suite struct PickDeedsTests {
    /// A picker's deeds, and a daemon by script.
    private final class Scene {
        let bench: Bench
        let session: ReconnectingSession
        let deeds: PickDeeds
        var told: [PickEvent] = []

        init() throws {
            bench = try Bench()
            session = try ReconnectingSession(to: bench.server.path, on: bench.loop)
            deeds = PickDeeds(on: session)
        }

        func perform(_ deed: PickCommand.Deed) -> PickEvent? {
            told = []
            deeds.perform(PickCommand(id: 7, deed)) { [weak self] in self?.told.append($0) }
            #expect(bench.loop.reach { !told.isEmpty })
            return told.count == 1 ? told[0] : nil
        }

        /// The requests that were sent: method and number of keys.
        var sent: [String] {
            bench.server.requests.compactMap { request in
                guard let parameters = try? request.paramsValue() else { return nil }
                let keys = parameters["keys"]?.arrayValue?.count ?? 0
                return "\(request.method) \(keys)"
            }
        }
    }

    @Test("A deed has its request, in parts of a thousand, and is told once")
    func requests() throws {
        let keys = (0..<2001).map { "k\($0)" }
        let deeds: [(PickCommand.Deed, [String])] = [
            (.like(keys: ["a"], true), ["items.like 1"]),
            (.like(keys: ["a", "b"], false), ["items.like 2"]),
            (.drop(keys: keys), ["items.drop 1000", "items.drop 1000", "items.drop 1"]),
            (.restore(keys: ["a"]), ["items.restore 1"]), (.drop(keys: []), []),
        ]
        for (deed, expected) in deeds {
            let scene = try Scene()
            scene.bench.server.respond = { $1.reply($0, ["liked": true]) }
            #expect(scene.perform(deed) == .done(id: 7, failure: nil, uris: []))
            #expect(scene.sent == expected)
        }
    }

    @Test("What was not done is counted, with the first reason; what went to the trash is named")
    func results() throws {
        let scene = try Scene()
        scene.bench.server.respond = { request, client in
            let items: [JSONValue] = [
                ["ok": true, "uri": "file:///t/a"], ["error": "it is gone"],
                ["error": "not allowed"],
            ]
            client.reply(request, ["items": .array(items)])
        }
        let deed = PickCommand.Deed.run(
            "documents.trash", keys: ["a", "b", "c"], isConfirmed: true)
        #expect(
            scene.perform(deed)
                == .done(id: 7, failure: "2 of 3: it is gone", uris: ["file:///t/a"]))
        let parameters = try scene.bench.server.requests[0].paramsValue()
        #expect(parameters["action"] == "documents.trash")
        #expect(parameters["confirm"] == true)
        scene.bench.server.respond = { request, client in
            client.refuse(request, .invalidParams(at: "keys", "no good"))
        }
        guard case .done(7, let failure?, [])? = scene.perform(.untrash(uris: ["file:///t/a"]))
        else { return #expect(Bool(false), "it is told") }
        #expect(failure.contains("no good") && !failure.contains("of"))
    }

    @Test("Without a daemon nothing is kept for later")
    func disconnected() throws {
        let scene = try Scene()
        scene.bench.server.stop()
        #expect(scene.bench.loop.reach { scene.session.connection == nil })
        #expect(
            scene.perform(.drop(keys: ["a"]))
                == .done(id: 7, failure: "there is no connection to the daemon", uris: []))
        scene.deeds.offer(for: KeysRequest(number: 3, keys: ["a"])) { scene.told.append($0) }
        #expect(scene.told.last == .offered(request: 3, []))
        scene.deeds.visited(["a"], within: .milliseconds(200))
        #expect(scene.sent == [])
    }

    @Test("A visit is told, and is waited for no longer than it may take")
    func visits() throws {
        let scene = try Scene()
        scene.bench.server.respond = { _, _ in }
        let began = ContinuousClock.now
        scene.deeds.visited(["a", "b"], within: .milliseconds(30))
        #expect(ContinuousClock.now - began < .seconds(10))
        #expect(scene.bench.loop.reach { scene.sent.contains("items.visited 2") })
    }

    @Test("What is asked besides is answered also where it is refused")
    func questions() throws {
        let scene = try Scene()
        scene.deeds.attributes { scene.told.append($0) }
        scene.deeds.offer(for: KeysRequest(number: 4, keys: ["a"])) { scene.told.append($0) }
        #expect(scene.bench.loop.reach { scene.told.count == 2 })
        #expect(scene.told == [.attributes([]), .offered(request: 4, [])])
        scene.bench.server.respond = { request, client in
            client.reply(request, .array([["name": "a.b"], [:], ["name": "c"]]))
        }
        scene.deeds.attributes { scene.told.append($0) }
        #expect(scene.bench.loop.reach { scene.told.count == 3 })
        #expect(scene.told.last == .attributes(["a.b", "c"]))
    }

    // MARK: Ranges

    private func range(
        _ connection: PickerConnection,
        _ tell: @escaping (Result<[ListItem], ClientError>) -> Void
    ) -> PickRange {
        let request = RangeRequest(
            number: 5, query: ListQuery(sort: ["name"], start: 0, count: 100))
        return PickRange(request, fields: ["name"], collection: "c1", on: connection, tell)
    }

    private func reset(
        _ bench: Bench, _ items: [ItemRecord], _ rev: Int, complete: Bool
    ) throws {
        let open = try #require(bench.server.requests.last { $0.method == "items.open" })
        let client = try #require(bench.server.clients.last)
        client.notify(
            ItemsReset(
                sub: try #require(open.id), gen: (try? open.reader().int("gen")) ?? 0, rev: rev,
                token: "e:\(rev)", total: items.count, start: 0, complete: complete,
                reason: "open", items: items))
    }

    @Test("A range is told once, when it is complete, without the row of a new document")
    func range() throws {
        let bench = try Bench()
        let connection = try bench.connect()
        var told: [[String?]] = []
        let range = range(connection) { told.append(((try? $0.get()) ?? []).map(\.name)) }
        #expect(bench.loop.reach { bench.server.methods.contains("items.open") })
        let parameters = try bench.server.requests[0].paramsValue()
        #expect(parameters["in"] == ["c1"])
        try reset(bench, [.sample("a")], 1, complete: false)
        try reset(bench, [.new, .sample("a"), .sample("b")], 2, complete: true)
        #expect(bench.loop.reach { !told.isEmpty })
        try reset(bench, [.sample("c")], 3, complete: true)
        range.close()
        #expect(bench.loop.reach { bench.server.methods.last != "items.open" })
        #expect(told == [["a", "b"]])
    }

    @Test("A range that is refused is told as such, once; one that was closed is not told")
    func refusedRange() throws {
        let bench = try Bench()
        let connection = try bench.connect()
        bench.server.respond = { request, client in
            client.refuse(request, .invalidParams(at: "where", "no good"))
        }
        var failures: [String] = []
        let refused = range(connection) {
            if case .failure(let error) = $0 { failures.append("\(error)") }
        }
        #expect(bench.loop.reach { failures.count == 1 })
        #expect(failures.first?.contains("no good") == true)
        refused.close()
        var isTold = false
        bench.server.respond = { request, client in client.reply(request, [:]) }
        let closed = range(connection) { _ in isTold = true }
        #expect(bench.loop.reach { bench.server.methods.count { $0 == "items.open" } == 2 })
        closed.close()
        try reset(bench, [.sample("a")], 1, complete: true)
        #expect(bench.loop.reach { bench.server.methods.last != "items.open" })
        #expect(!isTold)
    }
}
