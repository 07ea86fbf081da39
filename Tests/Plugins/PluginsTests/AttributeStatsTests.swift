// `documents.stats` of an attribute.

import DataBus
import JSONText
import ListRequests
import PickerModel
import PluginInterface
import StatisticsPlugin
import TestSupport
import Testing
import WireProtocol

@Suite("Statistics of an attribute")
struct AttributeStatsTests {
    private let bench: AttributeBench
    private let plugin = StatisticsPlugin()
    private let wanted: AttributeUse

    init() throws {
        bench = try AttributeBench(["a.md", "b.md", "c.txt", "q"])
        wanted = try bench.wantAll()
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: bench.lists.loop, bus: EventBus(),
                documents: bench.documents, settings: PluginSettings(roots: []),
                registry: bench.lists.registry, report: { _ in }))
    }

    private func stats(_ params: JSONObject) throws -> JSONValue {
        let later = bench.lists.session.begin("documents.stats", .object(params))
        bench.lists.loop.turn()
        bench.setPending(0)
        bench.lists.loop.turn()
        return try #require(later.value, "it waits").get()
    }

    private func give(_ values: [String: [Attribute.Kind: AttributeValue]]) throws {
        for (name, values) in values { try bench.give(name, values.mapValues { $0 }) }
    }

    @Test("numbers are counted and added up, times have no sum, all else is counted")
    func kinds() throws {
        try give([
            "a.md": [
                .integer: .integer(10), .number: .number(0.5), .time: .time(100),
                .text: .text("x"), .boolean: .boolean(false),
            ],
            "b.md": [.integer: .integer(-3), .number: .number(2), .time: .time(200.5)],
            "c.txt": [.integer: .integer(4), .text: .text("x")],
        ])
        func values(_ kind: String, _ params: JSONObject = [:]) throws -> JSONValue? {
            let name = "x." + kind
            var params = params
            params["attribute"] = .string(name)
            let answer = try stats(params)
            #expect(answer["pending"] == nil)
            return answer[name]
        }
        let mean = 11.0 / 3
        #expect(
            try values("integer")
                == ["count": 3, "sum": 11, "mean": .double(mean), "min": -3, "max": 10])
        #expect(
            try values("number") == ["count": 2, "sum": 2.5, "mean": 1.25, "min": 0.5, "max": 2])
        #expect(try values("time") == ["count": 2, "mean": 150.25, "min": 100, "max": 200.5])
        #expect(try values("text") == ["count": 2])
        #expect(try values("boolean") == ["count": 1])
        #expect(
            try values("integer", ["search": ".md"])
                == ["count": 2, "sum": 7, "mean": 3.5, "min": -3, "max": 10])
        let positive: JSONValue = ["attr", "x.integer", "gt", 0]
        #expect(
            try values("integer", ["where": positive])
                == ["count": 2, "sum": 14, "mean": 7, "min": 4, "max": 10])
        #expect(
            try values("number", ["search": "q"])
                == ["count": 0, "sum": 0, "mean": .null, "min": .null, "max": .null])
        #expect(
            try values("time", ["search": "q"])
                == ["count": 0, "mean": .null, "min": .null, "max": .null])
        #expect(try stats(["attribute": "x.integer"])["count"] == 4, "of all documents, as without")
        #expect(
            try bench.lists.session.call("documents.stats").get()["x.integer"] == nil)
    }

    @Test("what is beyond 2^53 is a string of digits, and a sum beyond all numbers is null")
    func large() throws {
        try give([
            "a.md": [.integer: .integer(.min), .number: .number(.greatestFiniteMagnitude)],
            "b.md": [.integer: .integer(.min), .number: .number(.greatestFiniteMagnitude)],
            "c.txt": [.integer: .integer(1 << 53)],
        ])
        let integers = try stats(["attribute": "x.integer"])["x.integer"]
        #expect(integers?["sum"] == "-18437736874454810624")
        #expect(integers?["min"] == "-9223372036854775808")
        #expect(integers?["max"] == .integer(1 << 53))
        let numbers = try stats(["attribute": "x.number"])["x.number"]
        #expect(numbers?["sum"] == .null && numbers?["mean"] == numbers?["max"])
        #expect(numbers?["mean"]?.doubleValue == .greatestFiniteMagnitude)
    }

    @Test("an attribute that nobody offers is refused, with what would be right")
    func unknown() throws {
        for name in ["x.intger", "name", "size"] {
            let answer = bench.lists.session.call(
                "documents.stats", ["attribute": .string(name)])
            guard case .failure(let error) = answer else {
                Issue.record("\(name) was taken")
                continue
            }
            #expect(error.kind == .invalidParams)
            #expect(error.message.contains("attributes.list"), "\(error.message)")
        }
        guard
            case .failure(let error) = bench.lists.session.call(
                "documents.stats", ["attribute": 5])
        else {
            Issue.record("5 was taken")
            return
        }
        #expect(error.message.contains("must be a string"))
    }

    @Test("it wants the attribute of all documents of the query, and waits for it")
    func waits() throws {
        let later = bench.lists.session.begin(
            "documents.stats", ["attribute": "x.integer", "search": "md"])
        bench.lists.loop.turn()
        let wish = try #require(bench.directory.users.first { $0 !== wanted }?.wish)
        #expect(wish.needed == [try bench.attribute(.integer)])
        #expect(wish.query.search?.text == "md")
        bench.setPending(2)
        bench.lists.loop.advance(by: .seconds(9))
        #expect(later.value == nil)
        try give(["a.md": [.integer: .integer(5)]])
        bench.setPending(0)
        bench.lists.loop.turn()
        let answer = try #require(later.value).get()
        #expect(answer["x.integer"]?["sum"] == 5 && answer["pending"] == nil)
        #expect(bench.directory.users.count == 1, "the test holds it")
    }

    @Test("after ten seconds it says how many were not read")
    func tooLong() throws {
        let later = bench.lists.session.begin("documents.stats", ["attribute": "x.number"])
        bench.lists.loop.turn()
        bench.setPending(3)
        bench.lists.loop.advance(by: .milliseconds(9990))
        #expect(later.value == nil)
        bench.lists.loop.advance(by: .milliseconds(20))
        let answer = try #require(later.value).get()
        #expect(answer["pending"] == ["x.number": 3])
        #expect(answer["x.number"]?["count"] == 0)
    }

    @Test("a client that goes is waited for no more, and wants nothing")
    func abandoned() throws {
        let later = bench.lists.session.begin("documents.stats", ["attribute": "x.number"])
        bench.lists.loop.turn()
        #expect(bench.directory.users.count == 2)
        later.abandon()
        bench.lists.loop.advance(by: .seconds(11))
        #expect(later.value == nil)
        #expect(bench.directory.users.count == 1)
    }

    @Test("no slice of the sums of 20,000 documents is longer than others")
    func slices() throws {
        bench.lists.add((0..<20_000).map { "n\($0)" })
        let answer = try stats(["attribute": "x.integer"])
        #expect(answer["count"] == 20_004)
        let surveys = try #require(plugin.surveys)
        #expect(surveys.slices > 12)
        #expect(surveys.largestSlice <= SurveyLimits().slice + 64)
    }
}
