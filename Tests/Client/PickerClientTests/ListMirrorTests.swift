import JSONText
import Observables
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

/// What observers of a list are told, over resets, connections and daemons that don't play by the rules.
@Suite struct ListMirrorTests {
    /// A server that answers `items.open` with a state of a list, and a list that is attached to it.
    private final class Scene {
        let bench: Bench
        var connection: PickerConnection
        let list: LiveList
        /// What the server sends as a reset.
        var rows: [ItemRecord]
        var epoch = "e"
        var rev = 1
        var total: Int?
        var start = 0
        /// The array that observers have made of the changes that they were told.
        var observed: [ListItem] = []
        var changes: [ArrayChange<ListItem>] = []
        var totals: [Int] = []
        var completes: [Bool] = []
        var errors: [ClientError] = []
        private var connections: [Observables.Connection] = []

        init(_ rows: [ItemRecord], query: ListQuery = ListQuery()) throws {
            bench = try Bench()
            self.rows = rows
            connection = try bench.connect()
            list = LiveList(query)
            list.onError = { [weak self] in self?.errors.append($0) }
            bench.server.respond = { [weak self] request, client in
                client.reply(request, [:])
                if request.method == "items.open" { try? self?.reset(client, request) }
            }
            connections = [
                list.observableItems.connect { [unowned self] change in
                    changes.append(change)
                    change.apply(on: &observed)
                    // All three belong to one transaction.
                    if list.observableItems.count != observed.count { observed = [] }
                },
                list.observableTotal.connect { [unowned self] in totals.append($0.new) },
                list.observableIsComplete.connect { [unowned self] in completes.append($0.new) },
            ]
            list.attach(to: connection)
        }

        func reset(_ client: FakeClient, _ request: RequestEnvelope) throws {
            guard let sub = request.id else { return }
            client.notify(
                ItemsReset(
                    sub: sub, gen: try request.reader().int("gen"), rev: rev,
                    token: "\(epoch):\(rev)", total: total ?? rows.count, start: start,
                    reason: "open", items: rows))
        }

        func until(_ condition: () -> Bool) -> Bool { bench.loop.reach(condition) }

        /// A new connection to a daemon that has other rows now.
        func reconnect(_ rows: [ItemRecord], epoch: String) throws {
            self.rows = rows
            self.epoch = epoch
            rev += 1
            changes = []
            connection.close()
            connection = try bench.connect()
            list.attach(to: connection)
        }

        func check(_ seed: String = "") throws {
            try #require(until { self.list.isComplete }, "\(seed)")
            try #require(list.items.map(\.record) == rows, "\(seed)")
            try #require(observed == list.items, "\(seed)")
            try #require(list.observableItems.value == list.items, "\(seed)")
            try #require(list.observableTotal.value == list.total, "\(seed)")
        }
    }

    /// How many rows the changes name.
    private func touched(_ changes: [ArrayChange<ListItem>]) -> Int {
        changes.reduce(0) { sum, change in
            sum + change.modifications.reduce(0) { $0 + max($1.inputCount, $1.outputCount) }
        }
    }

    private func names(_ numbers: [Int], life: Int = 1) -> [ItemRecord] {
        numbers.map { .sample("n\($0)", life: life) }
    }

    @Test("After a new connection observers get the difference, in one change")
    func reconnection() throws {
        let scene = try Scene(names(Array(0..<200)))
        try scene.check()
        #expect(scene.changes.count == 1)
        #expect(scene.totals == [200])
        #expect(scene.completes == [true])
        // As it was: nothing to tell, but that it was not known for a while.
        try scene.reconnect(names(Array(0..<200)), epoch: "e")
        try scene.check()
        #expect(scene.changes.isEmpty)
        #expect(scene.completes == [true, false, true])
        // One went, one came, one changed, one moved far.
        var numbers = Array(0..<200)
        numbers.remove(at: 150)
        numbers.insert(999, at: 20)
        numbers.append(numbers.remove(at: 3))
        var rows = names(numbers)
        rows[100].size = 77
        try scene.reconnect(rows, epoch: "e")
        try scene.check()
        #expect(scene.changes.count == 1)
        #expect(touched(scene.changes) <= 5)
        #expect(scene.totals == [200])
    }

