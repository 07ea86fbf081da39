internal import CDocumentKernels

// Orders of rows by words, which sort like the fields.

extension DocumentTable {
    /// The first documents in an order, of some or, if `rows` is nil, of all.
    /// - Complexity: O(n + w log w) for w wanted ones.
    package func firstRows(
        _ limit: Int, by order: SortOrder, among rows: RowBitset? = nil,
        rank: ((DocumentRow) -> UInt64)? = nil
    ) -> [DocumentRow] {
        var wanted = current
        if let rows { wanted.formIntersection(rows) }
        let first = FirstRows(limit, of: wanted, in: self, by: order, rank: rank)
        _ = first.advance(budget: .max)
        return first.rows
    }
}

/// The first documents in an order, in slices. The rows must remain readable until it is complete.
package final class FirstRows: SlicedWork {
    /// The rows that cost one step.
    static let rowsPerStep = 2

    package private(set) var stepsTaken = 0
    /// The documents in order, once `advance` has returned true.
    package private(set) var rows: [DocumentRow] = []

    /// The rows passed over by their first words that cost as much as one that is looked at.
    private static let passedPerRow = 8
    /// The rows that cost as much as comparing two whose first words are equal, by one term or by their keys.
    private static let rowsPerComparison = 8

    private let words: DocumentWords
    private let among: RowBitset
    /// The next 64 rows, and what is left of those before.
    private var nextBlock = 0
    private var rest: UInt64 = 0
    private var selection: RowSelection
    private var isDone = false

    /// Selects the first `limit` of these rows. It begins with the first slice.
    package init(
        _ limit: Int, of rows: RowBitset, in table: DocumentTable, by order: SortOrder,
        rank: ((DocumentRow) -> UInt64)? = nil
    ) {
        words = DocumentWords(of: rows, in: table, by: order, rank: rank, limit: limit)
        among = rows
        selection = RowSelection(limit: limit)
    }

    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        var budget = budget
        if let places = words.places {
            var steps = 0
            let areKnown = places.advance(&steps, budget: budget)
            stepsTaken += steps
            guard areKnown, steps < budget else { return false }
            budget -= steps
        }
        let (most, isOver) = budget.multipliedReportingOverflow(by: Self.rowsPerStep)
        var left = isOver ? Int.max : most
        defer { stepsTaken += ((isOver ? .max : most) - left) / Self.rowsPerStep + 1 }
        let rowsPerComparison = Self.rowsPerComparison * (words.order.terms.count + 1)
        while left > 0 {
            guard rest != 0 || nextBlock < among.words.count else {
                rows = selection.rows { words.isBefore($0, $1) }.map { DocumentRow($0) }
                isDone = true
                return true
            }
            if rest == 0 {
                let all = among[word: nextBlock]
                rest = words.mayBeAmongFirst(all, block: nextBlock, selection.last)
                nextBlock += 1
                let passed = all.nonzeroBitCount - rest.nonzeroBitCount
                left -= 1 + passed / Self.passedPerRow
                continue
            }
            let row = (nextBlock - 1) * 64 + rest.trailingZeroBitCount
            rest &= rest - 1
            left -= 1
            if words.isBeyond(row, selection.last) { continue }
            selection.add(words.selectionEntry(of: row)) { one, other in
                left -= rowsPerComparison
                return words.isBefore(one, other)
            }
        }
        return false
    }
}

