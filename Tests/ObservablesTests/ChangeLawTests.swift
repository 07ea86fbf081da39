import Observables
import Testing

/// A change made of some random modifications, and the array it gives.
private func randomChange(
    of array: [Int], steps: Int, _ random: inout Seeded
) -> (change: ArrayChange<Int>, result: [Int]) {
    var change = ArrayChange<Int>(initialCount: array.count)
    var result = array
    for _ in 0..<steps {
        let modification = random.modification(of: result)
        change.add(modification)
        result.apply(modification)
    }
    return (change, result)
}

/// Whether the change takes away what the array holds, and its modifications ascend untouching.
private func isTruthful(_ change: ArrayChange<Int>, on array: [Int]) -> Bool {
    var array = array
    var end = -1
    for modification in change.modifications {
        guard modification.startIndex > end,
            modification.inputRange.upperBound <= array.count,
            Array(array[modification.inputRange]) == modification.oldElements
        else { return false }
        array.apply(modification)
        end = modification.outputRange.upperBound
    }
    return true
}

@Suite struct ChangeLawTests {
    @Test("Changes of arrays keep the laws on random scripts", arguments: 0..<2000)
    func arrayLaws(seed: Int) {
        var random = Seeded(seed)
        let base = random.array(limit: 12)
        let (first, middle) = randomChange(of: base, steps: random.below(12), &random)
        let (second, final) = randomChange(of: middle, steps: random.below(12), &random)
        let (third, last) = randomChange(of: final, steps: random.below(4), &random)

        for (change, from, to) in [
            (first, base, middle), (second, middle, final),
            (first.merged(with: second), base, final),
        ] {
            var value = from
            change.apply(on: &value)
            #expect(value == to, "seed \(seed)")
            #expect(isTruthful(change, on: from), "seed \(seed)")
            #expect(change.initialCount == from.count && change.finalCount == to.count)
            change.reversed().apply(on: &value)
            #expect(value == from, "seed \(seed)")
            #expect(change.reversed().reversed() == change, "seed \(seed)")
            #expect(
                change.merged(with: change.reversed()).strippingEqualReplacements().isEmpty,
                "seed \(seed)")

            var mapped = from.map { "\($0)" }
            change.map { "\($0)" }.apply(on: &mapped)
            #expect(mapped == to.map { "\($0)" }, "seed \(seed)")

            var wide = [7, 7] + from + [7]
            change.widened(offset: 2, initialCount: wide.count).apply(on: &wide)
            #expect(wide == [7, 7] + to + [7], "seed \(seed)")

            var stripped = from
            change.strippingEqualReplacements().apply(on: &stripped)
            #expect(stripped == to, "seed \(seed)")
        }
        let left = first.merged(with: second).merged(with: third)
        let right = first.merged(with: second.merged(with: third))
        var one = base
        var other = base
        left.apply(on: &one)
        right.apply(on: &other)
        #expect(one == last && other == last, "seed \(seed)")

