// A search in the language of fzf's extended mode.
//
// Terms are separated by spaces, and a document must match each; `\ ` is a space within a term.
//
//     abc     the letters in this order, with anything between them
//     'abc    these letters together
//     ^abc    the name or the path begins with them
//     abc$    the name ends with them
//     ^abc$   the name or the path is that
//     !abc    nothing of `'abc`; likewise `!^abc`, `!abc$`, `!^abc$`; `!'abc`: nothing of `abc`
//     a | b   one of the terms on both sides
//
// The text of a term is folded like all searches (`NameFolding`), so case never counts; fzf distinguishes it in
// a query with a capital. A term of which nothing is left is ignored, as are operators on their own; a `|`
// without a term before it, and a `$` alone, are letters.

/// A fuzzy search, prepared for `FuzzyMatcher`. Equal texts are equal queries.
package struct FuzzyQuery: Hashable, Sendable {
    package let text: String
    private(set) var terms: [FuzzyTerm] = []
    /// The folded texts of the terms, one after another.
    private(set) var bytes: [UInt8] = []
    /// The scalars of the same texts.
    private(set) var scalars: [UInt32] = []
    /// For each scalar: how many of the scalars of its text before it are known to match where it does not (the
    /// failure function of Knuth, Morris and Pratt).
    private(set) var links: [Int32] = []
    /// The letters that each match has.
    package private(set) var letters = LetterSet()
    /// Whether scores tell documents apart: one of the terms says what must be there.
    package private(set) var isRanked = false
    /// Whether a term says what must not be there.
    private(set) var hasInverse = false

    /// A query of `text`; nil, meaning none, if the text is nil or empty. A text without terms is a query that
    /// everything matches.
    /// - Throws: `PickerModelError.searchTooLong`.
    /// - Complexity: O(n).
    package static func parse(_ text: String?) throws(PickerModelError) -> FuzzyQuery? {
        try NameSearch.checked(text).map { FuzzyQuery(text: $0) }
    }

    private init(text: String) {
        self.text = text
        var isAlternative = false
        var isBehindBar = false
        for word in Self.words(of: text) {
            if word == [UInt8(ascii: "|")], !terms.isEmpty, !isBehindBar {
                isBehindBar = true
                isAlternative = true
                continue
            }
            isBehindBar = false
            if append(word, isAlternative: isAlternative) { isAlternative = false }
        }
        hasInverse = terms.contains { $0.isInverse }
        for index in terms.indices where !terms[index].isInverse {
            isRanked = true
            let isAlone =
                !terms[index].isAlternative
                && (index + 1 == terms.count || !terms[index + 1].isAlternative)
            guard isAlone else { continue }
            terms[index].isRequired = true
            letters.formUnion(LetterSet(of: bytes.span.extracting(terms[index].bytes)))
        }
    }

    /// Whether everything matches.
    package var isEverything: Bool { terms.isEmpty }

    package static func == (left: FuzzyQuery, right: FuzzyQuery) -> Bool {
        left.text.hasBytes(of: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }

    /// The approximate number of steps to match a path of so many bytes.
    package func steps(forBytes count: Int) -> Int {
        2 + terms.count * (1 + count / 8) + min(scalars.count * count / 8, 1 << 12)
    }

    /// The approximate number of steps to rank a document that may match, with a name of so many bytes.
    func steps(forName count: Int) -> Int {
        8 + count / 4 + terms.count + min(scalars.count * count, FuzzyPath.mostSteps) / 16
    }

    /// The words of a query, without the backslashes before their spaces.
    private static func words(of text: String) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        for byte in text.utf8 {
            guard byte == UInt8(ascii: " ") else {
                word.append(byte)
                continue
            }
            if word.last == UInt8(ascii: "\\") {
                word[word.count - 1] = byte
            } else if !word.isEmpty {
                words.append(word)
                word = []
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// Appends the term that a word of the query is.
    /// - Returns: whether there is one.
    private mutating func append(_ word: [UInt8], isAlternative: Bool) -> Bool {
        var term = FuzzyTerm(isAlternative: isAlternative)
        var rest = word[...]
        if rest.first == UInt8(ascii: "!") {
            term.isInverse = true
            term.kind = .exact
            rest.removeFirst()
        }
        if rest.count > 1, rest.last == UInt8(ascii: "$") {
            term.kind = .suffix
            rest.removeLast()
        }
        if rest.first == UInt8(ascii: "'") {
            term.kind = term.isInverse ? .fuzzy : .exact
            rest.removeFirst()
        } else if rest.first == UInt8(ascii: "^") {
            term.kind = term.kind == .suffix ? .equal : .prefix
            rest.removeFirst()
        }
        let folded = FoldedName.bytes(of: String(decoding: rest, as: UTF8.self))
        guard !folded.isEmpty else { return false }
        let start = scalars.count
        scalars += String(decoding: folded, as: UTF8.self).unicodeScalars.map(\.value)
        term.scalars = start..<scalars.count
        term.bytes = bytes.count..<bytes.count + folded.count
        bytes += folded
        appendLinks(of: term.scalars)
        // One letter has no gaps.
        if term.kind == .fuzzy, term.scalars.count == 1 { term.kind = .exact }
        terms.append(term)
        return true
    }

    private mutating func appendLinks(of range: Range<Int>) {
        var known = 0
        for index in range {
            if index > range.lowerBound {
                while known > 0, scalars[index] != scalars[range.lowerBound + known] {
                    known = Int(links[range.lowerBound + known - 1])
                }
                if scalars[index] == scalars[range.lowerBound + known] { known += 1 }
            }
            links.append(Int32(known))
        }
    }
}

/// One term of a fuzzy query.
struct FuzzyTerm: Hashable, Sendable {
    enum Kind: Sendable { case fuzzy, exact, prefix, suffix, equal }

    var kind = Kind.fuzzy
    /// Whether what it says must not be there.
    var isInverse = false
    /// Whether this or the term before it is to match.
    var isAlternative: Bool
    /// Whether each match of the query has it.
    var isRequired = false
    /// Its place in the query's bytes.
    var bytes = 0..<0
    /// Its place in the query's scalars.
    var scalars = 0..<0

    init(isAlternative: Bool) { self.isAlternative = isAlternative }
}
