import JSONText
import TestSupport
import Testing
import WireProtocol

@Suite struct DeltaTests {
    private func delta(
        deleted: [Int] = [], moved: [(Int, Int)] = [], inserted: [(Int, String)] = [],
        updated: [(Int, JSONObject)] = []
    ) -> ItemsDelta {
        ItemsDelta(
            sub: 1, from: 1, to: 2, token: "e:2", total: 0, deleted: deleted,
            moved: moved.map { .init(from: $0, to: $1) },
            inserted: inserted.map { .init(index: $0, item: item($1)) },
            updated: updated.map { .init(index: $0, changes: $1) })
    }

    private func item(_ key: String) -> ItemRecord { ItemRecord(kind: .document, key: key) }

    private func items(_ keys: String) -> [ItemRecord] { keys.map { item(String($0)) } }

    private func keys(_ items: [ItemRecord]) -> String { items.map(\.key).joined() }

    @Test("the protocol's example")
    func example() throws {
        var window = items("abcd")
        try delta(
            deleted: [2], moved: [(1, 0)], inserted: [(2, "x")], updated: [(1, ["size": 131])]
        ).apply(to: &window)
        #expect(keys(window) == "baxd")
        #expect(window[1].size == 131)
    }

    /// Rule 2 of the protocol, literally.
    private func applyWordForWord(_ delta: ItemsDelta, _ items: [ItemRecord]) -> [ItemRecord] {
        var result = items
        let leaving = (delta.deleted + delta.moved.map(\.from)).sorted(by: >)
        for index in leaving { result.remove(at: index) }
        let arriving =
            delta.inserted.map { ($0.index, $0.item) }
            + delta.moved.map { ($0.to, items[$0.from]) }
        for (index, item) in arriving.sorted(by: { $0.0 < $1.0 }) {
            result.insert(item, at: index)
        }
        for update in delta.updated {
            result[update.index].size = update.changes["size"]?.integerValue
        }
        return result
    }

    @Test("random deltas equal a literal implementation of the rules", arguments: 1...20)
    func random(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<100 {
            let count = random.below(12)
            let window = (0..<count).map { item("k\($0)") }
            var order = Array(0..<count).shuffled(using: &random)
            let deleted = Array(order.prefix(random.below(count + 1)))
            order.removeFirst(deleted.count)
            let movedFrom = Array(order.prefix(random.below(order.count + 1)))
            let insertions = random.below(5)
            let total = count - deleted.count + insertions
            let places = Array(0..<total).shuffled(using: &random)
            let delta = delta(
                deleted: deleted, moved: Array(zip(movedFrom, places)),
                inserted: places.dropFirst(movedFrom.count).prefix(insertions).enumerated()
                    .map { ($1, "n\($0)") },
                updated: total > 0 ? [(random.below(total), ["size": 5] as JSONObject)] : [])
            var applied = window
            try delta.apply(to: &applied)
            #expect(applied == applyWordForWord(delta, window), "seed \(seed)")
        }
    }

    @Test("indices out of range or repeated are refused, and nothing changes")
    func refused() {
        let wrong = [
            delta(deleted: [3]), delta(deleted: [-1]), delta(deleted: [1, 1]),
            delta(deleted: [1], moved: [(1, 0)]), delta(moved: [(3, 0)]), delta(moved: [(0, 3)]),
            delta(moved: [(0, 1), (2, 1)]), delta(inserted: [(4, "x")]),
            delta(inserted: [(-1, "x")]), delta(inserted: [(0, "x"), (0, "y")]),
            delta(deleted: [0], inserted: [(3, "x")]), delta(updated: [(3, ["size": 1])]),
            delta(updated: [(-1, ["size": 1])]),
            delta(deleted: [0], updated: [(0, ["size": "big"])]),
        ]
        for delta in wrong {
            var window = items("abc")
            #expect(throws: MessageError.self) { try delta.apply(to: &window) }
            #expect(window == items("abc"))
        }
    }

    @Test("malformed deltas are refused when they are read")
    func malformed() throws {
        let sound = try JSONValue(parsing: delta(deleted: [0]).wireBytes)
        for (key, value) in [
            ("deleted", ["x"]), ("deleted", 1), ("moved", [[1]]), ("moved", [[1, "x"]]),
            ("moved", [1]), ("inserted", [[0, ["kind": "new"]]]), ("inserted", [[-1, [:]]]),
            ("updated", [[0, 1]]), ("updated", [["0", [:]]]), ("total", -1), ("sub", .null),
        ] as [(String, JSONValue)] {
            var object = try #require(sound.objectValue)
            object[key] = value
            let error = #expect(throws: MessageError.self) {
                try ItemsDelta(decoding: .object(object))
            }
            #expect(error?.path.hasPrefix(key) == true, "\(key) \(value)")
        }
    }
}
