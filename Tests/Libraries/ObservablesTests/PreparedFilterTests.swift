// Filters whose start was computed in steps while the array changed, compared with plain filters.

import Observables
import TestSupport
import Testing

@Suite struct PreparedFilterTests {
    private static func isWanted(_ row: Int) -> Bool { row.isMultiple(of: 3) }

    /// A filter of wanted rows, prepared by blocks; bits that stand for no row are set.
    private static func prepare(
        _ rows: ObservableArray<Int>, blocks: @escaping (Int) -> Void = { _ in }
    ) -> PreparedFilter<Int> {
        PreparedFilter(of: rows, isWanted) { block in
            blocks(block.count)
            var bits: UInt64 = .max
            for index in block.indices where !isWanted(block[index]) {
                bits &= ~(1 << UInt64(index))
            }
            return bits
        }
    }

    private static func some(_ limit: Int, _ random: inout SeededRandom) -> [Int] {
        (0..<Int.random(in: 0...limit, using: &random)).map { _ in
            Int.random(in: 0..<12, using: &random)
        }
    }

    /// An edit of any kind, or several as one change.
    private static func edit(_ rows: ArrayVariable<Int>, _ random: inout SeededRandom) {
        let count = rows.value.count
        let start = Int.random(in: 0...count, using: &random)
        let most = random.chance(0.2) ? count - start : min(4, count - start)
        let end = start + Int.random(in: 0...most, using: &random)
        let new = Int.random(in: 0..<12, using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<3: rows.insert(new, at: start)
        case 3, 4: if start < count { rows.remove(at: start) }
        case 5, 6: if start < count { rows[start] = new }
        case 7..<10: rows.replaceSubrange(start..<end, with: some(5, &random))
        case 10: rows.append(contentsOf: some(5, &random))
        case 11: rows.removeAll { $0 == new }
        case 12:
            transaction {
                for _ in 0..<3 { edit(rows, &random) }
            }
        default: if random.chance(0.2) { rows.value = some(120, &random) }
        }
    }

    @Test("whatever changes between the steps, the filter begins with the rows that match")
    func randomChanges() {
        withSeed { random in
            for round in 0..<400 {
                let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                let rows = ArrayVariable(Self.some(200, &random))
                var largestBlock = 0
                let prepared = Self.prepare(rows.observableArray) {
                    largestBlock = max(largestBlock, $0)
                }
                // What changes before the first step is of no importance.
                if random.chance(0.3) { Self.edit(rows, &random) }
                var edits = 0
                while true {
                    let before = prepared.stepsTaken
                    let budget = Int.random(in: 1...60, using: &random)
                    let isDone = prepared.advance(budget: budget)
                    #expect(prepared.stepsTaken - before <= budget + 960, place)
                    #expect(prepared.isDone == isDone, place)
                    if isDone { break }
                    while edits < 60, random.chance(0.6) {
                        edits += 1
                        Self.edit(rows, &random)
                    }
                }
                #expect(largestBlock <= 64, place)
                for _ in 0..<Int.random(in: 0...4, using: &random) { Self.edit(rows, &random) }
                #expect(prepared.isDone && prepared.advance(budget: 1), place)

                var calls = 0
                let filter = rows.observableArray.filter(prepared: prepared) { row in
                    calls += 1
                    return Self.isWanted(row)
                }
                var told: [Int] = []
                let connection = filter.changes.connect { $0.apply(on: &told) }
                told = filter.value
                #expect(calls == 0, "all rows are known: \(place)")
                #expect(told == rows.value.filter(Self.isWanted), place)
                for _ in 0..<6 {
                    Self.edit(rows, &random)
                    let wanted = rows.value.filter(Self.isWanted)
                    #expect(filter.value == wanted && told == wanted, place)
                }
                connection.disconnect()
            }
        }
    }

    @Test("rows are prepared while the array is sorted in slices")
    func whileSorting() {
        withSeed { random in
            for round in 0..<150 {
                let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                let numbers = SetVariable<Int>()
                func change(_ count: Int, _ random: inout SeededRandom) {
                    numbers.value.formSymmetricDifference(
                        (0..<count).map { _ in Int.random(in: 0..<500, using: &random) })
                }
                change(Int.random(in: 0...200, using: &random), &random)
                let sorted = numbers.observableSet.sorted(by: >)
                // Someone else has the array, so that its order is put off.
                let other = sorted.extents.connect { _ in }
                let prepared = Self.prepare(sorted)
                while !prepared.advance(budget: Int.random(in: 1...40, using: &random)) {
                    if random.chance(0.3) {
                        change(Int.random(in: 1...4, using: &random), &random)
                    }
                    if random.chance(0.3) {
                        ObservableScheduler.current.performDeferredWork(
                            budget: Int.random(in: 1...40, using: &random))
                    }
                }
                let filter = sorted.filter(prepared: prepared, Self.isWanted)
                let connection = filter.extents.connect { _ in }
                for _ in 0..<4 {
                    let wanted = numbers.value.filter(Self.isWanted).sorted(by: >)
                    #expect(filter.value == wanted, place)
                    change(Int.random(in: 1...4, using: &random), &random)
                    ObservableScheduler.current.performDeferredWork(budget: 10)
                }
                connection.disconnect()
                other.disconnect()
            }
        }
    }

