// A sort in slices.
//
// Sorting very many documents takes longer than the loop may be blocked. So the documents of the start are
// sorted a few at a time, while the set keeps changing. The sort does not follow the changes: it holds the rows that it
// has, so that none of their numbers is used again, and when a batch is sorted, the difference between its rows and
// those of the set as it is then is found from their bits. Documents that have arrived are the next batch, which is
// merged; a row that is another version of a document and sorts like the one before takes its place (`LeavingRows`).
// When few differ, the last step makes an order of the set at that moment, which follows it from then on.
//
// An order that has fallen behind is made in the same way, from the rows that it had then, but not before the documents
// are quiet (`QuietWait`); neither is a batch sorted that came later.
//
// Many rows at once are not sorted if the order can be made from another one (`OrderDerivation`). That one is at hand,
// or it is being made, and waited for.
//
// While the documents change without a pause, the set is never quiet. So when less than a hundredth of the rows
// differ, they are inserted and removed in slices, without another pass over all rows. That takes less time than it
// took them to change, so that fewer differ each time, and at last few enough for one step.

internal import Observables

/// Sorts the documents of a set, in slices.
package final class OrderMaking: SlicedWork {
    /// The most changes that the last step makes.
    private static let fewChanges = 128
    /// The documents for each of which one change is made by itself; more changes are sorted and merged, which takes a
    /// part of a step for each document and fewer steps for a change.
    private static let rowsPerEdit = 128
    /// The documents for each of which one may change before the order is made from another one.
    private static let rowsPerSorted = 16
    /// The cost of one of them.
    private static let editSteps = 100
    /// The rows that are noted by one step, and at once.
    private static let rowsPerStep = 4
    private static let wordsPerStep = 64

    private enum Phase {
        /// The rows of the base are noted from this chunk on.
        case noting(OrderBase, chunk: Int)
        /// Rows are found that take the places of others. The hold keeps those that were current at the start.
        case replacing(SubstituteSearch, RowHold)
        /// Documents are sorted, to be merged.
        case sorting(RowOrdering, LeavingRows, RowHold)
        /// Another order is made, from which this one is made then.
        case awaiting(OrderMaking, OrderDerivation)
        /// All documents are taken from another order. The hold keeps those that were current at the start.
        case deriving(DerivedRows, of: RowBitset, RowHold)
        case merging(OrderMerge, RowHold)
        /// Documents are removed and inserted one by one.
        case editing(RowBitset.Iterator, RowBitset.Iterator, RowHold)
        /// All is sorted that was there when the last batch began.
        case resting
    }

    /// The order, once it is complete.
    package private(set) var order: DocumentOrder?
    package private(set) var stepsTaken = 0
    /// The comparisons of merges so far, for tests.
    private(set) var comparisons = 0

    /// Whether it waits for the documents to stop changing.
    package private(set) var isWaiting = false
    package var isPatient: Bool { isWaiting && following.areMoreComing() }

    private let bits: () -> RowBitset
    private let following: OrderFollowing
    private var waiting: QuietWait
    private let ranking: RankedDocuments?
    private let table: DocumentTable
    private let sortOrder: SortOrder
    private let findSource: () -> OrderSource?
    private let make: (PreparedRows<DocumentRow>) -> DocumentOrder

    private var phase = Phase.resting
    /// Whether documents were sorted, for tests.
    private(set) var hasSorted = false
    /// Whether it waits for an order that is being made. No other begins to wait for it meanwhile, so none wait in a
    /// circle.
    private(set) var isAwaitingOther = false
    /// What was sorted before, until the first slice.
    private var base: OrderBase?
    /// Keeps the rows in `included` from being released.
    private var hold: RowHold?
    private var sorted = PreparedRows<DocumentRow>()
    /// The rows in `sorted`, without those that leave and with those that arrive by the batch.
    private var included = RowBitset()
    /// The most documents inserted and removed by one slice so far, for tests.
    private(set) var mostEditsAtOnce = 0

    /// Does nothing yet: the first slice begins the work. The documents of `ranking` are found first. `source` returns
    /// another order from which this one can be made.
    init(
        of bits: @escaping () -> RowBitset, following: OrderFollowing, from base: OrderBase?,
        after ranking: RankedDocuments?, in table: DocumentTable, by sortOrder: SortOrder,
        source: @escaping () -> OrderSource? = { nil },
        _ make: @escaping (PreparedRows<DocumentRow>) -> DocumentOrder
    ) {
        self.bits = bits
        self.following = following
        self.base = base
        waiting = QuietWait(isQuiet: base == nil)
        self.ranking = ranking
        self.table = table
        self.sortOrder = sortOrder
        findSource = source
        self.make = make
    }

    private var rank: ((DocumentRow) -> UInt64)? {
        guard let ranking else { return nil }
        return { ranking.rank(of: $0) }
    }

    private var areInOrder: (DocumentRow, DocumentRow) -> Bool {
        { [table, sortOrder, rank] in table.compare($0, $1, by: sortOrder, rank: rank) < 0 }
    }

    package func advance(budget: Int) -> Bool {
        if order != nil { return true }
        if let base = base.take() { begin(base) }
        var steps = 0
        defer { stepsTaken += steps }
        isWaiting = false
        while steps < budget, !isWaiting {
            let phase = phase
            self.phase = .resting
            switch phase {
            case .noting(let base, let chunk): note(base, chunk, &steps, budget)
            case .replacing(let search, let next): replace(search, next, &steps, budget)
            case .awaiting(let other, let derivation):
                advance(other, derivation, &steps, budget)
            case .deriving(let derived, let all, let next):
                derive(derived, all, next, &steps, budget)
            case .sorting(let batch, let leaving, let next):
                sort(batch, leaving, next, &steps, budget)
            case .merging(let merge, let next): self.merge(merge, next, &steps, budget)
            case .editing(let leaving, let arriving, let next):
                edit(leaving, arriving, next, &steps, budget)
            case .resting:
                if finishRest(&steps, budget) { return true }
            }
        }
        return false
    }

    /// Begins with rows that are sorted.
    private func begin(_ base: OrderBase) {
        hold = base.hold
        sorted = base.rows
        included = RowBitset(bound: table.rowEnd)
        phase = .noting(base, chunk: 0)
    }

    private func note(_ base: OrderBase, _ start: Int, _ steps: inout Int, _ budget: Int) {
        if let bits = base.noted.bits {
            assert(bits.count == base.rows.count, "orders of one range had other rows")
            included = bits
            return
        }
        let chunks = base.rows.chunks
        var chunk = start
        while chunk < chunks.count {
            if steps >= budget {
                phase = .noting(base, chunk: chunk)
                return
            }
            for row in chunks[chunk] { included.insert(row.index) }
            steps += chunks[chunk].count / Self.rowsPerStep + 1
            chunk += 1
        }
        base.noted.bits = included
    }

    private func replace(
        _ search: SubstituteSearch, _ next: RowHold, _ steps: inout Int, _ budget: Int
    ) {
        guard search.advance(&steps, budget: budget) else {
            phase = .replacing(search, next)
            return
        }
        beginBatch(search.arriving, search.leaving, next)
    }

    private func beginBatch(_ arriving: RowBitset, _ leaving: LeavingRows, _ next: RowHold) {
        let batch = RowOrdering(arriving, of: table, by: sortOrder, rank: rank)
        phase = .sorting(batch, leaving, next)
    }

    private func advance(
        _ other: OrderMaking, _ derivation: OrderDerivation, _ steps: inout Int, _ budget: Int
    ) {
        let before = other.stepsTaken
        let isMade = other.advance(budget: budget - steps)
        steps += other.stepsTaken - before
        guard isMade else {
            phase = .awaiting(other, derivation)
            isWaiting = other.isWaiting
            return
        }
        isAwaitingOther = false
        // It may have fallen behind since.
        if let rows = other.order?.sortedRows { begin(derivation, from: rows) }
    }

    /// Begins with all documents in another order, which are current. What was sorted before tells which are equal.
    private func begin(_ derivation: OrderDerivation, from rows: PreparedRows<DocumentRow>) {
        let all = bits()
        assert(all.count == rows.count, "another order has other documents")
        var known = included
        known.formIntersection(all)
        let derived = DerivedRows(
            of: sortOrder, from: rows, derivation, after: sorted, known: known, in: table)
        phase = .deriving(derived, of: all, table.hold())
        sorted = PreparedRows()
        included = RowBitset()
    }

    private func derive(
        _ derived: DerivedRows, _ all: RowBitset, _ next: RowHold, _ steps: inout Int,
        _ budget: Int
    ) {
        guard derived.advance(&steps, budget: budget) else {
            phase = .deriving(derived, of: all, next)
            return
        }
        sorted = derived.rows
        included = all
        hold = next
    }

    private func sort(
        _ batch: RowOrdering, _ leaving: LeavingRows, _ next: RowHold, _ steps: inout Int,
        _ budget: Int
    ) {
        let before = batch.stepsTaken
        let isSorted = batch.advance(budget: budget - steps)
        steps += batch.stepsTaken - before
        guard isSorted else {
            phase = .sorting(batch, leaving, next)
            return
        }
        let merge = OrderMerge(
            sorted, without: leaving, and: batch, by: areInOrder,
            prefetch: { [table, sortOrder] in table.prefetch($0, by: sortOrder) })
        phase = .merging(merge, next)
    }

    private func merge(
        _ merge: OrderMerge, _ next: RowHold, _ steps: inout Int, _ budget: Int
    ) {
        let before = merge.comparisons
        let isMerged = merge.advance(&steps, budget: budget)
        comparisons += merge.comparisons - before
        guard isMerged else {
            phase = .merging(merge, next)
            return
        }
        sorted = merge.merged.rows
        // Rows that were released until then are in it no more.
        hold = next
    }

    private func edit(
        _ leaving: RowBitset.Iterator, _ arriving: RowBitset.Iterator, _ next: RowHold,
        _ steps: inout Int, _ budget: Int
    ) {
        var (leaving, arriving) = (leaving, arriving)
        let areInOrder = areInOrder
        var edits = 0
        defer { mostEditsAtOnce = max(mostEditsAtOnce, edits) }
        repeat {
            if let row = leaving.next() {
                sorted.remove(DocumentRow(row), by: areInOrder)
            } else if let row = arriving.next() {
                sorted.insert(DocumentRow(row), by: areInOrder)
            } else {
                // As after a merge.
                hold = next
                return
            }
            edits += 1
            steps += Self.editSteps
        } while steps < budget
        phase = .editing(leaving, arriving, next)
    }

    /// Makes the order if what is sorted is almost the set, or else begins another batch.
    /// - Returns: whether the order is made.
    private func finishRest(_ steps: inout Int, _ budget: Int) -> Bool {
        if let ranking, !ranking.isDone {
            let before = ranking.stepsTaken
            let isDone = ranking.advance(budget: budget - steps)
            steps += ranking.stepsTaken - before
            guard isDone else { return false }
        }
        let now = bits()
        if hold != nil,
            waiting.mustWait(
                following.rowsChanged, of: now.count, areMoreComing: following.areMoreComing())
        {
            steps += 1
            isWaiting = true
            return false
        }
        var arriving = now
        arriving.subtract(included)
        var leaving = included
        leaving.subtract(now)
        steps += now.bound / 64 / Self.wordsPerStep + 1
        let changes = arriving.count + leaving.count
        if hold != nil, changes <= Self.fewChanges {
            let areInOrder = areInOrder
            for row in leaving { sorted.remove(DocumentRow(row), by: areInOrder) }
            for row in arriving { sorted.insert(DocumentRow(row), by: areInOrder) }
            end()
            return true
        }
        if changes > now.count / Self.rowsPerSorted, let source = findSource() {
            switch source {
            case .order(let rows, let derivation): begin(derivation, from: rows)
            case .making(let other, let derivation):
                isAwaitingOther = true
                phase = .awaiting(other, derivation)
            }
            return false
        }
        let next = table.hold()
        let isFirst = hold == nil
        // Held from now on, if no row has been before.
        if isFirst { hold = next }
        included = now
        if !isFirst, changes <= now.count / Self.rowsPerEdit {
            phase = .editing(leaving.makeIterator(), arriving.makeIterator(), next)
        } else if leaving.isEmpty || arriving.isEmpty || sortOrder.hasScore {
            hasSorted = true
            beginBatch(arriving, LeavingRows(leaving), next)
        } else {
            hasSorted = true
            let search = SubstituteSearch(
                for: leaving, among: arriving, in: table, by: sortOrder)
            phase = .replacing(search, next)
        }
        return false
    }

    private func end() {
        order = make(sorted)
        sorted = PreparedRows()
        included = RowBitset()
        hold = nil
    }
}
