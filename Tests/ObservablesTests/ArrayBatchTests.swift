import Observables
import Testing

private struct Row: Hashable {
    var id: Int
    var content: Int
}

/// Carries out a batch the way a view does: deletions and origins by old index, the rest by new.
private func replay(_ batch: ArrayBatch, from old: [Row], to new: [Row]) -> [Row]? {
    var result = [Row?](repeating: nil, count: new.count)
    for (from, to) in batch.moved {
        guard result[to] == nil else { return nil }
        result[to] = old[from]
    }
    for index in batch.inserted {
        guard result[index] == nil else { return nil }
        result[index] = new[index]
    }
    let leaving = Set(batch.deleted + batch.moved.map(\.from))
    guard leaving.count == batch.deleted.count + batch.moved.count else { return nil }
    var rest = old.indices.filter { !leaving.contains($0) }.makeIterator()
    for index in result.indices where result[index] == nil {
        guard let kept = rest.next() else { return nil }
        result[index] = old[kept]
    }
    guard rest.next() == nil else { return nil }
    for (_, to) in batch.updated { result[to]?.content = new[to].content }
    return result.compactMap { $0 }
}

/// The length of a longest ascending subsequence, the slow way.
private func longestAscending(_ values: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, value) in values.enumerated() {
        let best = (0..<index).filter { values[$0] < value }.map { lengths[$0] }.max() ?? 0
        lengths.append(best + 1)
    }
    return lengths.max() ?? 0
}

@Suite struct ArrayBatchTests {
    @Test("Batches of two arrays replay, with the fewest moves", arguments: 0..<1500)
    func snapshots(seed: Int) {
        var random = Seeded(seed)
        let ids = Array(0..<10).shuffled(using: &random)
        let old = ids.prefix(random.below(11)).map { Row(id: $0, content: random.below(2)) }
        let new = ids.shuffled(using: &random).prefix(random.below(11))
            .map { Row(id: $0, content: random.below(2)) }
        let common = new.compactMap { row in old.firstIndex { $0.id == row.id } }
        let fewest = common.count - longestAscending(common)

        let batch = ArrayBatch(from: old, to: new, identifiedBy: \.id)
        #expect(replay(batch, from: old, to: new) == new, "seed \(seed)")
        #expect(batch.moved.count == fewest, "seed \(seed)")
        #expect(
            batch.updated.allSatisfy {
                old[$0.from] != new[$0.to] && old[$0.from].id == new[$0.to].id
            })

        let fromChange = ArrayChange(from: old, to: new).batched(identifiedBy: \.id)
        // Of several smallest sets of moves each may choose another.
        #expect(fromChange.moved.count == fewest, "seed \(seed)")
        #expect(replay(fromChange, from: old, to: new) == new, "seed \(seed)")
        #expect(fromChange.deleted == batch.deleted, "seed \(seed)")
        #expect(fromChange.inserted == batch.inserted, "seed \(seed)")
        #expect(fromChange.updated.elementsEqual(batch.updated, by: ==), "seed \(seed)")
    }

    @Test("Batches of changes replay, with the fewest moves", arguments: 0..<1500)
    func changes(seed: Int) {
        var random = Seeded(seed)
        let old = (0..<(4 + random.below(8))).map { Row(id: $0, content: 0) }
        var new = old
        var change = ArrayChange<Row>(initialCount: old.count)
        for _ in 0..<random.below(6) {
            // Moves, as removals and insertions, some with other content.
            let from = random.below(new.count)
            var row = new[from]
            change.add(.remove(row, at: from))
            new.remove(at: from)
            row.content += random.below(2)
            let to = random.below(new.count + 1)
            change.add(.insert(row, at: to))
            new.insert(row, at: to)
        }
        let batch = change.batched(identifiedBy: \.id)
        #expect(replay(batch, from: old, to: new) == new, "seed \(seed)")
        let order = new.map(\.id)
        #expect(batch.moved.count == order.count - longestAscending(order), "seed \(seed)")
        #expect(batch.deleted.isEmpty && batch.inserted.isEmpty, "seed \(seed)")
    }

    @Test("Rows of the same identity are paired, not lost", arguments: 0..<1500)
    func duplicates(seed: Int) {
        var random = Seeded(seed)
        let old = random.array(limit: 10, alphabet: 3).map { Row(id: $0, content: random.below(2)) }
        let new = random.array(limit: 10, alphabet: 3).map { Row(id: $0, content: random.below(2)) }
        let batch = ArrayBatch(from: old, to: new, identifiedBy: \.id)
        #expect(replay(batch, from: old, to: new) == new, "seed \(seed)")
    }

    @Test("The first row to the end is one move, and nothing is nothing")
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
}
