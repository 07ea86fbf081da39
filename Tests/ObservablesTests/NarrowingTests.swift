import Observables
import Testing

@Suite struct NarrowingTests {
    /// Numbers all of whose bits in the criterion are set: more bits narrow.
    private func filter(
        _ rows: ArrayVariable<Int>, by criterion: Variable<Int>, calls: @escaping () -> Void = {}
    ) -> ObservableArray<Int> {
        rows.filter(by: criterion.observable, narrowing: { $0 & $1 == $1 }) { bits, row in
            calls()
            return row & bits == bits
        }
    }

    @Test("Narrowing and widening give what a full pass gives", arguments: 0..<300)
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

    @Test("A narrower criterion asks only what matched, a wider one only what did not")
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