        var value = base
        ArrayChange(from: base, to: final).apply(on: &value)
        #expect(value == final)
    }

    @Test("All sequences of three replacements on two elements merge and reverse")
    func exhaustiveMerging() {
        func modifications(of array: [Int], fresh: Int) -> [ArrayModification<Int>] {
            var all: [ArrayModification<Int>] = []
            for start in 0...array.count {
                for end in start...array.count {
                    for size in 0...2 {
                        let new = (0..<size).map { fresh + $0 }
                        if let one = ArrayModification(
                            replacing: Array(array[start..<end]), at: start, with: new)
                        {
                            all.append(one)
                        }
                    }
                }
            }
            return all
        }
        func descend(_ change: ArrayChange<Int>, _ array: [Int], depth: Int) {
            var value = [0, 1]
            change.apply(on: &value)
            #expect(value == array)
            #expect(isTruthful(change, on: [0, 1]))
            change.reversed().apply(on: &value)
            #expect(value == [0, 1])
            guard depth < 3 else { return }
            for modification in modifications(of: array, fresh: 10 * (depth + 1)) {
                var next = change
                var result = array
                next.add(modification)
                result.apply(modification)
                descend(next, result, depth: depth + 1)
            }
        }
        descend(ArrayChange(initialCount: 2), [0, 1], depth: 0)
    }

    @Test("What is inserted and removed again leaves nothing")
    func cancelling() {
        var change = ArrayChange<String>(initialCount: 3)
        change.add(.insert("a", at: 1))
        change.add(.insert("b", at: 4))
        change.add(.remove("a", at: 1))
        #expect(change.modifications == [.insert("b", at: 3)])
        change.add(.remove("b", at: 3))
        #expect(change.isEmpty && change.deltaCount == 0)
        change.add(.replace("x", at: 2, with: "x"))
        #expect(!change.isEmpty && change.strippingEqualReplacements().isEmpty)
    }

    @Test("Ranges that touch are joined and others stay apart, in order")
    func joining() {
        var change = ArrayChange<Int>(initialCount: 10)
        change.add(.insert(1, at: 5))
        change.add(.insert(2, at: 6))
        change.add(.remove(9, at: 9))
        change.add(.replace(0, at: 0, with: 7))
        #expect(
            change.modifications == [
                .replace(0, at: 0, with: 7), .replaceRange([], at: 5, with: [1, 2]),
                .remove(9, at: 9),
            ])
    }

    @Test("A change is refused by an array of another length, before anything is altered")
    func refusal() async {
        var change = ArrayChange<Int>(initialCount: 2)
        change.add(.insert(5, at: 0))
        #expect(change.isApplicable(toCount: 2) && !change.isApplicable(toCount: 3))
        var open = ArrayChange<Int>()
        open.add(.remove(5, at: 4))
        #expect(open.isApplicable(toCount: 9) && !open.isApplicable(toCount: 4))
        await #expect(processExitsWith: .failure) {
            var change = ArrayChange<Int>(initialCount: 2)
            change.add(.insert(5, at: 0))
            var array = [1, 2, 3]
            change.apply(on: &array)
        }
    }

    @Test("Changes of sets are canonical, merge, map and reverse", arguments: 0..<500)
    func setLaws(seed: Int) {
        var random = Seeded(seed)
        let base = Set(random.array(limit: 5, alphabet: 6))
        var value = base
        var change = SetChange<Int>()
        for _ in 0..<random.below(10) {
            let element = random.below(6)
            if value.contains(element) {
                value.remove(element)
                change = change.merged(with: SetChange(removed: [element]))
            } else {
                value.insert(element)
                change = change.merged(with: SetChange(inserted: [element]))
            }
        }
        #expect(change == SetChange(from: base, to: value), "seed \(seed)")
        var applied = base
        change.apply(on: &applied)
        #expect(applied == value, "seed \(seed)")
        change.reversed().apply(on: &applied)
        #expect(applied == base, "seed \(seed)")
        #expect(change.merged(with: change.reversed()).isEmpty, "seed \(seed)")
        var mapped = Set(base.map { -$0 })
        change.map { -$0 }.apply(on: &mapped)
        #expect(mapped == Set(value.map { -$0 }), "seed \(seed)")
    }

    @Test("Inserting and removing an element of a set, in either order, is no change")
    func setCancelling() {
        let there = SetChange<Int>(inserted: [1]).merged(with: SetChange(removed: [1]))
        let back = SetChange<Int>(removed: [1]).merged(with: SetChange(inserted: [1]))
        #expect(there.isEmpty && back.isEmpty)
    }

    @Test("Changes of scalars merge from the first value to the last and know if they are none")
    func scalars() {
        let change = ScalarChange(from: 1, to: 2).merged(with: ScalarChange(from: 2, to: 1))
        #expect(change.isEmpty && change.old == 1)
        #expect(ScalarChange<Int?>(from: nil, to: nil).isEmpty)
        #expect(!ScalarChange<Int?>(from: nil, to: 1).isEmpty)
        #expect(!ScalarChange(from: {}, to: {}).isEmpty)
        var value = 5
        ScalarChange(from: 5, to: 6).reversed().apply(on: &value)
        #expect(value == 5)
    }
}
