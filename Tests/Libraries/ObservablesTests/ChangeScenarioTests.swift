import Observables
import Testing

@Suite struct ChangeScenarioTests {
    @Test("Counts before, after and between agree for every mix of modifications")
    func counts() {
        var change = ArrayChange<Int>(initialCount: 6)
        change.add(.insert(1, at: 6))
        #expect(change.initialCount == 6 && change.deltaCount == 1 && change.finalCount == 7)
        change.add(.remove(0, at: 0))
        #expect(change.deltaCount == 0 && change.finalCount == 6)
        change.add(.replace(2, at: 2, with: 3))
        #expect(change.deltaCount == 0)
        change.add(.replaceRange([4, 5], at: 3, with: [6, 7, 8, 9]))
        #expect(change.deltaCount == 2 && change.finalCount == 8)
        change.add(.replaceRange([0, 0, 0], at: 0, with: []))
        #expect(change.deltaCount == -1 && change.finalCount == 5)
        #expect(change.reversed().deltaCount == 1 && change.reversed().finalCount == 6)
    }

    @Test("A change without a length gets that of a change merged with it")
    func unknownLength() {
        var open = ArrayChange<Int>()
        open.add(.insert(1, at: 0))
        #expect(open.initialCount == nil && open.finalCount == nil)
        let merged = open.merged(
            with: ArrayChange(initialCount: 4, modification: .remove(9, at: 3)))
        #expect(merged.initialCount == 3 && merged.finalCount == 3)
        #expect(merged.isApplicable(toCount: 3) && !merged.isApplicable(toCount: 4))
        #expect(open.reversed().initialCount == nil)
        var array = [1]
        open.reversed().apply(on: &array)
        #expect(array.isEmpty)
    }

    @Test("A change that does not fit is refused: too long, for another length, or another set")
    func refusals() async {
        await #expect(processExitsWith: .failure) {
            var change = ArrayChange<Int>(initialCount: 2)
            change.add(.remove(1, at: 2))
        }
        await #expect(processExitsWith: .failure) {
            let change = ArrayChange<Int>(initialCount: 2)
            _ = change.merged(with: ArrayChange(initialCount: 3))
        }
        await #expect(processExitsWith: .failure) {
            var array = [1]
            array.apply(ArrayModification.remove(1, at: 1))
        }
        await #expect(processExitsWith: .failure) {
            var set: Set = [1]
            SetChange(removed: [2]).apply(on: &set)
        }
        await #expect(processExitsWith: .failure) {
            var set: Set = [1]
            SetChange(inserted: [1]).apply(on: &set)
        }
    }

    @Test("Modifications are normalized to their simplest form")
    func simplestForm() {
        #expect(ArrayModification<Int>(replacing: [], at: 3, with: []) == nil)
        #expect(ArrayModification(replacing: [], at: 3, with: [1]) == .insert(1, at: 3))
        #expect(ArrayModification(replacing: [1], at: 3, with: []) == .remove(1, at: 3))
        #expect(
            ArrayModification(replacing: [1], at: 3, with: [2]) == .replace(1, at: 3, with: 2))
        // Joined parts too.
        var change = ArrayChange<Int>(initialCount: 3)
        change.add(.remove(7, at: 1))
        change.add(.insert(8, at: 1))
        #expect(change.modifications == [.replace(7, at: 1, with: 8)])
    }

    @Test("An element in both halves of a set's change was present and stays")
    func bothHalves() {
        let change = SetChange(removed: [1, 2], inserted: [2, 3])
        #expect(change == SetChange(removed: [1], inserted: [3]))
        var set: Set = [1, 2]
        change.apply(on: &set)
        #expect(set == [2, 3])
    }
}
