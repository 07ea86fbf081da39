// The parts of a name that a search has found, for a client that shows them.
//
// A search compares folded texts, whose length may differ: `ﬁ` is two letters there, `ß` too, an accent is none.
// So places in the folded text are mapped to the scalars they come from. This is done only for rows that are
// shown.

/// What positions in a text count.
package enum TextUnit: String, Sendable, CaseIterable {
    case utf8, utf16, codepoint

    func width(of scalar: Unicode.Scalar) -> Int {
        switch self {
        case .utf8: UTF8.width(scalar)
        case .utf16: UTF16.width(scalar)
        case .codepoint: 1
        }
    }
}

/// The parts of a document's path that a search has found: ascending ranges, which neither touch nor overlap.
package struct MatchedRanges: Hashable, Sendable {
    /// Positions in the folder: the path up to the last `/`, which is included.
    package var folder: [Range<Int>] = []
    /// Positions in the name.
    package var name: [Range<Int>] = []

    package init(folder: [Range<Int>] = [], name: [Range<Int>] = []) {
        self.folder = folder
        self.name = name
    }
}

/// The places in a text that the scalars of its folded form come from.
struct FoldedPlaces {
    /// The folded text.
    let folded: [UInt32]
    /// For each folded scalar, the index of its scalar in the text, or of the first of them.
    private let sources: [Int]
    /// The position of each scalar of the text, and the end.
    private let positions: [Int]

    /// - Complexity: O(n).
    init(of text: String, in unit: TextUnit) {
        (folded, sources) = NameFolding.tracedScalars(of: text)
        var positions = [0]
        var end = 0
        for scalar in text.unicodeScalars {
            end += unit.width(of: scalar)
            positions.append(end)
        }
        self.positions = positions
    }

    /// The ranges of the text that become the folded scalars at these ascending indices. A letter that becomes
    /// several is found as a whole; what is removed, such as an accent, goes with the letter before it.
    /// - Complexity: O(n).
    func ranges(of indices: some Sequence<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for index in indices {
            var next = index + 1
            while next < sources.count, sources[next] == sources[index] { next += 1 }
            let start = positions[sources[index]]
            let end = positions[next < sources.count ? sources[next] : positions.count - 1]
            if let last = result.last, last.upperBound >= start {
                result[result.count - 1] = last.lowerBound..<end
            } else {
                result.append(start..<end)
            }
        }
        return result
    }

    /// The indices of the folded scalars where `needle`, not empty, is first.
    func indices(of needle: Span<UInt8>) -> Range<Int>? {
        var bytes: [UInt8] = []
        for value in folded { bytes.append(utf8Of: value) }
        let span = bytes.span
        guard let place = span.firstPlace(of: needle) else { return nil }
        return span.scalarCount(before: place)..<span.scalarCount(before: place + needle.count)
    }
}

extension NameSearch {
    /// The first part of a name that is the text; nil if there is none.
    /// - Complexity: O(n).
    package func ranges(in name: String, unit: TextUnit) -> MatchedRanges? {
        if needle.isEmpty { return MatchedRanges() }
        let places = FoldedPlaces(of: name, in: unit)
        return places.indices(of: needle.span).map { MatchedRanges(name: places.ranges(of: $0)) }
    }
}
