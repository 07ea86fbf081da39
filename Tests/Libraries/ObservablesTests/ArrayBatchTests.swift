import Observables
import Testing

private struct Row: Hashable {
    var id: Int
    var content: Int
}

private func update(_ row: inout Row, to new: Row) { row.content = new.content }

/// The length of a longest ascending subsequence, by a slow algorithm.
private func longestAscending(_ values: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, value) in values.enumerated() {
        let best = (0..<index).filter { values[$0] < value }.map { lengths[$0] }.max() ?? 0
        lengths.append(best + 1)
    }
    return lengths.max() ?? 0
}

/// The minimum number of moves, found by trying all sets of rows that could stay.
private func fewestMoves(_ origins: [Int]) -> Int {
    var most = 0
    for bits in 0..<(1 << origins.count) {
        let staying = origins.indices.filter { bits & (1 << $0) != 0 }.map { origins[$0] }
        if zip(staying, staying.dropFirst()).allSatisfy({ $0 < $1 }) {
            most = max(most, staying.count)
        }
    }
    return origins.count - most
}

/// Edits of an array of rows. The steps before the first cut build the old array, and are not
/// part of the change.
private enum BatchStep: Equatable, Simplifiable {
    case insert(id: Int, content: Int, at: Int)
    case remove(at: Int)
    case move(from: Int, to: Int)
    case update(at: Int)
    case cut

    var simpler: [BatchStep] {
        switch self {
        case .insert(let id, let content, let index):
            id.simpler.map { .insert(id: $0, content: content, at: index) }
                + content.simpler.map { .insert(id: id, content: $0, at: index) }
                + index.simpler.map { .insert(id: id, content: content, at: $0) }
        case .remove(let index): index.simpler.map { .remove(at: $0) }
        case .move(let from, let to):
            from.simpler.map { .move(from: $0, to: to) }
                + to.simpler.map { .move(from: from, to: $0) }
        case .update(let index): index.simpler.map { .update(at: $0) }
        case .cut: []
        }
    }

    static let generator = StepGenerator<BatchStep> { random in
        switch random.below(10) {
        case 0, 1, 2, 3:
            .insert(id: random.below(12), content: random.below(2), at: random.below(12))
        case 4: .remove(at: random.below(12))
        case 5, 6, 7: .move(from: random.below(12), to: random.below(12))
        case 8: .update(at: random.below(12))
        default: .cut
        }
    }
}

/// The rows before the first cut, those at the end, and the change between.
private func carryOut(
    _ script: [BatchStep], distinct: Bool
) -> (old: [Row], new: [Row], change: ArrayChange<Row>) {
    var rows: [Row] = []
    var old: [Row]?
    var change = ArrayChange<Row>(initialCount: 0)
    func remove(at index: Int) -> Row? {
        guard !rows.isEmpty else { return nil }
        let row = rows.remove(at: index % (rows.count))
        change.add(.remove(row, at: index % (rows.count + 1)))
        return row
    }
    func insert(_ row: Row, at index: Int) {
        let index = index % (rows.count + 1)
        rows.insert(row, at: index)
        change.add(.insert(row, at: index))
    }
    for step in script {
        switch step {
        case .insert(let id, let content, let index):
            // With few ids, the same ones occur repeatedly.
            let row = Row(id: distinct ? id : id % 3, content: content)
            if distinct, rows.contains(where: { $0.id == row.id }) { continue }
            insert(row, at: index)
        case .remove(let index): _ = remove(at: index)
        case .move(let from, let to):
            if let row = remove(at: from) { insert(row, at: to) }
        case .update(let index):
            guard !rows.isEmpty else { continue }
            let index = index % rows.count
            var row = rows[index]
            row.content += 1
            change.add(.replace(rows[index], at: index, with: row))
            rows[index] = row
        case .cut:
            guard old == nil else { continue }
            old = rows
            change = ArrayChange(initialCount: rows.count)
        }
    }
    return (old ?? [], rows, change)
}

@Suite struct ArrayBatchTests {
    @Test("Batches of changes and of two arrays replay, with the fewest moves")
    func scripts() {
        checkScripts(of: BatchStep.generator, from: 0..<3000, size: 40) { script in
            let verdict = Verdict()
            let (old, new, change) = carryOut(script, distinct: true)
            let common = new.compactMap { row in old.firstIndex { $0.id == row.id } }
            let fewest = common.count - longestAscending(common)
            for batch in [
                change.batched(identifiedBy: \.id),
                ArrayBatch(from: old, to: new, identifiedBy: \.id),
                ArrayChange(from: old, to: new).batched(identifiedBy: \.id),
            ] {
                verdict.expectEqual(
                    replay(batch, from: old, to: new, update: update), new, "replayed \(batch)")
                for (from, to) in batch.updated {
                    verdict.expect(
                        old[from].id == new[to].id && old[from] != new[to],
                        "row \(to) is not updated")
                }
            }
            let batch = ArrayBatch(from: old, to: new, identifiedBy: \.id)
            verdict.expectEqual(batch.moved.count, fewest, "moves")
            verdict.expectEqual(
                batch.deleted.count, old.count - common.count, "deletions")
            // A change may name rows that return to their positions: this needs no extra moves.
            verdict.expectEqual(
                change.batched(identifiedBy: \.id).moved.count, fewest, "moves of the change")
            return verdict.failure
        }
    }

