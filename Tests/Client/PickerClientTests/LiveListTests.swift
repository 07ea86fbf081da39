import JSONText
import Observables
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct LiveListTests {
    /// A list that a server by script has opened; `sub` is the latest.
    private final class Scene {
        let bench: Bench
        let connection: PickerConnection
        let list: LiveList
        /// Another connection, for as long as the test wants it.
        var second: PickerConnection?
        var changes: [ListChange] = []
        var reopened: [String] = []
        var errors: [ClientError] = []

        init(_ query: ListQuery = ListQuery()) throws {
            bench = try Bench()
            connection = try bench.connect()
            list = LiveList(query)
            list.onChange = { [weak self] in self?.changes.append($0) }
            list.onReopen = { [weak self] in self?.reopened.append($0) }
            list.onError = { [weak self] in self?.errors.append($0) }
            list.attach(to: connection)
            #expect(until { self.opens == 1 })
        }

        var opens: Int { bench.server.methods.count { $0 == "items.open" } }
        /// The latest connection.
        var client: FakeClient { bench.server.clients[bench.server.clients.count - 1] }
        var open: RequestEnvelope {
            get throws { try #require(bench.server.requests.last { $0.method == "items.open" }) }
        }
        var sub: RequestID { get throws { try #require(try open.id) } }
        var gen: Int { get throws { try open.reader().int("gen") } }

        func until(_ condition: () -> Bool) -> Bool { bench.loop.reach(condition) }

        func reset(
            _ names: [String], rev: Int, gen: Int? = nil, chunk: Int = 0, last: Bool = true,
            complete: Bool = true, total: Int? = nil
        ) throws {
            try reset(
                names.map { ItemRecord.sample($0) }, rev: rev, gen: gen, chunk: chunk, last: last,
                complete: complete, total: total)
        }

        func reset(
            _ items: [ItemRecord], rev: Int, gen: Int? = nil, chunk: Int = 0, last: Bool = true,
            complete: Bool = true, total: Int? = nil
        ) throws {
            client.notify(
                ItemsReset(
                    sub: try sub, gen: try gen ?? self.gen, rev: rev, token: "e:\(rev)",
                    total: total ?? items.count, chunk: chunk, last: last, complete: complete,
                    reason: "open", items: items))
        }

        func delta(
            from: Int, to: Int, gen: Int? = nil, total: Int, deleted: [Int] = [],
            moved: [ItemsDelta.Move] = [], inserted: [(Int, String)] = [],
            updated: [(Int, JSONObject)] = []
        ) throws {
            client.notify(
                ItemsDelta(
                    sub: try sub, gen: try gen ?? self.gen, from: from, to: to, token: "e:\(to)",
                    total: total, deleted: deleted, moved: moved,
                    inserted: inserted.map { .init(index: $0.0, item: .sample($0.1)) },
                    updated: updated.map { .init(index: $0.0, changes: $0.1) }))
        }

        var names: [String] { list.items.map { $0.name ?? "?" } }
    }

    @Test("A reset in chunks is applied with its last chunk, not before")
    func chunks() throws {
        let scene = try Scene()
        try scene.reset(["a", "b"], rev: 5, chunk: 0, last: false, complete: false, total: 5)
        try scene.reset(["c"], rev: 5, chunk: 1, last: false, complete: false, total: 5)
        scene.connection.send(.ping)
        #expect(scene.until { scene.bench.server.methods.contains("daemon.ping") })
        #expect(scene.names == [])
        #expect(!scene.list.isComplete)
        try scene.reset(["d", "e"], rev: 5, chunk: 2, total: 5)
        #expect(scene.until { scene.list.isComplete })
        #expect(scene.names == ["a", "b", "c", "d", "e"])
        #expect(scene.list.total == 5)
        #expect(scene.list.rev == 5)
        #expect(scene.list.token == "e:5")
        #expect(scene.reopened == [])
    }

    @Test("A delta may say only where the window begins now")
    func start() throws {
        let scene = try Scene()
        try scene.reset(["a", "b"], rev: 1, total: 40)
        #expect(scene.until { scene.list.rev == 1 })
        let told = scene.changes.count
        scene.client.notify(
            ItemsDelta(
                sub: try scene.sub, gen: try scene.gen, from: 1, to: 2, token: "e:2", total: 41,
                start: 38))
        #expect(scene.until { scene.list.rev == 2 })
        #expect(scene.list.start == 38 && scene.list.total == 41 && scene.names == ["a", "b"])
        #expect(scene.changes.count == told + 1 && scene.reopened == [])
    }

    @Test("A delta deletes, moves, inserts and patches by the rules of the protocol")
    func delta() throws {
        let scene = try Scene()
        try scene.reset(["a", "b", "c", "d"], rev: 1)
        try scene.delta(
            from: 1, to: 3, total: 4, deleted: [1], moved: [.init(from: 3, to: 0)],
            inserted: [(2, "x")], updated: [(1, ["size": 99])])
        #expect(scene.until { scene.list.rev == 3 })
        #expect(scene.names == ["d", "a", "x", "c"])
        #expect(scene.list.items[1].size == 99)
        guard case .edits(let edits)? = scene.changes.last else {
            Issue.record("no edits were told")
            return
        }
        #expect(edits.count == 4)
        #expect(
            edits.contains {
                if case .deleted(let item, at: 1) = $0 { item.name == "b" } else { false }
            })
        #expect(
            edits.contains {
                if case .updated(let item, at: 1, let before) = $0 {
                    item.size == 99 && before.size == 1
                } else {
                    false
                }
            })
    }

    @Test("A delta from another revision opens the list anew, and the items stay until it has")
    func wrongRevision() throws {
        let scene = try Scene()
        try scene.reset(["a"], rev: 10)
        let firstSub = try scene.sub
        try scene.delta(from: 9, to: 11, total: 0, deleted: [0])
        #expect(scene.until { scene.opens == 2 })
        #expect(scene.bench.server.methods.contains("items.close"))
        #expect(scene.reopened.count == 1)
        #expect(scene.reopened.first?.contains("9") == true)
        #expect(scene.names == ["a"])
        #expect(!scene.list.isComplete)
        #expect(try scene.sub != firstSub)
        // What still comes of the old one is nobody's.
        scene.client.notify(
            ItemsReset(sub: firstSub, rev: 12, token: "e:12", total: 0, reason: "x", items: []))
        try scene.reset(["b"], rev: 12)
        #expect(scene.until { scene.list.isComplete })
        #expect(scene.names == ["b"])
        #expect(scene.list.reopenCount == 1)
    }

    @Test(
        "Any other inconsistency opens the list anew",
        arguments: [
            "index", "twice", "generation", "total", "backwards", "chunk", "delta first", "patch",
            "half a match", "a match backwards", "a match beyond the name", "a match of a reset",
            "a match beyond the folder",
        ])
    func nonsense(_ what: String) throws {
        let scene = try Scene()
        if what != "delta first", what != "chunk" { try scene.reset(["a", "b"], rev: 4) }
        let gen = try scene.gen
        switch what {
        case "index": try scene.delta(from: 4, to: 5, total: 1, deleted: [2])
        case "twice": try scene.delta(from: 4, to: 5, total: 1, deleted: [1, 1])
        case "generation": try scene.delta(from: 4, to: 5, gen: gen + 1, total: 2)
        case "total": try scene.delta(from: 4, to: 5, total: 1)
        case "backwards": try scene.delta(from: 4, to: 3, total: 2)
        case "chunk": try scene.reset(["c"], rev: 4, chunk: 1)
        case "delta first": try scene.delta(from: 0, to: 1, total: 1, inserted: [(0, "a")])
        case "half a match": try scene.delta(from: 4, to: 5, total: 2, updated: [(0, ["m": [1]])])
        case "a match backwards":
            try scene.delta(from: 4, to: 5, total: 2, updated: [(0, ["m": [1, 0]])])
        case "a match beyond the name":
            try scene.delta(from: 4, to: 5, total: 2, updated: [(1, ["m": [0, 2]])])
        case "a match beyond the folder":
            try scene.delta(
                from: 4, to: 5, total: 2, updated: [(1, ["path": "ab/b", "mf": [0, 4]])])
        case "a match of a reset":
            var wrong = ItemRecord.sample("c")
            wrong.matches = [1, 0]
            try scene.reset([wrong], rev: 5)
        default: try scene.delta(from: 4, to: 5, total: 2, updated: [(0, ["size": "big"])])
        }
        #expect(scene.until { scene.opens == 2 })
        #expect(scene.list.reopenCount == 1)
        #expect(scene.errors == [])
    }

    @Test("A list with repeated inconsistencies is given up with an error")
    func givesUp() throws {
        let scene = try Scene()
        var answered = 0
        #expect(
            scene.until {
                if scene.opens > answered {
                    answered = scene.opens
                    try? scene.delta(from: 1, to: 2, total: 0)
                }
                return !scene.errors.isEmpty
            })
        #expect(scene.errors.map(\.code) == [.badMessage])
        #expect(answered < 20)
    }

    /// A list that was complete and is attached to another connection, whose server says that it goes on.
    private func reattached(
        _ query: ListQuery = ListQuery(), rows: Int = 3,
        before: (Scene) throws -> Void = { _ in }
    ) throws -> Scene {
        let scene = try Scene(query)
        let names = (0..<rows).map { "r\($0)" }
        for (chunk, start) in stride(from: 0, to: rows, by: 1000).enumerated() {
            try scene.reset(
                Array(names[start...].prefix(1000)), rev: 3, chunk: chunk,
                last: start + 1000 >= rows, total: rows)
        }
        #expect(scene.until { scene.list.isComplete })
        try before(scene)
        scene.bench.server.respond = { request, client in
            client.reply(request, ["sub": request.id?.value ?? 0, "token": "e:9", "resumed": true])
        }
        let opens = scene.opens
        scene.second = try scene.bench.connect()
        scene.list.attach(to: try #require(scene.second))
        #expect(scene.until { scene.opens == opens + 1 })
        return scene
    }

    @Test("On a new connection a list states its rows, and resumes")
    func resumes() throws {
        let scene = try reattached()
        #expect(try scene.open.reader().string("since") == "e:3")
        #expect(try scene.open.reader().strings("have") == scene.list.items.map(\.key))
        #expect(scene.list.items.count == 3 && !scene.list.isComplete)
        scene.changes = []
        try scene.delta(from: 3, to: 5, total: 3, deleted: [0], inserted: [(2, "new")])
        #expect(scene.until { scene.list.isComplete })
        #expect(scene.list.items.map(\.name) == ["r1", "r2", "new"])
        #expect(scene.list.rev == 5)
        #expect(scene.changes.count == 1 && scene.reopened.isEmpty && scene.errors.isEmpty)
    }

    @Test("A resumption without a request is rejected")
    func falselyResumed() throws {
        let scene = try reattached(ListQuery(count: nil), rows: 10_001)
        #expect(try !scene.open.reader().has("since"))
        let opens = scene.opens
        try scene.delta(from: 3, to: 5, total: 10_000, deleted: [0])
        #expect(scene.until { scene.opens == opens + 1 })
        #expect(scene.reopened == ["a delta came before the items it changes"])
    }

    @Test("Inconsistent items, and items with other fields, are not resumed")
    func notResumed() throws {
        let disagreed = try reattached { scene in
            let opens = scene.opens
            try scene.delta(from: 8, to: 9, total: 3)
            #expect(scene.until { scene.opens == opens + 1 })
            #expect(try !scene.open.reader().has("since"))
        }
        #expect(try !disagreed.open.reader().has("since"))
        let other = try reattached { scene in
            scene.list.update(to: ListQuery(fields: ["name"]))
            #expect(scene.until { scene.opens == 2 })
        }
        #expect(try !other.open.reader().has("have"))
    }

    @Test("The found parts of names follow a reset and deltas: changed alone, kept, and gone")
    func matches() throws {
        let scene = try Scene(ListQuery(search: "a", match: .fuzzy, highlights: true))
        #expect(try scene.open.reader().bool("highlights"))
        #expect(try scene.open.reader().string("match") == "fuzzy")
        let observed = scene.list.observableItems
        func has(_ matches: [[Range<Int>]?]) -> Bool {
            scene.list.items.map(\.matches) == matches
        }
        var two = ItemRecord.sample("abc.md")
        two.matches = [0, 1, 4, 6]
        var none = ItemRecord.sample("é")
        none.matches = []
        try scene.reset([two, none, .sample("x")], rev: 1)
        #expect(scene.until { scene.list.isComplete })
        #expect(has([[0..<1, 4..<6], [], nil]))
        try scene.delta(
            from: 1, to: 2, total: 3,
            updated: [(0, ["m": [0, 3]]), (1, ["size": 9]), (2, ["m": [0, 1]])])
        #expect(scene.until { scene.list.rev == 2 })
        #expect(has([[0..<3], [], [0..<1]]))
        #expect(observed.value == scene.list.items)
        try scene.delta(
            from: 2, to: 3, total: 3, moved: [.init(from: 2, to: 0)],
            updated: [(1, ["m": .null]), (2, ["m": [0, 2]])])
        #expect(scene.until { scene.list.rev == 3 })
        #expect(scene.names == ["x", "abc.md", "é"])
        #expect(has([[0..<1], nil, [0..<2]]))
        #expect(observed.value == scene.list.items)
        #expect(scene.reopened == [])
    }

    @Test("The found parts of folders are told as ranges of the path, and go")
    func folderMatches() throws {
        let scene = try Scene(ListQuery(search: "ab", match: .fuzzy, highlights: true))
        var one = ItemRecord.sample("b")
        one.path = WireName(text: "é/a/b", bytes: nil)
        (one.matches, one.folderMatches) = ([0, 1], [0, 2, 3, 4])
        try scene.reset([one, .sample("c")], rev: 1)
        #expect(scene.until { scene.list.isComplete })
        #expect(scene.list.items.map(\.folderMatches) == [[0..<2, 3..<4], nil])
        try scene.delta(
            from: 1, to: 2, total: 2,
            updated: [(0, ["path": "b", "mf": .null]), (1, ["path": "x/c", "mf": [0, 1]])])
        #expect(scene.until { scene.list.rev == 2 })
        #expect(scene.list.items.map(\.folderMatches) == [nil, [0..<1]])
        #expect(scene.reopened == [])
        // Only rows with paths need them.
        func fields(_ query: ListQuery) -> [String]? {
            query.parameters["fields"]?.arrayValue?.compactMap(\.stringValue)
        }
        #expect(fields(ListQuery(fields: ["name"], highlights: true)) == ["name", "m"])
        #expect(fields(ListQuery(fields: ["path"], highlights: true)) == ["path", "m", "mf"])
        #expect(fields(ListQuery(fields: ["path"])) == ["path"])
    }

    @Test("Rows resume with the marks that they have, and not with others")
    func resumesMarks() throws {
        let query = ListQuery(search: "r", highlights: true)
        #expect(try reattached(query).open.reader().string("since") == "e:3")
        let others = [
            ListQuery(search: "r"), ListQuery(search: "r1", highlights: true),
            ListQuery(search: "r", match: .words, highlights: true), ListQuery(highlights: true),
        ]
        for other in others {
            let scene = try reattached(query) { scene in
                scene.list.update(to: other)
                #expect(scene.until { scene.bench.server.methods.last == "items.update" })
            }
            #expect(try !scene.open.reader().has("since"), "\(other)")
        }
        // Once the rows of the other query are there, those are gone on from.
        let settled = try reattached(query) { scene in
            scene.list.update(to: ListQuery(search: "r1", highlights: true))
            #expect(scene.until { scene.bench.server.methods.last == "items.update" })
            try scene.reset(["r1"], rev: 3, gen: scene.gen + 1)
            #expect(scene.until { scene.names == ["r1"] })
        }
        #expect(try settled.open.reader().strings("have") == ["k-r1"])
    }

    @Test("An update keeps the old items until those of the new query arrive")
    func update() throws {
        let scene = try Scene(ListQuery(sort: ["name"], count: 10))
        try scene.reset(["a", "b"], rev: 1)
        #expect(scene.until { scene.list.isComplete })
        let old = try scene.gen
        scene.list.update(to: ListQuery(sort: ["name"], search: "b", count: 10))
        #expect(scene.until { scene.bench.server.methods.last == "items.update" })
        let request = try #require(scene.bench.server.requests.last)
        let reader = try request.reader()
        #expect(try reader.string("search") == "b")
        #expect(try reader.int("gen") == old + 1)
        #expect(!reader.has("window"))
        #expect(!reader.has("sort"))
        // Of the old generation still, then of the new one.
        try scene.delta(from: 1, to: 2, gen: old, total: 3, inserted: [(2, "c")])
        try scene.delta(from: 2, to: 2, gen: old + 1, total: 1, deleted: [0, 2])
        #expect(scene.until { scene.names == ["b"] })
        #expect(scene.reopened == [])
        // And nothing older after that.
        try scene.delta(from: 2, to: 3, gen: old, total: 1)
        #expect(scene.until { scene.opens == 2 })
    }

    @Test("A list tells which query its items answer, whatever was asked for since")
    func shownQuery() throws {
        func asking(_ search: String?) -> ListQuery {
            ListQuery(sort: ["name"], search: search, match: .fuzzy, count: 10)
        }
        let scene = try Scene(asking(nil))
        #expect(scene.list.shownQuery == nil)
        try scene.reset(["a", "b"], rev: 1, last: false, complete: false, total: 3)
        try scene.reset(["c"], rev: 1, chunk: 1, total: 3)
        #expect(scene.until { scene.list.isComplete })
        #expect(scene.list.shownQuery == asking(nil))
        let first = try scene.gen
        var told: [ListQuery?] = []
        scene.list.onChange = { [unowned scene] _ in told.append(scene.list.shownQuery) }
        for search in ["a", "ab", "abc"] { scene.list.update(to: asking(search)) }
        #expect(scene.list.query == asking("abc") && scene.list.shownQuery == asking(nil))
        // Changes of the former rows, rows of the second query, and those of the third, which are the same.
        try scene.delta(from: 1, to: 2, gen: first, total: 4, inserted: [(3, "d")])
        try scene.delta(from: 2, to: 3, gen: first + 2, total: 1, deleted: [1, 2, 3])
        try scene.delta(from: 3, to: 3, gen: first + 3, total: 1)
        #expect(scene.until { told.count == 3 })
        #expect(told == [asking(nil), asking("ab"), asking("abc")])
        // One that is refused is never shown; neither is one whose list is opened anew before its rows are there.
        let answer = scene.bench.server.respond
        scene.bench.server.respond = { request, client in
            client.refuse(request, .invalidParams(at: "search", "too long"))
        }
        let reply = scene.list.update(to: asking("abcd"))
        #expect(throws: ClientError.self) { try reply.wait() }
        try scene.delta(from: 3, to: 4, gen: first + 3, total: 2, inserted: [(1, "x")])
        #expect(scene.until { told.count == 4 })
        #expect(told.last == asking("abc"))
        scene.bench.server.respond = answer
        var others = asking("abc")
        others.fields = ["name"]
        scene.list.update(to: others)
        #expect(scene.until { scene.opens == 2 })
        #expect(scene.list.shownQuery == asking("abc") && scene.names == ["a", "x"])
        try scene.reset(["a"], rev: 4)
        #expect(scene.until { scene.list.isComplete })
        #expect(scene.list.shownQuery == others && scene.reopened == [])
    }

    @Test("A refused query fails with the daemon's message, and the old one stays")
    func refused() throws {
        let scene = try Scene()
        try scene.reset(["a"], rev: 1)
        #expect(scene.until { scene.list.isComplete })
        scene.bench.server.respond = { request, client in
            client.refuse(request, .invalidParams(at: "sort[0]", "no sort key 'sise'"))
        }
        let reply = scene.list.update(to: ListQuery(sort: ["sise"]))
        let error = try #require(throws: ClientError.self) { try reply.wait() }
        #expect(error.isRefusal(.invalidParams))
        #expect(error.refusal?.at == "sort[0]")
        #expect(scene.list.query == ListQuery())
        #expect(scene.errors == [])
    }

    @Test("A list that the daemon refuses to open says so once")
    func refusedOpen() throws {
        let bench = try Bench()
        bench.server.respond = { $1.refuse($0, .unsupported("no 'where' here", at: "where")) }
        let list = LiveList(ListQuery())
        var errors: [ClientError] = []
        list.onError = { errors.append($0) }
        list.attach(to: try bench.connect())
        let connection = try bench.connect()
        list.attach(to: connection)
        #expect(bench.loop.reach { !errors.isEmpty })
        #expect(errors.count == 1)
        #expect(errors[0].isRefusal(.unsupported))
    }

    @Test("Random deltas: items, their observable twin and a plain model agree after each")
    func random() throws {
        try withSeed { random in
            let scene = try Scene()
            var model: [String] = (0..<20).map { "n\($0)" }
            var fresh = 100
            try scene.reset(model, rev: 0)
            #expect(scene.until { scene.list.isComplete })
            let observed = scene.list.observableItems
            var mirror = observed.value
            let connection = observed.changes.connect { $0.apply(on: &mirror) }
            for rev in 1...150 {
                var leaving = Set<Int>()
                for index in model.indices where random.chance(0.1) { leaving.insert(index) }
                let deleted = leaving.filter { _ in random.chance(0.5) }.sorted()
                let movers = leaving.subtracting(deleted).sorted()
                let staying = model.indices.filter { !leaving.contains($0) }.map { model[$0] }
                let newcomers = (0..<Int.random(in: 0...3, using: &random)).map { fresh + $0 }
                fresh += newcomers.count
                // Arrivals are put into the places that stay free, in a random order.
                var arrivals: [(from: Int?, name: String)] = movers.map { ($0, model[$0]) }
                arrivals += newcomers.map { (nil, "n\($0)") }
                arrivals.shuffle(using: &random)
                let count = staying.count + arrivals.count
                let places = (0..<count).shuffled(using: &random).prefix(arrivals.count).sorted()
                var next = staying.makeIterator()
                var after: [String] = []
                var moved: [ItemsDelta.Move] = []
                var inserted: [(Int, String)] = []
                for index in 0..<count {
                    if let order = places.firstIndex(of: index) {
                        let arrival = arrivals[order]
                        after.append(arrival.name)
                        if let from = arrival.from {
                            moved.append(.init(from: from, to: index))
                        } else {
                            inserted.append((index, arrival.name))
                        }
                    } else if let name = next.next() {
                        after.append(name)
                    }
                }
                model = after
                var updated: [(Int, JSONObject)] = []
                if count > 0, random.chance(0.5) {
                    let index = Int.random(in: 0..<count, using: &random)
                    if !inserted.contains(where: { $0.0 == index }) {
                        updated.append((index, ["size": JSONValue(1000 + rev)]))
                    }
                }
                try scene.delta(
                    from: rev - 1, to: rev, total: count, deleted: deleted, moved: moved,
                    inserted: inserted, updated: updated)
                try #require(scene.until { scene.list.rev == rev || scene.opens > 1 })
                try #require(scene.opens == 1)
                try #require(scene.names == model)
                try #require(observed.value == scene.list.items)
                try #require(mirror == scene.list.items)
                for (index, _) in updated {
                    try #require(scene.list.items[index].size == Int64(1000 + rev))
                }
            }
            connection.disconnect()
        }
    }
}
