// A query of all documents in slices.
//
// Matching very many documents takes longer than the loop may be blocked. So a few blocks of 64 rows are matched at
// a time, while the set keeps changing. A row is a value, and the result of a query for it never changes: earlier
// results stay right. When a document is inserted in a block that has been matched, it is matched then; when one is
// removed, its bit is. When no block is left, the results are those of the set at that moment, and they follow it as
// long as the survey exists. So lists with equal queries share a survey, and one whose query narrows that of another
// tests only what the other found.

internal import Observables

/// The results of a query for each document of a range, computed in slices.
package final class DocumentSurvey: SlicedWork {
    /// The most steps that keeping up to date may take for one change of the documents.
    private static let mostForChange = 400_000
    /// The most blocks matched by one call, and the most steps that testing documents one by one may take, unless a
    /// block takes more.
    private static let blocksAtOnce = 64
    private static let stepsAtOnce = 16_384

    package let query: DocumentQuery
    package let range: DocumentRange
    /// Whether every document has been matched.
    package private(set) var isDone = false
    /// The steps taken so far.
    package private(set) var stepsTaken = 0
    /// The documents found to match: those of the set that do, once the survey is done.
    package private(set) var matches = RowBitset()
    /// Whether the results still follow the documents: not after a change that would have taken too long.
    package private(set) var isSound = true

    private let store: DocumentStore
    private let table: DocumentTable
    /// A query that has found all that this one can, until the first slice.
    private var wider: DocumentSurvey?
    /// What it had found then.
    private var base: RowBitset?
    private var tally: DocumentTally?
    private var following: Connection?
    /// Rows that were removed remain readable while others are matched.
    private var hold: RowHold?
    /// The first block that is not matched yet.
    private var nextBlock = 0

    /// Does nothing yet: the first slice begins the work. With `keepsStatistics` it has statistics of the documents
    /// found. `wider` are the results of a query that this one narrows, and of the same range.
    package init(
        of store: DocumentStore, in range: DocumentRange, for query: DocumentQuery,
        among wider: DocumentSurvey? = nil, keepsStatistics: Bool = false
    ) {
        self.store = store
        table = store.table
        self.range = range
        self.query = query
        self.wider = wider
        if keepsStatistics { tally = DocumentTally() }
    }

    /// The fixed cost per document: accessing it, and storing or adding up the result.
    private var fixed: Int { tally == nil ? 4 : 24 }

    /// The approximate number of steps per document, whatever its name.
    package var stepsPerDocument: Int { fixed + query.stepsPerDocument }

    /// The number of documents to match at the most.
    package var candidateCount: Int { wider?.known?.count ?? base?.count ?? store.count(in: range) }

    /// The documents that match, if that is known.
    package var known: RowBitset? { isDone && isSound ? matches : nil }

    /// Matches documents for `budget` steps, or a little more.
    /// - Returns: whether all have been matched.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        if following == nil { begin() }
        var steps = 0
        while steps < budget, nextBlock < table.blockCount {
            let part = nextBlock..<min(table.blockCount, nextBlock + blocksAtOnce)
            match(part, &steps)
            nextBlock = part.upperBound
        }
        stepsTaken += steps
        if nextBlock >= table.blockCount { end() }
        return isDone
    }

    /// The statistics of the documents found to match so far; nil once a change would have taken too long to
    /// follow.
    package var statistics: DocumentStatistics? { isSound ? tally?.summary : nil }

    /// The number of blocks matched by one call: fewer if a document takes many steps.
    private var blocksAtOnce: Int {
        if case .contains? = query.search, query.filter == nil, tally == nil {
            return Self.blocksAtOnce
        }
        return max(1, min(Self.blocksAtOnce, Self.stepsAtOnce / (64 * stepsPerDocument)))
    }

    private func begin() {
        base = wider?.known
        wider = nil
        hold = table.hold()
        following = store.documents(in: range).changes.connect { [unowned self] change in
            follow(change)
        }
        matches.grow(to: table.rowEnd)
    }

    private func match(_ blocks: Range<Int>, _ steps: inout Int) {
        steps += blocks.count
        let search = query.search
        if case .contains(let text)? = search {
            steps += table.search(text, blocks: blocks, in: base, result: &matches)
        } else {
            matches.grow(to: table.rowEnd)
            for block in blocks {
                let wanted = table.current[word: block]
                matches.setWord(block, base.map { $0[word: block] & wanted } ?? wanted)
            }
        }
        // What remains to be tested of each row that has passed so far.
        let rest: DocumentQuery
        if case .contains? = search {
            rest = DocumentQuery(filter: query.filter)
        } else {
            rest = query
        }
        for block in blocks {
            var passed = matches[word: block]
            guard passed != 0 else { continue }
            passed &= store.word(block, in: range)
            if !rest.isEverything {
                var bits = passed
                while bits != 0 {
                    let bit = bits & (~bits &+ 1)
                    bits &= bits - 1
                    let row = DocumentRow(block * 64 + bit.trailingZeroBitCount)
                    steps += fixed
                    if !rest.matches(row, of: table, steps: &steps) { passed &= ~bit }
                }
            }
            matches.setWord(block, passed)
            if tally != nil {
                while passed != 0 {
                    steps += fixed
                    tally?.add(subject(block * 64 + passed.trailingZeroBitCount))
                    passed &= passed - 1
                }
            }
        }
    }

    private func subject(_ row: Int) -> RowSubject {
        RowSubject(row: DocumentRow(row), table: table)
    }

    private func end() {
        isDone = true
        base = nil
        hold = nil
    }

    // MARK: Changes

    /// Begins anew after a great change.
    private func restart() {
        base = nil
        nextBlock = 0
        matches = RowBitset(bound: table.rowEnd)
        if tally != nil { tally = DocumentTally() }
    }

    private func follow(_ change: SetChange<DocumentRow>) {
        let count = change.removed.count + change.inserted.count
        if count > 1, count * stepsPerDocument > Self.mostForChange {
            if isDone {
                isSound = false
                following = nil
            } else {
                restart()
            }
            return
        }
        matches.grow(to: table.rowEnd)
        for row in change.removed where matches.remove(row.index) {
            tally?.remove(subject(row.index))
        }
        // Rows of later blocks are matched with these.
        let end = isDone ? .max : nextBlock
        for row in change.inserted where row.index / 64 < end {
            guard query.matches(row, of: table), matches.insert(row.index) else { continue }
            tally?.add(subject(row.index))
        }
        // A row that is new since the wider query was answered may match.
        for row in change.inserted where row.index / 64 >= end {
            base?.grow(to: table.rowEnd)
            base?.insert(row.index)
        }
    }
}
