import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct FolderMatchesTests {
    private let fixture: ListFixture
    private let moved: Document

    init() throws {
        fixture = try ListFixture()
        moved = try #require(fixture.add(["é/abc/note.md", "b/cd", "x.abd"]).first)
    }

    private func get(_ params: JSONObject) throws -> [JSONValue] {
        let result = try fixture.session.call("items.get", .object(params)).get()
        return try #require(result["items"]?.arrayValue)
    }

    private let query: JSONObject = [
        "search": "bn | bd", "match": "fuzzy", "highlights": true, "sort": ["name"],
    ]

    @Test("A fuzzy search tells what it has found of the folder, in the agreed units")
    func positions() throws {
        let found = try get(query)
        #expect(found.map { $0["path"]?.stringValue } == ["b/cd", "é/abc/note.md", "x.abd"])
        #expect(found.map { $0["m"] } == [[1, 2], [0, 1], [3, 5]])
        #expect(found.map { $0["mf"] } == [[0, 1], [4, 5], nil])
        fixture.session.textUnits = "codepoint"
        #expect(try get(query).map { $0["mf"] } == [[0, 1], [3, 4], nil])
    }

    @Test("Nothing is told of folders unless it is asked for, or by searches in names alone")
    func unasked() throws {
        var plain = query
        plain["highlights"] = nil
        #expect(try get(plain).allSatisfy { $0["mf"] == nil && $0["m"] == nil })
        var named = query
        named["fields"] = ["path", "m"]
        #expect(try get(named).allSatisfy { $0["mf"] == nil && $0["m"] != nil })
        named["fields"] = ["mf"]
        #expect(try get(named).allSatisfy { $0["m"] == nil && $0["path"] == nil })
        #expect(try get(named).map { $0["mf"] } == [[0, 1], [4, 5], nil])
        let contained: JSONObject = ["search": "cd", "highlights": true]
        #expect(try get(contained).map { $0["mf"] } == [nil])
    }

    @Test("A live list tells when they change or go, also to a client that resumes")
    func live() throws {
        var copy = ListCopy(sub: 7)
        func read() throws { for line in fixture.read() { try copy.take(line) } }
        func marks() -> [[Int]?] { copy.rows.map(\.folderMatches) }
        _ = try fixture.session.call("items.open", .object(query), id: 7).get()
        try read()
        #expect(marks() == [[0, 1], [4, 5], nil])
        let other = fixture.makeDocument("bb/é/b/note.md", key: moved.key)
        fixture.replace(moved, with: other)
        try read()
        #expect(marks() == [[0, 1], [6, 7], nil])
        _ = try fixture.session.call("items.close", ["sub": 7]).get()
        let last = fixture.makeDocument("bnote.md", key: moved.key)
        fixture.replace(other, with: last)
        var again = query
        again["since"] = JSONValue(copy.token)
        again["have"] = .array(copy.rows.map { JSONValue($0.key) })
        let reply = try fixture.session.call("items.open", .object(again), id: 7).get()
        #expect(reply["resumed"] == true)
        copy.isResuming = true
        try read()
        #expect(copy.rows.map { $0.path?.text } == ["bnote.md", "b/cd", "x.abd"])
        #expect(marks() == [nil, [0, 1], nil])
    }
}