    @Test("a filter can begin with rows that are known without a test")
    func knownRows() {
        withSeed { random in
            for round in 0..<200 {
                let place = Comment(rawValue: "round \(round): seed \(random.seed)")
                let rows = ArrayVariable(Self.some(random.chance(0.2) ? 700 : 60, &random))
                // The predicate is not asked, so any rows can be kept.
                let isAny = random.chance(0.5)
                let kept = rows.value.indices.filter {
                    isAny ? random.chance(0.3) : Self.isWanted(rows.value[$0])
                }
                let prepared = PreparedFilter(of: rows.observableArray, keeping: kept)
                #expect(prepared.isDone && prepared.advance(budget: 1), place)
                #expect(prepared.stepsTaken == 0, place)
                var calls = 0
                let filter = rows.observableArray.filter(prepared: prepared) { row in
                    calls += 1
                    return Self.isWanted(row)
                }
                let connection = filter.changes.connect { _ in }
                #expect(filter.value == kept.map { rows.value[$0] } && calls == 0, place)
                if !isAny {
                    for _ in 0..<5 {
                        Self.edit(rows, &random)
                        #expect(filter.value == rows.value.filter(Self.isWanted), place)
                    }
                }
                connection.disconnect()
            }
        }
    }

    @Test("one change calls the predicate for its own rows only")
    func costOfChanges() {
        let rows = ArrayVariable(Array(0..<300))
        var calls = 0
        let prepared = PreparedFilter(
            of: rows.observableArray,
            { row in
                calls += 1
                return Self.isWanted(row)
            }, matches: { _ in .max })
        #expect(!prepared.advance(budget: 1))
        let tested = prepared.stepsTaken
        #expect(tested > 0 && tested < 300 && calls == 0)
        rows[0] = 3
        rows.insert(5, at: 1)
        #expect(calls == 2)
        // These are tested in their places.
        rows.append(7)
        rows.remove(at: 280)
        rows.replaceSubrange((tested - 3)..<(tested + 20), with: [1, 2, 3])
        #expect(calls == 2)
        #expect(prepared.advance(budget: .max))
        #expect(calls == 2)
        rows.append(6)
        rows.replaceSubrange(10..<20, with: [1, 2])
        #expect(calls == 5)
        let filter = rows.observableArray.filter(prepared: prepared, Self.isWanted)
        let connection = filter.changes.connect { _ in }
        // All that was tested in blocks is kept, and of the others what is wanted.
        let wanted = rows.value.enumerated()
            .filter { ![1, 10, 11].contains($0.offset) }.map(\.element)
        #expect(filter.value == wanted)
        connection.disconnect()
    }

    @Test("what is prepared for other rows, or not done, is not used")
    func stale() {
        func calls(
            _ rows: ArrayVariable<Int>, _ prepared: PreparedFilter<Int>?
        ) -> Int {
            var calls = 0
            let filter = rows.observableArray.filter(prepared: prepared) { row in
                calls += 1
                return Self.isWanted(row)
            }
            let connection = filter.changes.connect { _ in }
            #expect(filter.value == rows.value.filter(Self.isWanted))
            connection.disconnect()
            return calls
        }
        let rows = ArrayVariable(Array(0..<100))
        #expect(calls(rows, nil) == 100)
        let known = PreparedFilter(of: rows.observableArray, keeping: [0, 3])
        rows.append(100)
        #expect(calls(rows, known) == 101)
        #expect(calls(rows, Self.prepare(rows.observableArray)) == 101, "not begun")
        let begun = Self.prepare(rows.observableArray)
        #expect(!begun.advance(budget: 1))
        #expect(calls(rows, begun) == 101)
        let done = Self.prepare(rows.observableArray)
        #expect(done.advance(budget: .max))
        #expect(calls(rows, done) == 0)
    }

    @Test("a filter that begins a second time calls its predicate for all rows")
    func secondStart() {
        let rows = ArrayVariable(Array(0..<100))
        let prepared = Self.prepare(rows.observableArray)
        #expect(prepared.advance(budget: .max))
        var calls = 0
        let filter = rows.observableArray.filter(prepared: prepared) { row in
            calls += 1
            return Self.isWanted(row)
        }
        filter.changes.connect { _ in }.disconnect()
        #expect(calls == 0)
        rows.value = Array(1..<51)
        let connection = filter.changes.connect { _ in }
        #expect(calls == 50)
        #expect(filter.value == rows.value.filter(Self.isWanted))
        connection.disconnect()
    }
}
