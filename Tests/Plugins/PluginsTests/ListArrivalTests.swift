// What a client is told of a list before it is made, and when it is made again.

import EventLoops
import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin
@testable import ListRequests

@Suite struct ListArrivalTests {
    /// A list of the first names, whose order falls behind at each change; slices are as short as can be.
    private static func followed(
        of count: Int, window: Int = 3, earlyFrom: Int = 1_000_000,
        earlyAfter: Int = 1_000_000
    ) throws -> (ListFixture, ListCopy, SurveyQueue) {
        var limits = SurveyLimits()
        limits.direct = 0
        limits.sortedAtOnce = 0
        limits.slice = 4
        limits.stepsPerClockCheck = 1
        limits.earlyFrom = earlyFrom
        limits.earlyAfter = earlyAfter
        let fixture = try ListFixture(limits: limits)
        fixture.documents.following.limits.editsAtOnce = 0
        fixture.documents.following.limits.alwaysFollowed = 0
        fixture.add((0..<count).map { "\($0).txt" })
        let query: JSONValue = ["window": ["count": JSONValue(window)]]
        _ = try fixture.session.call("items.open", query, id: 1).get()
        fixture.loop.turn()
        var copy = ListCopy(sub: 1)
        for line in fixture.session.read() { try copy.take(line) }
        return (fixture, copy, try #require(fixture.plugin.builder?.surveys))
    }

    private static func query(_ lines: [JSONValue], _ name: String) -> [JSONValue?] {
        lines.map { $0["params"]?[name] }
    }

    @Test("a list that is made again for long after a great change is told once to be not complete")
    func lateness() throws {
        /// The lines after a great change, when orders have fallen behind.
        func lines(of count: Int) throws -> [JSONValue] {
            // Its rows are found in the list only.
            var (fixture, copy, queue) = try Self.followed(of: count, window: 2000)
            #expect(copy.total == 1 + count && copy.isComplete)
            let before = copy
            fixture.add((0..<count).map { "\($0).md" })
            var lines: [JSONValue] = []
            // The list is begun when the client has room.
            #expect(fixture.session.read().isEmpty && queue.count > 0)
            while queue.count > 0 {
                fixture.loop.runOne()
                for line in fixture.session.read() {
                    try copy.take(line)
                    lines.append(line)
                    if queue.count == 0 { continue }
                    #expect(copy.rows == before.rows && copy.total == before.total)
                    #expect(copy.rev == before.rev && !copy.isComplete)
                }
            }
            #expect(copy.total == 1 + 2 * count && copy.isComplete)
            return lines
        }
        let long = try lines(of: 400)
        #expect(Self.query(long, "complete") == [false, true])
        #expect(long.first?["params"]?["from"] == long.first?["params"]?["to"])
        #expect(try Self.query(lines(of: 2), "complete") == [true])
    }

    @Test("after a great change the rows of a short window are told before the list is made")
    func rowsAfterChange() throws {
        var (fixture, copy, queue) = try Self.followed(of: 400)
        fixture.add((0..<400).map { "\($0).md" })
        var lines: [JSONValue] = []
        var left = 0
        #expect(fixture.session.read().isEmpty)
        while queue.count > 0 {
            fixture.loop.runOne()
            for line in fixture.session.read() {
                try copy.take(line)
                lines.append(line)
                left = queue.slices
            }
        }
        // No word of the list: it has the same rows.
        #expect(Self.query(lines, "complete") == [true] && Self.query(lines, "total") == [801])
        #expect(copy.rows.compactMap { $0.name?.text } == ["0.md", "0.txt"])
        #expect(queue.slices - left > 100, "the list was made before")
    }

    @Test("rows that were found are told again at once, until documents change")
    func foundRows() throws {
        let (fixture, _, queue) = try Self.followed(of: 400)
        var open: [ListCopy] = []
        /// The slices until the rows of another list are told.
        func slices(_ sort: String) throws -> Int {
            let before = queue.slices
            let id = RequestID.integer(Int64(100 + open.count))
            let query: JSONValue = ["sort": [.string(sort)], "window": ["count": 3]]
            _ = try fixture.session.call("items.open", query, id: id).get()
            open.append(ListCopy(sub: id))
            while open.last?.isComplete != true {
                for line in fixture.session.read() {
                    for index in open.indices where line["params"]?["sub"] == open[index].sub.value
                    {
                        try open[index].take(line)
                    }
                }
                if open.last?.isComplete != true { fixture.loop.runOne() }
            }
            let expected = try ExpectedList(
                of: fixture.documents, sort: SortOrder(keys: [sort]), search: nil,
                window: ListWindow(start: 0, count: 3), fields: .all)
            #expect(open.last?.rows == expected.rows && open.last?.total == expected.total)
            return queue.slices - before
        }
        for sort in ["size", "-modified"] { #expect(try slices(sort) > 20) }
        for sort in ["size", "-modified"] { #expect(try slices(sort) < 10) }
        fixture.add(["0 new.md"])
        for sort in ["size", "-modified"] { #expect(try slices(sort) > 20) }
    }

    @Test("the rows of the latest windows are kept, and of no more", arguments: [0, 1])
    func keptRows(beyond: Int) throws {
        let (fixture, _, queue) = try Self.followed(of: 400)
        /// The slices until the rows of a query are told. Its list is closed before it is made.
        func slices(_ number: Int) throws -> Int {
            let before = queue.slices
            let query: JSONValue = [
                "where": ["size", "lt", JSONValue(number)], "window": ["count": 3],
            ]
            _ = try fixture.session.call("items.open", query, id: 2).get()
            var copy = ListCopy(sub: 2)
            while !copy.isComplete {
                for line in fixture.session.read() where line["params"]?["sub"] == 2 {
                    try copy.take(line)
                }
                if !copy.isComplete { fixture.loop.runOne() }
            }
            _ = try fixture.session.call("items.close", ["sub": 2], id: 3).get()
            return queue.slices - before
        }
        for number in 0..<ListBuilder.keptWindows + beyond {
            #expect(try slices(1000 + number) > 20)
        }
        // Beyond the limit, the first has gone.
        #expect(try (slices(1000) < 10) == (beyond == 0))
    }

    @Test("a list whose rows are told is not made while more changes are known to come")
    func restWhileMoreComes() throws {
        var (fixture, copy, queue) = try Self.followed(of: 400)
        var areMoreComing = false
        fixture.documents.areMoreComing = { areMoreComing }
        fixture.add((0..<400).map { "\($0).md" })
        #expect(fixture.session.read().isEmpty)
        while copy.total != 801 {
            fixture.loop.runOne()
            for line in fixture.session.read() { try copy.take(line) }
        }
        areMoreComing = true
        let slices = queue.slices
        for _ in 0..<100 { fixture.loop.advance(by: .milliseconds(1)) }
        // It is asked once a millisecond.
        #expect(queue.count == 1 && queue.slices - slices <= 101)
        areMoreComing = false
        fixture.loop.advance(by: .milliseconds(1))
        #expect(queue.count == 0)
        #expect(fixture.session.read().isEmpty)
    }

    @Test("rows that change before their list is made are told again", arguments: [1, 50])
    func rowsAgain(count: Int) throws {
        var (fixture, copy, queue) = try Self.followed(of: 400)
        fixture.add((0..<400).map { "\($0).md" })
        #expect(fixture.session.read().isEmpty)
        var lines: [JSONValue] = []
        var isChanged = false
        var ends: [Int] = []
        while queue.count > 0 {
            fixture.loop.runOne()
            for line in fixture.session.read() {
                try copy.take(line)
                lines.append(line)
                ends.append(queue.slices)
                if isChanged { continue }
                isChanged = true
                fixture.add((0..<count).map { "0\($0).txt" })
            }
        }
        // In slices as short as these the rows are found late, which is told in between.
        let complete = lines.filter { $0["params"]?["complete"] == true }
        #expect(Self.query(complete, "total") == [801, .integer(Int64(801 + count))])
        #expect(lines.last == complete.last)
        #expect(copy.rows.compactMap { $0.name?.text } == ["0.md", "0.txt"])
        #expect(queue.slices - (ends.last ?? 0) > 50, "the list was made before")
    }

    /// Searches in an open list of 400; answers the lines, and the slices by each.
    private static func search(
        _ text: String, earlyFrom: Int
    ) throws -> (lines: [JSONValue], slices: [Int], copy: ListCopy) {
        var (fixture, copy, queue) = try followed(of: 400, earlyFrom: earlyFrom)
        while queue.count > 0 { fixture.loop.runOne() }
        for line in fixture.session.read() { try copy.take(line) }
        let begun = queue.slices
        _ = try fixture.session.call(
            "items.update", ["sub": 1, "gen": 1, "search": .string(text)], id: 2
        ).get()
        var lines: [JSONValue] = []
        var slices: [Int] = []
        while lines.last?["params"]?["complete"] != true {
            for line in fixture.session.read() where line["method"] != nil {
                try copy.take(line)
                // The list before is not complete any more, which may be told first.
                if copy.gen == 0 { continue }
                lines.append(line)
                slices.append(queue.slices - begun)
                let isEarly = !copy.isComplete
                let expected = try ExpectedList(
                    of: fixture.documents, sort: SortOrder(keys: ["name"]), search: text,
                    window: ListWindow(start: 0, count: 3), fields: .all)
                #expect(copy.rows == expected.rows, "line \(lines.count)")
                #expect(copy.total == (isEarly ? 3 : expected.total))
            }
            fixture.loop.runOne()
        }
        return (lines, slices, copy)
    }

    @Test("the first rows of a search that takes long are told before their number, in its order")
    func earlyRows() throws {
        // A search takes 20 steps for each document.
        let early = try Self.search("9", earlyFrom: 400 * 20)
        #expect(Self.query(early.lines, "complete") == [false, true])
        #expect(early.lines.map { $0["method"] } == ["items.reset", "items.delta"])
        // Nothing but the number is new.
        #expect(Self.query(early.lines, "inserted") == [nil, []])
        #expect(early.slices[0] <= 2 && early.slices[0] < early.slices[1])
        let late = try Self.search("9", earlyFrom: 400 * 20 + 1)
        #expect(Self.query(late.lines, "complete") == [true])
        #expect(late.copy.rows == early.copy.rows && late.copy.total == early.copy.total)
    }

    @Test("a search that finds too little in its order is not told early")
    func noEarlyRows() throws {
        // One document, and none.
        #expect(try Self.query(Self.search("399", earlyFrom: 0).lines, "complete") == [true])
        #expect(try Self.query(Self.search("none", earlyFrom: 0).lines, "complete") == [true])
    }

    @Test(
        "a search that ranks for long tells its first of all before their number, in another order its first so far"
    )
    func earlyRanks() throws {
        func lines(
            earlyAfter: Int, sort: [String] = ["score"], search: String = "9"
        ) throws -> [JSONValue] {
            var (fixture, copy, queue) = try Self.followed(of: 400, earlyAfter: earlyAfter)
            while queue.count > 0 { fixture.loop.runOne() }
            for line in fixture.session.read() { try copy.take(line) }
            let change: JSONValue = [
                "sub": 1, "gen": 1, "search": .string(search), "match": "fuzzy",
                "sort": .array(sort.map { .string($0) }),
            ]
            _ = try fixture.session.call("items.update", change, id: 2).get()
            var lines: [JSONValue] = []
            var turns = 0
            while lines.last?["params"]?["complete"] != true {
                for line in fixture.session.read() where line["method"] != nil {
                    try copy.take(line)
                    if copy.gen == 1 { lines.append(line) }
                }
                fixture.loop.runOne()
                turns += 1
                try #require(turns < 10_000, "'\(search)': \(lines)")
            }
            let expected = try ExpectedList(
                of: fixture.documents, sort: SortOrder(keys: sort), search: search,
                match: .fuzzy, window: ListWindow(start: 0, count: 3), fields: .all)
            #expect(copy.rows == expected.rows && copy.total == expected.total)
            return lines
        }
        // When few have been found: 9, 19, 29.
        let early = try lines(earlyAfter: 80)
        #expect(Self.query(early, "complete") == [false, true])
        #expect(early.map { $0["method"] } == ["items.reset", "items.delta"])
        #expect(Self.query(early, "inserted").last == [])
        // Fewer than the window has are told once it is known that these are all.
        for search in ["399", "none"] {
            let few = try lines(earlyAfter: 80, search: search)
            #expect(Self.query(few, "complete") == [true], "\(search)")
        }
        let other = try lines(earlyAfter: 80, sort: ["-liked", "score"])
        #expect(Self.query(other, "complete") == [false, true])
        #expect(Self.query(other, "inserted").last != [])
        let late = try lines(earlyAfter: 1_000_000)
        #expect(Self.query(late, "complete") == [true])
    }
}
