// Pages of lists, also of lists that change between one page and the next.

import JSONText
import ListRequests
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct PageTests {
    private let run: FeedRun

    private init() throws { run = try FeedRun() }

    private func page(_ params: JSONObject) throws -> ItemsPage {
        try ItemsPage(decoding: run.session.call("items.page", .object(params)).get())
    }

    private func error(_ params: JSONObject) throws -> ProtocolError? {
        if case .failure(let error) = run.session.call("items.page", .object(params)) {
            return error
        }
        return nil
    }

    private func names(_ page: ItemsPage) -> [String] {
        page.results.map { $0.path?.text ?? $0.key }
    }

    @Test("Pages are the list, cut: with its total, the numbers beside, and the row for a new one")
    func cut() throws {
        for number in 0..<44 { run.add("n\(number)") }
        let whole = try run.session.call("items.get", ["window": ["count": .null]]).get()
        #expect(whole["total"] == 45)
        var seen: [JSONValue] = []
        for index in 1...3 {
            let page = try run.session.call("items.page", ["index": JSONValue(index)]).get()
            #expect(page["count"] == 45)
            #expect(page["rev"] == JSONValue(run.documents.rev))
            #expect(page["nextPageIndex"] == (index < 3 ? JSONValue(index + 1) : .null))
            #expect(page["previousPageIndex"] == (index > 1 ? JSONValue(index - 1) : .null))
            seen += page["results"]?.arrayValue ?? []
        }
        #expect(.array(seen) == whole["items"])
        let exact = try page(["index": 3, "size": 15])
        #expect(exact.results.count == 15 && exact.nextPageIndex == nil)
        let first = try page([:])
        #expect(first.results.count == 20 && first.results.first?.kind == .new)
        let searched = try page(["search": "n4", "fields": ["name"], "sort": "-name"])
        #expect(names(searched).isEmpty == false && searched.count == 5)
        #expect(searched.results.first?.size == nil)
    }

    @Test("A page beyond the end has no items, and leads back")
    func behind() throws {
        #expect(try page(["index": 7, "search": "none"]).previousPageIndex == nil)
        for number in 0..<9 { run.add("n\(number)") }
        for index in [JSONValue(4), .integer(Int64(Int32.max))] {
            let page = try page(["index": index, "size": 5])
            #expect(page.results == [] && page.count == 10)
            #expect(page.nextPageIndex == nil && page.previousPageIndex == 2)
        }
        let last = try page(["index": 2, "size": 5])
        let empty = try page(["index": 3, "size": 5, "token": JSONValue(last.token ?? "")])
        #expect(empty.results == [] && empty.previousPageIndex == 2)
        run.add("n95")
        let more = try page(["index": 4, "size": 5, "token": JSONValue(empty.token ?? "")])
        #expect(names(more) == ["n95"])
    }

    @Test("Invalid requests are refused with what would be valid")
    func refusals() throws {
        run.add("a", "b", "c")
        for (params, place) in [
            (["index": 0], "index"), (["index": -3], "index"), (["index": "1"], "index"),
            (["index": .integer(Int64(Int32.max) + 1)], "index"),
            (["index": .integer(.max)], "index"),
            (["size": 0], "size"), (["size": 1001], "size"), (["size": 1.5], "size"),
            (["token": 5], "token"), (["sort": "sise"], "sort"),
        ] as [(JSONObject, String)] {
            let error = try error(params)
            #expect(error?.kind == .invalidParams && error?.at == place, "\(params): \(error)")
        }
    }

    @Test("Any number and any text in a token leads to a page, or is refused; nothing overflows")
    func hostileTokens() throws {
        run.add("a", "b", "c")
        let last = Int(Int32.max)
        var answers = 0
        var refusals = 0
        for size in [1, 2, 1000] {
            let token = try #require(try page(["index": 2, "size": JSONValue(size)]).token)
            let value = try JSONValue(parsing: try #require(Base64.decode(token)))
            for changed in variants(of: value) {
                let text = JSONValue(Base64.encode(changed.bytes))
                for index in [1, 2, 3, last - 1, last] {
                    let params: JSONObject = [
                        "token": text, "index": JSONValue(index), "size": JSONValue(size),
                    ]
                    if let error = try error(params) {
                        #expect(error.kind == .invalidParams && error.at == "token", "\(error)")
                        refusals += 1
                        continue
                    }
                    let page = try page(params)
                    #expect(page.nextPageIndex.map { (1...last).contains($0) } ?? true)
                    #expect(page.previousPageIndex.map { (1...last).contains($0) } ?? true)
                    answers += 1
                }
            }
        }
        #expect(answers > 500 && refusals > 500, "\(answers) answers, \(refusals) refusals")
    }

    /// The value with each of its parts replaced, one at a time, by what lies at the ends.
    private func variants(of value: JSONValue) -> [JSONValue] {
        let ends: [JSONValue] = [
            .integer(.min), -1, 0, 1, .integer(Int64(Int32.max) - 1), .integer(Int64(Int32.max)),
            .integer(Int64(Int32.max) + 1), .integer(.max), .integer(Int64(UInt32.max)), "", "0",
            "18446744073709551615", "18446744073709551616", "AA==", .null, true, [], ["start"],
            ["before", .null], ["after", .null], .string(String(repeating: "x", count: 5000)),
        ]
        switch value {
        case .object(let object):
            return object.members.flatMap { member in
                (ends + variants(of: member.value)).map { part in
                    var changed = object
                    changed[member.key] = part
                    return .object(changed)
                }
            }
        case .array(let elements):
            return elements.indices.flatMap { index in
                (ends + variants(of: elements[index])).map { part in
                    var changed = elements
                    changed[index] = part
                    return .array(changed)
                }
            }
        default: return []
        }
    }

    @Test("An invalid token, or one of another query or run, is refused with the reason")
    func tokens() throws {
        run.add("a", "b", "c")
        let token = try #require(try page(["size": 1]).token)
        for (params, why) in [
            (["token": "nonsense"], "not one that this daemon gave"),
            (["token": JSONValue(String(token.dropLast(8)))], "not one that this daemon gave"),
            (["token": "bnVsbA=="], "not one that this daemon gave"),
            (["token": JSONValue(token), "sort": "-name"], "another query"),
            (["token": JSONValue(token), "search": "a"], "another query"),
        ] as [(JSONObject, String)] {
            let error = try error(params)
            #expect(error?.kind == .invalidParams && error?.at == "token", "\(params)")
            #expect(error?.message.contains(why) == true, "\(error)")
        }
        let other = try FeedRun(epoch: "later")
        other.add("a", "b", "c")
        guard
            case .failure(let error) = other.session.call(
                "items.page", ["token": JSONValue(token), "index": 2])
        else {
            Issue.record("a token of another run is taken")
            return
        }
        #expect(error.message.contains("started again"))
    }

    @Test("The same pages lead back, and stay the same when asked for again")
    func backwards() throws {
        for number in 10..<40 { run.add("n\(number)") }
        var pages: [ItemsPage] = [try page(["size": 7])]
        while let next = pages.last?.nextPageIndex, let token = pages.last?.token {
            pages.append(
                try page(["size": 7, "index": JSONValue(next), "token": JSONValue(token)]))
        }
        #expect(pages.flatMap(names) == ["new"] + (10..<40).map { "n\($0)" })
        run.add("n00", "n01", "n105", "n38x")
        for (number, page) in pages.enumerated() {
            let token = JSONValue(page.token ?? "")
            let again = try self.page(
                ["size": 7, "index": JSONValue(number + 1), "token": token])
            #expect(names(again).first == names(page).first)
            guard let previous = page.previousPageIndex else { continue }
            let back = try self.page(
                ["size": 7, "index": JSONValue(previous), "token": token])
            // What came in between is there, the rest as it was.
            #expect(names(back).last == names(pages[number - 1]).last)
        }
        // From the third page to the first of it by number, over two pages.
        let jump = try page(["size": 7, "index": 5, "token": JSONValue(pages[2].token ?? "")])
        #expect(names(jump).first == names(pages[4]).first)
    }

    @Test(
        "A long page is written in slices, and is of the moment when its rows were found",
        arguments: [1, 2, 40])
    func sliced(rowsAtOnce: Int) throws {
        var limits = SurveyLimits()
        limits.rowsWrittenAtOnce = rowsAtOnce
        let fixture = try ListFixture(limits: limits)
        let made = fixture.add((0..<60).map { "n\($0 + 10)" })
        let rev = fixture.documents.rev
        let later = fixture.session.begin("items.page", ["sort": "name", "size": 30, "index": 2])
        // Written at once only if there are few.
        #expect((later.value != nil) == (rowsAtOnce >= 30))
        // Documents of the page change, go and come before it is written.
        fixture.replace(made[40], with: fixture.makeDocument("n500", size: 7, key: made[40].key))
        fixture.documents.apply(removed: [made[41]], inserted: [fixture.makeDocument("n100")])
        fixture.documents.releaseFreedRows()
        var turns = 0
        while later.value == nil, turns < 1000 {
            fixture.loop.runOne()
            turns += 1
        }
        let page = try ItemsPage(decoding: try #require(later.value).get())
        #expect(page.rev == rev && page.count == 61)
        #expect(names(page) == (29..<59).map { "n\($0 + 10)" })
        #expect(page.results.allSatisfy { $0.size == 1 })

        // Who has gone is not answered, and what was begun is let go.
        let other = fixture.session.begin("items.page", ["sort": "name", "size": 30])
        other.abandon()
        for _ in 0..<20 { fixture.loop.runOne() }
        #expect((other.value != nil) == (rowsAtOnce >= 30))
    }

    @Test(
        "During changes each unchanged document comes once, in order",
        arguments: [["name"], ["-modified", "name"], ["size"], ["-liked", "path"], ["type"]])
    func changing(_ sort: [String]) throws {
        for _ in 0..<4 {
            try withSeed { random in try read(sort, &random) }
        }
    }

    private func read(_ sort: [String], _ random: inout SeededRandom) throws {
        let run = try FeedRun()
        var present: [Document] = []
        func make(key: String? = nil) -> Document {
            Document(
                key: key ?? run.documents.mintKey(), root: "/r",
                path: FileName("d\(Int.random(in: 0..<400, using: &random)).\(random.next() % 3)"),
                size: UInt64.random(in: 0...5, using: &random),
                modified: FileTime(seconds: Int64.random(in: 0...5, using: &random)))
        }
        func commit(_ removed: [Document], _ inserted: [Document]) {
            run.documents.apply(removed: removed, inserted: inserted)
            present = Array(run.documents.documents)
            if random.chance(0.3) { run.documents.releaseFreedRows() }
        }
        commit([], (0..<150).map { _ in make() })
        var untouched = Set(present.map(\.key))
        var pages: [ItemsPage] = []
        var request: JSONObject = [
            "sort": .array(sort.map { JSONValue($0) }),
            "size": JSONValue(Int.random(in: 8...30, using: &random)),
        ]
        repeat {
            let page = try ItemsPage(
                decoding: run.session.call("items.page", .object(request)).get())
            pages.append(page)
            request["index"] = page.nextPageIndex.map { JSONValue($0) }
            request["token"] = JSONValue(try #require(page.token))
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                guard let old = present.randomElement(using: &random) else { continue }
                var change: (removed: [Document], inserted: [Document]) = ([], [make()])
                switch Int.random(in: 0..<4, using: &random) {
                case 0: change = ([old], [])
                case 1: change = ([old], [old.with(root: "/r", path: make().path)])
                case 2: change = ([old], [make(key: old.key)])
                default: break
                }
                // Those whose places were taken are gone, too.
                let before = Set(present)
                commit(change.removed, change.inserted)
                untouched.subtract(before.subtracting(present).map(\.key))
            }
        } while request["index"] != nil
        let place: Comment = "seed \(random.seed), by \(sort)"
        let seen = pages.flatMap { $0.results.map(\.key) }.filter(untouched.contains)
        let order = try SortOrder(keys: sort)
        let expected = present.filter { untouched.contains($0.key) }
            .sorted(by: order.comparator).map(\.key)
        #expect(seen == expected, place)
        #expect(!untouched.isEmpty, place)
    }
}
