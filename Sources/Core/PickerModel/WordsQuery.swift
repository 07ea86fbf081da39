// A search for words in any order.
//
// Words are what white space separates. A name matches if it contains each of them when all are folded
// (`NameFolding`), whether apart or not: `note` and `notes` are both in `notes.txt`.

/// Words to find in names. Equal texts are equal queries.
package struct WordsQuery: Hashable, Sendable {
    package let text: String
    /// The folded words, one after another.
    private let bytes: [UInt8]
    /// The end of each word in `bytes`.
    private let ends: [Int]

    /// A query for the words of `text`; nil, meaning none, if the text is nil or empty. A text without words is
    /// a query that every name matches.
    /// - Throws: `PickerModelError.searchTooLong`.
    /// - Complexity: O(n).
    package static func parse(_ text: String?) throws(PickerModelError) -> WordsQuery? {
        try NameSearch.checked(text).map { WordsQuery(text: $0) }
    }

    private init(text: String) {
        self.text = text
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for word in text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
            let folded = FoldedName.bytes(of: String(word))
            guard !folded.isEmpty else { continue }
            bytes += folded
            ends.append(bytes.count)
        }
        self.bytes = bytes
        self.ends = ends
    }

    package static func == (left: WordsQuery, right: WordsQuery) -> Bool {
        left.text.hasBytes(of: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }

    /// Whether every name matches.
    package var isEverything: Bool { ends.isEmpty }

    /// Whether a folded name contains each word. Allocates nothing.
    /// - Complexity: O(words × n) for usual texts.
    package func matches(_ name: Span<UInt8>) -> Bool {
        let all = bytes.span
        var start = 0
        for index in ends.indices {
            let end = ends[index]
            guard name.firstPlace(of: all.extracting(start..<end)) != nil else { return false }
            start = end
        }
        return true
    }

    /// The approximate number of steps to match a name of so many bytes.
    package func steps(forBytes count: Int) -> Int { 2 + ends.count * (1 + count / 8) }

    /// Whether each name that matches this is known to match `wider` too.
    /// Words are compared in their order, so that this takes as many comparisons as both have words: what is
    /// typed on narrows, and the same words in another order may not.
    package func narrows(_ wider: WordsQuery) -> Bool {
        let own = bytes.span
        let others = wider.bytes.span
        var next = 0
        for index in wider.ends.indices {
            let word = others.extracting(wider.range(index))
            while next < ends.count,
                own.extracting(range(next)).firstPlace(of: word) == nil
            {
                next += 1
            }
            if next == ends.count { return false }
        }
        return true
    }

    private func range(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// The first part of a name that is each word; nil if the name does not match.
    /// - Complexity: O(words × n).
    package func ranges(in name: String, unit: TextUnit) -> MatchedRanges? {
        let places = FoldedPlaces(of: name, in: unit)
        var found: Set<Int> = []
        for index in ends.indices {
            let word = bytes.span.extracting(range(index))
            guard let indices = places.indices(of: word) else { return nil }
            found.formUnion(indices)
        }
        return MatchedRanges(name: places.ranges(of: found.sorted()))
    }
}