/// A sort of documents, in slices. The rows must remain readable until it is complete.
package final class RowOrdering: SlicedWork {
    /// The cost of a row's first word.
    private static let wordSteps = 2

    private let words: DocumentWords
    private var remaining: RowBitset.Iterator
    private var entries: [RowEntry] = []
    private var sorter: RowSorter?
    private var isDone = false
    package private(set) var stepsTaken = 0

    /// Sorts these rows. It begins with the first slice.
    package init(
        _ rows: RowBitset, of table: DocumentTable, by order: SortOrder,
        rank: ((DocumentRow) -> UInt64)? = nil
    ) {
        words = DocumentWords(of: rows, in: table, by: order, rank: rank)
        remaining = rows.makeIterator()
        entries.reserveCapacity(rows.count)
    }

    package func advance(budget: Int) -> Bool {
        if isDone { return true }
        var steps = 0
        defer { stepsTaken += steps }
        guard words.places?.advance(&steps, budget: budget) ?? true else { return false }
        while sorter == nil {
            if steps >= budget { return false }
            guard let row = remaining.next() else {
                sorter = RowSorter(entries)
                entries = []
                break
            }
            entries.append(words.entry(of: row))
            steps += Self.wordSteps
        }
        isDone = sorter?.advance(&steps, budget: budget, words) ?? true
        return isDone
    }

    /// The rows in order, once `advance` has returned true.
    /// - Complexity: O(n).
    package var rows: [DocumentRow] { sorter?.rows.map { DocumentRow($0) } ?? [] }

    var count: Int { sorter?.count ?? 0 }

    /// Returns the memory of the first rows to the system: they are not read again.
    func discard(before end: Int) { sorter?.discard(before: end) }

    /// Some of the rows.
    /// - Complexity: O(k) for k rows.
    func rows(_ range: Range<Int>) -> [DocumentRow] {
        guard let sorter else { return [] }
        return range.map { DocumentRow(sorter.row(at: $0)) }
    }
}

/// The words of rows in an order: one or more for each term, then the bytes of the key.
struct DocumentWords: RowWords {
    let table: DocumentTable
    let order: SortOrder
    private let first: SortOrder.Term
    /// The second term of an order by type, if its field has words of 64 bits: very many rows have the same type, and so
    /// the first rows are chosen by both.
    private let besideType: SortOrder.Term?
    private let rank: ((DocumentRow) -> UInt64)?
    /// For orders by path: the rows' places, which must be complete before a word is requested.
    let places: PathPlaces?

    /// The words of some rows, of which the first `limit` are wanted.
    init(
        of rows: RowBitset, in table: DocumentTable, by order: SortOrder,
        rank: ((DocumentRow) -> UInt64)? = nil, limit: Int = .max
    ) {
        self.rank = rank
        self.table = table
        self.order = order
        first = order.terms[0]
        besideType = Self.termBesideType(of: order)
        places = order.terms.first { $0.field == .path }.map {
            // Only the order by path alone begins with the first rows of a walk.
            PathPlaces(
                of: rows, in: table, isReversed: $0.isReversed,
                limit: $0 == order.terms[0] ? limit : .max)
        }
    }

    /// Whether a row is not among the first, of which `last` may be the last: by the places of paths, without a look at
    /// its name.
    @inline(__always)
    func isBeyond(_ row: Int, _ last: RowEntry?) -> Bool {
        guard let places, first.field == .path else { return false }
        // The walk has passed as many rows as are wanted.
        guard let bound = places.bound(of: row) else { return true }
        guard let last else { return false }
        return UInt64(bound) << 32 > last.word
    }

    /// Those of up to 64 rows of a block that may be among the first, of which `last` is the last so far: as far as
    /// their first words tell.
    func mayBeAmongFirst(_ rows: UInt64, block: Int, _ last: RowEntry?) -> UInt64 {
        let flip: UInt64 = first.isReversed ? .max : 0
        if places != nil, first.field == .path { return passedByWalk(rows, block) }
        guard let last, rows != 0 else { return rows }
        return switch first.field {
        case .name: rows & table.columns.sortWords.upTo(last.word, block, flip)
        case .modified: rows & table.columns.times.upTo(last.word, block, flip)
        case .size: rows & table.columns.sizes.upTo(last.word, block, flip)
        case .type: rows & typesUpTo(last.word, block)
        case .liked, .path, .score, .attribute: rows
        }
    }

