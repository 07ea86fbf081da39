// Random operations on lists, compared with the reference function.

import JSONText
import ListRequests
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct RandomListTests {
    private static let rounds = testRounds(50)

    @Test(
        "after random operations an up-to-date client has the reference rows",
        arguments: [false, true])
    func randomRounds(isSliced: Bool) throws {
        try withSeed { random in
            for round in 0..<Self.rounds {
                var run = try RandomRun(&random, isSliced: isSliced)
                for _ in 0..<Int.random(in: 10...40, using: &random) {
                    try run.step(&random)
                }
                try run.readAll()
                #expect(run.isSound, "round \(round) went wrong")
                if !run.isSound { return }
            }
        }
    }
}

/// What one client asked for, and what it has.
private struct Follower {
    let id: RequestID
    var sort: JSONValue
    var order: SortOrder
    var search: String?
    var match: DocumentSearch.Match
    let highlights: Bool
    var filter: String?
    var window: ListWindow
    let selection: [String]?
    let fields: ItemFields
    var gen: Int
    var copy: ListCopy
    /// What it had when it last had read all, if nothing was asked for since.
    var settled: (rows: [ItemRecord], start: Int, total: Int, isComplete: Bool)?
    /// Where its window had been before the last line, since it asked for it; and the start of the list.
    var starts: Set<Int> = [0]
    /// Whether it was told that its rows are found again, since it last had read all.
    var wasLate = false
}

/// Some lists on one changing set of documents.
private struct RandomRun {
    let fixture: ListFixture
    /// Whether a few documents at a time are looked at, however many there are.
    let isSliced: Bool
    var followers: [RequestID: Follower] = [:]
    private(set) var isSound = true
    private var lastID = 0

    init(_ random: inout SeededRandom, isSliced: Bool) throws {
        self.isSliced = isSliced
        var limits = SurveyLimits()
        if isSliced {
            limits.direct = 0
            limits.slice = 100
            limits.stepsPerClockCheck = 50
            if Bool.random(using: &random) { limits.sortedAtOnce = 20 }
            // Rows are told before their number.
            if Bool.random(using: &random) { limits.earlyFrom = 0 }
            if Bool.random(using: &random) {
                limits.earlyAfter = Int.random(in: 0...2000, using: &random)
            }
            if Bool.random(using: &random) {
                // Windows are read in slices, and so are answers written.
                limits.rowsAtOnce = Int.random(in: 0...8, using: &random)
                limits.rowsWrittenAtOnce = Int.random(in: 0...4, using: &random)
                limits.comparedRows = Int.random(in: 2...40, using: &random)
                limits.slice = Int.random(in: 1...100, using: &random)
                limits.stepsPerClockCheck = Int.random(in: 1...50, using: &random)
            }
        }
        fixture = try ListFixture(limits: limits)
        if isSliced, Bool.random(using: &random) {
            // Orders fall behind often.
            var following = OrderFollowing.Limits()
            following.editsAtOnce = Int.random(in: 0...20, using: &random)
            following.edits = Int.random(in: 20...60, using: &random)
            following.editsPerChange = 2
            following.alwaysFollowed = Int.random(in: 0...10, using: &random)
            following.mostFreed = Int.random(in: 0...40, using: &random)
            fixture.documents.following.limits = following
        }
        change(&random, count: Int.random(in: 0...60, using: &random))
        try open(&random)
    }

