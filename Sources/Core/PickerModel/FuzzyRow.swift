/// One name or path, read for fuzzy matching: its scalars, and the bonus of each place. It is reused for row after
/// row, and so allocates nothing once it is as large as the largest.
struct FuzzyRow: ~Copyable {
    private(set) var scalars: [UInt32] = []
    private(set) var bonuses: [UInt8] = []
    /// The number of scalars; the arrays are longer.
    private(set) var count = 0

    private let tables = FuzzyTables()

    init() {}

    /// Reads a name, or a path if it has a folder. The name begins as a text of its own does, so its first letter has
    /// the same bonus with and without a folder. The scalars of the name that are `spelled` have none
    /// (`CapitalLetters.Look`): one of them alone is not what is written there.
    mutating func read(
        name: Span<UInt8>, casedName: Span<UInt8>, spelled: UInt64 = 0,
        folder: Span<UInt8> = Span(), casedFolder: Span<UInt8> = Span()
    ) {
        let most = name.count + folder.count
        if scalars.count < most {
            scalars = Array(repeating: 0, count: most * 2)
            bonuses = Array(repeating: 0, count: most * 2)
        }
        count = Self.read(
            folder, cased: casedFolder, at: 0, by: tables, into: &scalars, and: &bonuses)
        let start = count
        count = Self.read(
            name, cased: casedName, at: start, by: tables, into: &scalars, and: &bonuses)
        var rest = spelled
        while rest != 0 {
            let place = start + rest.trailingZeroBitCount
            if place < count { bonuses[place] = 0 }
            rest &= rest - 1
        }
    }

    /// Reads a folded text in UTF-8; what is not UTF-8 becomes some scalars.
    /// - Returns: the end.
    private static func read(
        _ text: Span<UInt8>, cased: Span<UInt8>, at start: Int, by tables: borrowing FuzzyTables,
        into scalars: inout [UInt32], and bonuses: inout [UInt8]
    ) -> Int {
        let cased = cased.count == text.count ? cased : text
        var previous = ScalarClass.space.rawValue
        var end = start
        var offset = 0
        let classes = tables.classes.span
        let bonusTable = tables.bonuses.span
        var scalars = scalars.mutableSpan
        var bonuses = bonuses.mutableSpan
        while offset < text.count {
            let byte = text[offset]
            var kind: UInt8
            if byte < 0x80 {
                scalars[end] = UInt32(byte)
                kind = classes[Int(cased[offset] & 0x7F)]
                offset += 1
            } else {
                let width = text.scalarWidth(at: offset)
                scalars[end] = text.scalar(at: offset, width: width)
                kind = ScalarClass(cased.scalar(at: offset, width: width)).rawValue
                offset += width
            }
            bonuses[end] = bonusTable[Int(previous) * 8 + Int(kind)]
            previous = kind
            end += 1
        }
        return end
    }

    /// The points of the letters from `start` to `end`, found together.
    func points(of places: Range<Int>) -> Int32 {
        let bonuses = bonuses.span
        let first = bonuses[places.lowerBound]
        var result = FuzzyPoints.letter + 2 * Int32(first)
        var ofRun = first
        for place in places.dropFirst() {
            let bonus = bonuses[place]
            if bonus >= FuzzyPoints.boundary { ofRun = max(ofRun, bonus) }
            result += FuzzyPoints.letter + Int32(max(bonus, ofRun, FuzzyPoints.together))
        }
        return result
    }

    /// Whether a text is at `place`.
    private func has(_ text: Span<UInt32>, at place: Int) -> Bool {
        guard place >= 0, count - place >= text.count else { return false }
        let scalars = scalars.span
        for index in text.indices where scalars[place + index] != text[index] { return false }
        return true
    }

    private func isSpace(_ place: Int) -> Bool { ScalarClass(scalars[place]) == .space }

    /// The end of the text without white space behind it.
    private var trimmedEnd: Int {
        var end = count
        while end > 0, isSpace(end - 1) { end -= 1 }
        return end
    }

    /// The first place at `start` or behind that is no white space.
    private func trimmedStart(_ start: Int) -> Int {
        var start = start
        while start < count, isSpace(start) { start += 1 }
        return start
    }

    /// The length of the text, without white space around it.
    var trimmedCount: Int { max(0, trimmedEnd - trimmedStart(0)) }

    /// Where a text is at the beginning. White space before is ignored unless the text begins with it.
    func placesOfPrefix(_ text: Span<UInt32>) -> Range<Int>? {
        let start = ScalarClass(text[0]) == .space ? 0 : trimmedStart(0)
        return has(text, at: start) ? start..<start + text.count : nil
    }

    /// Where a text is at the end. White space behind it is ignored unless the text ends with it.
    func placesOfSuffix(_ text: Span<UInt32>) -> Range<Int>? {
        let end = ScalarClass(text[text.count - 1]) == .space ? count : trimmedEnd
        let place = end - text.count
        return has(text, at: place) ? place..<end : nil
    }

    /// Where a text is all, but for white space around it as above.
    func placesOfAll(_ text: Span<UInt32>) -> Range<Int>? {
        guard let end = placesOfSuffix(text), let start = placesOfPrefix(text), start == end else {
            return nil
        }
        return start
    }

    /// Where a text is found best: the first place at which a word begins, or else the first with the greatest bonus.
    func placesOfText(_ text: Span<UInt32>, links: Span<Int32>) -> Range<Int>? {
        let scalars = scalars.span
        let bonuses = bonuses.span
        var found: Int?
        var matched = 0
        for place in 0..<count {
            while matched > 0, matched == text.count || scalars[place] != text[matched] {
                matched = Int(links[matched - 1])
            }
            if scalars[place] == text[matched] { matched += 1 }
            guard matched == text.count else { continue }
            let start = place + 1 - text.count
            if found.map({ bonuses[start] > bonuses[$0] }) ?? true { found = start }
            if bonuses[start] >= FuzzyPoints.boundary { break }
        }
        return found.map { $0..<$0 + text.count }
    }
}

/// The bonus of places, to look up.
private struct FuzzyTables: ~Copyable {
    /// The class of each scalar of ASCII.
    let classes = (0..<0x80).map { ScalarClass($0).rawValue }
    /// The bonus by class and by the class before.
    let bonuses = (0..<64).map { index -> UInt8 in
        guard let previous = ScalarClass(rawValue: UInt8(index / 8)),
            let kind = ScalarClass(rawValue: UInt8(index % 8))
        else { return 0 }
        return FuzzyPoints.bonus(of: kind, after: previous)
    }
}

extension Span<UInt8> {
    /// The number of bytes of the scalar at `offset`, as its first byte says, but no more than there are.
    func scalarWidth(at offset: Int) -> Int {
        let width =
            switch self[offset] {
            case 0xF0...: 4
            case 0xE0...: 3
            case 0xC0...: 2
            default: 1
            }
        return Swift.min(width, count - offset)
    }

    /// The scalar in the bytes from `offset` on.
    func scalar(at offset: Int, width: Int) -> UInt32 {
        if width == 1 { return UInt32(self[offset]) }
        var value = UInt32(self[offset]) & (0x7F >> UInt32(width))
        for index in offset + 1..<offset + width { value = value << 6 | UInt32(self[index] & 0x3F) }
        return value
    }
}
