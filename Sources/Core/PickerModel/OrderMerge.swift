// The merge of sorted documents with others that have come since, in slices.
//
// Most documents remain when a folder of many is changed, and those that come or go lie side by side in many orders. So
// the rows are taken over in runs: where a run ends is found by a search with growing steps, and a chunk of rows that
// all remain is shared with the order before, not copied. The cost is a test of a bit for each row, and comparisons
// for each run.

internal import Observables

/// Merges sorted documents with a sorted batch of others, and leaves out those that have gone.
final class OrderMerge {
    /// The cost of comparing two documents.
    static let comparisonSteps = 4
    /// The rows that are tested or copied by one step.
    static let rowsPerStep = 4
    /// The most rows of the batch that are copied at once.
    private static let mostAtOnce = 4096

    /// The merged rows, once `advance` has returned true.
    private(set) var merged = OrderChunks()
    /// The comparisons so far.
    private(set) var comparisons = 0

    private let former: [[DocumentRow]]
    private let leaving: LeavingRows
    private let batch: RowOrdering
    private let areInOrder: (DocumentRow, DocumentRow) -> Bool
    private let prefetch: ([DocumentRow]) -> Void

    /// The former rows between two of the batch, if these came evenly.
    private let usualRun: Int

    private var nextChunk = 0
    /// The rows of the latest chunk that remain, and the first that is not merged yet.
    private var current: [DocumentRow] = []
    private var place = 0
    /// The next rows of the batch, and the first that is not merged yet.
    private var arriving: [DocumentRow] = []
    private var arrived = 0
    /// The number of rows of the batch that are in `arriving` or merged.
    private var taken = 0

    /// Of `former`, those in `leaving` are left out, or give their places to their substitutes. `batch` has been sorted. `prefetch` is given rows that are going
    /// to be compared.
    init(
        _ former: PreparedRows<DocumentRow>, without leaving: LeavingRows, and batch: RowOrdering,
        by areInOrder: @escaping (DocumentRow, DocumentRow) -> Bool,
        prefetch: @escaping ([DocumentRow]) -> Void = { _ in }
    ) {
        self.former = former.chunks
        usualRun = max(1, former.count / max(1, batch.count))
        self.leaving = leaving
        self.batch = batch
        self.areInOrder = areInOrder
        self.prefetch = prefetch
    }

    /// Merges until `steps` reaches `budget`, or a little more.
    /// - Returns: whether all rows are merged.
    func advance(_ steps: inout Int, budget: Int) -> Bool {
        while steps < budget {
            let before = comparisons
            steps += 1
            if arrived == arriving.count { readBatch(&steps) }
            if place < current.count {
                mergeRun(&steps)
            } else if nextChunk < former.count {
                takeChunk(&steps)
            } else if arrived < arriving.count {
                takeArriving(to: arriving.count, &steps)
            } else {
                merged.end()
                return true
            }
            steps += (comparisons - before) * Self.comparisonSteps
        }
        return false
    }

    private func isBefore(_ left: DocumentRow, _ right: DocumentRow) -> Bool {
        comparisons += 1
        return areInOrder(left, right)
    }

    private func readBatch(_ steps: inout Int) {
        arriving = batch.rows(taken..<min(batch.count, taken + Self.mostAtOnce))
        arrived = 0
        taken += arriving.count
        batch.discard(before: taken)
        steps += arriving.count / Self.rowsPerStep
        prefetch(arriving)
    }

    /// Takes the next chunk over, if no row of the batch comes before its last.
    private func takeChunk(_ steps: inout Int) {
        let chunk = former[nextChunk]
        nextChunk += 1
        steps += chunk.count / Self.rowsPerStep
        let isWhole = leaving.isEmpty || !chunk.contains { leaving.contains($0) }
        let rest =
            isWhole
            ? chunk : chunk.compactMap { leaving.contains($0) ? leaving.substitute(for: $0) : $0 }
        guard let last = rest.last else { return }
        if arrived < arriving.count, isBefore(arriving[arrived], last) {
            prefetch(rest)
            current = rest
            place = 0
        } else {
            merged.append(chunk: rest)
        }
    }