    @Test("Rows of the same identity are paired, not lost")
    func duplicates() {
        checkScripts(of: BatchStep.generator, from: 3000..<5000, size: 40) { script in
            let verdict = Verdict()
            let (old, new, change) = carryOut(script, distinct: false)
            for batch in [
                change.batched(identifiedBy: \.id),
                ArrayBatch(from: old, to: new, identifiedBy: \.id),
            ] {
                verdict.expectEqual(
                    replay(batch, from: old, to: new, update: update), new, "replayed \(batch)")
            }
            verdict.expectEqual(
                replay(change.batched(), from: old, to: new, update: update), new, "by equality")
            return verdict.failure
        }
    }

    @Test("All orders of up to six rows take the minimum number of moves")
    func allOrders() {
        func orders(of rows: [Int]) -> [[Int]] {
            rows.isEmpty
                ? [[]]
                : rows.flatMap { first in
                    orders(of: rows.filter { $0 != first }).map { [first] + $0 }
                }
        }
        for count in 0...6 {
            let old = (0..<count).map { Row(id: $0, content: 0) }
            for order in orders(of: Array(0..<count)) {
                let new = order.map { Row(id: $0, content: 0) }
                let batch = ArrayBatch(from: old, to: new, identifiedBy: \.id)
                #expect(replay(batch, from: old, to: new, update: update) == new, "\(order)")
                #expect(batch.moved.count == fewestMoves(order), "\(order)")
            }
        }
    }

    @Test("All pairs of small arrays without duplicates replay with the fewest moves")
    func allPairs() {
        func arrays(upTo limit: Int) -> [[Int]] {
            var all: [[Int]] = [[]]
            var longest: [[Int]] = [[]]
            for _ in 0..<limit {
                longest = longest.flatMap { array in
                    (0..<4).filter { !array.contains($0) }.map { array + [$0] }
                }
                all += longest
            }
            return all
        }
        let all = arrays(upTo: 4).map { $0.map { Row(id: $0, content: 0) } }
        for old in all {
            for new in all {
                let batch = ArrayBatch(from: old, to: new, identifiedBy: \.id)
                let origins = new.compactMap { old.firstIndex(of: $0) }
                let isRight =
                    replay(batch, from: old, to: new, update: update) == new
                    && batch.moved.count == fewestMoves(origins)
                #expect(isRight, "\(old.map(\.id)) to \(new.map(\.id))")
            }
        }
    }

    @Test("Moving the first row to the end is one move, and no change is none")
    func simple() {
        let rows = Array(0..<1000)
        let batch = ArrayBatch(from: rows, to: rows[1...] + [0], identifiedBy: { $0 })
        #expect(batch.moved.count == 1 && batch.moved[0] == (0, 999))
        #expect(ArrayBatch(from: rows, to: rows, identifiedBy: { $0 }).isEmpty)
        let filled = ArrayBatch(from: [], to: rows, identifiedBy: { $0 })
        #expect(filled.inserted == rows && filled.moved.isEmpty)
        let emptied = ArrayBatch(from: rows, to: [], identifiedBy: { $0 })
        #expect(emptied.deleted == rows)
    }

    @Test("A row that moves and is updated is in both lists; two rows swapped are one move")
    func movedAndUpdated() {
        let old = (0..<3).map { Row(id: $0, content: 0) }
        let new = [old[1], old[2], Row(id: 0, content: 1)]
        let batch = ArrayBatch(from: old, to: new, identifiedBy: \.id)
        #expect(batch.moved.map(\.from) == [0] && batch.moved.map(\.to) == [2])
        #expect(batch.updated.map(\.from) == [0] && batch.updated.map(\.to) == [2])
        #expect(batch.deleted.isEmpty && batch.inserted.isEmpty)

        let swapped = ArrayBatch(from: ["a", "b"], to: ["b", "a"], identifiedBy: { $0 })
        #expect(swapped.moved.count == 1)
    }

    @Test("Duplicates at both ends are inserted and deleted by their count")
    func duplicatesAtTheEnds() {
        let more = ArrayBatch(from: [1, 2], to: [1, 1, 2, 2], identifiedBy: { $0 })
        #expect(more.inserted.count == 2 && more.deleted.isEmpty && more.moved.isEmpty)
        let fewer = ArrayBatch(from: [1, 1, 2, 2], to: [1, 2], identifiedBy: { $0 })
        #expect(fewer.deleted.count == 2 && fewer.inserted.isEmpty && fewer.moved.isEmpty)
    }
}
