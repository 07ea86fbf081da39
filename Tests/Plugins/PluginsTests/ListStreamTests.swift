// What an open list sends, and above all what it doesn't.

import JSONText
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct ListStreamTests {
    private let fixture: ListFixture
    private let documents: [Document]

    init() throws {
        fixture = try ListFixture()
        documents = fixture.add((100..<200).map { "n\($0).md" })
    }

    private func open(
        _ params: JSONValue, id: RequestID = 1
    ) throws -> ListCopy {
        _ = try fixture.session.call("items.open", params, id: id).get()
        var copy = ListCopy(sub: id)
        try takeAll(&copy)
        return copy
    }

    @discardableResult
    private func takeAll(_ copy: inout ListCopy) throws -> [JSONValue] {
        let lines = fixture.session.read()
        for line in lines { try copy.take(line) }
        return lines
    }

    private func touch(_ document: Document, size: UInt64) -> Document {
        let new = document.with(size: size, modified: document.modified)
        fixture.replace(document, with: new)
        return new
    }

    @Test("a list opens with one reset that has the window, the total and where it starts")
    func opening() throws {
        let copy = try open(["window": ["start": 10, "count": 3], "gen": 4])
        #expect(copy.rows.map { $0.name?.text } == ["n109.md", "n110.md", "n111.md"])
        #expect(copy.total == 101)
        #expect(copy.start == 10)
        #expect(copy.gen == 4)
        #expect(copy.token == "e:1")
    }

    @Test("without a window a list shows its first fifty rows, the offer of a new one first")
    func defaultWindow() throws {
        let copy = try open([:])
        #expect(copy.rows.count == 50)
        #expect(copy.rows.first == .new)
        #expect(copy.gen == 0)
    }

    @Test("the folders of the rows that a client has are known while its list is open")
    func folders() throws {
        func folders() -> [String] {
            let table = fixture.documents.table
            return fixture.documents.views.folders(atMost: 9, of: 9, rows: 9, in: table)
                .map { String(decoding: table.folders.path(of: $0), as: UTF8.self) }
        }
        fixture.add(["a/x1.txt", "b/x2.txt", "b/x3.txt"])
        _ = try open(["search": "x", "window": ["start": 0, "count": 3]], id: 1)
        #expect(folders() == ["a/", "b/"])
        _ = try open(["search": "n1", "window": ["start": 1, "count": 3]], id: 2)
        #expect(Set(folders()) == ["", "a/", "b/"])
        _ = try fixture.session.call("items.close", ["sub": 1]).get()
        #expect(folders() == [""])
        _ = try fixture.session.call("items.close", ["sub": 2]).get()
        #expect(fixture.documents.views.count == 0)
    }

    @Test("a change behind the window that shifts nothing in it sends nothing at all")
    func changeBehind() throws {
        var copy = try open(["window": ["start": 0, "count": 10]])
        let new = touch(documents[50], size: 99)
        #expect(try takeAll(&copy).isEmpty)
        fixture.replace(new, with: new.with(root: "/r", path: FileName("n175b.md")))
        #expect(try takeAll(&copy).isEmpty)
        // What is sent afterwards still follows on what the client has.
        _ = touch(documents[0], size: 5)
        #expect(try takeAll(&copy).count == 1)
        #expect(copy.rows[1].size == 5)
    }

    @Test("a change before the window that shifts nothing in it sends nothing at all")
    func changeBefore() throws {
        var copy = try open(["window": ["start": 50, "count": 10]])
        _ = touch(documents[3], size: 99)
        #expect(try takeAll(&copy).isEmpty)
        let document = documents[4]
        fixture.replace(document, with: document.with(root: "/r", path: FileName("n110b.md")))
        #expect(try takeAll(&copy).isEmpty)
    }

    @Test("a document added after the window sends the new total and no row")
    func totalOnly() throws {
        var copy = try open(["window": ["start": 0, "count": 10]])
        let rows = copy.rows
        fixture.add(["z.md"])
        let lines = try takeAll(&copy)
        #expect(lines.count == 1)
        #expect(try ItemsDelta(decoding: #require(lines.first?["params"])).leavesWindow)
        #expect(copy.total == 102 && copy.rows == rows)
    }

    @Test("a change in members that were not asked for sends nothing")
    func unwantedFields() throws {
        var copy = try open(["window": ["count": .null], "fields": ["name"]])
        _ = touch(documents[5], size: 1234)
        #expect(try takeAll(&copy).isEmpty)
        #expect(copy.rows[3].size == nil && copy.rows[3].name != nil)
    }

    @Test("an item that leaves the window is deleted, one that enters is inserted")
    func edges() throws {
        var copy = try open(["window": ["start": 10, "count": 3]])
        fixture.documents.apply(removed: [documents[0]], inserted: [])
        let lines = try takeAll(&copy)
        let delta = try ItemsDelta(decoding: #require(lines.first?["params"]))
        #expect(delta.deleted == [0])
        #expect(delta.inserted.map(\.index) == [2])
        #expect(delta.moved.isEmpty && delta.updated.isEmpty)
    }

    @Test("one row that goes to the other end is one move, with its update beside it")
    func oneMove() throws {
        var copy = try open(["window": ["count": .null]])
        let document = documents[0]
        let renamed = document.with(root: "/r", path: FileName("z.md"))
        fixture.replace(document, with: renamed.with(size: 7, modified: renamed.modified))
        let lines = try takeAll(&copy)
        let delta = try ItemsDelta(decoding: #require(lines.first?["params"]))
        #expect(lines.count == 1)
        #expect(delta.moved == [.init(from: 1, to: 100)])
        #expect(delta.deleted.isEmpty && delta.inserted.isEmpty)
        #expect(delta.updated.map(\.index) == [100])
        #expect(delta.updated.first?.changes.keys == ["name", "path", "size"])
    }

    @Test("a thousand changes while nobody reads are one delta")
    func manyChangesOneDelta() throws {
        var copy = try open(["window": ["count": .null]])
        var document = documents[7]
        for size in 2...1001 { document = touch(document, size: UInt64(size)) }
        let lines = try takeAll(&copy)
        #expect(lines.count == 1)
        #expect(copy.rows[8].size == 1001 && copy.rev == fixture.documents.rev)
        // There and back is nothing.
        document = touch(document, size: 5)
        document = touch(document, size: 1001)
        #expect(try takeAll(&copy).isEmpty)
    }

    @Test("an update is told with its gen, though the rows are as they were")
    func updateOfGen() throws {
        var copy = try open([:])
        #expect(try fixture.session.call("items.update", ["sub": 1, "gen": 7]).get() == [:])
        #expect(try takeAll(&copy).count == 1)
        #expect(copy.gen == 7)
    }

    @Test("several updates before the client reads end in one delta, of the last gen")
    func updatesTogether() throws {
        var copy = try open(["window": ["count": .null]])
        for (gen, search) in ["n", "n1", "n11", "n110"].enumerated() {
            let params: JSONValue = [
                "sub": 1, "gen": JSONValue(gen + 1), "search": JSONValue(search),
            ]
            _ = try fixture.session.call("items.update", params).get()
        }
        #expect(try takeAll(&copy).count == 1)
        #expect(copy.gen == 4)
        #expect(copy.rows.map { $0.name?.text } == ["n110.md"])
    }

    @Test("a closed list sends nothing, and its id can be used again")
    func closing() throws {
        _ = try open([:])
        fixture.add(["a.md"])
        #expect(try fixture.session.call("items.close", ["sub": 1]).get() == [:])
        #expect(fixture.session.read().isEmpty)
        #expect(!fixture.session.hasWork)
        fixture.add(["b.md"])
        #expect(!fixture.session.hasWork)
        _ = try open([:])
    }

    @Test("an update with something wrong in it changes nothing of the list")
    func wrongUpdate() throws {
        var copy = try open(["window": ["start": 0, "count": 5]])
        let wrong: [JSONValue] = [
            ["sub": 1, "gen": 9, "sort": "date", "window": ["start": -1]],
            ["sub": 1, "search": "n11", "gen": -1],
            ["sub": 1, "search": "n11", "match": "fuzzier"],
        ]
        for params in wrong {
            #expect(throws: ProtocolError.self) {
                try fixture.session.call("items.update", params).get()
            }
        }
        #expect(try takeAll(&copy).isEmpty)
        _ = touch(documents[0], size: 3)
        try takeAll(&copy)
        #expect(copy.gen == 0 && copy.total == 101 && copy.rows.count == 5)
    }

    /// Opens a list anew for a client that has `copy`.
    private func reopen(
        _ copy: ListCopy, _ params: JSONObject = [:]
    ) throws -> (isResumed: Bool, lines: [JSONValue]) {
        #expect(try fixture.session.call("items.close", ["sub": copy.sub.value]).get() == [:])
        var params = params
        params["since"] = params["since"] ?? .string(copy.token)
        params["have"] = params["have"] ?? .array(copy.rows.map { .string($0.key) })
        let answer = try fixture.session.call("items.open", .object(params), id: copy.sub).get()
        return (answer["resumed"] == true, fixture.session.read())
    }

    @Test("a reconnecting client gets the changes since then, and nothing else")
    func resumes() throws {
        var copy = try open([:])
        fixture.documents.apply(removed: [documents[3]])
        _ = touch(documents[1], size: 99)
        let back = try reopen(copy, ["gen": 4])
        #expect(back.isResumed)
        let delta = try #require(back.lines.first?["params"])
        #expect(back.lines.count == 1)
        #expect(delta["from"] == 1 && delta["to"] == 3 && delta["gen"] == 4)
        #expect(delta["deleted"] == [4])
        // What the client has of it is not known, so it is told all, and what there is not.
        let updated = try #require(delta["updated"]?[0])
        #expect(updated[0] == 2)
        let members: JSONObject = [
            "name": "n101.md", "nameB64": .null, "path": "n101.md", "pathB64": .null, "root": "/r",
            "size": 99, "modified": 0, "type": "text/markdown", "liked": .null,
            "dropped": .null,
        ]
        #expect(updated[1] == .object(members))
        #expect(delta["inserted"]?.arrayValue?.count == 1)
        copy.isResuming = true
        for line in back.lines { try copy.take(line) }
        #expect(copy.rows.count == 50)
    }

    @Test("a client that is up to date is told so, and then gets changes")
    func resumesWithNothingNew() throws {
        var copy = try open([:])
        let back = try reopen(copy)
        #expect(back.isResumed && back.lines.count == 1)
        #expect(back.lines.first?["params"]?["complete"] == true)
        copy.isResuming = true
        for line in back.lines { try copy.take(line) }
        _ = touch(documents[0], size: 7)
        try takeAll(&copy)
        #expect(copy.rows[1].size == 7)
    }

    @Test(
        "a list that can't resume is sent anew", arguments: ["life", "ahead", "key", "long ago"])
    func notResumed(why: String) throws {
        let copy = try open([:])
        var params: JSONObject = [:]
        switch why {
        case "life": params["since"] = "d:1"
        case "ahead": params["since"] = "e:2"
        case "key": params["have"] = ["new", "never"]
        default:
            for size in 2...4100 { _ = touch(documents[99], size: UInt64(size)) }
        }
        let back = try reopen(copy, params)
        #expect(!back.isResumed)
        #expect(back.lines.map { $0["method"] } == ["items.reset"])
        #expect(back.lines.first?["params"]?["reason"] == "open")
    }

    @Test(
        "the rows that a client states must be valid",
        arguments: [
            (["have": ["new"]], "since", "'have'"), (["since": "e:1"], "have", "'since'"),
            (["since": "e1", "have": []], "since", "'token'"),
            (["since": "e:-1", "have": []], "since", "'token'"),
            (["since": 7, "have": []], "since", "a string"),
            (["since": "e:1", "have": "new"], "have", "an array"),
            (["since": "e:1", "have": ["new", 1]], "have[1]", "a string"),
            (["since": "e:1", "have": ["f1", "new", "f1"]], "have[2]", "there already"),
        ] as [(JSONValue, String, String)])
    func badResume(params: JSONValue, place: String, words: String) throws {
        let error = try #require(throws: ProtocolError.self) {
            try fixture.session.call("items.open", params, id: 5).get()
        }
        #expect(error.kind == .invalidParams && error.at == place, "\(error)")
        #expect(error.message.contains(words))
        // Nothing was opened.
        #expect(throws: Never.self) { try fixture.session.call("items.open", [:], id: 5).get() }
    }

    @Test("rows are not complete during a first scan, and its end is reported once")
    func completeness() throws {
        fixture.documents.isComplete.value = false
        var copy = try open(["window": ["count": 2]])
        #expect(!copy.isComplete)
        fixture.documents.isComplete.value = true
        #expect(try takeAll(&copy).count == 1)
        #expect(copy.isComplete)
    }

    @Test("a delta longer than a line may be becomes a reset")
    func largeDelta() throws {
        var copy = try open(["window": ["count": .null]])
        fixture.session.lineLimit = 2000
        fixture.documents.apply(removed: Array(documents[..<40]), inserted: [])
        fixture.add((0..<40).map { "m\($0).md" })
        let lines = try takeAll(&copy)
        #expect(lines.allSatisfy { $0["params"]?["reason"] == "large" })
        #expect(lines.map { $0["params"]?["chunk"] } == [0, 1], "of 8 KiB, and what is left")
        #expect(copy.rows.count == 101 && copy.rev == fixture.documents.rev)
    }
}

