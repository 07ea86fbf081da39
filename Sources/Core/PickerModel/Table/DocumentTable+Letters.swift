// How long names are, without reading them whole.

extension DocumentTable {
    /// So many letters the name of a row has at least, as it is written, without white space around it: the length of a
    /// `FuzzyRank`, or less.
    ///
    /// It is exact for names in UTF-8 that neither begin nor end with white space, and whose folded text has no fewer
    /// bytes, and less than 255 more.
    /// - Complexity: O(1).
    @inline(__always)
    func leastLetters(of row: DocumentRow) -> Int {
        let less = columns.lettersLess[row.index]
        return less == Self.unknownLess ? 0 : texts.count(of: row.index) - Int(less)
    }

    /// The documents of a block, among some of them, for which `leastLetters` is in a range.
    func rows(
        ofBlock block: Int, among rows: UInt64, withLetters range: ClosedRange<UInt16>
    ) -> UInt64 {
        rows == 0 ? 0 : rows & texts.lengths(ofBlock: block, less: columns.lettersLess, range)
    }

    /// Says that nothing is known of the letters.
    private static var unknownLess: UInt8 { .max }

    /// Counts the letters of a row's name, which is written.
    func countLetters(of index: Int) {
        columns.lettersLess.set(index, to: countedLess(of: index))
        noteName(of: index)
    }

    /// Notes that a row has a name, which is written.
    func noteName(of index: Int) {
        if let names = shortNames, !names.noteName(of: index) { shortNames = nil }
    }

    /// The shortest names, complete or not: begun if there are none, and enough documents.
    func shortNamesToComplete() -> ShortNames? {
        if shortNames == nil, current.count >= shortNameLimits.leastDocuments {
            shortNames = ShortNames(of: self)
        }
        return shortNames.flatMap { $0.isComplete ? nil : $0 }
    }

    func countedLess(of index: Int) -> UInt8 {
        UInt8(clamping: texts.count(of: index) - countedLetters(of: index))
    }

    /// - Complexity: O(n), without restoring the name.
    private func countedLetters(of index: Int) -> Int {
        // Nothing moves texts meanwhile.
        let text = unsafe texts.text(of: index).span
        if text.isEmpty || text.beginsWithSpace || text.endsWithSpace { return 0 }
        // Only names of ASCII have no difference.
        guard columns.flags[index].contains(.difference) else { return text.count }
        let difference = unsafe difference(of: index).span
        var count = text.scalarStarts(0..<text.count)
        var (place, step) = (0, 0)
        while step + 1 < difference.count {
            let (kept, change) = (Int(difference[step]), Int(difference[step + 1]))
            let (out, new) = (change >> 4, change & 15)
            place += kept
            count -= text.scalarStarts(place..<place + out)
            count += difference.scalarStarts(step + 2..<step + 2 + new)
            place += out
            step += 2 + new
        }
        return count
    }
}

extension Span<UInt8> {
    /// The number of bytes at which a scalar begins, in UTF-8.
    @inline(__always)
    fileprivate func scalarStarts(_ range: Range<Int>) -> Int {
        var count = 0
        for place in range where Int8(bitPattern: self[place]) > -65 { count += 1 }
        return count
    }

    /// Whether the first scalar is white space.
    fileprivate var beginsWithSpace: Bool {
        self[0] < 0x80
            ? ScalarClass(UInt32(self[0])) == .space
            : ScalarClass(scalar(at: 0, width: scalarWidth(at: 0))) == .space
    }

    /// Whether the last scalar is white space.
    fileprivate var endsWithSpace: Bool {
        var start = count - 1
        while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
        return ScalarClass(scalar(at: start, width: scalarWidth(at: start))) == .space
    }
}
