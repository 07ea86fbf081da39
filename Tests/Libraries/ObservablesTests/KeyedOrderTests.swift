import TestSupport
import Testing

@testable import Observables

@Suite struct KeyedOrderTests {
    /// An element whose identity is no part of its order.
    private struct Item: Hashable {
        let rank: Int
        let name: Int
    }

    /// How far keys tell elements apart.
    private enum Keys: CaseIterable {
        case none, coarse, ranks, complete

        func key(_ item: Item) -> UInt64 {
            switch self {
            case .none: 0
            case .coarse: UInt64(item.rank / 5)
            case .ranks: UInt64(item.rank)
            case .complete: UInt64(item.rank) << 32 | UInt64(item.name)
            }
        }
    }

    @Test(
        "rows sorted by keys are those sorted by comparison, after changes of any size",
        arguments: [1, 40, 400])
    func random(ranks: Int) {
        withSeed { random in
            for keys in Keys.allCases {
                // Without a comparison of names, equal ranks tie; a key must not contradict that.
                let isTotal = keys == .complete || ranks > 1
                let precedes: (Item, Item) -> Bool = { one, other in
                    one.rank == other.rank
                        ? isTotal && one.name < other.name : one.rank < other.rank
                }
                let items = SetVariable<Item>([])
                let sorted = items.sorted(by: precedes, key: keys.key)
                let place = Comment(rawValue: "\(keys): seed \(random.seed)")
                var mirror: [Item] = []
                let connection = sorted.changes.connect { change in
                    let modifications = change.modifications
                    for (one, next) in zip(modifications, modifications.dropFirst()) {
                        #expect(one.outputRange.upperBound < next.startIndex, place)
                    }
                    change.apply(on: &mirror)
                }
                var known: [Item] = []
                var names = 0
                for _ in 0..<60 {
                    transaction {
                        // Near each other, or anywhere.
                        let near =
                            random.chance(0.5) ? Int.random(in: 0..<ranks, using: &random) : nil
                        for _ in 0..<([0, 1, 2, 5, 20, 60].randomElement(using: &random) ?? 0) {
                            let rank = near ?? Int.random(in: 0..<ranks, using: &random)
                            names += 1
                            let item = Item(rank: rank, name: names * 7919 % 10_007)
                            items.insert(item)
                            known.append(item)
                        }
                        known.shuffle(using: &random)
                        if near != nil { known.sort { $0.rank < $1.rank } }
                        let count = min(
                            known.count, [0, 1, 3, 30].randomElement(using: &random) ?? 0)
                        let start = Int.random(in: 0...known.count - count, using: &random)
                        for item in known[start..<start + count] { items.remove(item) }
                        known.removeSubrange(start..<start + count)
                    }
                    #expect(Set(mirror) == Set(known) && mirror.count == known.count, place)
                    #expect(sorted.value == mirror, place)
                    if isTotal { #expect(mirror == known.sorted(by: precedes), place) }
                    for item in known.prefix(3) {
                        #expect(sorted.firstIndex(of: item).map { mirror[$0] } == item, place)
                    }
                }
                withExtendedLifetime(connection) {}
            }
        }
    }

    @Test("elements with keys of their own are not compared with others")
    func comparisons() {
        var comparisons = 0
        let items = SetVariable(Set(0..<1000))
        let sorted = items.sorted(
            by: {
                // One that leaves is looked for, and found by comparison with itself.
                if $0 != $1 { comparisons += 1 }
                return $0 < $1
            }, key: { UInt64($0) })
        sorted.begin(with: PreparedRows(Array(0..<1000)))
        SelfChecks.$areMade.withValue(false) {
            let connection = sorted.changes.connect { _ in }
            transaction { for number in 100..<200 { items.remove(number) } }
            items.insert(150)
            items.remove(700)
            #expect(sorted.firstIndex(of: 150) == 100)
            withExtendedLifetime(connection) {}
        }
        #expect(comparisons == 0)
        #expect(sorted.value == Array(0..<100) + [150] + Array(200..<700) + Array(701..<1000))
    }

    /// An object, so that each copy of a row retains it: retains are the steps.
    private final class Row: Hashable {
        let number: Int
        let version: Int

        init(_ number: Int, version: Int) {
            self.number = number
            self.version = version
        }

        static func == (left: Row, right: Row) -> Bool {
            left.number == right.number && left.version == right.version
        }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// The cost of replacing `count` adjacent rows among many, and the comparisons.
    private func costOfReplacing(_ count: Int, isKeyed: Bool) -> (cost: Cost, comparisons: Int) {
        let rows = (0..<20_000).map { Row($0, version: 0) }
        let next = (5000..<5000 + count).map { Row($0, version: 1) }
        let documents = SetVariable(Set(rows))
        var comparisons = 0
        var lengths: [Int] = []
        let sorted = documents.sorted(
            by: {
                comparisons += 1
                return $0.number < $1.number
            }, key: { isKeyed ? UInt64($0.number) : 0 })
        return SelfChecks.$areMade.withValue(false) {
            let connection = sorted.changes.connect { lengths.append($0.modifications.count) }
            comparisons = 0
            let cost = Cost.of {
                transaction {
                    for row in next {
                        documents.remove(rows[row.number])
                        documents.insert(row)
                    }
                }
            }
            #expect(lengths == [1])
            withExtendedLifetime(connection) {}
            return (cost, comparisons)
        }
    }

    @Test("replacing twice as many adjacent rows costs twice as much", arguments: [true, false])
    func adjacent(isKeyed: Bool) {
        let costs = [500, 1000, 2000].map { costOfReplacing($0, isKeyed: isKeyed) }
        for (one, two) in zip(costs, costs.dropFirst()) {
            #expect(two.cost.retains * 10 < one.cost.retains * 25, "\(costs)")
            #expect(two.cost.allocations * 10 < one.cost.allocations * 25, "\(costs)")
            #expect(two.cost.bytes * 10 < one.cost.bytes * 25, "\(costs)")
            #expect(two.comparisons * 10 <= one.comparisons * 25, "\(costs)")
        }
    }
}
