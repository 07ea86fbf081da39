// Comparison of rows where their fields are stored: nothing is put together for it.

extension DocumentTable {
    /// Negative, zero or positive if the first row comes before, with or after the second, of another document.
    /// `rank` is less for what comes first by score.
    /// - Complexity: O(n) in the length of names and the depth of folders, O(1) for most. Allocates nothing, unless
    ///   paths differ in bytes that are not UTF-8.
    package func compare(
        _ left: DocumentRow, _ right: DocumentRow, by order: SortOrder,
        rank: ((DocumentRow) -> UInt64)? = nil
    ) -> Int {
        let (one, other) = (readable(left), readable(right))
        for term in order.terms {
            let result: Int
            switch term.field {
            case .score: result = rank.map { Self.compare($0(left), $0(right)) } ?? 0
            case .attribute(let attribute):
                // What has no value is last in both directions.
                let order = attributes.compare(
                    one, other, by: attribute, isReversed: term.isReversed)
                if order != 0 { return order }
                continue
            default: result = compare(one, other, by: term.field)
            }
            if result != 0 { return term.isReversed ? -result : result }
        }
        return keyText(of: one).compare(keyText(of: other))
    }

    /// Whether two rows are equal in all terms of an order without ranks.
    func isEqual(_ left: DocumentRow, _ right: DocumentRow, in order: SortOrder) -> Bool {
        let (one, other) = (readable(left), readable(right))
        return order.terms.allSatisfy { compare(one, other, by: $0.field) == 0 }
    }

    /// Lets the processor fetch what `compare` reads of rows that are compared soon, all of them at once rather than
    /// one after another.
    func prefetch(_ rows: [DocumentRow], by order: SortOrder) {
        var readsName = false
        terms: for term in order.terms {
            switch term.field {
            case .modified: for row in rows { columns.times.prefetch(row.index) }
            case .size: for row in rows { columns.sizes.prefetch(row.index) }
            case .type: for row in rows { columns.types.prefetch(row.index) }
            case .liked: for row in rows { columns.flags.prefetch(row.index) }
            case .score, .attribute: break
            case .name:
                for row in rows { columns.sortWords.prefetch(row.index) }
                readsName = true
                break terms
            case .path:
                for row in rows { columns.folders.prefetch(row.index) }
                readsName = true
                break terms
            }
        }
        guard readsName else {
            for row in rows { columns.prefetchKey(of: row.index) }
            return
        }
        prefetchTexts(of: rows)
    }

    /// The same for the names of rows.
    func prefetchTexts(of rows: [DocumentRow]) {
        for row in rows { prefetchText(of: row, isNear: false) }
        for row in rows { prefetchText(of: row, isNear: true) }
    }

    /// Lets the processor fetch where the folded name of a row is, or the name, once it knows that.
    @inline(__always)
    func prefetchText(of row: DocumentRow, isNear: Bool) {
        texts.prefetch(row.index, isNear: isNear)
    }

    @inline(__always)
    private static func compare(_ one: UInt64, _ other: UInt64) -> Int {
        one == other ? 0 : one < other ? -1 : 1
    }

    private func compare(_ left: Int, _ right: Int, by field: SortOrder.Field) -> Int {
        switch field {
        case .name: return compareNames(left, right)
        case .modified:
            let result = Self.compare(columns.times[left], columns.times[right])
            return result == 0 ? compareFarTimes(left, right) : result
        case .size: return Self.compare(columns.sizes[left], columns.sizes[right])
        case .type: return columns.types[left].rank - columns.types[right].rank
        case .path: return comparePaths(left, right)
        case .liked:
            return (columns.flags[left].contains(.liked) ? 1 : 0)
                - (columns.flags[right].contains(.liked) ? 1 : 0)
        case .score: return 0
        case .attribute(let attribute):
            return attributes.compare(left, right, by: attribute, isReversed: false)
        }
    }

    private func compareNames(_ left: Int, _ right: Int) -> Int {
        let result = Self.compare(columns.sortWords[left], columns.sortWords[right])
        if result != 0 { return result }
        // Nothing moves texts during the comparison.
        let (first, second) = unsafe (texts.text(of: left), texts.text(of: right))
        return unsafe SortKeyReader.compare(first.span, second.span)
    }

    /// The times of rows that have the same number for them, which stands for itself or for all far times on a side.
    private func compareFarTimes(_ left: Int, _ right: Int) -> Int {
        guard columns.flags[left].contains(.farTime) else { return 0 }
        guard let one = farTimes[left], let other = farTimes[right] else { return 0 }
        return one == other ? 0 : one < other ? -1 : 1
    }

    // MARK: Paths

    private func comparePaths(_ left: Int, _ right: Int) -> Int {
        let folder = FolderNumber(Int(columns.folders[left]))
        let other = FolderNumber(Int(columns.folders[right]))
        if folder == other { return namePart(of: left).compare(namePart(of: right)) }
        let common = folders.compareAbove(folder, other)
        if common.result != 0 { return common.result }
        let one = common.left.map { folders.namePart(of: $0) } ?? namePart(of: left)
        let two = common.right.map { folders.namePart(of: $0) } ?? namePart(of: right)
        let result = one.compare(two)
        return result == 0 ? folders.compareRoots(folder, other) : result
    }