    @Test("In a new history with other keys, only completely equal rows stay")
    func newHistory() throws {
        let scene = try Scene(names(Array(0..<100)))
        try scene.check()
        // As it was, by chance: nothing to tell.
        try scene.reconnect(names(Array(0..<100)), epoch: "f")
        try scene.check()
        #expect(scene.changes.isEmpty)
        // The last keys of the old history are there again, and belong to others.
        let rows = names(Array(0..<90)) + names(Array(90..<100), life: 2)
        try scene.reconnect(rows, epoch: "g")
        try scene.check()
        #expect(scene.changes.count == 1)
        #expect(touched(scene.changes) == 10)
    }

    @Test("After random resets in old and new histories observers have the right rows")
    func random() throws {
        try withSeed { random in
            let scene = try Scene([])
            try scene.check()
            for round in 0..<60 {
                var numbers = (0..<40).filter { _ in random.chance(0.7) }
                if random.chance(0.5) { numbers.shuffle(using: &random) }
                if random.chance(0.1) { numbers = [] }
                var rows = names(numbers, life: random.chance(0.5) ? 1 : 2)
                if random.chance(0.5) { rows.insert(.new, at: 0) }
                for index in rows.indices where rows[index].kind == .document && random.chance(0.2)
                {
                    rows[index].size = Int64(round)
                }
                let isNew = random.chance(0.4)
                try scene.reconnect(rows, epoch: isNew ? "e\(round)" : scene.epoch)
                try scene.check("seed \(random.seed), round \(round)")
            }
        }
    }

    @Test("A window past the end of the list is empty, and right")
    func pastTheEnd() throws {
        let scene = try Scene([], query: ListQuery(start: 200, count: 10))
        scene.total = 41
        scene.start = 200
        try scene.reconnect([], epoch: "e")
        #expect(scene.until { scene.list.isComplete && scene.list.total == 41 })
        #expect(scene.list.start == 200)
        #expect(scene.list.reopenCount == 0)
    }

    @Test("A window longer than requested is rejected")
    func tooLong() throws {
        let scene = try Scene(names([1, 2, 3]), query: ListQuery(count: 2))
        #expect(scene.until { !scene.errors.isEmpty })
        #expect(scene.errors.map(\.code) == [.badMessage])
        let message = try #require(scene.errors.first?.message)
        #expect(message.contains("3 items, where 2 were asked for"))
        #expect(scene.list.items.isEmpty)
        #expect(!scene.list.isComplete)
    }

    @Test("After updates the window is limited by the latest request")
    func growingWindow() throws {
        let scene = try Scene(names([1, 2]), query: ListQuery(count: 2))
        try scene.check()
        scene.list.update(to: ListQuery(count: 4))
        #expect(scene.until { scene.bench.server.methods.last == "items.update" })
        let open = try #require(scene.bench.server.requests.first { $0.method == "items.open" })
        let sub = try #require(open.id)
        let gen = try open.reader().int("gen")
        func send(_ gen: Int, _ rows: [ItemRecord]) {
            scene.bench.server.clients[0].notify(
                ItemsReset(
                    sub: sub, gen: gen, rev: 3, token: "e:3", total: 9, reason: "update",
                    items: rows))
        }
        send(gen + 1, names([1, 2, 3, 4]))
        #expect(scene.until { scene.list.items.count == 4 })
        #expect(scene.list.reopenCount == 0)
        send(gen + 1, names([1, 2, 3, 4, 5]))
        #expect(scene.until { scene.list.reopenCount == 1 })
    }

