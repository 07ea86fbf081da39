// Statistics of all documents and of those that a query selects.

import DataBus
import JSONText
import ListRequests
import PickerModel
import PluginInterface
import StatisticsPlugin
import TestSupport
import Testing
import WireProtocol

@Suite struct StatisticsPluginTests {
    private let documents = DocumentStore(epoch: "e")
    private let registry = MethodRegistry()
    private let session: FakeSession
    private let plugin = StatisticsPlugin()

    init() throws {
        session = FakeSession(registry: registry)
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: FakeLoop(), bus: EventBus(), documents: documents,
                settings: PluginSettings(roots: []), registry: registry, report: { _ in }))
    }

    private func stats(_ params: JSONValue = [:]) throws -> JSONValue {
        try session.call("documents.stats", params).get()
    }

    private func document(_ name: String, size: UInt64, seconds: Int64 = 0) -> Document {
        Document(
            key: documents.mintKey(), root: "/r", path: FileName(name), size: size,
            modified: FileTime(seconds: seconds))
    }

    @Test("count, sizes and times of all documents, and of those that a search selects")
    func plain() throws {
        documents.apply(inserted: [
            document("a.md", size: 10, seconds: 100), document("b.md", size: 1, seconds: 107),
            document("c.txt", size: 4, seconds: 200),
        ])
        let modified: JSONValue = ["mean": 135.666666667, "min": 100, "max": 200]
        #expect(
            try stats()
                == [
                    "count": 3, "size": ["sum": 15, "mean": 5, "min": 1, "max": 10],
                    "modified": modified,
                ])
        #expect(
            try stats(["search": ".MD"])
                == [
                    "count": 2, "size": ["sum": 11, "mean": 6, "min": 1, "max": 10],
                    "modified": ["mean": 103.5, "min": 100, "max": 107],
                ])
        let large: JSONValue = ["size", "ge", 4]
        #expect(try stats(["where": large])["size"]?["sum"] == 14)
        #expect(try stats(["where": large, "search": ".md"])["count"] == 1)
        #expect(try stats(["where": ["true"]])["count"] == 3)
        #expect(try stats(["where": .null]) == stats())
        // An empty search is none, as for a list; and the order of a list makes no difference.
        #expect(try stats(["search": "", "sort": "date"]) == stats())
    }

    @Test("without documents the sum is 0, without mean and extremes")
    func empty() throws {
        let nothing: JSONValue = ["mean": .null, "min": .null, "max": .null]
        let sizes: JSONValue = ["sum": 0, "mean": .null, "min": .null, "max": .null]
        let none: JSONValue = ["count": 0, "size": sizes, "modified": nothing]
        #expect(try stats() == none)
        documents.apply(inserted: [document("a.md", size: 10)])
        #expect(try stats(["search": "b"]) == none)
    }

    @Test("a number too large for exact JSON is a string of digits")
    func largeNumbers() throws {
        let edge: UInt64 = 1 << 53
        documents.apply(inserted: [document("a", size: edge)])
        #expect(try stats()["size"]?["sum"] == .integer(Int64(edge)))
        documents.apply(inserted: [document("b", size: edge + 2)])
        let size = try stats()["size"]
        #expect(size?["sum"] == "18014398509481986")
        #expect(size?["mean"] == "9007199254740993")
        #expect(size?["min"] == .integer(Int64(edge)) && size?["max"] == "9007199254740994")
        documents.apply(inserted: (0..<4).map { document("c\($0)", size: .max) })
        let sum = UInt128(UInt64.max) * 4 + UInt128(edge) * 2 + 2
        #expect(try stats()["size"]?["sum"] == .string(String(sum)))
    }

    @Test("statistics dropped by a large change are computed anew on the next request")
    func dearChange() throws {
        let patterns: [JSONValue] = (0..<20).map { ["match", JSONValue("*q\($0)*z")] }
        let params: JSONValue = ["where": .array(["anyof"] + patterns)]
        documents.apply(inserted: (0..<10).map { document("q\($0)z", size: 1) })
        #expect(try stats(params)["count"] == 10)
        let many = (0..<5000).map { document("q\($0) z", size: 1) }
        documents.apply(inserted: many)
        // So few again that they are asked at once.
        documents.apply(removed: Array(many.dropFirst(5)))
        #expect(try stats(params)["count"] == 15)
    }

    @Test("statistics for which nobody asks while many documents change follow no more of them")
    func unasked() throws {
        let queries: [JSONValue] = ["q", "x"].map { ["search": $0] }
        for query in queries { #expect(try stats(query)["count"] == 0) }
        #expect(plugin.keptCount == 2)
        func change(_ name: String) {
            documents.apply(
                inserted: (0..<ChangeMeter.rowsUntilTold).map {
                    document("\(name) \($0)", size: 1)
                })
        }
        change("q")
        #expect(plugin.keptCount == 2, "both were asked for before")
        #expect(try stats(queries[0])["count"] == JSONValue(ChangeMeter.rowsUntilTold))
        change("more q")
        #expect(plugin.keptCount == 1)
        #expect(try stats(queries[0])["count"] == JSONValue(2 * ChangeMeter.rowsUntilTold))
    }

    @Test("an invalid query is refused like that of a list")
    func wrongQuery() throws {
        func kind(_ params: JSONValue) -> ProtocolError.Kind? {
            guard case .failure(let error) = session.call("documents.stats", params) else {
                return nil
            }
            return error.kind
        }
        #expect(kind(["search": 5]) == .invalidParams)
        #expect(kind(["search": .string(String(repeating: "x", count: 5000))]) == .invalidParams)
        #expect(kind(["match": "exactly"]) == .invalidParams)
        #expect(kind(["where": ["size", "over", 5]]) == .badExpression)
        #expect(kind(["where": []]) == .badExpression)
    }

    @Test("after random changes each answer equals a full recomputation")
    func randomChanges() throws {
        try withSeed { random in
            var present: [Document] = []
            let searches: [String?] = [nil, "1", "2", "n1", "0", "9.md", nil]
            for step in 0..<600 {
                var removed: [Document] = []
                for _ in 0..<Int.random(in: 0...2, using: &random) where !present.isEmpty {
                    let index = Int.random(in: present.indices, using: &random)
                    removed.append(present.remove(at: index))
                }
                let inserted = (0..<Int.random(in: 0...2, using: &random)).map { index in
                    document(
                        "n\(step)-\(index).md", size: UInt64.random(in: 0...99, using: &random),
                        seconds: Int64.random(in: 0...99, using: &random))
                }
                documents.apply(removed: removed, inserted: inserted)
                if random.chance(0.3) { documents.releaseFreedRows() }
                present += inserted
                let text = searches.randomElement(using: &random) ?? nil
                let search = try DocumentSearch.parse(text)
                let limit: UInt64? = random.chance(0.5) ? 50 : nil
                let matching = present.filter { document in
                    (search?.matches(document) ?? true) && limit.map { document.size < $0 } ?? true
                }
                let expected = StatisticsRecord(DocumentStatistics(of: matching))
                var params = JSONObject()
                params["search"] = text.map { .string($0) }
                params["where"] = limit.map { ["size", "lt", .integer(Int64($0))] }
                #expect(
                    try StatisticsRecord(decoding: stats(.object(params))) == expected,
                    "seed \(random.seed), step \(step), search \(text ?? "none")")
            }
        }
    }

    @Test("without the plugin there is no method, and nothing is observed")
    func deactivation() throws {
        _ = try stats()
        registry.removeAll(of: plugin.identifier)
        plugin.deactivate()
        documents.apply(inserted: [document("a", size: 1)])
        #expect(session.call("documents.stats").failure?.kind == .methodNotFound)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
