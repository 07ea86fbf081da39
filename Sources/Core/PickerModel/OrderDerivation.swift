// Orders that are made from others without a sort.
//
// An order says most of what another one is: all documents by `-name` are those by `name` from the end, except that
// equal names have the order of their keys in both. By `type`, then by `name`, they are those by `name`, distributed
// over the types, one after another. Either takes a pass over the rows, and no row is compared with more than its
// neighbour.
//
// An order that has fallen behind knows which of its rows are equal: where both orders say that one row comes before
// another, these are equal, because all others are reversed. So only what has changed since is compared (`FormerRows`).

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
            case .name, .modified, .size, .path, .score, .attribute: break
            }
        }
        if let reversed { sources.append((reversed, .reversing)) }
        return sources
    }
}

/// The rows of an order as it was before, and which of them are still there. Those must be in the other order, too.
///
/// They tell which rows of the other order are equal. The other order is read from its end; of rows that are not equal,
/// both have the same one next. Of equal ones, which both have in the order of their keys, the former order has that one
/// next which is read last. So those up to it are equal, and the next is not.
private final class FormerRows {
    private let chunks: [[DocumentRow]]
    private let known: RowBitset
    private var chunk = 0
    private var place = 0
    /// The rows that have been read since the last that were equal ended.
    private(set) var readCount = 0
    /// Whether all former rows that are equal to them have been read.
    private var isRunComplete = true

    init(_ rows: PreparedRows<DocumentRow>, known: RowBitset) {
        chunks = rows.chunks
        self.known = known
        skipUnknown()
    }

    func contains(_ row: DocumentRow) -> Bool { known.contains(row.index) }

    /// Whether the next former row is equal to those that have been read, of which there must be some.
    var isNextEqual: Bool { !isRunComplete }

    func read(_ row: DocumentRow) {
        readCount += 1
        isRunComplete = chunks[chunk][place] == row
    }

    /// The number of rows at the end of `rows[..<end]`, read from there, that are the next former rows, each not equal to
    /// the one before. 0 if that is not plain to see.
    func matches(_ rows: [DocumentRow], before end: Int) -> Int {
        guard isRunComplete, readCount == 1 else { return 0 }
        let former = chunks[chunk]
        var next = place + 1
        var index = end
        while index > 0, next < former.count, former[next] == rows[index - 1] {
            next += 1
            index -= 1
        }
        return end - index
    }

    /// Reads that many rows, which are the next: the last of them is the only one that has been read then.
    func skip(_ count: Int) { place += count }

    /// Begins with the next equal rows.
    func endRun() {
        assert(isRunComplete, "an order has equal rows that another one has not")
        while readCount > 0 {
            readCount -= 1
            place += 1
            skipUnknown()
        }
    }

    private func skipUnknown() {
        while chunk < chunks.count {
            let rows = chunks[chunk]
            while place < rows.count {
                if known.contains(rows[place].index) { return }
                place += 1
            }
            chunk += 1
            place = 0
        }
    }
}

/// Makes an order from the sorted rows of another, in slices. The rows must remain readable until it is complete.
final class DerivedRows {
    /// The rows passed over by one step, and those of the longest part at once.
    private static let rowsPerStep = 2
    private static let mostAtOnce = 1024
    /// The cost of comparing two documents whose first words are equal.
    private static let comparisonSteps = OrderMerge.comparisonSteps
    /// The former rows passed over by one step.
    private static let formerRowsPerStep = 8

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
    /// The first word of these rows, once one of them has been compared.
    private var runWord: UInt64?
    private var former: FormerRows?
    /// The rows whose words were read, for tests.
    private(set) var wordsRead = 0
    /// The rows of each group.
    private var groups: [OrderChunks] = []

    /// `former` has rows that are in this order already, and `known` those of them that are among `rows`.
    init(
        of order: SortOrder, from rows: PreparedRows<DocumentRow>, _ derivation: OrderDerivation,
        after former: PreparedRows<DocumentRow> = PreparedRows(), known: RowBitset = RowBitset(),
        in table: DocumentTable
    ) {
        self.order = order
        self.derivation = derivation
        self.table = table
        word = table.leadingWord(of: order)
        isUnique = order.terms.contains { $0.field == .path }
        chunks = rows.chunks[...]
        if !former.isEmpty { self.former = FormerRows(former, known: known) }
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
        if isUnique {
            steps += chunk.count / Self.rowsPerStep
            for row in chunk.reversed() { made.append(row) }
            return
        }
        prefetch(chunk, &steps)
        let former = former
        var index = chunk.count
        while index > 0 {
            // Most rows are where they were.
            if run.count == 1, let former {
                let count = former.matches(chunk, before: index)
                if count > 0 {
                    made.append(run[0])
                    made.append(reversing: chunk, index - count + 1..<index)
                    run[0] = chunk[index - count]
                    runWord = nil
                    former.skip(count)
                    index -= count
                    continue
                }
            }
            let row = chunk[index - 1]
            let isFormer = former?.contains(row) ?? false
            var word: UInt64?
            if let last = run.last, !isInRun(row, after: last, isFormer, &word, &steps) {
                former?.endRun()
                runWord = word
                if run.count > Self.mostAtOnce {
                    kept = run.count
                    chunks.append(Array(chunk[..<index]))
                    return
                }
                if run.count == 1 {
                    made.append(last)
                    run[0] = row
                } else {
                    for equal in run.reversed() { made.append(equal) }
                    run.removeAll(keepingCapacity: true)
                    run.append(row)
                }
            } else {
                run.append(row)
            }
            if isFormer { former?.read(row) }
            index -= 1
        }
    }

    /// Whether a row is equal to those of the run, of which it knows the last. `word` is its first word, if that is read.
    private func isInRun(
        _ row: DocumentRow, after last: DocumentRow, _ isFormer: Bool, _ word: inout UInt64?,
        _ steps: inout Int
    ) -> Bool {
        if isFormer, let former, former.readCount > 0 { return former.isNextEqual }
        let wordOfRun = runWord ?? read(last)
        runWord = wordOfRun
        let found = read(row)
        word = found
        return found == wordOfRun && isEqual(row, last, &steps)
    }

    private func read(_ row: DocumentRow) -> UInt64 {
        wordsRead += 1
        return word(row)
    }

    /// Fetches the rows of a chunk whose words will be read: without former rows all of them, else the others and the
    /// rows beside these.
    private func prefetch(_ chunk: [DocumentRow], _ steps: inout Int) {
        guard let former else {
            steps += chunk.count / Self.rowsPerStep
            return table.prefetch(chunk, by: order)
        }
        var wanted: [DocumentRow] = []
        // The first row that is not wanted yet.
        var next = 0
        for index in chunk.indices where !former.contains(chunk[index]) {
            next = max(next, index - 1)
            while next < min(chunk.count, index + 2) {
                wanted.append(chunk[next])
                next += 1
            }
        }
        steps += chunk.count / Self.formerRowsPerStep + wanted.count / Self.rowsPerStep
        if !wanted.isEmpty { table.prefetch(wanted, by: order) }
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
        case .name, .modified, .size, .path, .score, .attribute: 0
        }
    }
}
