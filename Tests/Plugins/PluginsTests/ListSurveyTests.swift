// Lists with surveys in slices: what a client gets in the meantime, and what cancels them.

import EventLoops
import JSONText
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin
@testable import ListRequests

@Suite struct ListSurveyTests {
    /// A fixture in which a search takes several slices: one for what it finds, and the others for the list.
    private static func sliced() throws -> ListFixture {
        var limits = SurveyLimits()
        limits.direct = 0
        limits.slice = 1
        limits.stepsPerClockCheck = 1
        let fixture = try ListFixture(limits: limits)
        fixture.add((0..<100).map { "\($0).txt" })
        return fixture
    }

    private static func query(_ lines: [JSONValue], _ name: String) -> [JSONValue?] {
        lines.map { $0["params"]?[name] }
    }

    @Test("an opened list is not complete until its survey is done")
    func opening() throws {
        let fixture = try Self.sliced()
        _ = try fixture.session.call("items.open", ["search": "7", "gen": 3], id: 1).get()
        let first = fixture.session.read()
        #expect(first.map { $0["method"] } == ["items.reset"])
        #expect(Self.query(first, "complete") == [false] && Self.query(first, "total") == [0])
        #expect(Self.query(first, "gen") == [3])
        #expect(fixture.session.read().isEmpty && !fixture.session.hasWork)
        fixture.loop.turn()
        let second = fixture.session.read()
        #expect(Self.query(second, "complete") == [true] && Self.query(second, "total") == [19])
        #expect(second.map { $0["method"] } == ["items.reset"])
    }

    @Test("an update shows the old rows, not complete, then those of the last update only")
    func updating() throws {
        let fixture = try Self.sliced()
        _ = try fixture.session.call("items.open", ["window": ["count": 3]], id: 1).get()
        #expect(Self.query(fixture.session.read(), "complete") == [true])
        let queue = try #require(fixture.plugin.builder?.surveys)
        for (gen, text) in ["7", "8", "9"].enumerated() {
            let params: JSONValue = [
                "sub": 1, "gen": JSONValue(gen + 1), "search": JSONValue(text),
            ]
            #expect(try fixture.session.call("items.update", params).get() == [:])
            fixture.loop.runOne()
            let lines = fixture.session.read()
            #expect(Self.query(lines, "complete") == (gen == 0 ? [false] : []))
            #expect(Self.query(lines, "gen").allSatisfy { $0 == 0 })
            #expect(queue.count == 1, "the one before is given up")
        }
        // A document that comes meanwhile is shown in what there is, and belongs to what comes.
        fixture.add(["09.txt", "0.txt.txt"])
        let meanwhile = fixture.session.read()
        #expect(Self.query(meanwhile, "complete") == [false] && Self.query(meanwhile, "gen") == [0])
        fixture.loop.turn()
        let last = fixture.session.read()
        #expect(Self.query(last, "complete") == [true] && Self.query(last, "gen") == [3])
        #expect(Self.query(last, "total") == [20])
        #expect(queue.count == 0)
    }