    /// The rows of a block whose words by `selectionEntry` are at most `bound`, for an order by type.
    private func typesUpTo(_ bound: UInt64, _ block: Int) -> UInt64 {
        let flip: UInt16 = first.isReversed ? .max : 0
        guard let besideType else {
            let (below, equal) = table.columns.types.below(
                UInt16(truncatingIfNeeded: bound), block, flip)
            return below | equal
        }
        let (below, equal) = table.columns.types.below(UInt16(bound >> 48), block, flip)
        if equal == 0 { return below }
        // Of rows with the same type the second field tells.
        let secondBound = bound << 16 | 0xFFFF
        let secondFlip: UInt64 = besideType.isReversed ? .max : 0
        let second =
            switch besideType.field {
            case .name: table.columns.sortWords.upTo(secondBound, block, secondFlip)
            case .modified: table.columns.times.upTo(secondBound, block, secondFlip)
            case .size: table.columns.sizes.upTo(secondBound, block, secondFlip)
            case .type, .path, .liked, .score, .attribute: UInt64.max
            }
        return below | equal & second
    }

    private static func termBesideType(of order: SortOrder) -> SortOrder.Term? {
        guard order.terms[0].field == .type, order.terms.count > 1 else { return nil }
        return switch order.terms[1].field {
        case .name, .modified, .size: order.terms[1]
        case .type, .path, .liked, .score, .attribute: nil
        }
    }

    /// The rows in folders that the walk has come to.
    private func passedByWalk(_ rows: UInt64, _ block: Int) -> UInt64 {
        var found: UInt64 = 0
        var rest = rows
        // Most rows are in the folder of the row before.
        var folder: UInt32?
        var isPassed = false
        while rest != 0 {
            let row = block * 64 + rest.trailingZeroBitCount
            let other = table.columns.folders[row]
            if folder != other {
                folder = other
                isPassed = places?.bound(of: row) != nil
            }
            if isPassed { found |= rest & (~rest &+ 1) }
            rest &= rest - 1
        }
        return found
    }

    /// A row with a word that no row before it exceeds. For an order by type it is of the second field as well, since
    /// very many rows have the same type.
    @inline(__always)
    func selectionEntry(of row: Int) -> RowEntry {
        let entry = entry(of: row)
        guard let besideType, let word = word(of: row, by: besideType, 0) else {
            return entry
        }
        // Types are fewer than 65,536; of a reversed one, the lowest bits of the word are what is left.
        return RowEntry(
            word: entry.word << 48 | word >> 16,
            row: UInt32(row))
    }

    /// A row with its first word.
    @inline(__always)
    func entry(of row: Int) -> RowEntry {
        // Each field has a first word.
        RowEntry(word: word(of: row, by: first, 0) ?? 0, row: UInt32(row))
    }

    func word(of row: UInt32, level: Int) -> UInt64? {
        let row = Int(row)
        var level = level
        for term in order.terms {
            if let word = word(of: row, by: term, level) { return word }
            level -= count(of: row, by: term)
        }
        return keyWord(of: row, level)
    }

    func fill(_ entries: inout [RowEntry], _ range: Range<Int>, level: Int) -> Bool {
        guard let (level, flip) = nameLevel(level) else {
            return fillEach(&entries, range, level: level)
        }
        var isFound = false
        var start = range.lowerBound
        while start < range.upperBound {
            let part = start..<min(start + 64, range.upperBound)
            var rest = table.texts.keyWords(&entries, part, after: 8 * level.name)
            if rest.nonzeroBitCount < part.count { isFound = true }
            if flip != 0 { for index in part { entries[index].word ^= flip } }
            while rest != 0 {
                let index = start + rest.trailingZeroBitCount
                rest &= rest - 1
                let word = word(of: entries[index].row, level: level.all)
                if word != nil { isFound = true }
                entries[index].word = word ?? 0
            }
            start = part.upperBound
        }
        return isFound
    }

