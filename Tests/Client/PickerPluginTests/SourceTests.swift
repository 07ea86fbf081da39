import Foundation
import JSONText
import PickerClient
import PickerPlugin
import SystemInterface
import TestSupport
import Testing

@Suite struct SourceTests {
    /// A source that is edited by a method, with these items at first.
    static func parts(_ first: [String: Int] = [:]) -> @Sendable () -> PluginParts {
        {
            var items = first
            var padding = 0
            func item(_ id: String) -> SourceItem {
                SourceItem(
                    id: id, name: String(repeating: "n", count: padding), size: 7, modified: 0.5,
                    attributes: ["sample.count": items[id] ?? 0, "image.width": 10])
            }
            let things = Source("things") { items.keys.map { item($0) } }
            return PluginParts(
                methods: [
                    Method("sample.echo") { $0.parameters },
                    Method("sample.edit") { call in
                        let edit = try call.parameters.decode(as: Edit.self)
                        padding = edit.padding ?? padding
                        if let all = edit.all {
                            items = all
                            try things.refresh()
                        }
                        for (id, value) in edit.put ?? [:] { items[id] = value }
                        try things.put((edit.put ?? [:]).keys.map { item($0) })
                        for id in edit.removed ?? [] { items[id] = nil }
                        try things.remove(edit.removed ?? [])
                        return try RawJSON(encoding: things.count)
                    },
                    Method("sample.fail") { call in
                        let bad: SourceItem =
                            switch call.parameters["kind"]?.string {
                            case "empty": SourceItem(id: "", name: "x")
                            case "long": SourceItem(id: "x", name: long)
                            case "type":
                                SourceItem(id: "x", name: "x", attributes: ["sample.count": "1"])
                            default: SourceItem(id: long, name: "x")
                            }
                        try things.put([SourceItem(id: "fine", name: "x"), bad])
                        return try RawJSON("{}")
                    },
                ], sources: [things])
        }
    }

    private struct Edit: Codable {
        var all: [String: Int]?
        var put: [String: Int]?
        var removed: [String]?
        var padding: Int?
    }

    private static let long = String(repeating: "x", count: 70_000)

    private func values(_ collection: Collection) -> [String: Int64] {
        collection.items.compactMapValues { $0["sample.count"]?.integerValue }
    }

