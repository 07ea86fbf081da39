import JSONText
import PickerClient
import Picking
import TestSupport
import Testing
import WireProtocol
import pickerctl

@Suite struct PickListTests {
    /// A picker's list, and a daemon by script.
    private final class Scene {
        let bench: Bench
        let connection: PickerConnection
        let list: PickList
        var rows: [RowsUpdate] = []
        var refusals: [String] = []
        /// Requests that are answered later.
        var held: [(RequestEnvelope, FakeClient)] = []

        init(fields: [String]? = nil, collection: String? = nil) throws {
            bench = try Bench()
            connection = try bench.connect()
            list = PickList(on: bench.loop, fields: fields)
            list.onRows = { [weak self] in self?.rows.append($0) }
            list.onRefusal = { [weak self] in self?.refusals.append($0) }
            bench.server.respond = { [weak self] request, client in
                if request.method == "items.update" {
                    self?.held.append((request, client))
                } else {
                    client.reply(request, [:])
                }
            }
            list.attach(to: connection, collection: collection)
        }

        func until(_ condition: () -> Bool) -> Bool { bench.loop.reach(condition) }

        func want(_ number: Int, _ search: String?, start: Int = 0, count: Int = 10) {
            list.follow(
                WantedList(
                    number: number,
                    query: ListQuery(
                        sort: ["name"], search: search, match: .fuzzy, start: start, count: count)))
        }

        func requests(_ method: String) -> [RequestEnvelope] {
            bench.server.requests.filter { $0.method == method }
        }

        func opened() throws -> JSONValue {
            #expect(until { !requests("items.open").isEmpty })
            return try requests("items.open")[requests("items.open").count - 1].paramsValue()
        }

        /// All items of the list, of which the window is sent.
        func reset(
            _ items: [ItemRecord], start: Int = 0, total: Int? = nil, gen: Int = 1,
            complete: Bool = true
        ) throws {
            let open = try #require(requests("items.open").last)
            bench.server.clients[0].notify(
                ItemsReset(
                    sub: try #require(open.id), gen: gen, rev: gen, token: "e:\(gen)",
                    total: total ?? items.count, start: start, complete: complete, reason: "open",
                    items: items))
        }

        func lateness(total: Int, gen: Int) throws {
            let open = try #require(requests("items.open").last)
            bench.server.clients[0].notify(
                ItemsDelta(
                    sub: try #require(open.id), gen: gen, from: gen, to: gen, token: "e:\(gen)",
                    total: total, complete: false))
        }

        func answer(refusing message: String? = nil) {
            let (request, client) = held.removeFirst()
            if let message {
                client.refuse(request, .invalidParams(at: "search", message))
            } else {
                client.reply(request, [:])
            }
        }
    }

    @Test("Nobody is told of the row that makes a new document")
    func newRow() throws {
        let scene = try Scene()
        scene.want(1, nil)
        let window = try scene.opened()["window"]
        #expect(window?["start"] == 1)
        #expect(window?["count"] == 10)
        try scene.reset([.new, .sample("a"), .sample("b")])
        #expect(scene.until { !scene.rows.isEmpty })
        let rows = try #require(scene.rows.last)
        #expect(rows.items.map(\.name) == ["a", "b"])
        #expect(rows.start == 0)
        #expect(rows.total == 2)
        #expect(rows.query == 1)
    }

    @Test("With a search, places and totals are as the daemon tells them")
    func search() throws {
        let scene = try Scene(fields: ["name"], collection: "c3")
        scene.want(1, "a", start: 5)
        let parameters = try scene.opened()
        #expect(parameters["window"]?["start"] == 5)
        #expect(parameters["in"] == ["c3"])
        #expect(parameters["fields"] == ["name", "m"])
        try scene.reset([.sample("a")], start: 5, total: 6)
        #expect(scene.until { !scene.rows.isEmpty })
        #expect(scene.rows.last?.start == 5)
        #expect(scene.rows.last?.total == 6)
    }

