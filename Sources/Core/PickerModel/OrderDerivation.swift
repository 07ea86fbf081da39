// Orders that are made from others without a sort.
//
// An order says most of what another one is: all documents by `-name` are those by `name` from the end, except that
// equal names have the order of their keys in both. By `type`, then by `name`, they are those by `name`, distributed
// over the types, one after another. Either takes a pass over the rows, and no row is compared with more than its
// neighbour.

internal import Observables

/// How an order is made from another one.
enum OrderDerivation {
    /// Each term is reversed; documents that are equal in all terms keep their order.
    case reversing
    /// Documents are distributed over the values of a term that comes before the terms of the other order.
    case grouping(by: SortOrder.Term)
}

/// Another order, from which one is made.
enum OrderSource {
    /// Its rows, which are those of the current documents.
    case order(PreparedRows<DocumentRow>, OrderDerivation)
    case making(OrderMaking, OrderDerivation)
}

extension SortOrder {
    /// The orders from which this one can be made, the best first. Ranks change with each search, so there is none for
    /// orders by score.
    var sources: [(order: SortOrder, derivation: OrderDerivation)] {
        if hasScore { return [] }
        var sources: [(order: SortOrder, derivation: OrderDerivation)] = []
        if let rest = withoutFirst {
            switch terms[0].field {
            case .type, .liked: sources.append((rest, .grouping(by: terms[0])))
            case .name, .modified, .size, .path, .score: break
            }
        }
        sources.append((reversed, .reversing))
        return sources
    }
}

/// Makes an order from the sorted rows of another, in slices. The rows must remain readable until it is complete.
final class DerivedRows {
    /// The rows passed over by one step, and those of the longest part at once.
    private static let rowsPerStep = 2
    private static let mostAtOnce = 1024
    /// The cost of comparing two documents whose first words are equal.
    private static let comparisonSteps = OrderMerge.comparisonSteps

    /// The rows in order, once `advance` has returned true.
    var rows: PreparedRows<DocumentRow> { made.rows }

    private let table: DocumentTable
    private let order: SortOrder
    private let derivation: OrderDerivation
    private let word: (DocumentRow) -> UInt64
    /// Whether no two documents are equal in all terms.
    private let isUnique: Bool
    /// The chunks of the other order that are left.
    private var chunks: ArraySlice<[DocumentRow]>
    private var made = OrderChunks()
    /// Equal rows, the last first, of which those from `kept` on have been passed on.
    private var run: [DocumentRow] = []
    private var kept = 0
    private var runWord: UInt64 = 0
    /// The rows of each group.
    private var groups: [OrderChunks] = []

    init(
        of order: SortOrder, from rows: PreparedRows<DocumentRow>, _ derivation: OrderDerivation,
        in table: DocumentTable
    ) {
        self.order = order
        self.derivation = derivation
        self.table = table
        word = table.leadingWord(of: order)
        isUnique = order.terms.contains { $0.field == .path }
        chunks = rows.chunks[...]
    }

    /// Continues until `steps` reaches `budget`, or a little more.
    /// - Returns: whether all rows are in order.
    func advance(_ steps: inout Int, budget: Int) -> Bool {
        while steps < budget {
            steps += 1
            if kept > 0 {
                passOn(&steps)
                continue
            }
            switch derivation {
            case .reversing:
                guard let chunk = chunks.popLast() else {
                    if run.isEmpty {
                        made.end()
                        return true
                    }
                    kept = run.count
                    continue
                }
                reverse(chunk, &steps)
            case .grouping(let term):
                if let chunk = chunks.popFirst() {
                    group(chunk, by: term)
                    steps += chunk.count / Self.rowsPerStep
                } else if join(term.isReversed, &steps) {
                    return true
                }
            }
        }
        return false
    }

    // MARK: Reversing

    /// Passes on the rows of a chunk from its end, as runs of equal ones end. A long run is left for the next steps.
    private func reverse(_ chunk: [DocumentRow], _ steps: inout Int) {
        steps += chunk.count / Self.rowsPerStep
        if isUnique {
            for row in chunk.reversed() { made.append(row) }
            return
        }
        table.prefetch(chunk, by: order)
        var index = chunk.count
        while index > 0 {
            let row = chunk[index - 1]
            let word = word(row)
            if let last = run.last, word != runWord || !isEqual(row, last, &steps) {
                if run.count > Self.mostAtOnce {
                    kept = run.count
                    chunks.append(Array(chunk[..<index]))
                    return
                }
                for equal in run.reversed() { made.append(equal) }
                run.removeAll(keepingCapacity: true)
            }
            run.append(row)
            runWord = word
            index -= 1
        }
    }

    private func isEqual(_ one: DocumentRow, _ other: DocumentRow, _ steps: inout Int) -> Bool {
        steps += Self.comparisonSteps
        return table.isEqual(one, other, in: order)
    }

    /// Passes on a part of a run that has ended.
    private func passOn(_ steps: inout Int) {
        let start = max(0, kept - Self.mostAtOnce)
        for row in run[start..<kept].reversed() { made.append(row) }
        steps += (kept - start) / Self.rowsPerStep
        kept = start
        if kept == 0 { run = [] }
    }

    // MARK: Grouping

    private func group(_ chunk: [DocumentRow], by term: SortOrder.Term) {
        for row in chunk {
            let group = table.group(of: row, by: term.field)
            while groups.count <= group { groups.append(OrderChunks()) }
            groups[group].append(row)
        }
    }

    /// Appends the rows of the next group.
    /// - Returns: whether it was the last.
    private func join(_ isReversed: Bool, _ steps: inout Int) -> Bool {
        guard !groups.isEmpty else {
            made.end()
            return true
        }
        var next = isReversed ? groups.removeLast() : groups.removeFirst()
        next.end()
        for chunk in next.rows.chunks { made.append(chunk: chunk) }
        steps += next.rows.chunks.count
        return false
    }
}

extension DocumentTable {
    /// The place of a row's value among the few values of a field.
    fileprivate func group(of row: DocumentRow, by field: SortOrder.Field) -> Int {
        switch field {
        case .type: columns.types[row.index].rank
        case .liked: columns.flags[row.index].contains(.liked) ? 1 : 0
        case .name, .modified, .size, .path, .score: 0
        }
    }
}
