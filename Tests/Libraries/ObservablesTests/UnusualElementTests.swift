import Foundation
import Observables
import Testing

private struct Nothing: Hashable, Comparable {
    static func < (left: Nothing, right: Nothing) -> Bool { false }
}

/// Equal by identity, ordered by a mutable property.
private final class Item: Hashable {
    var rank: Int

    init(_ rank: Int) { self.rank = rank }

    static func == (left: Item, right: Item) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@Suite struct UnusualElementTests {
    @Test("Elements of size zero are sorted, filtered and windowed like others")
    func nothing() {
        let array = ArrayVariable([Nothing](repeating: Nothing(), count: 40))
        let order = Variable(0)
        let rows = array.sorted(by: order.map { _ in { $0 < $1 } })
        let matching = rows.filter(where: order.map { order in { _ in order != 2 } })
        let window = matching.window(3..<10)
        let mirrors = [Mirror(rows), Mirror(matching), Mirror(window), Mirror(rows + window)]
        for step in 1..<4 {
            order.value = step
            array.append(Nothing())
            array.remove(at: 0)
            #expect(matching.count == (step == 2 ? 0 : 40))
            #expect(mirrors.map(\.value.count) == (step == 2 ? [40, 0, 0, 40] : [40, 40, 7, 47]))
        }
    }

    @Test("An inconsistent comparator loses no row", arguments: 0..<60)
    func contradiction(seed: Int) {
        var random = Seeded(seed)
        var noise = Seeded(seed + 1000)
        let set = SetVariable(Set(0..<30))
        let order = Variable(0)
        let rows = set.sorted(by: order.map { _ in { _, _ in noise.below(2) == 0 } })
        let even = rows.filter { $0.isMultiple(of: 2) }
        let connection = even.connect { _ in }
        for step in 0..<30 {
            switch random.below(4) {
            case 0: order.value += 1
            case 1: set.insert(random.below(60))
            case 2: set.remove(random.below(60))
            default: ObservableScheduler.current.performDeferredWork(budget: 1 + random.below(40))
            }
            if random.below(2) == 0 { _ = even[0..<min(3, even.count)] }
            let expected = set.value.filter { $0.isMultiple(of: 2) }.sorted()
            #expect(even.value.sorted() == expected, "seed \(seed) step \(step)")
        }
        #expect(rows.value.sorted() == set.value.sorted(), "seed \(seed)")
        withExtendedLifetime(connection) {}
    }

    @Test("Objects mutated in place keep their rows, and all can be removed", arguments: 0..<40)
    func altered(seed: Int) {
        var random = Seeded(seed)
        let items = (0..<20).map { _ in Item(random.below(5)) }
        let set = SetVariable(Set(items))
        let isReversed = Variable(false)
        let rows = set.sorted(
            by: isReversed.map { isReversed in
                { isReversed ? $0.rank > $1.rank : $0.rank < $1.rank }
            })
        let mirror = Mirror(rows)
        let filtered = Mirror(rows.filter { _ in true })
        for step in 0..<30 {
            switch random.below(4) {
            case 0: isReversed.value.toggle()
            case 1: items[random.below(20)].rank = random.below(5)
            case 2: set.remove(items[random.below(20)])
            default: set.insert(items[random.below(20)])
            }
            #expect(Set(mirror.value) == set.value, "seed \(seed) step \(step)")
            #expect(mirror.value.count == set.count, "seed \(seed) step \(step)")
            #expect(filtered.value == mirror.value, "seed \(seed) step \(step)")
        }
        for item in items { set.remove(item) }
        #expect(mirror.value.isEmpty, "seed \(seed)")
    }

    @Test("A chain of 100,000 nodes needs at most the stack of a secondary thread")
    func smallStack() {
        nonisolated(unsafe) var result = 0
        let thread = Thread {
            let source = Variable(0)
            var link = source.map { $0 + 1 }
            for _ in 1..<100_000 { link = link.map { $0 + 1 } }
            let connection = link.connect { unsafe result = $0.new }
            source.value = 1
            connection.disconnect()
            link = .constant(0)
        }
        thread.stackSize = 512 * 1024
        thread.start()
        while !thread.isFinished { sched_yield() }
        #expect(unsafe result == 100_001)
    }
}
