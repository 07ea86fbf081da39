// Pages of lists that are sorted by attributes: each follows the one before, by the values of its last row.

import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite("Pages of lists that are sorted by attributes")
struct AttributePageTests {
    private let bench: AttributeBench

    init() throws { bench = try AttributeBench(["a", "b", "c", "d", "e", "f"]) }

    private func page(_ params: JSONObject) throws -> JSONValue {
        let lists = bench.lists
        let later = lists.session.begin("items.page", .object(params))
        for _ in 0..<3 {
            lists.loop.turn()
            bench.setPending(0)
        }
        lists.loop.turn()
        return try #require(later.value, "it waits").get()
    }

    private func names(sort: String) throws -> [String] {
        var names: [String] = []
        var params: JSONObject = ["sort": .string(sort), "fields": ["name"], "size": 1]
        while names.count < 20 {
            let page = try page(params)
            names += (page["results"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            guard let next = page["nextPageIndex"], !next.isNull else { break }
            params["index"] = next
            params["token"] = page["token"]
        }
        return names
    }

    @Test(
        "Every document is on one page, in the order of one answer",
        arguments: Attribute.Kind.allCases, ["", "-"])
    func pages(kind: Attribute.Kind, prefix: String) throws {
        let use = try bench.wantAll()
        let values: [Attribute.Kind: [AttributeValue]] = [
            .boolean: [.boolean(true), .boolean(false), .boolean(true)],
            .integer: [.integer(.min), .integer(.max), .integer(0)],
            .number: [.number(-0.1), .number(1e300), .number(.leastNonzeroMagnitude)],
            .time: [.time(-0.5), .time(1_763_690_000.123_456), .time(0)],
            .text: [.text("ä b"), .text(""), .text("B")],
        ]
        // Two have the same value, and two have none.
        for (name, value) in zip(["e", "b", "d"], try #require(values[kind])) {
            try bench.give(name, [kind: value])
        }
        try bench.give("a", [kind: values[kind]?[2]])
        let sort = "\(prefix)x.\(kind.rawValue)"
        #expect(try names(sort: sort) == bench.names(["sort": .string(sort)]))
        withExtendedLifetime(use) {}
    }
}
