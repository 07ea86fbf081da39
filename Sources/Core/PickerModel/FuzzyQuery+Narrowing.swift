// Which queries are known to find only what another finds.
//
// A query narrows another if each set of alternatives of the other is implied by one of its own; a set implies
// another if each of its alternatives implies one of the other's; and a term implies another of the same sign if
// its text, where it says it is, has the other's where that says. For inverse terms it is the other way around.
// Nothing else is looked for, so that `true` is always right and `false` only means that it is not known.

extension FuzzyQuery {
    /// The most comparisons of letters; a query that might need more is not known to narrow.
    private static let mostComparisons = 1 << 20

    /// Whether each document that matches this is known to match `wider` too, so that only the matches of `wider`
    /// need checking.
    package func narrows(_ wider: FuzzyQuery) -> Bool {
        var left = Self.mostComparisons
        let own = sets
        return wider.sets.enumerated().allSatisfy { index, set in
            // A text that is typed on has the same terms in the same places.
            let same = index < own.count ? own[index] : 0..<0
            return implies(same, wider, set, left: &left)
                || own.contains { implies($0, wider, set, left: &left) }
        }
    }

    /// The terms of which one has to match, for each such set.
    var sets: [Range<Int>] {
        var result: [Range<Int>] = []
        for index in terms.indices {
            if terms[index].isAlternative, let last = result.popLast() {
                result.append(last.lowerBound..<index + 1)
            } else {
                result.append(index..<index + 1)
            }
        }
        return result
    }

    private func implies(
        _ own: Range<Int>, _ wider: FuzzyQuery, _ others: Range<Int>, left: inout Int
    ) -> Bool {
        guard !own.isEmpty else { return false }
        return own.allSatisfy { index in
            others.contains { other in
                let term = terms[index]
                let narrowed = wider.terms[other]
                left -= 1 + term.scalars.count * narrowed.scalars.count
                return left >= 0 && implies(term, wider, narrowed)
            }
        }
    }

    private func implies(_ term: FuzzyTerm, _ wider: FuzzyQuery, _ other: FuzzyTerm) -> Bool {
        guard term.isInverse == other.isInverse else { return false }
        let own = scalars[term.scalars]
        let others = wider.scalars[other.scalars]
        return term.isInverse
            ? Self.has(other.kind, others, term.kind, own)
            : Self.has(term.kind, own, other.kind, others)
    }

    /// Whether a path that has `text` in the way of `kind` also has `part` in the way of `partKind`.
    private static func has(
        _ kind: FuzzyTerm.Kind, _ text: ArraySlice<UInt32>, _ partKind: FuzzyTerm.Kind,
        _ part: ArraySlice<UInt32>
    ) -> Bool {
        switch (kind, partKind) {
        case (_, .fuzzy):
            var rest = part
            for value in text where value == rest.first { rest.removeFirst() }
            return rest.isEmpty
        case (.fuzzy, .exact): return part.count == 1 && text.contains(part[part.startIndex])
        case (.fuzzy, _): return false
        case (_, .exact): return text.firstRange(of: part) != nil
        case (.prefix, .prefix), (.equal, .prefix): return text.starts(with: part)
        case (.suffix, .suffix), (.equal, .suffix):
            return text.reversed().starts(with: part.reversed())
        case (.equal, .equal): return text == part
        default: return false
        }
    }
}
