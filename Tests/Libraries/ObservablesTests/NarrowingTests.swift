import Observables
import Testing

@Suite struct NarrowingTests {
    /// Numbers that have all bits of the criterion: more bits narrow.
    private func filter(
        _ rows: ArrayVariable<Int>, by criterion: Variable<Int>, calls: @escaping () -> Void = {}
    ) -> ObservableArray<Int> {
        rows.filter(by: criterion.observable, narrowing: { $0 & $1 == $1 }) { bits, row in
            calls()
            return row & bits == bits
        }
    }

    @Test("Narrowing and widening equal a full pass", arguments: 0..<300)
    func equality(seed: Int) {
        var random = Seeded(seed)
        let rows = ArrayVariable((0..<random.below(60)).map { _ in random.below(8) })
        let criterion = Variable(random.below(8))
        let matching = filter(rows, by: criterion)
        var folded = matching.value
        let connection = matching.connect { $0.apply(on: &folded) }
        for step in 0..<30 {
            transaction {
                if random.below(2) == 0 { criterion.value = random.below(8) }
                if random.below(2) == 0 {
                    rows.insert(random.below(8), at: random.below(rows.count + 1))
                }
                if random.below(3) == 0, !rows.isEmpty { rows.remove(at: random.below(rows.count)) }
            }
            let expected = rows.value.filter { $0 & criterion.value == criterion.value }
            #expect(matching.value == expected, "seed \(seed) step \(step)")
            #expect(folded == expected, "seed \(seed) step \(step)")
        }
        withExtendedLifetime(connection) {}
    }

    @Test("A narrower criterion checks only matching rows, a wider one only the others")
    func counts() {
        var calls = 0
        let rows = ArrayVariable(Array(0..<1024))
        let criterion = Variable(1)
        let matching = filter(rows, by: criterion) { calls += 1 }
        let connection = matching.connect { _ in }
        #expect(calls == 1024)
        calls = 0
        criterion.value = 0b11
        #expect(calls == 512)
        #expect(matching.count == 256)
        calls = 0
        criterion.value = 1
        #expect(calls == 1024 - 256)
        #expect(matching.count == 512)
        calls = 0
        criterion.value = 0b10
        #expect(calls == 1024)
        withExtendedLifetime(connection) {}
    }
}

@Suite struct PutOffChangeTests {
    @Test(
        "A predicate's change is the same for all observers, whoever reads it and when",
        arguments: 0..<300)
    func observers(seed: Int) {
        var random = Seeded(seed)
        let rows = ArrayVariable((0..<random.below(60)).map { _ in random.below(8) })
        let bits = Variable(random.below(8))
        let matching = rows.filter(
            by: bits.observable, narrowing: { $0 & $1 == $1 }, matches: { $1 & $0 == $0 })
        let start = Variable(random.below(4))
        let window = matching.window(start: start.observable, count: .constant(5))
        var folded = matching.value
        var shown = window.value
        var copy = matching.value
        let twice = matching.filter { $0 != 3 }.map { -$0 }
        var foldedTwice = twice.value
        // Another operator reads the change immediately; without it, nobody may before its delivery.
        let hasOperator = seed.isMultiple(of: 2)
        var connections = [
            matching.connect { $0.apply(on: &folded) },
            window.connect { change in
                #expect(!change.isEmpty)
                change.apply(on: &shown)
            },
            matching.extents.connect { extent in
                let now = matching.value
                #expect(extent.deltaCount == now.count - copy.count, "seed \(seed)")
                #expect(now.prefix(extent.prefix) == copy.prefix(extent.prefix), "seed \(seed)")
                #expect(now.suffix(extent.suffix) == copy.suffix(extent.suffix), "seed \(seed)")
                #expect(extent.prefix + extent.suffix <= min(now.count, copy.count))
                copy = now
            },
        ]
        if hasOperator { connections.append(twice.connect { $0.apply(on: &foldedTwice) }) }
        for step in 0..<30 {
            let place: Comment = "seed \(seed) step \(step)"
            transaction {
                if random.below(2) == 0 { bits.value = random.below(8) }
                // Read in between, the change so far is merged with the next one.
                if random.below(2) == 0 { _ = window.value }
                if random.below(2) == 0 { rows.insert(random.below(8), at: 0) }
                if random.below(2) == 0 { _ = matching.count }
                if random.below(3) == 0 { bits.value = random.below(8) }
                if random.below(3) == 0 { start.value = random.below(4) }
                if random.below(3) == 0, !rows.isEmpty { rows.remove(at: random.below(rows.count)) }
            }
            let expected = rows.value.filter { $0 & bits.value == bits.value }
            #expect(folded == expected, place)
            #expect(copy == expected, place)
            #expect(shown == Array(expected.dropFirst(start.value).prefix(5)), place)
            if hasOperator {
                #expect(foldedTwice == expected.filter { $0 != 3 }.map { -$0 }, place)
            }
        }
        withExtendedLifetime(connections) {}
    }

    @Test("Rows that a window still shows are not emitted, however many between them leave")
    func windows() {
        let rows = ArrayVariable(Array(0..<1000))
        let limit = Variable(0)
        let window = rows.filter(where: limit.map { limit in { $0 < 10 || $0 >= limit } })
            .window(0..<50)
        var told: [ArrayModification<Int>] = []
        let connection = window.connect { told = $0.modifications }
        limit.value = 35
        #expect(
            told == [
                .replaceRange(Array(10..<35), at: 10, with: []),
                .replaceRange([], at: 25, with: Array(50..<75)),
            ])
        withExtendedLifetime(connection) {}
    }
}
