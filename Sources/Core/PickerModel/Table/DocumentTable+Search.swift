internal import CDocumentKernels

// Search in all names, in blocks of 64 rows: a word of the result each.

/// The instruction sets that search can use; all have the same results.
package enum SearchInstructions: CaseIterable, Sendable {
    case plain
    case sse2
    case avx2
    /// AVX2 and BMI2, on processors that gather bits in few steps.
    case gathering
    case neon

    /// The best that this processor has.
    package static let best: SearchInstructions = {
        let best = names_best_instructions()
        return allCases.first { $0.number == best } ?? .plain
    }()

    /// Those that this processor has.
    package static var available: [SearchInstructions] {
        switch best {
        case .avx2: [.plain, .sse2, .avx2]
        case .gathering: [.plain, .sse2, .avx2, .gathering]
        case let best: best == .plain ? [.plain] : [.plain, best]
        }
    }

    var number: Int32 {
        switch self {
        case .plain: Int32(NAMES_PLAIN.rawValue)
        case .sse2: Int32(NAMES_SSE2.rawValue)
        case .avx2: Int32(NAMES_AVX2.rawValue)
        case .gathering: Int32(NAMES_GATHERING.rawValue)
        case .neon: Int32(NAMES_NEON.rawValue)
        }
    }
}

extension DocumentTable {
    /// The number of blocks of 64 rows.
    package var blockCount: Int { current.words.count }

    /// Finds the documents of some blocks whose names contain the text of a search.
    ///
    /// To search in slices, call this for one part of the blocks after another. Rows that are added meanwhile are to
    /// be searched, too, and are in blocks from then on.
    ///
    /// Only rows of `base` are tested, as for a search that narrows another, and all documents if it is nil. The rows
    /// found replace those of these blocks in `result`, whose bound is raised to `rowEnd`.
    /// - Returns: the approximate number of steps: one for 64 bytes.
    /// - Complexity: O(n) in the bytes of the blocks for usual texts, O(n × text) at worst. Allocates only if `result`
    ///   has no room.
    @discardableResult
    package func search(
        _ search: NameSearch, blocks: Range<Int>, in base: RowBitset? = nil,
        result: inout RowBitset, instructions: SearchInstructions = .best
    ) -> Int {
        self.search(
            needle: search.needle.span, blocks: blocks, in: base, result: &result,
            instructions: instructions)
    }

    /// Whether other processors search with this one: not where there are none, and not for a while after they had other
    /// work.
    var canSearchTogether: Bool { others.map { !$0.isResting } ?? false }

    /// The same for blocks from the first of `blocks` on: for all, or as many as the processors that this process may use
    /// search together in some tenths of a millisecond. Others of these blocks have no rows in `result` then.
    /// - Returns: the end of the blocks that were searched, and the approximate number of steps of each processor.
    func searchTogether(
        _ search: NameSearch, blocks: Range<Int>, in base: RowBitset?, result: inout RowBitset
    ) -> (end: Int, steps: Int) {
        self.search(
            needle: search.needle.span, blocks: blocks, in: base, result: &result,
            instructions: .best, by: others)
    }

    /// The same for a folded text.
    @discardableResult
    func search(
        needle: borrowing Span<UInt8>, blocks: Range<Int>, in base: RowBitset?,
        result: inout RowBitset, instructions: SearchInstructions
    ) -> Int {
        search(
            needle: needle, blocks: blocks, in: base, result: &result, instructions: instructions,
            by: nil
        ).steps
    }

    /// All of `blocks` without `others`.
    private func search(
        needle: borrowing Span<UInt8>, blocks: Range<Int>, in base: RowBitset?,
        result: inout RowBitset, instructions: SearchInstructions, by others: ParallelSearch?
    ) -> (end: Int, steps: Int) {
        precondition(blocks.lowerBound >= 0 && blocks.upperBound <= blockCount)
        result.grow(to: rowEnd)
        var isPossible = true
        for index in needle.indices where needle[index] == UInt8(NAMES_END) {
            isPossible = false
        }
        // The words of the blocks exist, since the result reaches as far as the rows do.
        let found = unsafe result.withMutableWords(blocks) { words in
            for block in blocks {
                let wanted = current[word: block]
                let based = base.map { $0[word: block] & wanted } ?? wanted
                unsafe words[block] = isPossible ? based : 0
            }
            if needle.isEmpty || !isPossible {
                return (end: blocks.upperBound, steps: blocks.count)
            }
            let found = unsafe texts.search(
                needle, blocks: blocks, among: words, result: words,
                instructions: instructions.number, by: others)
            for block in found.end..<blocks.upperBound { unsafe words[block] = 0 }
            return found
        }
        return found ?? (blocks.upperBound, 0)
    }

    /// The documents of a block, among some of them, whose names have the bytes of a folded text in their order, or
    /// all together. `steps` is incremented by one for 64 bytes.
    func rows(
        ofBlock block: Int, among rows: UInt64, having needle: borrowing Span<UInt8>,
        together: Bool, instructions: SearchInstructions = .best, steps: inout Int
    ) -> UInt64 {
        var wanted = rows & current[word: block]
        for index in needle.indices where needle[index] == UInt8(NAMES_END) { wanted = 0 }
        guard wanted != 0, !needle.isEmpty else { return wanted }
        guard together else {
            return texts.spread(
                needle, block: block, among: wanted, instructions: instructions.number,
                steps: &steps)
        }
        steps += texts.search(
            needle, block: block, word: &wanted, instructions: instructions.number)
        return wanted
    }

    // MARK: Compaction

    /// Whether more than a quarter of the memory for names is dead.
    package var needsCompaction: Bool {
        texts.needsCompaction || folders.needsCompaction || differences.needsCompaction()
    }

    /// Moves names together, for about `budget` bytes.
    /// - Returns: whether there is nothing more to do.
    /// - Complexity: O(`budget` + the names of 64 rows).
    @discardableResult
    package func compact(budget: Int) -> Bool {
        if texts.needsCompaction {
            if !texts.compact(budget: budget) { return false }
        } else if differences.needsCompaction() {
            if !compactDifferences(budget: budget) { return false }
        } else if folders.needsCompaction {
            if !folders.compact(budget: budget) { return false }
        }
        return !needsCompaction
    }

    private func compactDifferences(budget: Int) -> Bool {
        differences.compact(budget: budget) { arena, row, range, target in
            arena.copy(range, to: target)
            columns.nameForms[row] = UInt32(target)
            return range.count
        }
    }

    /// The bytes that the documents take, without room for more.
    package var bytesInUse: Int {
        let perRow = DocumentColumns.bytesPerRow + SearchTexts.columnBytesPerRow
        return rowEnd * perRow + rowEnd / 8 + rowEnd / 64 * 16 + texts.arenaBytes
            + differences.used + byKey.bytes + byPlace.bytes + folders.bytes
    }
}