    @Test("a source is reset and followed")
    func followed() throws {
        let daemon = try ScriptedDaemon(parts: Self.parts(["a": 1, "b": 2]))
        let collection = Collection(daemon)
        #expect(try !collection.open())
        try collection.settle()
        #expect(values(collection) == ["a": 1, "b": 2])
        #expect(
            collection.items["a"] == [
                "id": "a", "name": "", "size": 7, "modified": 0.5, "image.width": 10,
                "sample.count": 1,
            ])
        #expect(try daemon.request("sample.edit", ["put": ["c": 3], "removed": ["a"]]) == 2)
        try collection.settle()
        #expect(values(collection) == ["b": 2, "c": 3])
        #expect(collection.taken.count == 3)
        _ = try daemon.request("sample.edit", ["all": ["b": 2, "d": 4], "removed": ["none"]])
        try collection.settle()
        #expect(values(collection) == ["b": 2, "d": 4])
        #expect(collection.taken.last?["params"]?["removed"] == ["c"])
    }

    @Test("an empty source has one chunk")
    func empty() throws {
        let collection = Collection(try ScriptedDaemon(parts: Self.parts()))
        try collection.open()
        try collection.settle()
        #expect(collection.taken.map { $0["params"]?["last"] } == [true])
    }

    @Test("a long reset has chunks, four at a time, and what changes meanwhile comes after")
    func chunks() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<3000).map { ("item \($0)", $0) })
        let daemon = try ScriptedDaemon(parts: Self.parts(many))
        _ = try daemon.request("sample.edit", ["padding": 1000])
        let collection = Collection(daemon)
        try collection.open()
        _ = try daemon.request("sample.echo")
        #expect(daemon.told.count == 4)
        _ = try daemon.request("sample.edit", ["put": ["new": 1], "removed": ["item 7"]])
        _ = try daemon.request("sample.edit", ["put": ["new": 2]])
        #expect(daemon.told.count == 4)
        try collection.settle()
        #expect(collection.items.count == 3000)
        #expect(values(collection)["new"] == 2)
        #expect(values(collection)["item 7"] == nil)
        let numbers = collection.taken.compactMap { $0["params"]?["chunk"]?.integerValue }
        #expect(numbers == Array(0..<Int64(numbers.count)))
        #expect(numbers.count > 10)
    }

    @Test("a source is resumed within a run, and after one that changed nothing")
    func resumed() throws {
        let daemon = try ScriptedDaemon(parts: Self.parts(["a": 1]))
        let collection = Collection(daemon)
        try collection.open()
        try collection.settle()
        let first = collection.token
        _ = try daemon.request("sample.edit", ["put": ["b": 2]])
        try collection.settle()
        _ = try daemon.request("sample.edit", ["put": ["c": 3]])
        // The daemon is gone before it takes that.
        #expect(try collection.open(since: collection.token))
        try collection.settle()
        #expect(values(collection) == ["a": 1, "b": 2, "c": 3])
        let newer = collection.token
        for token in ["other:0", "\(newer)9", "x", "\(first):"] {
            #expect(try !collection.open(since: token), "\(token)")
            try collection.settle()
        }
        // Another run with the items of the first.
        let second = Collection(try ScriptedDaemon(parts: Self.parts(["a": 1])))
        #expect(try second.open(since: first))
        try second.settle()
        #expect(second.taken.isEmpty)
        let third = Collection(try ScriptedDaemon(parts: Self.parts(["a": 1])))
        #expect(try !third.open(since: newer))
        try third.settle()
        #expect(values(third) == ["a": 1])
        #expect(third.epoch != collection.epoch)
    }

    @Test("a change that is refused is followed by a reset, a few times")
    func refused() throws {
        let daemon = try ScriptedDaemon(parts: Self.parts(["a": 1]))
        let collection = Collection(daemon)
        try collection.open()
        try collection.settle()
        collection.refusals = 2
        _ = try daemon.request("sample.edit", ["put": ["b": 2]])
        try collection.settle()
        #expect(values(collection) == ["a": 1, "b": 2])
        // One that is taken makes good for them.
        _ = try daemon.request("sample.edit", ["put": ["b": 3]])
        try collection.settle()
        collection.refusals = 9
        _ = try daemon.request("sample.edit", ["put": ["c": 3]])
        try collection.settle()
        #expect(collection.refusals == 6)
        collection.refusals = 0
        try collection.open(since: collection.token)
        try collection.settle()
        #expect(values(collection) == ["a": 1, "b": 3, "c": 3])
    }

    @Test("that the daemon left an item out is told once, with the reason")
    func leftOut() throws {
        let daemon = try ScriptedDaemon(parts: Self.parts(["a": 1]))
        let collection = Collection(daemon)
        collection.answer = ["leftOut": 0]
        try collection.open()
        try collection.settle()
        collection.answer = ["leftOut": 2, "reason": "'put[0].uri' is long"]
        for number in 2...4 {
            _ = try daemon.request("sample.edit", ["put": ["b": JSONValue(number)]])
            try collection.settle()
        }
        let told = "the daemon left items of things out: 'put[0].uri' is long"
        #expect(daemon.printed.all.split(separator: "\n").count { $0.contains(told) } == 1)
        #expect(daemon.printed.all.split(separator: "\n").count { $0.contains("left items") } == 1)
        #expect(values(collection) == ["a": 1, "b": 4], "it is no refusal")
    }

    @Test("items that can't be sent change nothing", arguments: ["empty", "long", "type", "id"])
    func badItems(_ kind: String) throws {
        let daemon = try ScriptedDaemon(parts: Self.parts(["a": 1]))
        let collection = Collection(daemon)
        try collection.open()
        try collection.settle()
        #expect(try daemon.error("sample.fail", ["kind": .string(kind)])["code"] == -32603)
        try collection.settle()
        #expect(values(collection) == ["a": 1])
        #expect(try daemon.error("source.open", ["source": "none"])["code"] == 1011)
    }

    @Test("any changes at any time end in the same items")
    func random() throws {
        try withSeed { random in try edit(&random) }
    }

    private func edit(_ random: inout SeededRandom) throws {
        let daemon = try ScriptedDaemon(parts: Self.parts(["a": 1]))
        let collection = Collection(daemon)
        var expected = ["a": 1]
        try collection.open()
        for step in 0..<300 {
            let id = "i\(Int.random(in: 0..<20, using: &random))"
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                expected[id] = step
                _ = try daemon.request("sample.edit", ["put": .object(object([id: step]))])
            case 4:
                expected[id] = nil
                _ = try daemon.request("sample.edit", ["removed": [.string(id)]])
            case 5:
                expected = expected.filter { _ in Bool.random(using: &random) }
                _ = try daemon.request("sample.edit", ["all": .object(object(expected))])
            case 6:
                // The daemon is away for a while.
                try collection.open(since: collection.token)
            default:
                if !daemon.told.isEmpty { try collection.take(daemon.told.removeFirst()) }
            }
        }
        try collection.settle()
        #expect(values(collection) == expected.mapValues(Int64.init))
    }

    private func object(_ items: [String: Int]) -> JSONObject {
        var object = JSONObject()
        for (id, value) in items { object[id] = JSONValue(value) }
        return object
    }
}