    /// The level of the name's words that a level of all words is, if it is one for every row that has so many.
    private func nameLevel(_ level: Int) -> (level: (all: Int, name: Int), flip: UInt64)? {
        var rest = level
        for term in order.terms {
            switch term.field {
            case .name: return ((level, rest), term.isReversed ? .max : 0)
            case .modified where !table.farTimes.isEmpty, .path, .attribute: return nil
            case .modified, .size, .type, .liked, .score: rest -= 1
            }
            if rest < 0 { return nil }
        }
        return nil
    }

    func isBefore(_ one: UInt32, _ other: UInt32) -> Bool {
        table.compare(DocumentRow(one), DocumentRow(other), by: order, rank: rank) < 0
    }

    /// The word of a term, which is less for what comes before.
    @inline(__always)
    private func word(of row: Int, by term: SortOrder.Term, _ level: Int) -> UInt64? {
        if case .attribute(let attribute) = term.field {
            return word(of: row, by: attribute, term.isReversed, level)
        }
        let flip: UInt64 = term.isReversed ? .max : 0
        return word(of: row, by: term.field, level).map { $0 ^ flip }
    }

    /// The words of an attribute: that of the value; and, as one without a value has the greatest, whether there is one.
    /// A text goes on with its sort key.
    private func word(
        of row: Int, by attribute: Attribute, _ isReversed: Bool, _ level: Int
    ) -> UInt64? {
        if level == 0 {
            return table.attributes.sortWord(of: row, by: attribute, isReversed: isReversed)
        }
        let stored = table.attributes.stored(attribute, of: row)
        if level == 1 { return stored == nil ? 1 : 0 }
        guard let stored, attribute.kind == .text else { return nil }
        return table.attributes.texts[stored].folded.keyWord(level - 1)
            .map { isReversed ? ~$0 : $0 }
    }

    @inline(__always)
    private func word(of row: Int, by field: SortOrder.Field, _ level: Int) -> UInt64? {
        switch field {
        case .name:
            if level == 0 { return table.columns.sortWords[row] }
            // Nothing moves texts meanwhile.
            let text = unsafe table.texts.text(of: row)
            return unsafe SortKeyReader.word(of: text.span, after: 8 * level)
        case .modified:
            if level == 0 { return table.columns.times[row] }
            guard let time = table.farTimes[row] else { return nil }
            return level == 1
                ? UInt64(bitPattern: time.seconds) ^ (1 << 63)
                : level == 2 ? UInt64(time.nanoseconds) : nil
        case .size: return level == 0 ? table.columns.sizes[row] : nil
        case .type: return level == 0 ? UInt64(table.columns.types[row].rank) : nil
        case .path: return places?.word(of: row, level)
        case .liked:
            return level == 0 ? table.columns.flags[row].contains(.liked) ? 1 : 0 : nil
        case .score: return level == 0 ? rank?(DocumentRow(row)) ?? 0 : nil
        case .attribute: return nil
        }
    }

    /// The number of words of a field, which is the same for rows that are equal in it.
    private func count(of row: Int, by term: SortOrder.Term) -> Int {
        switch term.field {
        case .name:
            var reader = SortKeyReader()
            var count = 0
            // As above.
            let text = unsafe table.texts.text(of: row)
            while unsafe reader.next(in: text.span) != nil { count += 1 }
            // At least one zero is behind the key.
            return count / 8 + 1
        case .modified: return table.farTimes[row] == nil ? 1 : 3
        case .size, .type, .liked, .score: return 1
        case .path: return places?.wordCount(of: row) ?? 0
        case .attribute(let attribute):
            guard attribute.kind == .text,
                let stored = table.attributes.stored(attribute, of: row)
            else { return 2 }
            // That of the first eight bytes, whether it is known, and one at least for the end.
            return table.attributes.texts[stored].folded.keyWordCount + 1
        }
    }

    private func keyWord(of row: Int, _ level: Int) -> UInt64? {
        table.keyText(of: row).word(level)
    }
}
