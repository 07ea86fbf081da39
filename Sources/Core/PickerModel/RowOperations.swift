// The operations of a difference of two long arrays of rows: as few as those of the arrays themselves.

package import Observables

/// The operations that make one array of rows another: as those of `ArrayBatch`.
package struct RowOperations {
    package var deleted: [Int] = []
    package var inserted: [Int] = []
    package var moved: [(from: Int, to: Int)] = []
    /// Rows of the same key that are not equal.
    package var updated: [(from: Int, to: Int)] = []

    package init() {}

    package init(_ batch: ArrayBatch) {
        deleted = batch.deleted
        inserted = batch.inserted
        moved = batch.moved
        updated = batch.updated
    }
}

extension RowDifference {
    /// Rows that remain, one behind the other in both arrays.
    private struct Run {
        let from: Int
        let to: Int
        let count: Int
    }

    /// The difference as operations: the fewest, as of `ArrayBatch`.
    ///
    /// Most rows stay that can: those of a heaviest increasing sequence of runs, where a run is what lies between two
    /// places at which rows came or went, or one row that has another version.
    /// - Complexity: O(k log k) for k rows that differ.
    package func operations<Key: Hashable>(
        from old: [ShownRow], to new: [ShownRow], identifiedBy key: (ShownRow) -> Key
    ) -> RowOperations {
        var result = RowOperations()
        var departed: [Key: Int] = [:]
        for place in removed { departed[key(old[place.index])] = place.index }
        var versions: [Run] = []
        for place in inserted {
            if let from = departed.removeValue(forKey: key(new[place.index])) {
                versions.append(Run(from: from, to: place.index, count: 1))
                result.updated.append((from, place.index))
            } else {
                result.inserted.append(place.index)
            }
        }
        result.deleted = departed.values.sorted()
        // Without them, what remains has kept its order.
        if versions.isEmpty { return result }
        let runs = (versions + runsBetween()).sorted { $0.to < $1.to }
        let stays = Self.heaviestIncreasing(runs)
        for (run, stays) in zip(runs, stays) where !stays {
            result.moved += (0..<run.count).map { (run.from + $0, run.to + $0) }
        }
        return result
    }

    /// The runs of rows that both arrays have, in their order.
    private func runsBetween() -> [Run] {
        var runs: [Run] = []
        var (nextOld, nextNew, passed) = (0, 0, 0)
        while passed < common {
            while nextOld < removed.count, removed[nextOld].common == passed { nextOld += 1 }
            while nextNew < inserted.count, inserted[nextNew].common == passed { nextNew += 1 }
            let end = min(
                nextOld < removed.count ? removed[nextOld].common : common,
                nextNew < inserted.count ? inserted[nextNew].common : common)
            runs.append(Run(from: passed + nextOld, to: passed + nextNew, count: end - passed))
            passed = end
        }
        return runs
    }

    /// Which of some runs, in their new order, are of an increasing sequence of old places that has the most rows.
    ///
    /// A tree of prefix maxima (Fenwick 1994) has, for each number of old places, the heaviest sequence that ends in one
    /// of these.
    private static func heaviestIncreasing(_ runs: [Run]) -> [Bool] {
        let byPlace = runs.indices.sorted { runs[$0].from < runs[$1].from }
        var ranks = [Int](repeating: 0, count: runs.count)
        for (rank, run) in byPlace.enumerated() { ranks[run] = rank }
        var weights = [Int](repeating: 0, count: runs.count)
        var previous = [Int?](repeating: nil, count: runs.count)
        var tree = [Int?](repeating: nil, count: runs.count + 1)
        var heaviest: Int?
        for run in runs.indices {
            var node = ranks[run]
            var best: Int?
            while node > 0 {
                if let end = tree[node], best.map({ weights[end] > weights[$0] }) ?? true {
                    best = end
                }
                node &= node - 1
            }
            previous[run] = best
            weights[run] = runs[run].count + (best.map { weights[$0] } ?? 0)
            node = ranks[run] + 1
            while node < tree.count {
                if tree[node].map({ weights[run] > weights[$0] }) ?? true { tree[node] = run }
                node += node & -node
            }
            if heaviest.map({ weights[run] > weights[$0] }) ?? true { heaviest = run }
        }
        var stays = [Bool](repeating: false, count: runs.count)
        while let run = heaviest {
            stays[run] = true
            heaviest = previous[run]
        }
        return stays
    }
}
