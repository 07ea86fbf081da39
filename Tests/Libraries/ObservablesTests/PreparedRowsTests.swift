import TestSupport
import Testing

@testable import Observables

@Suite struct PreparedRowsTests {
    @Test("after random insertions and removals the rows are those of a sorted array")
    func random() {
        withSeed { random in
            for round in 0..<100 {
                var model = (0..<Int.random(in: 0...60, using: &random)).map { $0 * 10 }
                var rows = PreparedRows<Int>()
                var start = 0
                while start < model.count {
                    let end = min(model.count, start + Int.random(in: 1...20, using: &random))
                    rows.append(contentsOf: model[start..<end])
                    start = end
                }
                #expect(rows.all == model)
                for _ in 0..<60 {
                    let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                    if random.chance(0.5), let old = model.randomElement(using: &random) {
                        rows.remove(old, by: <)
                        model.removeAll { $0 == old }
                    } else {
                        let new = Int.random(in: 0...600, using: &random)
                        if model.contains(new) { continue }
                        rows.insert(new, by: <)
                        model = (model + [new]).sorted()
                    }
                    #expect(rows.all == model && rows.count == model.count, place)
                    #expect(rows.isEmpty == model.isEmpty, place)
                    #expect(rows.chunks.allSatisfy { 1...ChunkCapacity.rows ~= $0.count }, place)
                }
            }
        }
    }

    @Test("a sorted set begins with prepared rows, calls its comparator for none, and goes on")
    func begin() {
        let source = SetVariable(Set(0..<50))
        var calls = 0
        let sorted = source.sorted { left, right in
            calls += 1
            return left > right
        }
        sorted.begin(with: PreparedRows((0..<50).reversed()))
        let connection = sorted.changes.connect { _ in }
        #expect(sorted.value == (0..<50).reversed() && calls == 0)
        source.insert(99)
        source.remove(7)
        #expect(sorted.value == [99] + (0..<50).reversed().filter { $0 != 7 })
        withExtendedLifetime(connection) {}
    }

    @Test(
        "a sorted set that stops following keeps its rows, and the set that begins with them follows again"
    )
    func stopFollowing() {
        let source = SetVariable(Set(0..<50))
        let sorted = source.sorted()
        #expect(sorted.stopFollowing() == nil, "nobody observes it")
        var connection: Connection? = sorted.extents.connect { _ in }
        while ObservableScheduler.current.performDeferredWork() {}
        var kept: PreparedRows<Int>?
        transaction {
            source.insert(50)
            kept = sorted.stopFollowing()
            source.remove(7)
        }
        #expect(kept?.all == Array(0...50) && sorted.value == Array(0...50))
        source.insert(99)
        #expect(sorted.stopFollowing()?.all == Array(0...50))
        connection = nil
        #expect(sorted.value == (0...50).filter { $0 != 7 } + [99], "nobody observes it any more")
        connection = sorted.extents.connect { _ in }
        source.remove(3)
        #expect(sorted.value == (0...50).filter { $0 != 7 && $0 != 3 } + [99])
        withExtendedLifetime(connection) {}
    }

    @Test("no rows are a beginning, too")
    func empty() {
        let source = SetVariable<Int>([])
        let sorted = source.sorted()
        sorted.begin(with: PreparedRows())
        let connection = sorted.changes.connect { _ in }
        source.insert(1)
        #expect(sorted.value == [1])
        withExtendedLifetime(connection) {}
    }
}