    /// Any message about lists, right or wrong, as text.
    private func nonsense(_ sub: RequestID, _ random: inout SeededRandom) -> String {
        func number() -> String {
            let choices = [
                "0", "1", "2", "3", "4", "7", "-1", "9223372036854775807", "1e3", "null", "\"x\"",
                "[]", "2.5", "99999999999999999999",
            ]
            return random.chance(0.7)
                ? "\(Int.random(in: 0...5, using: &random))"
                : choices.randomElement(using: &random) ?? "0"
        }
        func item() -> String {
            let items = [
                "{\"kind\":\"new\",\"key\":\"new\"}", "{\"kind\":\"document\",\"key\":\"k1\"}",
                "{\"kind\":\"document\",\"key\":\"k2\",\"name\":\"n\",\"size\":3}",
                "{\"kind\":\"document\",\"key\":\"k2\",\"name\":7}", "{}", "[]", "null",
                "{\"kind\":\"document\",\"key\":\"k3\",\"nameB64\":\"!\"}",
            ]
            return random.chance(0.8)
                ? items[Int.random(in: 0...2, using: &random)]
                : items.randomElement(using: &random) ?? "{}"
        }
        func many(_ element: () -> String) -> String {
            let count = [0, 0, 1, 1, 2, 5].randomElement(using: &random) ?? 0
            return "[" + (0..<count).map { _ in element() }.joined(separator: ",") + "]"
        }
        func some(_ element: String) -> String { random.chance(0.95) ? element : number() }
        let common =
            "\"sub\":\(sub),\"gen\":\(some("1")),\"token\":\"e:1\",\"total\":\(number()),"
            + "\"start\":\(some("0")),\"complete\":\(some("true"))"
        if random.chance(0.4) {
            return "{\"method\":\"items.reset\",\"params\":{\(common),\"rev\":\(number()),"
                + "\"chunk\":\(some("0")),\"last\":\(some("true")),\"reason\":\"x\","
                + "\"items\":\(many(item))}}\n"
        }
        let changes = ["{\"size\":1}", "{\"size\":\"x\"}", "{\"key\":\"q\"}", "{}", "3"]
        let updated = many { "[\(number()),\(changes.randomElement(using: &random) ?? "{}")]" }
        return "{\"method\":\"items.delta\",\"params\":{\(common),\"from\":\(number()),"
            + "\"to\":\(number()),\"deleted\":\(many(number)),\"moved\":"
            + "\(many { "[\(number()),\(number())]" }),\"inserted\":"
            + "\(many { "[\(number()),\(item())]" }),\"updated\":\(updated)}}\n"
    }

    @Test("After random messages the list is correct or given up, without a crash")
    func hostile() throws {
        try withSeed { random in
            for _ in 0..<25 {
                let scene = try Scene(names([1, 2, 3]))
                try scene.check("seed \(random.seed)")
                for _ in 0..<40 {
                    guard
                        let open = scene.bench.server.requests.last(where: {
                            $0.method == "items.open"
                        }), let sub = open.id, scene.errors.isEmpty
                    else { break }
                    var line = nonsense(sub, &random)
                    let gen = try open.reader().int("gen")
                    line = line.replacing("\"gen\":1,", with: "\"gen\":\(gen),")
                    // A byte that is wrong here and there breaks the line, and with it the connection.
                    if random.chance(0.01) { line = String(line.dropLast(3)) + "\n" }
                    scene.bench.server.clients.last?.send(text: line)
                    var isNext = false
                    scene.connection.send(.ping).then { _ in isNext = true }
                    #expect(scene.until { isNext }, "seed \(random.seed)")
                    #expect(scene.observed == scene.list.items, "seed \(random.seed)")
                }
                scene.rows = names([4, 5])
                try scene.reconnect(scene.rows, epoch: "g")
                try scene.check("seed \(random.seed)")
            }
        }
    }
}