    @Test("One change is on its way at a time, and of those that wait the newest is sent")
    func coalescing() throws {
        let scene = try Scene()
        scene.want(1, "a")
        _ = try scene.opened()
        scene.want(2, "ab")
        #expect(scene.until { scene.held.count == 1 })
        scene.want(3, "abc")
        scene.want(4, "abcd")
        scene.bench.loop.atEndOfTurn {}
        scene.answer()
        #expect(scene.until { scene.held.count == 1 })
        #expect(try scene.held[0].0.paramsValue()["search"] == "abcd")
        #expect(scene.requests("items.update").count == 2)
    }

    @Test("Rows have the number of the query that they answer, also while another is on its way")
    func numbers() throws {
        let scene = try Scene()
        scene.want(1, "a")
        _ = try scene.opened()
        try scene.reset([.sample("a")])
        #expect(scene.until { scene.rows.count == 1 })
        scene.want(2, "ab")
        #expect(scene.until { scene.held.count == 1 })
        // Rows of the query before, which are sent before the reply.
        try scene.reset([.sample("a"), .sample("aa")])
        #expect(scene.until { scene.rows.count == 2 })
        #expect(scene.rows.map(\.query) == [1, 1])
        scene.answer()
        // That they are no longer complete says nothing of the new query.
        try scene.lateness(total: 2, gen: 1)
        #expect(scene.until { scene.rows.count == 3 })
        #expect(scene.rows[2].query == 1)
        #expect(!scene.rows[2].isComplete)
        try scene.reset([.sample("ab")], gen: 2)
        #expect(scene.until { scene.rows.count == 4 })
        #expect(scene.rows[3].query == 2)
        #expect(scene.rows[3].isComplete)
    }

    @Test("A query that is refused leaves the rows, and the next one is sent as a whole")
    func refusal() throws {
        let scene = try Scene()
        scene.want(1, "a")
        _ = try scene.opened()
        try scene.reset([.sample("a")])
        #expect(scene.until { scene.rows.count == 1 })
        scene.want(2, "b")
        #expect(scene.until { scene.held.count == 1 })
        scene.want(3, "b", start: 3)
        scene.answer(refusing: "no good")
        #expect(scene.until { scene.held.count == 1 })
        #expect(scene.refusals.count == 1)
        #expect(scene.refusals[0].contains("no good"))
        // The daemon still searches for "a".
        #expect(try scene.held[0].0.paramsValue()["search"] == "b")
        try scene.reset([.sample("a"), .sample("aa")])
        #expect(scene.until { scene.rows.count == 2 })
        #expect(scene.rows[1].query == 1)
    }

    @Test("A list that is wanted no more is closed, and opened again when there is one to be")
    func closing() throws {
        let scene = try Scene()
        scene.want(1, "a")
        _ = try scene.opened()
        try scene.reset([.sample("a")])
        #expect(scene.until { scene.rows.count == 1 })
        scene.list.follow(nil)
        #expect(scene.until { scene.requests("items.close").count == 1 })
        scene.want(2, "b")
        #expect(scene.until { scene.requests("items.open").count == 2 })
        try scene.reset([.sample("b")], gen: 2)
        #expect(scene.until { scene.rows.last?.query == 2 })
    }

    @Test("A list that is refused when it is opened is opened again for another query")
    func refusedOpening() throws {
        let scene = try Scene()
        var refuses = true
        scene.bench.server.respond = { request, client in
            if refuses {
                client.refuse(request, .invalidParams(at: "where", "no good"))
            } else {
                client.reply(request, [:])
            }
        }
        scene.want(1, "a")
        #expect(scene.until { scene.refusals.count == 1 })
        refuses = false
        scene.want(2, "b")
        #expect(scene.until { scene.requests("items.open").count == 2 })
        #expect(try scene.opened()["search"] == "b")
    }
}