    /// Takes over the rows of the chunk that come before the next of the batch, then those of the batch that come
    /// before the next of the chunk.
    private func mergeRun(_ steps: inout Int) {
        var end = current.count
        if arrived < arriving.count {
            let next = arriving[arrived]
            end = Self.search(place..<current.count, from: usualRun) {
                isBefore(next, current[$0])
            }
        }
        merged.append(contentsOf: current[place..<end])
        steps += (end - place) / Self.rowsPerStep
        place = end
        guard place < current.count else { return }
        let old = current[place]
        // The first of them does, as was found just now.
        let last = Self.search(arrived + 1..<arriving.count, from: 1) {
            !isBefore(arriving[$0], old)
        }
        takeArriving(to: last, &steps)
    }

    private func takeArriving(to end: Int, _ steps: inout Int) {
        merged.append(contentsOf: arriving[arrived..<end])
        steps += (end - arrived) / Self.rowsPerStep
        arrived = end
    }

    /// The first index for which `holds`, as it does for all later ones; the end if there is none. The first step has
    /// this length.
    /// - Complexity: O(log k) calls if it is the k-th, and O(log `first`).
    private static func search(
        _ range: Range<Int>, from first: Int, _ holds: (Int) -> Bool
    ) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        var length = first
        while low < high {
            let probe = min(low + length, high) - 1
            if holds(probe) {
                high = probe
                break
            }
            low = probe + 1
            length *= 2
        }
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Sorted rows that are put together from runs and whole chunks.
struct OrderChunks {
    /// A chunk of fewer rows is copied rather than shared.
    private static let fewestShared = PreparedRows<DocumentRow>.mostInChunk / 4

    private var chunks: [[DocumentRow]] = []
    /// The rows of the last chunk, while it grows.
    private var open: [DocumentRow] = []

    /// The number of rows in `chunks`.
    private var count = 0

    /// All rows, after `end`.
    var rows: PreparedRows<DocumentRow> { PreparedRows(chunks: chunks, count: count) }

    mutating func append(contentsOf rows: ArraySlice<DocumentRow>) {
        let usual = PreparedRows<DocumentRow>.usualInChunk
        var rest = rows
        while !rest.isEmpty {
            if open.isEmpty { open.reserveCapacity(usual) }
            let part = rest.prefix(usual - open.count)
            open.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            if open.count == usual { end() }
        }
    }

    /// Appends rows of a range from the last to the first.
    mutating func append(reversing rows: [DocumentRow], _ range: Range<Int>) {
        let usual = PreparedRows<DocumentRow>.usualInChunk
        var end = range.upperBound
        while end > range.lowerBound {
            if open.isEmpty { open.reserveCapacity(usual) }
            let next = max(range.lowerBound, end - (usual - open.count))
            while end > next {
                end -= 1
                open.append(rows[end])
            }
            if open.count == usual { self.end() }
        }
    }

    mutating func append(_ row: DocumentRow) {
        if open.isEmpty { open.reserveCapacity(PreparedRows<DocumentRow>.usualInChunk) }
        open.append(row)
        if open.count == PreparedRows<DocumentRow>.usualInChunk { end() }
    }

    /// Appends a chunk, which is shared unless it is small.
    mutating func append(chunk: [DocumentRow]) {
        if chunk.count < Self.fewestShared
            || !open.isEmpty && open.count < Self.fewestShared
                && open.count + chunk.count <= PreparedRows<DocumentRow>.usualInChunk
        {
            append(contentsOf: chunk[...])
        } else {
            end()
            chunks.append(chunk)
            count += chunk.count
        }
    }

    /// Closes the chunk that grows.
    mutating func end() {
        if open.isEmpty { return }
        chunks.append(open)
        count += open.count
        open = []
    }
}
