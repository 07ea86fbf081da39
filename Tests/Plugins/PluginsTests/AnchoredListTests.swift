// Windows that follow an item.

import JSONText
import ListRequests
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct AnchoredListTests {
    private let fixture: ListFixture
    private let documents: [Document]

    init() throws {
        fixture = try ListFixture()
        documents = fixture.add((100..<200).map { "n\($0).md" })
    }

    private func window(
        _ document: Document, offset: Int? = nil, count: JSONValue = 5
    ) -> JSONValue {
        var window: JSONObject = ["anchor": JSONValue("key:" + document.key), "count": count]
        if let offset { window["offset"] = JSONValue(offset) }
        return .object(window)
    }

    private func open(_ params: JSONValue) throws -> ListCopy {
        _ = try fixture.session.call("items.open", params).get()
        var copy = ListCopy(sub: 1)
        try takeAll(&copy)
        return copy
    }

    @discardableResult
    private func takeAll(_ copy: inout ListCopy) throws -> [ItemsDelta] {
        let lines = fixture.session.read()
        for line in lines { try copy.take(line) }
        return try lines.filter { $0["method"] == "items.delta" }
            .map { try ItemsDelta(decoding: #require($0["params"])) }
    }

    private func names(_ copy: ListCopy) -> [String] { copy.rows.compactMap { $0.name?.text } }

    @Test("the item is at its offset, as far as the start of the list allows")
    func places() throws {
        for (index, offset, start) in [
            (50, nil, 51), (50, 2, 49), (0, 3, 0), (2, 3, 0), (99, 0, 100), (99, 4, 96),
        ] as [(Int, Int?, Int)] {
            let params: JSONValue = ["window": window(documents[index], offset: offset)]
            let got = try ItemsResult(
                decoding: fixture.session.call("items.get", params).get())
            #expect(got.start == start && got.total == 101)
            #expect(got.items[index + 1 - start].key == documents[index].key)
            #expect(got.items.count == min(5, 101 - start))
            let copy = try open(params)
            #expect(copy.rows == got.items && copy.start == start)
            _ = try fixture.session.call("items.close", ["sub": 1]).get()
        }
        let new = try fixture.session.call(
            "items.get", ["window": ["anchor": "key:new", "count": 2]]
        ).get()
        #expect(new["start"] == 0 && new["items"]?[0]?["key"] == "new")
        let missing = try fixture.session.call(
            "items.get", ["window": ["anchor": "key:none", "count": 2]]
        ).get()
        #expect(missing["start"] == 0 && missing["items"]?.arrayValue?.count == 2)
    }

    @Test("rows that come or go before the window change its start, and no row")
    func shifts() throws {
        var copy = try open(["window": window(documents[50], offset: 2)])
        let rows = copy.rows
        fixture.add(["a1.md", "a2.md", "n120b.md"])
        for (start, total) in [(52, 104), (51, 103)] {
            let deltas = try takeAll(&copy)
            #expect(deltas.count == 1 && deltas.allSatisfy(\.leavesWindow))
            #expect(copy.rows == rows && copy.start == start && copy.total == total)
            fixture.documents.apply(removed: [documents[7]], inserted: [])
        }
        // One that comes and one that goes: the total stays, and so does the start.
        let last = documents[8]
        fixture.replace(last, with: last.with(root: "/r", path: FileName("a3.md")))
        try takeAll(&copy)
        #expect(copy.rows == rows && copy.start == 51 && copy.total == 103)
        // Behind the window.
        fixture.add(["z.md"])
        let deltas = try takeAll(&copy)
        #expect(deltas.count == 1 && deltas.allSatisfy(\.leavesWindow) && copy.start == 51)
        // In it.
        fixture.add(["n149b.md"])
        try takeAll(&copy)
        #expect(names(copy).prefix(3) == ["n149.md", "n149b.md", "n150.md"])
        #expect(copy.start == 52)
    }

    @Test("a window follows its item to another place, waits where it was, and follows it again")
    func follows() throws {
        var copy = try open(["window": window(documents[50])])
        let moved = documents[50].with(root: "/r", path: FileName("n110b.md"))
        fixture.replace(documents[50], with: moved)
        try takeAll(&copy)
        #expect(copy.start == 12 && names(copy).first == "n110b.md")
        fixture.documents.apply(removed: [moved], inserted: [])
        try takeAll(&copy)
        #expect(copy.start == 12 && names(copy).first == "n111.md")
        fixture.add(["a.md"])
        try takeAll(&copy)
        #expect(copy.start == 12 && names(copy).first == "n110.md")
        fixture.documents.apply(
            removed: [], inserted: [moved.with(root: "/r", path: FileName("n190b.md"))])
        try takeAll(&copy)
        #expect(names(copy).first == "n190b.md" && copy.start == 92)
        // A search that does not find it, and none.
        for search: JSONValue in ["n1", "n12", .null] {
            let params: JSONValue = ["sub": 1, "search": search, "gen": 3]
            _ = try fixture.session.call("items.update", params).get()
            try takeAll(&copy)
            if search != "n12" { #expect(names(copy).first == "n190b.md") }
        }
        // Another item that is not there: the start of the list.
        let params: JSONValue = ["sub": 1, "window": ["anchor": "key:none", "count": 1]]
        _ = try fixture.session.call("items.update", params).get()
        try takeAll(&copy)
        #expect(copy.start == 0 && copy.rows == [.new])
        _ = try fixture.session.call("items.update", ["sub": 1, "window": ["start": 4]]).get()
        try takeAll(&copy)
        #expect(copy.start == 4)
    }

    @Test("a long window whose item goes while it is read stays where the client has it")
    func goesWhileRead() throws {
        var limits = SurveyLimits()
        limits.rowsAtOnce = 4
        limits.slice = 4
        limits.stepsPerClockCheck = 4
        let fixture = try ListFixture(limits: limits)
        let documents = fixture.add((100..<200).map { "n\($0).md" })
        var copy = ListCopy(sub: 1)
        func settle() throws {
            for line in fixture.session.read() { try copy.take(line) }
            while !fixture.loop.isIdle {
                fixture.loop.turn()
                for line in fixture.session.read() { try copy.take(line) }
            }
        }
        let params: JSONValue = ["window": window(documents[20], count: .null)]
        _ = try fixture.session.call("items.open", params).get()
        try settle()
        #expect(copy.start == 21)
        let moved = documents[20].with(root: "/r", path: FileName("n150b.md"))
        fixture.replace(documents[20], with: moved)
        #expect(fixture.session.read().isEmpty, "the rows from its new place on are read in slices")
        fixture.documents.apply(removed: [moved], inserted: [])
        try settle()
        #expect(copy.start == 21 && copy.total == 100 && copy.rows.count == 79)
        #expect(names(copy).first == "n121.md")
    }

    @Test("a long window that goes far with its item is sent anew, and one that only shifts is not")
    func far() throws {
        var limits = SurveyLimits()
        limits.comparedRows = 10
        let fixture = try ListFixture(limits: limits)
        let documents = fixture.add((100..<200).map { "n\($0).md" })
        let params: JSONValue = ["window": window(documents[20], count: .null)]
        _ = try fixture.session.call("items.open", params).get()
        var copy = ListCopy(sub: 1)
        for line in fixture.session.read() { try copy.take(line) }
        let rows = copy.rows
        fixture.add(["a.md"])
        let shift = fixture.session.read()
        #expect(shift.count == 1 && shift.allSatisfy { $0["method"] == "items.delta" })
        for line in shift { try copy.take(line) }
        #expect(copy.rows == rows && copy.start == 22)
        fixture.replace(
            documents[20], with: documents[20].with(root: "/r", path: FileName("n180b.md")))
        let anew = fixture.session.read()
        #expect(anew.count == 1 && anew.allSatisfy { $0["method"] == "items.reset" })
        for line in anew { try copy.take(line) }
        #expect(names(copy).first == "n180b.md" && copy.rows.count == 20 && copy.start == 82)
    }

    @Test("an item is found by its rank in a fuzzy search; one that is not found has none")
    func ranked() throws {
        let params: JSONObject = ["search": "n15", "match": "fuzzy", "sort": ["score"]]
        for (index, isFound) in [(50, true), (20, false)] {
            // A document that came after the ranking has no rank.
            let late = fixture.add(["zz\(index).md"])[0]
            for document in [documents[index], late] {
                var params = params
                params["window"] = window(document, count: 1)
                let later = fixture.session.begin("items.get", .object(params))
                fixture.loop.turn()
                let result = try #require(try later.value?.get())
                let isIt = result["items"]?[0]?["key"]?.stringValue == document.key
                #expect(isIt == (isFound && document.key == documents[index].key))
            }
        }
    }

    @Test("finding the item takes work that grows with the logarithm of the list")
    func cost() throws {
        for search in [nil, "md"] {
            var work: [Int] = []
            for count in [1000, 16_000] {
                let store = DocumentStore(epoch: "e")
                let made = (0..<count).map { number in
                    Document(
                        key: store.mintKey(), root: "/r", path: FileName("\(number).md"), size: 1,
                        modified: FileTime(seconds: 0))
                }
                store.apply(removed: [], inserted: made)
                let query = DocumentQuery(search: try DocumentSearch.parse(search))
                let list = PickerList(in: DocumentOrders(of: store, in: .listed), query: query)
                list.activate()
                _ = list.contents(0..<list.items.count)
                let key = made[count / 3].key
                let row = try #require(store.row(key: key))
                var index: Int?
                let cost = Cost.of { index = list.index(of: PickerItem(row)) }
                work.append(cost.retains + cost.allocations)
                let place = try #require(index)
                #expect(list.contents(place..<(place + 1)).first?.key == key)
            }
            #expect(work[0] > 0 && work[1] <= 2 * work[0], "\(work)")
        }
    }
}
