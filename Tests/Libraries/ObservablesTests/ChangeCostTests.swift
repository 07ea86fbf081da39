// The cost of one change through a set, a sort, a filter and a window: the same among a hundred
// thousand rows as among a thousand, except for the logarithm.

import Observables
import TestSupport
import Testing

@Suite struct ChangeCostTests {
    /// An object, so that each access to a row retains it: retains are the steps.
    private final class Row: Hashable {
        let name: Int
        let size: Int

        init(_ name: Int, size: Int) {
            self.name = name
            self.size = size
        }

        static func == (left: Row, right: Row) -> Bool {
            left.name == right.name && left.size == right.size
        }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// Rows sorted by name, every second of them in a list, of which a window is observed.
    private final class Scene {
        let count: Int
        private let documents: SetVariable<Row>
        private var rows: [Row]
        private var connection: Connection?
        private var comparisons = 0
        private var questions = 0
        private(set) var changes = 0

        init(_ count: Int) {
            self.count = count
            rows = (0..<count).map { Row($0, size: 2) }
            documents = SetVariable(Set(rows))
            let listed = documents.sorted { [unowned self] in
                comparisons += 1
                return $0.name < $1.name
            }.filter { [unowned self] in
                questions += 1
                return $0.size % 2 == 0
            }
            connection = listed.window(0..<50).connect { [unowned self] _ in
                changes += 1
            }
            while ObservableScheduler.current.performDeferredWork() {}
        }

        private func save(_ index: Int, size: Int) {
            let old = rows[index]
            let new = Row(index, size: size)
            rows[index] = new
            transaction {
                documents.remove(old)
                documents.insert(new)
            }
        }

        /// The most expensive of some saves of that row, and of as many that remove it from the list or add it again.
        func costOfSave(_ index: Int) -> (cost: Cost, comparisons: Int, questions: Int) {
            // One-time costs are not costs of a change.
            for size in 3..<13 { save(index, size: size) }
            var dearest = Cost()
            var mostComparisons = 0
            var mostQuestions = 0
            for size in [14, 16, 17, 18, 19, 20] {
                comparisons = 0
                questions = 0
                let cost = SelfChecks.$areMade.withValue(false) {
                    Cost.of { save(index, size: size) }
                }
                dearest = Cost(
                    allocations: max(dearest.allocations, cost.allocations),
                    bytes: max(dearest.bytes, cost.bytes),
                    retains: max(dearest.retains, cost.retains))
                mostComparisons = max(mostComparisons, comparisons)
                mostQuestions = max(mostQuestions, questions)
            }
            return (dearest, mostComparisons, mostQuestions)
        }
    }

    /// The cost when this was written, in a debug build of Swift 6.3. Retains vary by a fifth,
    /// depending on the positions of rows in a hash table.
    private static let inWindow = Cost(allocations: 57, bytes: 2740, retains: 740)
    private static let outside = Cost(allocations: 43, bytes: 2043, retains: 480)

    @Test(
        "a changed row costs as much among 100,000 rows as among 1,000, but for log n + 1 comparisons",
        arguments: [1000, 100_000])
    func save(count: Int) {
        let scene = Scene(count)
        for (index, measured) in [
            (3, Self.inWindow), (count / 2, Self.outside), (count - 1, Self.outside),
        ] {
            let (cost, comparisons, questions) = scene.costOfSave(index)
            #expect(cost.isWithinHalfMore(of: measured), "\(cost), not \(measured)")
            // One search to remove the old row, and one to insert the new one.
            let depth = Int.bitWidth - count.leadingZeroBitCount
            #expect(comparisons <= 2 * (depth + 1), "\(comparisons) comparisons")
            #expect(questions == 1, "the filter is asked about the new row only")
        }
        #expect(scene.changes > 0)
    }

    private enum Run: CaseIterable {
        case removed, replaced, moved
    }

    /// Neighbours that are changed one after the other, as a sorted array does when its set changes.
    private static func costOfRun(_ run: Run, of count: Int) -> Cost {
        let rows = (0..<count).map { Row($0, size: 1) }
        return SelfChecks.$areMade.withValue(false) {
            Cost.of {
                var change = ArrayChange<Row>(initialCount: 2 * count)
                for (index, row) in rows.enumerated() {
                    switch run {
                    case .removed: change.add(.remove(row, at: 5))
                    case .replaced:
                        change.add(.remove(row, at: 5 + index))
                        change.add(.insert(row, at: 5 + index))
                    case .moved:
                        change.add(.remove(row, at: 5))
                        change.add(.insert(row, at: count))
                    }
                }
                #expect(!change.isEmpty)
            }
        }
    }

    @Test(
        "a run of neighbours costs as much for each row, however long it is",
        arguments: Run.allCases)
    private func neighbours(run: Run) {
        _ = Self.costOfRun(run, of: 100)
        let short = Self.costOfRun(run, of: 1000)
        let long = Self.costOfRun(run, of: 8000)
        #expect(long.retains < short.retains * 12, "\(short) for 1,000, \(long) for 8,000")
        #expect(long.bytes < short.bytes * 12, "\(short) for 1,000, \(long) for 8,000")
        #expect(long.moved < short.moved * 12 + 4096, "\(short) for 1,000, \(long) for 8,000")
    }
}
