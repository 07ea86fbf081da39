// Nodes use the memory of spent changes again. No change that a sink has kept may differ afterwards, and
// no element may stay alive in a change that waits for its next use.

import Observables
import Testing

@Suite struct ReusedChangeTests {
    /// A kept change of an array, and the numbers of the rows before and after it.
    private struct KeptChange {
        let change: ArrayChange<Tracked>
        let old: [Int]
        let new: [Int]

        var fits: Bool {
            var result = old
            let numbers = change.map(\.number)
            numbers.apply(on: &result)
            guard result == new else { return false }
            numbers.reversed().apply(on: &result)
            return result == old
        }
    }

    /// The last rows that a sink was told of, and what it has kept.
    private final class Reader {
        var rows: [Int]
        var kept: [KeptChange] = []
        var connection: Connection?

        init(_ array: ObservableArray<Tracked>, keeps: @escaping () -> Bool) {
            rows = array.value.map(\.number)
            connection = array.connect { [unowned self] change in
                let new = array.value.map(\.number)
                if keeps() { kept.append(KeptChange(change: change, old: rows, new: new)) }
                rows = new
            }
        }
    }

    /// What each sink does with its changes.
    enum Keeping: CaseIterable {
        case nothing, some, everything
    }

    @Test(
        "A kept change stays as it was delivered; without one, only the variables hold elements",
        arguments: Keeping.allCases, 0..<10)
    func scripts(keeping: Keeping, seed: Int) {
        var random = Seeded(seed)
        let counter = LiveCount()
        let set = SetVariable<Tracked>()
        let array = ArrayVariable<Tracked>()
        var sets: [(change: SetChange<Tracked>, old: Set<Int>, new: Set<Int>)] = []
        var keepingRandom = Seeded(seed + 1000)
        let keeps = {
            switch keeping {
            case .nothing: false
            case .some: keepingRandom.below(3) == 0
            case .everything: true
            }
        }
        let sorted = set.sorted()
        let arrays = [
            sorted, sorted.filter { $0.number % 2 == 0 }, array.sorted(),
            array.filter { $0.number % 3 != 0 }, sorted.filter { $0.number % 3 == 0 } + array,
        ]
        var readers = arrays.map { Reader($0, keeps: keeps) }
        var members: Set<Int> = []
        let connection = set.connect { change in
            let new = Set(set.value.map(\.number))
            if keeps() { sets.append((change, members, new)) }
            members = new
        }
        var kept: [KeptChange] = []
        // No two elements are equal: of those, a set and what follows from it may hold different ones.
        var numbers = 0
        for step in 0..<60 {
            transaction {
                for _ in 0...(random.below(3) == 0 ? random.below(9) : 0) {
                    numbers += 1
                    let tracked = Tracked(numbers, counter)
                    switch random.below(6) {
                    case 0, 1: set.insert(tracked)
                    case 2, 3: set.remove(Tracked(numbers - random.below(20), counter))
                    case 4 where array.count > 3: array.remove(at: random.below(array.count))
                    default: array.insert(tracked, at: random.below(array.count + 1))
                    }
                    // A read settles the writes so far, so that sinks get merged changes.
                    if random.below(4) == 0 { #expect(sorted.count == set.count) }
                }
            }
            for (reader, array) in zip(readers, arrays) {
                #expect(reader.rows == array.value.map(\.number), "seed \(seed), step \(step)")
            }
            if keeping == .nothing {
                #expect(counter.live == set.count + array.count, "seed \(seed), step \(step)")
            }
            if random.below(9) == 0 {
                let index = random.below(arrays.count)
                kept += readers[index].kept
                readers[index] = Reader(arrays[index], keeps: keeps)
            }
        }
        kept += readers.flatMap(\.kept)
        let altered = kept.count { !$0.fits }
        #expect(altered == 0, "seed \(seed)")
        for (change, old, new) in sets {
            let isKept =
                Set(change.removed.map(\.number)) == old.subtracting(new)
                && Set(change.inserted.map(\.number)) == new.subtracting(old)
            #expect(isKept, "seed \(seed)")
        }
        #expect((keeping == .nothing) == (kept.isEmpty && sets.isEmpty), "seed \(seed)")
        withExtendedLifetime(connection) {}
    }

    /// Calls a function when it is released.
    private final class Ending: Hashable {
        let number: Int
        var body: (() -> Void)?

        init(_ number: Int, _ body: (() -> Void)? = nil) {
            self.number = number
            self.body = body
        }

        deinit { body?() }

        static func == (left: Ending, right: Ending) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test(
        "An element that a spent change releases may write the set, and read what follows from it",
        arguments: [0, 1], [1, 2])
    func ending(number: Int, modulus: Int) {
        let set = SetVariable<Ending>()
        let rows = set.sorted { $0.number < $1.number }.filter { $0.number % modulus == 0 }
        var shown: [Int] = []
        let connection = rows.connect { change in
            change.map(\.number).apply(on: &shown)
        }
        var found: [Int] = []
        for round in 1...5 {
            set.insert(
                Ending(number) {
                    set.insert(Ending(10 * round))
                    set.insert(Ending(10 * round + 1))
                    found.append(rows.count)
                })
            set.remove(Ending(number))
            let expected = set.value.map(\.number).sorted().filter { $0 % modulus == 0 }
            #expect(set.count == 2 * round && found.count == round)
            #expect(shown == expected && rows.value.map(\.number) == expected)
        }
        withExtendedLifetime(connection) {}
    }
}
