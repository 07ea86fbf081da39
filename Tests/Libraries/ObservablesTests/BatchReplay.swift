import Observables

/// Applies a batch like a view: deletions and origins by old index, the rest by new index.
/// `nil` if two steps affect one row, or a row is left over.
func replay<Row>(
    _ batch: ArrayBatch, from old: [Row], to new: [Row],
    update: (inout Row, Row) -> Void = { $0 = $1 }
) -> [Row]? {
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
    for (_, to) in batch.updated {
        guard var row = result[to] else { return nil }
        update(&row, new[to])
        result[to] = row
    }
    return result.compactMap { $0 }
}
