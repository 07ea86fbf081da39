import JSONText
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

/// Dropped documents, in the lists that request them.
@Suite struct DroppedListTests {
    private let run: FeedRun
    private let keys: [JSONValue]

    init() throws {
        run = try FeedRun()
        keys = run.add("a", "b", "c", "d.md").map { JSONValue($0.key) }
        _ = try run.call("items.drop", ["keys": [keys[1], keys[3]]])
    }

    private func paths(_ filter: JSONValue) throws -> [String] {
        let result = try run.session.call("items.get", ["where": filter]).get()
        return (result["items"]?.arrayValue ?? []).compactMap { item in
            item["path"]?.stringValue.map { item["dropped"] == true ? "-" + $0 : $0 }
        }
    }

    @Test("A filter on dropped draws from all documents, others from those not dropped")
    func get() throws {
        #expect(try paths(["true"]) == ["a", "c"])
        #expect(try paths(["not", ["liked"]]) == ["a", "c"])
        #expect(try paths(["dropped"]) == ["-b", "-d.md"])
        #expect(try paths(["allof", ["suffix", "md"], ["dropped"]]) == ["-d.md"])
        #expect(try paths(["not", ["dropped"]]) == ["a", "c"])
        #expect(try paths(["anyof", ["dropped"], ["true"]]) == ["a", "-b", "c", "-d.md"])
        #expect(try paths(["anyof", ["dropped"], ["name", "a"]]) == ["a", "-b", "-d.md"])
        #expect(try paths(["not", ["anyof", ["dropped"], ["name", "a"]]]) == ["c"])
        #expect(try run.session.call("documents.stats", ["where": ["dropped"]]).get()["count"] == 2)
        #expect(try run.session.call("documents.stats", [:]).get()["count"] == 2)
        let page = try run.session.call(
            "items.page", ["where": ["dropped"], "search": "d", "size": 1]
        ).get()
        #expect(page["count"] == 1 && page["results"]?[0]?["path"] == "d.md")
        #expect(page["results"]?[0]?["dropped"] == true)
    }

    @Test("An open list of dropped documents follows drops, restores, changes and filters")
    func live() throws {
        func next() throws -> JSONValue { try #require(run.session.read().first?["params"]) }
        _ = try run.session.call(
            "items.open", ["where": ["dropped"], "fields": ["path", "dropped"]], id: 7
        ).get()
        #expect(try next()["items"]?.arrayValue?.count == 3)
        _ = try run.call("items.restore", ["key": keys[1]])
        #expect(try next()["deleted"] == [1])
        _ = try run.call("items.drop", ["key": keys[0]])
        let inserted = try next()["inserted"]?[0]
        #expect(inserted?[0] == 1 && inserted?[1]?["dropped"] == true)
        run.documents.apply(
            removed: [try #require(run.documents[key: keys[3].stringValue ?? ""])])
        #expect(try next()["deleted"] == [2])

        let all: JSONValue = ["anyof", ["dropped"], ["true"]]
        _ = try run.session.call("items.update", ["sub": 7, "where": all]).get()
        #expect(try next()["total"] == 4)
        _ = try run.call("items.drop", ["key": keys[2]])
        #expect(try next()["updated"] == [[3, ["dropped": true]]])
        _ = try run.call("items.restore", ["all": true])
        #expect(
            try next()["updated"] == [[1, ["dropped": .null]], [3, ["dropped": .null]]])
        _ = try run.session.call("items.update", ["sub": 7, "where": .null]).get()
        #expect(run.session.read().isEmpty, "the same rows, whatever they are asked of")
    }

    @Test("A list of dropped documents equals the reference after random changes")
    func random() throws { try withSeed { try follow(using: &$0) } }

    private func follow(using random: inout SeededRandom) throws {
        let filters: [FilterExpression] = [
            .dropped, .not(.dropped), .any([.dropped, .liked]), .all([.not(.liked), .dropped]),
            .liked, .not(.any([.dropped, .liked])),
        ]
        for _ in 0..<100 {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let method =
                ["items.drop", "items.restore", "items.like"]
                .randomElement(using: &random) ?? "items.like"
            _ = try run.call(method, ["key": key])
            for expression in filters {
                let filter = DocumentFilter(expression)
                let table = run.documents.table
                let found = run.documents.documents(in: filter.range).value
                    .map { table.document(of: $0) }
                let plain = Set(run.documents.documents.filter(filter.matches).map(\.key))
                let isForListed = expression == .liked
                let expected =
                    isForListed
                    ? plain.intersection(
                        run.documents.listed.value.map { table.document(of: $0).key }) : plain
                #expect(Set(found.filter(filter.matches).map(\.key)) == expected)
                let rows = run.documents.documents(in: filter.range).value.filter { row in
                    DocumentQuery(filter: filter).matches(row, of: table)
                }
                #expect(Set(rows.map { table.document(of: $0).key }) == expected)
            }
            if random.chance(0.3) { run.documents.releaseFreedRows() }
            #expect(run.documents.documents.count { $0.isDropped } == run.documents.droppedCount)
        }
    }
}
