// The most points that a query gives, and which names may have them.
//
// A name has them only where a term of each set begins a word with all its letters together. So they are told without
// the points of anything.

extension FuzzyQuery {
    /// No document has more points: each letter is found together with the one before it, behind white space or at the
    /// beginning, as nothing gives more.
    var mostPoints: Int32 {
        var total: Int32 = 0
        var ofSet: Int32 = 0
        for term in terms {
            if !term.isAlternative {
                total += ofSet
                ofSet = 0
            }
            if !term.isInverse {
                let bonuses = (term.scalars.count + 1) * Int(FuzzyPoints.afterSpace)
                let points = term.scalars.count * Int(FuzzyPoints.letter) + bonuses
                ofSet = max(ofSet, Int32(clamping: points))
            }
        }
        return total + ofSet
    }

    /// Whether a document with such a folded name may have the most points: a term of each set is there, with its letters
    /// together, at the beginning or behind what may be white space. `steps` is incremented by one for each term but the
    /// first, and for 64 bytes that are compared.
    func mayHaveMostPoints(_ name: borrowing Span<UInt8>, steps: inout Int) -> Bool {
        var start = 0
        var compared = 0
        defer { steps += compared / 64 }
        while start < terms.count {
            if start > 0 { steps += 1 }
            var (end, isThere, isInverse) = (start, false, true)
            repeat {
                if !terms[end].isInverse {
                    isInverse = false
                    isThere =
                        isThere
                        || name.beginsWord(bytes.span.extracting(terms[end].bytes), &compared)
                }
                end += 1
            } while end < terms.count && terms[end].isAlternative
            if !isThere, !isInverse { return false }
            start = end
        }
        return true
    }

    /// Sets of more terms are not known to be alike.
    private static let mostCompared = 1024

    /// Whether each name that may have the most points here may have them for `other`, too: this has its sets, with more
    /// letters behind those of their terms, and perhaps further sets.
    func beginsLike(_ other: FuzzyQuery) -> Bool {
        let (sets, others) = (sets, other.sets)
        guard sets.count >= others.count else { return false }
        return zip(sets, others).allSatisfy { set, wider in
            let needed = wider.filter { !other.terms[$0].isInverse }
            let given = set.filter { !terms[$0].isInverse }
            if needed.isEmpty { return true }
            return !given.isEmpty && given.count * needed.count <= Self.mostCompared
                && given.allSatisfy { index in
                    needed.contains {
                        bytes[terms[index].bytes].starts(with: other.bytes[other.terms[$0].bytes])
                    }
                }
        }
    }
}

extension Span<UInt8> {
    /// Whether a text, which is not empty, is there at the beginning, behind what may be white space, or with white space
    /// at its own beginning. `compared` is incremented by the bytes that are looked at.
    fileprivate func beginsWord(_ text: borrowing Span<UInt8>, _ compared: inout Int) -> Bool {
        guard text.count <= count else { return false }
        let first = text[0]
        let isAnywhere = Self.mayBeSpace(first)
        compared += count
        for place in 0...count - text.count where self[place] == first {
            guard place == 0 || isAnywhere || Self.mayBeSpace(self[place - 1]) else { continue }
            var index = 1
            while index < text.count, self[place + index] == text[index] { index += 1 }
            compared += index
            if index == text.count { return true }
        }
        return false
    }

    /// Whether the last byte of white space may be that one.
    fileprivate static func mayBeSpace(_ byte: UInt8) -> Bool { byte <= 0x20 || byte >= 0x80 }
}

/// The first one, two and three bytes of all that may be words of a folded name, in 64 bits: a name that begins a word with
/// a text has the bits of that, and few others have them.
struct WordBeginnings: Equatable {
    private var bits: UInt64 = 0

    static let none = WordBeginnings()
    private static let longest = 3

    private init() {}

    /// - Complexity: O(n).
    init(of name: borrowing Span<UInt8>) {
        var isBehindSpace = true
        for place in name.indices {
            if isBehindSpace { add(name, from: place) }
            isBehindSpace = Span<UInt8>.mayBeSpace(name[place])
        }
    }

    /// Those of a text, which is not empty: none if it begins with white space, which is found anywhere.
    init(ofText text: borrowing Span<UInt8>) {
        if !Span<UInt8>.mayBeSpace(text[0]) { add(text, from: 0) }
    }

    private mutating func add(_ text: borrowing Span<UInt8>, from place: Int) {
        var word: UInt64 = 0
        for index in place..<min(text.count, place + Self.longest) {
            word = word << 8 | UInt64(text[index]) + 1
            bits |= 1 << ((word &* 0x9E37_79B9_7F4A_7C15) >> 58)
        }
    }

    func contains(_ other: WordBeginnings) -> Bool { bits & other.bits == other.bits }
}

/// What the words of a name begin with if it has the most points that a query gives.
struct WantedBeginnings {
    /// Those of the terms of each set, of which one is needed.
    private var sets: [[WordBeginnings]] = []

    init(of query: FuzzyQuery) {
        for set in query.sets {
            let terms = set.filter { !query.terms[$0].isInverse }.map {
                WordBeginnings(ofText: query.bytes.span.extracting(query.terms[$0].bytes))
            }
            if !terms.isEmpty, !terms.contains(.none) { sets.append(terms) }
        }
    }

    /// Whether a name with these beginnings may have the most points.
    @inline(__always)
    func mayBegin(_ beginnings: WordBeginnings) -> Bool {
        for set in sets where !set.contains(where: { beginnings.contains($0) }) { return false }
        return true
    }
}