    @Test("another window during a survey does not restart it")
    func window() throws {
        /// The slices that it takes, with or without an update after the first.
        func slices(_ update: JSONValue?, _ lines: inout [JSONValue]) throws -> Int {
            let fixture = try Self.sliced()
            _ = try fixture.session.call("items.open", ["search": "7"], id: 1).get()
            fixture.loop.runOne()
            let queue = try #require(fixture.plugin.builder?.surveys)
            #expect(queue.count == 1 && queue.slices == 1)
            if let update { #expect(try fixture.session.call("items.update", update).get() == [:]) }
            fixture.loop.turn()
            lines = fixture.session.read()
            return queue.slices
        }
        var lines: [JSONValue] = []
        let usual = try slices(nil, &lines)
        let window: JSONValue = ["start": 2, "count": 4]
        #expect(try slices(["sub": 1, "window": window, "gen": 1], &lines) == usual)
        var copy = ListCopy(sub: 1)
        for line in lines { try copy.take(line) }
        let names = copy.rows.map { $0.name?.text }
        #expect(copy.gen == 1 && copy.isComplete && copy.start == 2 && copy.total == 19)
        #expect(names == ["27.txt", "37.txt", "47.txt", "57.txt"])
    }

    /// A list of 6,000 documents, "report 0.txt" and so on, by name, of which a client sees three rows.
    private struct LongList {
        let fixture: ListFixture
        var copy = ListCopy(sub: 1)

        init(_ limits: SurveyLimits) throws {
            fixture = try ListFixture(limits: limits)
            fixture.add((0..<6000).map { "report \($0).txt" })
            _ = try fixture.session.call("items.open", ["window": ["count": 3]], id: 1).get()
            try read()
            try runUntilIdle()
            #expect(copy.isComplete && copy.total == 6001)
        }

        var names: [String?] { copy.rows.map { $0.name?.text } }

        mutating func read() throws {
            for line in fixture.session.read() { try copy.take(line) }
        }

        mutating func type(_ text: String, _ gen: Int, _ window: JSONValue = ["count": 3]) throws {
            let params: JSONValue = [
                "sub": 1, "gen": JSONValue(gen), "search": JSONValue(text), "window": window,
            ]
            #expect(try fixture.session.call("items.update", params).get() == [:])
            try read()
        }

        mutating func runUntilComplete(_ gen: Int) throws {
            while copy.gen != gen || !copy.isComplete {
                try #require(!fixture.loop.isIdle)
                fixture.loop.runOne()
                try read()
            }
        }

        /// `check` sees the client's rows after each step.
        mutating func runUntilIdle(_ check: (ListCopy) -> Void = { _ in }) throws {
            while !fixture.loop.isIdle {
                fixture.loop.runOne()
                try read()
                check(copy)
            }
        }
    }

    @Test("in an order at hand the window is complete before the list is made")
    func wholeWindow() throws {
        var limits = SurveyLimits()
        limits.direct = 0
        limits.stepsPerClockCheck = 100
        var list = try LongList(limits)
        let queue = try #require(list.fixture.plugin.builder?.surveys)
        try list.type("report", 1)
        try list.runUntilComplete(1)
        #expect(list.copy.total == 6000 && queue.count == 1, "the list is still to be made")
        #expect(list.names == ["report 0.txt", "report 1.txt", "report 2.txt"])
        // Another window does not wait for that, and what changes meanwhile is told in the end.
        try list.type("report", 2, ["start": 10, "count": 1])
        try list.runUntilComplete(2)
        #expect(list.copy.total == 6000 && list.copy.start == 10)
        #expect(list.names == ["report 10.txt"] && queue.count == 1)
        list.fixture.add(["report 0.5.txt"])
        // Nor does the next letter.
        try list.type("report 1", 3)
        try list.runUntilComplete(3)
        #expect(list.names == ["report 1.txt", "report 10.txt", "report 11.txt"])
        list.fixture.add(["report 1.0.txt"])
        try list.runUntilIdle()
        let expected = try ExpectedList(
            of: list.fixture.documents, sort: .name, search: "report 1",
            window: ListWindow(start: 0, count: 3), fields: .all)
        #expect(list.copy.total == expected.total)
        #expect(list.copy.rows.map { $0.key } == expected.rows.map { $0.key })
        #expect(list.copy.isComplete && queue.count == 0)
    }

    @Test(
        "a window that was complete is not once documents change and its list takes long",
        arguments: [true, false])
    func lateWindow(changes: Bool) throws {
        var limits = SurveyLimits()
        limits.direct = 0
        limits.stepsPerClockCheck = 20
        limits.slice = 20
        var list = try LongList(limits)
        try list.type("report", 1)
        try list.runUntilComplete(1)
        let rev = list.copy.rev
        if changes { list.fixture.add(["report 0.5.txt"]) }
        var isLate = false
        try list.runUntilIdle { copy in
            if copy.isComplete { return }
            isLate = true
            #expect(copy.rev == rev && copy.total == 6000)
        }
        #expect(isLate == changes)
        #expect(list.copy.isComplete && list.copy.total == (changes ? 6001 : 6000))
    }

    @Test("a window beyond the last row sends nothing, and fills with new rows")
    func roomyWindow() throws {
        let fixture = try ListFixture()
        fixture.add(["a"])
        _ = try fixture.session.call("items.open", ["window": ["count": 2]], id: 1).get()
        #expect(fixture.session.read().count == 1)
        let params: JSONValue = ["sub": 1, "window": ["count": 3]]
        #expect(try fixture.session.call("items.update", params).get() == [:])
        #expect(fixture.session.read().isEmpty && !fixture.session.hasWork)
        fixture.add(["b", "c"])
        let inserted = fixture.session.read().map { $0["params"]?["inserted"]?.arrayValue?.count }
        #expect(inserted == [1])
    }

    @Test(
        "surveys progress under constant load, a slice every few milliseconds")
    func busyLoop() throws {
        let fixture = try Self.sliced()
        for number in 0...9 {
            let params: JSONValue = ["search": JSONValue("\(number)")]
            _ = try fixture.session.call("items.open", params, id: .integer(Int64(number))).get()
        }
        let queue = try #require(fixture.plugin.builder?.surveys)
        var isBusy = true
        func work() {
            fixture.loop.spend(.milliseconds(1))
            fixture.loop.enqueue { if isBusy { work() } }
        }
        fixture.loop.enqueue { work() }
        fixture.loop.turn(limit: 60)
        #expect((5...15).contains(queue.slices), "\(queue.slices) slices in 60 ms")
        isBusy = false
        fixture.loop.turn()
        #expect(queue.count == 0 && fixture.loop.nextTimer == nil)
    }

    @Test("of many surveys a few run at a time; the others use no memory, and all finish")
    func manyAtOnce() throws {
        let fixture = try Self.sliced()
        for number in 1...30 {
            let params: JSONValue = ["search": JSONValue("\(number % 10)")]
            _ = try fixture.session.call("items.open", params, id: .integer(Int64(number))).get()
        }
        let queue = try #require(fixture.plugin.builder?.surveys)
        #expect(queue.count == 30)
        fixture.loop.turn(limit: 10)
        #expect(queue.begunCount <= queue.limits.concurrentSurveys)
        fixture.loop.turn()
        #expect(queue.count == 0)
        let lines = fixture.session.read()
        #expect(lines.count == 30)
        #expect(lines.allSatisfy { $0["params"]?["complete"] == true })
    }

    @Test("a reset in chunks is complete with its last chunk, and not before")
    func chunks() throws {
        let fixture = try ListFixture()
        fixture.add((0..<3000).map { "some quite long name of a file \($0).txt" })
        _ = try fixture.session.call("items.open", ["window": ["count": .null]], id: 1).get()
        let lines = fixture.session.read()
        #expect(lines.count > 2)
        #expect(Self.query(lines, "complete").dropLast().allSatisfy { $0 == false })
        #expect(Self.query(lines, "complete").last == true)
        #expect(Self.query(lines, "last").last == true)
    }

    @Test("a list opened during the first scan says so, and reports its end")
    func firstScan() throws {
        let fixture = try ListFixture()
        fixture.documents.isComplete.value = false
        _ = try fixture.session.call("items.open", [:], id: 1).get()
        #expect(Self.query(fixture.session.read(), "complete") == [false])
        fixture.documents.isComplete.value = true
        let lines = fixture.session.read()
        #expect(lines.map { $0["method"] } == ["items.delta"])
        #expect(Self.query(lines, "complete") == [true])
    }

    @Test("a search in a sorted list is answered at once, and leaves deferred work of other lists")
    func ownOrder() throws {
        let fixture = try ListFixture()
        fixture.add((0..<3000).map { "file \($0 * 7919 % 3000).md" })
        _ = try fixture.session.call("items.open", [:], id: 1).get()
        fixture.loop.turn()
        _ = fixture.session.read()
        _ = try fixture.session.call("items.open", ["sort": "-size"], id: 2).get()
        #expect(ObservableScheduler.current.hasDeferredWork)
        _ = fixture.session.read()
        let queue = try #require(fixture.plugin.builder?.surveys)
        let slices = queue.slices
        var total = 0
        for (gen, text) in ["7", "77", "777"].enumerated() {
            let params: JSONValue = [
                "sub": 1, "search": JSONValue(text), "gen": JSONValue(gen + 1),
            ]
            _ = try fixture.session.call("items.update", params).get()
            let lines = fixture.session.read()
            total = try ExpectedList(
                of: fixture.documents, sort: .name, search: text, window: .all, fields: .all
            ).total
            #expect(Self.query(lines, "complete") == [true])
            #expect(Self.query(lines, "total") == [JSONValue(total)])
            #expect(Self.query(lines, "gen") == [JSONValue(gen + 1)])
        }
        #expect(total == 3 && queue.slices == slices)
        #expect(ObservableScheduler.current.hasDeferredWork)
    }

    @Test("lists with equal queries and orders are one list, made once")
    func sharedLists() throws {
        let fixture = try Self.sliced()
        let params: JSONValue = ["search": "7", "window": ["start": 0, "count": 5]]
        for id in 1...4 {
            _ = try fixture.session.call("items.open", params, id: .integer(Int64(id))).get()
        }
        fixture.loop.turn()
        var copies = (1...4).map { ListCopy(sub: .integer(Int64($0))) }
        func read() throws {
            for line in fixture.session.read() {
                let sub = line["params"]?["sub"]
                let place = try #require(copies.firstIndex { $0.sub.value == sub })
                try copies[place].take(line)
            }
        }
        try read()
        let before = ObservableScheduler.current.recomputations
        fixture.add(["07.txt"])
        let cost = ObservableScheduler.current.recomputations - before
        try read()
        for copy in copies {
            #expect(copy.isComplete && copy.total == 20 && copy.rows == copies[0].rows)
        }
        // One that is opened later is there at once, and costs a change next to nothing.
        let queue = try #require(fixture.plugin.builder?.surveys)
        let slices = queue.slices
        _ = try fixture.session.call("items.open", params, id: 5).get()
        copies.append(ListCopy(sub: 5))
        try read()
        #expect(copies[4].isComplete && queue.slices == slices && queue.count == 0)
        let then = ObservableScheduler.current.recomputations
        fixture.add(["70.txt.txt"])
        #expect(ObservableScheduler.current.recomputations - then <= cost + 2)
        try read()
        for copy in copies {
            #expect(copy.total == 21 && copy.rows == copies[0].rows)
        }
    }

    @Test("what is typed again after a letter is removed needs no slice")
    func typedAgain() throws {
        let fixture = try Self.sliced()
        _ = try fixture.session.call("items.open", [:], id: 1).get()
        let queue = try #require(fixture.plugin.builder?.surveys)
        var copy = ListCopy(sub: 1)
        var slices: [Int] = []
        for (gen, text) in ["1", "12", "1", "", "12"].enumerated() {
            let before = queue.slices
            let params: JSONValue = [
                "sub": 1, "search": JSONValue(text), "gen": JSONValue(gen + 1),
            ]
            _ = try fixture.session.call("items.update", params).get()
            for line in fixture.session.read() { try copy.take(line) }
            fixture.loop.turn()
            for line in fixture.session.read() { try copy.take(line) }
            slices.append(queue.slices - before)
            let expected = try ExpectedList(
                of: fixture.documents, sort: .name, search: text, window: .opening, fields: .all)
            #expect(copy.isComplete && copy.gen == gen + 1 && copy.rows == expected.rows)
        }
        #expect(slices[0] > 0 && slices[1] > 0)
        #expect(slices[2...] == [0, 0, 0])
    }

    @Test("a new query resends a long window; later changes come as deltas")
    func longWindow() throws {
        let fixture = try ListFixture()
        fixture.add((0..<6000).map { "file \($0).md" })
        _ = try fixture.session.call("items.open", ["window": ["count": .null]], id: 1).get()
        var copy = ListCopy(sub: 1)
        for line in fixture.read() { try copy.take(line) }
        #expect(copy.total == 6001 && copy.isComplete)
        _ = try fixture.session.call("items.update", ["sub": 1, "search": "11", "gen": 1]).get()
        let lines = fixture.read()
        for line in lines { try copy.take(line) }
        #expect(Self.query(lines, "reason").contains("update") && copy.gen == 1)
        let expected = try ExpectedList(
            of: fixture.documents, sort: .name, search: "11", window: .all, fields: .all)
        #expect(copy.rows == expected.rows && copy.total == expected.total)
        fixture.add(["11.md", "file 99911.md"])
        let deltas = fixture.read()
        #expect(deltas.map { $0["method"] } == ["items.delta"])
        // As much as another query may alter, and it is a change all the same: after a query that was
        // sent anew, and after one that made no difference.
        for (gen, text) in [(2, "e"), (3, "fil")] {
            let params: JSONValue = ["sub": 1, "search": JSONValue(text), "gen": JSONValue(gen)]
            _ = try fixture.session.call("items.update", params).get()
            let resets = Self.query(fixture.read(), "reason").filter { $0 != nil }
            #expect(resets.isEmpty == (gen == 3))
            fixture.add(["0file \(gen).md", "zfile \(gen).md"])
            let deltas = fixture.read()
            #expect(deltas.map { $0["method"] } == ["items.delta"], "\(text)")
        }
    }

    @Test(
        "an unread list is suspended: changes cost nothing, and none is missed")
    func resting() throws {
        let fixture = try ListFixture()
        var documents = fixture.add((0..<20).map { "\($0).txt" })
        for id in 1...10 {
            _ = try fixture.session.call(
                "items.open", ["search": "1"], id: .integer(Int64(id))
            ).get()
        }
        var copy = ListCopy(sub: 1)
        for line in fixture.session.read() where line["params"]?["sub"] == 1 {
            try copy.take(line)
        }
        func change() {
            let old = documents[1]
            documents[1] = old.with(size: old.size + 1, modified: old.modified)
            fixture.replace(old, with: documents[1])
        }
        for _ in 0..<300 { change() }
        let before = ObservableScheduler.current.recomputations
        for _ in 0..<100 { change() }
        let cost = ObservableScheduler.current.recomputations - before
        #expect(cost < 100 * 10, "\(cost) recomputations for 100 changes")
        for line in fixture.session.read() where line["params"]?["sub"] == 1 {
            try copy.take(line)
        }
        let expected = try ExpectedList(
            of: fixture.documents, sort: .name, search: "1", window: .opening, fields: .all)
        #expect(copy.rows == expected.rows && copy.isComplete)
        // And from then on it follows.
        change()
        for line in fixture.session.read() where line["params"]?["sub"] == 1 {
            #expect(line["method"] == "items.delta")
            try copy.take(line)
        }
        #expect(copy.rows.contains { $0.size == Int64(documents[1].size) })
    }

    @Test("a session's sort orders are limited, and released with their lists")
    func orders() throws {
        let fixture = try ListFixture()
        fixture.documents.apply(inserted: (0..<20_000).map { fixture.makeDocument("\($0)") })
        let claims = OrderClaims(
            of: fixture.documents, sessionBytes: 1_700_000, totalBytes: 10_400_000)
        let first = fixture.session
        let second = FakeSession(registry: fixture.registry)
        let sorts = try Self.sorts
        var held: [OrderClaim] = []
        func claim(_ index: Int, _ session: FakeSession?) throws {
            held.append(
                try claims.claim(
                    OrderName(range: .listed, sortOrder: sorts[index]), for: session))
        }
        // 5 bytes × 20,000 documents: 17 orders of a session, 104 of all.
        for index in 0..<17 { try claim(index, first) }
        let refused = #expect(throws: ProtocolError.self) { try claim(17, first) }
        #expect(refused?.kind == .limitExceeded && refused?.limit == 17)
        #expect(refused?.message.contains("20000 documents") == true)
        try claim(3, first)  // one that it has
        try claim(17, second)  // another client
        held.removeFirst()
        try claim(18, first)
        held = []
        try claim(40, first)
        #expect(claims.orderCount < 10, "those that nobody uses are gone")
    }

    @Test("the sort orders of all sessions together are limited, too")
    func allOrders() throws {
        let fixture = try ListFixture()
        fixture.add(["a", "b"])
        let claims = OrderClaims(of: fixture.documents, sessionBytes: 0, totalBytes: 0)
        var held: [OrderClaim] = []
        var sessions: [FakeSession] = []
        let refused = #expect(throws: ProtocolError.self) {
            for (index, order) in try Self.sorts.enumerated() {
                if index % 10 == 0 { sessions.append(FakeSession(registry: fixture.registry)) }
                held.append(
                    try claims.claim(
                        OrderName(range: .listed, sortOrder: order), for: sessions.last))
            }
        }
        #expect(held.count == OrderClaims.totalCount)
        #expect(refused?.limit == OrderClaims.totalCount)
        #expect(refused?.message.contains("all clients") == true)
    }

    /// Very many different orders.
    private static var sorts: [SortOrder] {
        get throws {
            let fields = ["name", "modified", "size", "type", "path", "liked"]
            var sorts: [SortOrder] = []
            for first in fields {
                for second in fields where first != second {
                    for signs in [("", ""), ("", "-"), ("-", "")] {
                        sorts.append(try SortOrder(keys: [signs.0 + first, signs.1 + second]))
                    }
                }
            }
            return sorts
        }
    }
}
