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
    /// The most blocks searched by one call.
    private static let blocksAtOnce = 64
    /// The most blocks searched by all processors at once.
    private static let mostTogether = 2048
    /// The steps of one processor while others show something.
    private static let stepsAlone = 100_000

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

    /// The steps until which one processor searches.
    private var aloneUntil = 0

    private let store: DocumentStore
    private let table: DocumentTable
    private let subset: DocumentSubset?
    /// A query that has found all that this one can, until the first slice.
    private var wider: DocumentSurvey?
    /// What it had found then.
    private var base: RowBitset?
    private var tally: DocumentTally?
    private var following: Connection?
    /// Rows that were removed remain readable while others are matched.
    private var hold: RowHold?
    /// The first block that is not matched yet, and the rest of its documents if some of them are.
    private var nextBlock = 0
    private var untested: UInt64?

    /// Does nothing yet: the first slice begins the work. With `keepsStatistics` it has statistics of the documents
    /// found, and of their values of `attribute`, whose column must stay. `wider` are the results of a query that this
    /// one narrows, and of the same range.
    package init(
        of store: DocumentStore, in range: DocumentRange, for query: DocumentQuery,
        among wider: DocumentSurvey? = nil, keepsStatistics: Bool = false,
        of attribute: Attribute? = nil
    ) {
        self.store = store
        table = store.table
        self.range = range
        subset = store.subset(of: range)
        self.query = query
        self.wider = wider
        if keepsStatistics { tally = DocumentTally(attribute) }
        fixed = (keepsStatistics ? 24 : 4) + (attribute == nil ? 0 : AttributeTally.steps)
    }

    /// The fixed cost per document: accessing it, and storing or adding up the result.
    private let fixed: Int

    /// The approximate number of steps per document, whatever its name.
    package var stepsPerDocument: Int { fixed + query.stepsPerDocument }

    /// The number of documents to match at the most.
    package var candidateCount: Int {
        wider?.known?.count ?? base?.count
            ?? min(query.filter?.keys?.count ?? .max, store.count(in: range))
    }

    /// Those that may match; nil if these are all.
    var candidates: RowBitset? { base ?? wider?.known }

    /// The documents that match, if that is known.
    package var known: RowBitset? { isDone && isSound ? matches : nil }

    /// Matches documents for `budget` steps, or a little more.
    /// - Returns: whether all have been matched.
    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        if following == nil { begin() }
        var steps = 0
        while steps < budget, skipBlocks() < table.blockCount {
            if isSearch {
                search(&steps)
            } else {
                test(&steps, budget)
            }
        }
        stepsTaken += steps
        if nextBlock >= table.blockCount { end() }
        return isDone
    }

    /// Goes on to the next block that has candidates, unless one is begun.
    /// - Returns: this block.
    private func skipBlocks() -> Int {
        guard let base, untested == nil else { return nextBlock }
        while nextBlock < table.blockCount, base[word: nextBlock] == 0 { nextBlock += 1 }
        return nextBlock
    }

    /// Leaves other processors to whoever shows what has been told, for half a millisecond.
    func leaveRoom() { aloneUntil = stepsTaken + Self.stepsAlone }

    /// The statistics of the documents found to match so far; nil once a change would have taken too long to
    /// follow.
    package var statistics: DocumentStatistics? { isSound ? tally?.summary : nil }

    private func begin() {
        base = wider?.known
        wider = nil
        chooseByKeys()
        hold = table.hold()
        following = store.documents(in: range).changes.connect { [unowned self] change in
            follow(change)
        }
        // A great change would else move the results of all queries in its first part.
        matches.reserve(table.rowEnd + table.rowEnd / 8)
        matches.grow(to: table.rowEnd)
    }

    /// Few documents have the keys that a filter names: their rows are known.
    private func chooseByKeys() {
        guard let keys = query.filter?.keys, keys.count < base?.count ?? .max else { return }
        base = keys.rows(of: table)
    }

    /// Whether a search by bytes answers for all.
    private var isSearch: Bool {
        if case .contains? = query.search, query.filter == nil, tally == nil { true } else { false }
    }

    /// Searches some blocks.
    private func search(_ steps: inout Int) {
        guard case .contains(let text)? = query.search else { return }
        let left = table.blockCount - nextBlock
        let isShared =
            left >= table.leastBlocksTogether && stepsTaken >= aloneUntil
            && table.canSearchTogether
        let most = isShared ? Self.mostTogether : Self.blocksAtOnce
        var blocks = nextBlock..<nextBlock + min(left, most)
        steps += 1
        if isShared {
            let found = table.searchTogether(text, blocks: blocks, in: base, result: &matches)
            blocks = blocks.lowerBound..<found.end
            steps += found.steps
        } else {
            steps += table.search(text, blocks: blocks, in: base, result: &matches)
        }
        if range != .all || store.hasOutside {
            for block in blocks {
                matches.setWord(block, matches[word: block] & word(block))
            }
        }
        nextBlock = blocks.upperBound
    }

    /// Tests documents of the next block, or of what is left of it.
    private func test(_ steps: inout Int, _ budget: Int) {
        var bits = untested ?? begin(nextBlock, &steps)
        // What a search by bytes has not answered.
        var rest = query
        if case .contains? = query.search { rest = DocumentQuery(filter: query.filter) }
        while bits != 0, steps < budget {
            let row = nextBlock * 64 + bits.trailingZeroBitCount
            bits &= bits - 1
            steps += fixed
            if rest.matches(DocumentRow(row), of: table, steps: &steps) {
                tally?.add(subject(row))
            } else {
                matches.remove(row)
            }
        }
        untested = bits == 0 ? nil : bits
        if bits == 0 { nextBlock += 1 }
    }

    /// Adds the documents of a block that may match to those that do.
    /// - Returns: these documents.
    private func begin(_ block: Int, _ steps: inout Int) -> UInt64 {
        steps += 1
        matches.grow(to: table.rowEnd)
        var bits = word(block)
        if case .contains(let text)? = query.search {
            steps += table.search(text, blocks: block..<block + 1, in: base, result: &matches)
            bits &= matches[word: block]
        } else if let base {
            bits &= base[word: block]
        }
        if case .fuzzy(let search)? = query.search {
            bits = search.candidates(ofBlock: block, among: bits, in: table, steps: &steps)
        }
        matches.setWord(block, bits)
        return bits
    }

    /// The documents of a block.
    private func word(_ block: Int) -> UInt64 {
        subset.map { $0.bits[word: block] } ?? store.word(block, in: range)
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
        chooseByKeys()
        nextBlock = 0
        untested = nil
        matches = RowBitset(bound: table.rowEnd)
        if let tally { self.tally = DocumentTally(tally.attribute) }
    }

    /// The results are not known after a change.
    private func giveUp() {
        if isDone {
            isSound = false
            following = nil
        } else {
            restart()
        }
    }

    private func follow(_ change: SetChange<DocumentRow>) {
        let count = change.removed.count + change.inserted.count
        if count > 1, count * stepsPerDocument > Self.mostForChange {
            return giveUp()
        }
        matches.grow(to: table.rowEnd)
        for row in change.removed {
            let wasTested = !isUntested(row)
            if row.index / 64 == nextBlock { untested? &= ~(1 << UInt64(row.index % 64)) }
            if matches.remove(row.index), wasTested { tally?.remove(subject(row.index)) }
        }
        for row in change.inserted {
            // Rows of later blocks are matched with these.
            guard
                isDone || row.index / 64 < nextBlock
                    || row.index / 64 == nextBlock && untested != nil
            else {
                // It is new since the wider query was answered, and may match.
                base?.grow(to: table.rowEnd)
                base?.insert(row.index)
                continue
            }
            guard query.matches(row, of: table), matches.insert(row.index) else { continue }
            tally?.add(subject(row.index))
        }
        if let tally, !tally.isKnown { giveUp() }
    }

    /// Whether a row is in the rest of the block that is being tested.
    private func isUntested(_ row: DocumentRow) -> Bool {
        guard let untested, row.index / 64 == nextBlock else { return false }
        return untested >> UInt64(row.index % 64) & 1 == 1
    }
}