    mutating func step(_ random: inout SeededRandom) throws {
        switch Int.random(in: 0..<23, using: &random) {
        case 21..<23: try resume(&random)
        case 20:  // sorts what was put off, or looks at some documents
            for _ in 0..<Int.random(in: 1...5, using: &random) { fixture.loop.runOne() }
        case 0..<9:
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                change(&random, count: Int.random(in: 1...4, using: &random))
            }
        case 9: change(&random, count: Int.random(in: 20...80, using: &random))
        case 10..<14: try update(&random)
        case 14: if followers.count < 3 { try open(&random) }
        case 15: try read(lines: Int.random(in: 0...2, using: &random))
        case 16: fixture.documents.isComplete.value.toggle()
        default: try readAll()
        }
    }

    // MARK: Documents

    private static let letters = ["a", "b", "B", "á", "1", "10", "x"]
    private static let suffixes = ["", ".md", ".txt", ".png"]

    private static func name(_ random: inout SeededRandom) -> String {
        var name = ""
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            name += letters.randomElement(using: &random) ?? ""
        }
        return name + (suffixes.randomElement(using: &random) ?? "")
    }

    /// One change of up to `count` documents. All have short names, so many tie.
    private mutating func change(_ random: inout SeededRandom, count: Int) {
        var removed: [Document] = []
        var inserted: [Document] = []
        var known = fixture.documents.documents.sorted { $0.key < $1.key }
        var paths = Set(known.map { $0.path })
        for _ in 0..<count {
            let kind = Int.random(in: 0..<6, using: &random)
            if kind < 2 || known.isEmpty {
                let folder = "d\(Int.random(in: 0..<1000, using: &random))/"
                let document = fixture.makeDocument(
                    folder + Self.name(&random), size: UInt64.random(in: 0...3, using: &random),
                    seconds: Int64.random(in: 0...3, using: &random))
                if paths.insert(document.path).inserted { inserted.append(document) }
                continue
            }
            let old = known.remove(at: Int.random(in: known.indices, using: &random))
            removed.append(old)
            switch kind {
            case 2: break  // it is gone
            case 4 where random.chance(0.5): inserted.append(old.with(isLiked: !old.isLiked))
            case 3:
                let folder = "d\(Int.random(in: 1000..<100_000, using: &random))/"
                inserted.append(old.with(root: "/r", path: FileName(folder + Self.name(&random))))
            default:
                inserted.append(
                    old.with(
                        size: UInt64.random(in: 0...3, using: &random),
                        modified: FileTime(seconds: Int64.random(in: 0...3, using: &random))))
            }
        }
        fixture.documents.apply(removed: removed, inserted: inserted)
    }

    // MARK: Requests

    private static let sorts: [JSONValue] = [
        "name", "date", "-name", ["-liked", "date"], ["-date", "size"], ["size"],
        ["-size", "name"], ["type", "-modified"], ["path"],
        ["modified"], ["-type"], ["score"], ["score", "name"], ["liked", "-score"],
    ]

    private static func order(_ sort: JSONValue) throws -> SortOrder {
        if let short = sort.stringValue { return try SortOrder(keys: [short]) }
        return try SortOrder(keys: (sort.arrayValue ?? []).compactMap(\.stringValue))
    }

    private func window(_ random: inout SeededRandom) -> ListWindow {
        if random.chance(0.35) {
            let keys = fixture.documents.documents.map(\.key).sorted() + ["new", "gone"]
            let key = keys.randomElement(using: &random) ?? "new"
            let offset = [0, 0, 1, 3, 20].randomElement(using: &random) ?? 0
            return ListWindow(
                anchor: .init(key: key, offset: offset),
                count: [nil, 0, 1, 5, 10].randomElement(using: &random) ?? nil)
        }
        let start = Bool.random(using: &random) ? 0 : Int.random(in: 0...90, using: &random)
        let count: Int? =
            random.chance(0.25) ? nil : [0, 1, 2, 5, 10, 50].randomElement(using: &random)
        return ListWindow(start: start, count: count)
    }

    private static func wire(_ window: ListWindow) -> JSONValue {
        let count = window.count.map { JSONValue($0) } ?? .null
        guard let anchor = window.anchor else {
            return ["start": JSONValue(window.start), "count": count]
        }
        return [
            "anchor": JSONValue("key:" + anchor.key), "offset": JSONValue(anchor.offset),
            "count": count,
        ]
    }

    private static let searches: [String?] = [
        nil, nil, "", "a", "A", "b", "1", "md", "ab", "zz", "a 1", "d1 !b", "^d2 b$",
    ]

    private static func randomMatch(_ random: inout SeededRandom) -> DocumentSearch.Match {
        DocumentSearch.Match.allCases.randomElement(using: &random) ?? .contains
    }

    /// Filters as they are sent, and what they mean.
    private static let filters: [String: FilterExpression] = [
        #"["suffix","md"]"#: .suffix([Array("md".utf8)]),
        #"["suffix",["MD","png"]]"#: .suffix([Array("md".utf8), Array("png".utf8)]),
        #"["size","gt",1]"#: .size(.greater, 1),
        #"["allof",["size","gt",1],["modified","since",2]]"#:
            .all([.size(.greater, 1), .modified(.atLeast, 2)]),
        #"["allof",["modified","since",2],["size","gt",1],["suffix","md"]]"#:
            .all([.size(.greater, 1), .modified(.atLeast, 2), .suffix([Array("md".utf8)])]),
        #"["not",["modified","lt",2.5]]"#: .not(.modified(.less, 2.5)),
        #"["anyof",["name","a"],["not",["liked"]]]"#:
            .any([.name([Array("a".utf8)]), .not(.liked)]),
        #"["liked"]"#: .liked, #"["true"]"#: .everything, #"["type","f"]"#: .everything,
    ]

    private static func randomFilter(_ random: inout SeededRandom) -> String? {
        random.chance(0.3) ? nil : filters.keys.sorted().randomElement(using: &random)
    }

    private static func wire(_ filter: String?) throws -> JSONValue {
        try filter.map { try JSONValue(parsing: Array($0.utf8)) } ?? .null
    }

    private static let selections: [[String]?] = [
        nil, nil, [], ["name"], ["size"], ["modified", "type"], ["key", "path", "root"],
        ["path", "mf"],
    ]

    private mutating func open(_ random: inout SeededRandom) throws {
        lastID += 1
        let id = RequestID.integer(Int64(lastID))
        let sort = Self.sorts.randomElement(using: &random) ?? "name"
        let selection = Self.selections.randomElement(using: &random) ?? nil
        let follower = Follower(
            id: id, sort: sort, order: try Self.order(sort),
            search: Self.searches.randomElement(using: &random) ?? nil,
            match: Self.randomMatch(&random), highlights: random.chance(0.3),
            filter: Self.randomFilter(&random), window: window(&random),
            selection: selection, fields: try selection.map { try ItemFields(names: $0) } ?? .all,
            gen: Int.random(in: 0...5, using: &random), copy: ListCopy(sub: id))
        let params = try Self.wire(follower)
        let reply = try fixture.session.call("items.open", .object(params), id: id).get()
        #expect(reply["sub"] == id.value && reply["resumed"] == false)
        #expect(reply["token"]?.stringValue == fixture.documents.token)
        followers[id] = follower
    }

    private static func wire(_ follower: Follower) throws -> JSONObject {
        [
            "sort": follower.sort, "window": wire(follower.window), "gen": JSONValue(follower.gen),
            "search": follower.search.map { JSONValue($0) } ?? .null,
            "match": JSONValue(follower.match.rawValue),
            "highlights": .bool(follower.highlights),
            "where": try wire(follower.filter),
            "fields": follower.selection.map { .array($0.map { JSONValue($0) }) } ?? .null,
        ]
    }

    /// Closes a list, with what had not been read of it, and opens it again, perhaps otherwise.
    private mutating func resume(_ random: inout SeededRandom) throws {
        let ids = followers.keys.sorted { "\($0)" < "\($1)" }
        guard let id = ids.randomElement(using: &random), var follower = followers[id],
            follower.copy.isWhole
        else { return }
        #expect(try fixture.session.call("items.close", ["sub": id.value]).get() == [:])
        change(&random, count: Int.random(in: 1...10, using: &random))
        follower.gen = Int.random(in: 0...5, using: &random)
        if random.chance(0.3) { follower.filter = Self.randomFilter(&random) }
        if random.chance(0.3) { follower.window = window(&random) }
        follower.starts = [0]
        var params = try Self.wire(follower)
        params["since"] = JSONValue(follower.copy.token)
        params["have"] = .array(follower.copy.rows.map { JSONValue($0.key) })
        let reply = try fixture.session.call("items.open", .object(params), id: id).get()
        check(reply["resumed"] == true, "all that changed is remembered")
        follower.copy.isResuming = true
        follower.settled = nil
        followers[id] = follower
    }

    private mutating func update(_ random: inout SeededRandom) throws {
        let ids = followers.keys.sorted { "\($0)" < "\($1)" }
        guard let id = ids.randomElement(using: &random), var follower = followers[id] else {
            return
        }
        var params: JSONObject = ["sub": id.value]
        if random.chance(0.8) {
            follower.gen += 1
            params["gen"] = JSONValue(follower.gen)
        }
        if random.chance(0.4) {
            follower.sort = Self.sorts.randomElement(using: &random) ?? "name"
            follower.order = try Self.order(follower.sort)
            params["sort"] = follower.sort
        }
        if random.chance(0.4) {
            follower.search = Self.searches.randomElement(using: &random) ?? nil
            params["search"] = follower.search.map { JSONValue($0) } ?? .null
        }
        if random.chance(0.3) {
            follower.match = Self.randomMatch(&random)
            params["match"] = JSONValue(follower.match.rawValue)
        }
        if random.chance(0.4) {
            follower.filter = Self.randomFilter(&random)
            params["where"] = try Self.wire(follower.filter)
        }
        if random.chance(0.4) {
            follower.window = window(&random)
            follower.starts = [0, follower.copy.start]
            params["window"] = Self.wire(follower.window)
        }
        follower.settled = nil
        followers[id] = follower
        #expect(try fixture.session.call("items.update", .object(params)).get() == [:])
    }

    // MARK: Reading

    private mutating func read(lines limit: Int) throws {
        for line in fixture.session.read(lines: limit) {
            let id = RequestID(JSONView(line["params"]?["sub"] ?? .null))
            let follower = try #require(id.flatMap { followers[$0] }, "\(line)")
            followers[follower.id]?.settled = nil
            if line["params"]?["from"] != nil, line["params"]?["from"] == line["params"]?["to"] {
                followers[follower.id]?.wasLate = true
            }
            // Where it was before this line.
            followers[follower.id]?.starts.insert(follower.copy.start)
            try followers[follower.id]?.copy.take(line)
            let copy = followers[follower.id]?.copy
            check(
                copy?.gen == follower.gen || isSliced && copy?.isComplete == false,
                "an older gen came: \(line)")
        }
    }

    mutating func readAll() throws {
        let before = followers
        try read(lines: .max)
        while isSliced, !fixture.loop.isIdle {
            fixture.loop.turn()
            try read(lines: .max)
        }
        check(!fixture.session.hasWork, "a stream that has sent all still wants room")
        for (id, follower) in followers {
            let copy = follower.copy
            let expected = try ExpectedList(
                of: fixture.documents, sort: follower.order, search: follower.search,
                match: follower.match,
                filter: follower.filter.flatMap { Self.filters[$0] }.map { DocumentFilter($0) },
                window: follower.window, staying: copy.start, fields: follower.fields,
                highlights: follower.highlights)
            let isComplete = fixture.documents.isComplete.value
            check(copy.isWhole, "the reset has an end")
            check(
                copy.rows == expected.rows,
                "rows differ: \(follower.sort) \(follower.search ?? "-") \(follower.match) \(Self.difference(copy.rows, expected.rows))"
            )
            check(copy.total == expected.total, "total \(copy.total), not \(expected.total)")
            check(copy.gen == follower.gen)
            check(copy.start == expected.start, "the window is at \(copy.start)")
            if !expected.isPlaced {
                check(
                    copy.start == before[id]?.copy.start || follower.starts.contains(copy.start),
                    "without its item the window went to \(copy.start)")
            }
            check(copy.isComplete == isComplete)
            check(copy.token == "e:\(copy.rev)")
            if let settled = before[id]?.settled, settled.rows == expected.rows,
                settled.start == copy.start, settled.total == expected.total,
                settled.isComplete == isComplete, !follower.wasLate
            {
                check(follower.settled != nil, "a change that is none for this list was sent")
            }
            if expected.isPlaced, !isSliced, isComplete { try compareWithGet(follower) }
            followers[id]?.wasLate = false
            followers[id]?.settled = (expected.rows, copy.start, expected.total, isComplete)
        }
    }

    /// Compares what a client has with the answer to a request of the same rows.
    private mutating func compareWithGet(_ follower: Follower) throws {
        var params = try Self.wire(follower)
        params["gen"] = nil
        let later = fixture.session.begin("items.get", .object(params))
        var turns = 0
        while later.value == nil, turns < 100 {
            fixture.loop.runOne()
            turns += 1
        }
        guard let answer = try later.value?.get() else { return check(false, "no answer") }
        let result = try ItemsResult(decoding: answer)
        check(
            result.items == follower.copy.rows && result.start == follower.copy.start
                && result.total == follower.copy.total, "items.get has other rows")
    }

    private static func difference(_ seen: [ItemRecord], _ expected: [ItemRecord]) -> String {
        for (index, (one, other)) in zip(seen, expected).enumerated() where one != other {
            return "row \(index) is \(one), not \(other)"
        }
        return "\(seen.count) rows, not \(expected.count)"
    }

    private mutating func check(_ holds: Bool, _ comment: Comment? = nil) {
        #expect(holds, comment)
        if !holds { isSound = false }
    }
}
