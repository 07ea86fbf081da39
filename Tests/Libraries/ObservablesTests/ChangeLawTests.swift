import Observables
import Testing

/// Whether the change removes elements of the array, and its modifications ascend without touching.
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
    /// Checks the laws for one change between two arrays.
    private func examine(
        _ change: ArrayChange<Int>, from: [Int], to: [Int], _ verdict: Verdict
    ) {
        verdict.expect(isTruthful(change, on: from), "\(change) does not fit \(from)")
        verdict.expect(
            change.initialCount == from.count && change.finalCount == to.count
                && change.deltaCount == to.count - from.count, "counts of \(change)")
        let reversed = change.reversed()
        verdict.expect(isTruthful(reversed, on: to), "\(reversed) does not fit \(to)")
        // A change that does not fit is not applied, as that would end the process.
        guard verdict.failure == nil else { return }
        var value = from
        change.apply(on: &value)
        verdict.expectEqual(value, to, "applied")
        reversed.apply(on: &value)
        verdict.expectEqual(value, from, "reversed")
        verdict.expectEqual(reversed.reversed(), change, "reversed twice")
        let nothing = change.merged(with: reversed).strippingReplacements(by: ==)
        verdict.expect(nothing.isEmpty, "merged with its reverse: \(nothing)")

        var mapped = from.map { "\($0)" }
        change.map { "\($0)" }.apply(on: &mapped)
        verdict.expectEqual(mapped, to.map { "\($0)" }, "mapped")
        let stripped = change.strippingReplacements(by: ==)
        var remaining = from
        stripped.apply(on: &remaining)
        verdict.expectEqual(remaining, to, "stripped")
        for modification in stripped.modifications
        where modification.inputCount == modification.outputCount {
            verdict.expect(
                zip(modification.oldElements, modification.newElements).allSatisfy { $0 != $1 },
                "\(modification) is left after stripping")
        }
        var whole = from
        ArrayChange(from: from, to: to).apply(on: &whole)
        verdict.expectEqual(whole, to, "whole arrays")
    }

    @Test("Changes of arrays, single and merged, obey the laws of apply, reverse, map and widen")
    func arrayLaws() {
        checkScripts(of: ArrayChangeStep.generator, from: 0..<2000, size: 45) { script in
            let verdict = Verdict()
            let (changes, arrays) = carryOut(script)
            for (index, change) in changes.enumerated() {
                examine(change, from: arrays[index], to: arrays[index + 1], verdict)
            }
            if let all = mergedFromLeft(changes), let last = arrays.last {
                examine(all, from: arrays[0], to: last, verdict)
            }
            return verdict.failure
        }
    }

    @Test("Merging changes of arrays is associative")
    func arrayAssociativity() {
        checkScripts(of: ArrayChangeStep.generator, from: 5000..<7000, size: 45) { script in
            let verdict = Verdict()
            let (changes, _) = carryOut(script)
            verdict.expectEqual(
                mergedFromLeft(changes), mergedFromRight(changes), "merged from both ends")
            let undone = mergedFromLeft(changes.map { $0.reversed() }.reversed())
            verdict.expectEqual(
                mergedFromLeft(changes)?.reversed(), undone, "reverse of the merged")
            return verdict.failure
        }
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

    @Test("An insertion and its removal cancel out")
    func cancelling() {
        var change = ArrayChange<String>(initialCount: 3)
        change.add(.insert("a", at: 1))
        change.add(.insert("b", at: 4))
        change.add(.remove("a", at: 1))
        #expect(change.modifications == [.insert("b", at: 3)])
        change.add(.remove("b", at: 3))
        #expect(change.isEmpty && change.deltaCount == 0)
        change.add(.replace("x", at: 2, with: "x"))
        #expect(!change.isEmpty && change.strippingReplacements(by: ==).isEmpty)
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

    @Test("A change is refused by an array of another length, before anything is modified")
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

    @Test("Changes of sets are canonical, and merge, map and reverse according to the laws")
    func setLaws() {
        checkScripts(of: SetChangeStep.generator, from: 0..<1500, size: 30) { script in
            let verdict = Verdict()
            let (changes, sets) = carryOut(script)
            func examine(_ change: SetChange<Int>, from: Set<Int>, to: Set<Int>) {
                verdict.expectEqual(change, SetChange(from: from, to: to), "canonical")
                verdict.expect(
                    change.removed.isSubset(of: from) && change.inserted.isDisjoint(with: from),
                    "\(change) does not fit \(from)")
                // A change that does not fit is not applied, as that would end the process.
                guard verdict.failure == nil else { return }
                var value = from
                change.apply(on: &value)
                verdict.expectEqual(value, to, "applied")
                change.reversed().apply(on: &value)
                verdict.expectEqual(value, from, "reversed")
                verdict.expect(change.merged(with: change.reversed()).isEmpty, "not undone")
                verdict.expectEqual(
                    change.deltaCount, to.count - from.count, "count")
            }
            for (index, change) in changes.enumerated() {
                examine(change, from: sets[index], to: sets[index + 1])
            }
            if let all = mergedFromLeft(changes), let last = sets.last {
                examine(all, from: sets[0], to: last)
                verdict.expectEqual(all, mergedFromRight(changes) ?? all, "merged from both ends")
                verdict.expectEqual(
                    all.reversed(),
                    mergedFromLeft(changes.map { $0.reversed() }.reversed()) ?? all,
                    "reverse of the merged")
            }
            return verdict.failure
        }
    }

    @Test("All sequences of up to three changes of all sets of three elements merge and reverse")
    func exhaustiveSets() {
        func set(_ bits: Int) -> Set<Int> { Set((0..<3).filter { bits & (1 << $0) != 0 }) }
        for bits in 0..<(8 * 8 * 8 * 8) {
            let sets = (0..<4).map { set((bits >> (3 * $0)) & 7) }
            let changes = (0..<3).map { SetChange(from: sets[$0], to: sets[$0 + 1]) }
            let two = changes[0].merged(with: changes[1])
            let all = two.merged(with: changes[2])
            let isRight =
                two == SetChange(from: sets[0], to: sets[2])
                && all == SetChange(from: sets[0], to: sets[3])
                && all == changes[0].merged(with: changes[1].merged(with: changes[2]))
                && all.reversed() == SetChange(from: sets[3], to: sets[0])
            #expect(isRight, "\(sets)")
            if !isRight { return }
        }
    }

    @Test("Inserting and removing an element of a set, in either order, is no change")
    func setCancelling() {
        let there = SetChange<Int>(inserted: [1]).merged(with: SetChange(removed: [1]))
        let back = SetChange<Int>(removed: [1]).merged(with: SetChange(inserted: [1]))
        #expect(there.isEmpty && back.isEmpty)
    }

    @Test("Changes of scalars merge from the first value to the last and detect if they are empty")
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