@Suite struct LargeListTests {
    @Test("a list of 45,000 comes in lines of at most 1 MiB, from one state; then one delta")
    func chunkedReset() throws {
        let fixture = try ListFixture()
        let documents = (0..<45_000).map { number in
            fixture.makeDocument("folder/file \(number).md", size: UInt64(number))
        }
        fixture.documents.apply(removed: [], inserted: documents)
        let params: JSONValue = ["window": ["count": .null], "fields": ["size"]]
        _ = try fixture.session.call("items.open", params).get()
        fixture.loop.turn()

        var copy = ListCopy(sub: 1)
        for line in fixture.read(lines: 3) { try copy.take(line) }
        #expect(copy.nextChunk == 3, "it goes on")
        #expect(copy.total == 45_001)

        // What happens now is not in the reset.
        let first = documents[0]
        fixture.replace(first, with: first.with(root: "/r", path: FileName("zz.md")))
        fixture.documents.apply(removed: [documents[44_999]], inserted: [])
        var lines: [JSONValue] = []
        while fixture.session.hasWork {
            let more = fixture.read(lines: 20)
            for line in more { try copy.take(line) }
            lines += more
        }
        #expect(fixture.session.longestLine <= 1 << 20)
        let methods = lines.map { $0["method"]?.stringValue }
        #expect(methods.dropLast().allSatisfy { $0 == "items.reset" })
        #expect(methods.last == "items.delta")
        let ends = lines.dropLast().map { $0["params"]?["last"]?.boolValue }
        #expect(ends.last == true && ends.count { $0 == true } == 1)
        let delta = try ItemsDelta(decoding: #require(lines.last?["params"]))
        #expect(delta.moved == [.init(from: 1, to: 44_999)] && delta.deleted == [45_000])

        let expected = try ExpectedList(
            of: fixture.documents, sort: .name, search: nil, window: .all, fields: .size)
        #expect(copy.rows == expected.rows)
        #expect(copy.total == 45_000)
    }

    @Test("an update in the middle of a reset starts another one, of the new gen")
    func updateDuringReset() throws {
        let fixture = try ListFixture()
        fixture.add((0..<5000).map { "file \($0).md" })
        _ = try fixture.session.call("items.open", ["window": ["count": .null]]).get()
        #expect(fixture.read(lines: 1).count == 1)
        _ = try fixture.session.call("items.update", ["sub": 1, "gen": 2, "search": "99"]).get()
        var copy = ListCopy(sub: 1)
        for line in fixture.read() { try copy.take(line) }
        #expect(copy.gen == 2 && copy.isWhole)
        #expect(copy.rows.allSatisfy { $0.name?.text.contains("99") == true })
    }
}