    /// The name of a row, as the last part of its path.
    @inline(__always)
    func namePart(of index: Int) -> PathPart {
        if columns.flags[index].contains(.difference) {
            // Whoever has the part uses it before the table changes, and has no more than two.
            return unsafe PathPart(restoredName(of: index), isFolder: false)
        }
        // As above. Names without a difference are in ASCII.
        return unsafe PathPart(
            texts.text(of: index), capitals: columns.nameForms[index], isAscii: true,
            isFolder: false)
    }

    // MARK: Keys

    /// The text of a row's key.
    func keyText(of index: Int) -> KeyText {
        let key = columns.key(of: index)
        return key.isMinted
            ? KeyText(minted: key.number)
            : KeyText(otherKeys.text(at: Int(key.number - KeyNumber.mintedLimit)))
    }
}

extension FolderTable {
    /// What distinguishes the paths of the folders of two files, below their roots.
    struct Divergence {
        /// Negative or positive if the first differing folders decide; zero if the paths are the same as far as both
        /// go.
        var result = 0
        /// The folder that only this path goes on with, if that is so.
        var left: FolderNumber?
        var right: FolderNumber?
    }

    /// Compares the paths of two folders as far as both have parts.
    /// - Complexity: O(d) for folders at depth d; a name is read only where folders differ in number.
    func compareAbove(_ left: FolderNumber, _ right: FolderNumber) -> Divergence {
        var found = Divergence()
        var (one, other) = (left, right)
        var excess = depth(of: one) - depth(of: other)
        while excess > 0, let parent = parent(of: one) {
            found.left = one
            one = parent
            excess -= 1
        }
        while excess < 0, let parent = parent(of: other) {
            found.right = other
            other = parent
            excess += 1
        }
        // Upwards, so the last result that is not zero is of the highest folders that differ.
        while one != other, let above = parent(of: one), let otherAbove = parent(of: other) {
            let result = namePart(of: one).compare(namePart(of: other))
            if result != 0 { found.result = result }
            (one, other) = (above, otherAbove)
        }
        return found
    }

    /// Compares the absolute paths of the roots above two folders.
    /// - Complexity: O(d) for folders at depth d.
    func compareRoots(_ left: FolderNumber, _ right: FolderNumber) -> Int {
        let (one, other) = (root(of: left), root(of: right))
        return one == other ? 0 : rootPart(of: one).compare(rootPart(of: other))
    }

    /// The number of folders above a folder.
    private func depth(of folder: FolderNumber) -> Int {
        var depth = 0
        var each = folder
        while let parent = parent(of: each) {
            depth += 1
            each = parent
        }
        return depth
    }

    /// The absolute path of a root, without a slash behind it.
    func rootPart(of root: FolderNumber) -> PathPart {
        // As below.
        unsafe PathPart(nameBytes(root.index), isFolder: false)
    }

    /// The name of a folder as a part of paths.
    func namePart(of folder: FolderNumber) -> PathPart {
        // Whoever has the part uses it before a folder changes.
        unsafe PathPart(nameBytes(folder.index), isFolder: true)
    }
}

/// The text of a key, read without putting it together.
struct KeyText {
    private static let radix: UInt64 = 36

    /// The text of a key that is not the daemon's own.
    private let other: String?
    private let number: UInt64
    /// The number of bytes.
    private let count: Int

    init(minted number: UInt64) {
        other = nil
        self.number = number
        var rest = number / Self.radix
        var count = 2
        while rest > 0 {
            rest /= Self.radix
            count += 1
        }
        self.count = count
    }

    init(_ text: String) {
        other = text
        number = 0
        count = text.utf8.count
    }

    /// Up to eight bytes of a minted key's text from one on, as in `word`.
    private func mintedWord(_ level: Int) -> UInt64? {
        // `f` and at most eight digits: the limit of minted numbers is below 36^8.
        if level == 0 {
            var word = UInt64(UInt8(ascii: "f")) << 56
            var rest = count > 8 ? number / Self.radix : number
            for index in stride(from: min(count, 8) - 1, to: 0, by: -1) {
                word |= Self.digit(rest % Self.radix) << UInt64(56 - 8 * index)
                rest /= Self.radix
            }
            return word
        }
        return level == 1 && count > 8 ? Self.digit(number % Self.radix) << 56 : nil
    }

    private static func digit(_ value: UInt64) -> UInt64 {
        value < 10 ? UInt64(UInt8(ascii: "0")) + value : UInt64(UInt8(ascii: "a")) + value - 10
    }

    /// The eight bytes of a level, of which 0 is the first, as a number; zeros follow the text.
    /// - Returns: nil if the text ends before.
    func word(_ level: Int) -> UInt64? {
        guard let other else { return mintedWord(level) }
        guard level * 8 < count else { return nil }
        let bytes = other.utf8Span.span
        var word: UInt64 = 0
        for index in level * 8..<min(count, level * 8 + 8) {
            word |= UInt64(bytes[index]) << UInt64(56 - 8 * (index % 8))
        }
        return word
    }

    /// Negative, zero or positive if the text comes before, with or after another, by bytes.
    func compare(_ text: KeyText) -> Int {
        // Texts of the same length have the order of their numbers.
        if other == nil, text.other == nil, count == text.count {
            return number == text.number ? 0 : number < text.number ? -1 : 1
        }
        var level = 0
        while true {
            switch (word(level), text.word(level)) {
            case (nil, nil): return count - text.count
            case (nil, _?): return -1
            case (_?, nil): return 1
            case (let one?, let two?):
                if one != two { return one < two ? -1 : 1 }
            }
            level += 1
        }
    }
}
