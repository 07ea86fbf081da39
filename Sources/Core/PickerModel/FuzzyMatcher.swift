// Matching of documents with a fuzzy query, and their ranks.
//
// A document is found by its path below its root: the folder, which ends with `/` or is empty, and the name. The
// points of a document are the sum of those of its terms (`FuzzyPoints`). Of alternatives, the first that is
// there counts. Inverse terms give none. More points come first, then shorter paths, then the order of the list.
//
// The name weighs more: a letter found in the folder gives half of the points of one in the name, and the
// first letter of the name has the bonus of the first letter of a text. Apart from this a path is one text, and
// for names without folders the ranking is that of fzf.

/// Matches documents with one fuzzy query, on one thread. It keeps its working memory, so that a row allocates
/// nothing.
package struct FuzzyMatcher: ~Copyable {
    package let query: FuzzyQuery
    private var path = FuzzyPath()

    package init(_ query: FuzzyQuery) {
        self.query = query
    }

    /// The rank of a document, given its folded name and folder; nil if it does not match.
    ///
    /// The cased texts are those of `FoldedName.casedBytes(of:)`, for the bonus of capitals. One of another
    /// length than the folded text has no effect.
    /// - Complexity: O(terms × path) for documents that do not match; for others, up to
    ///   `FuzzyPath.mostSteps` more.
    package mutating func rank(
        name: Span<UInt8>, casedName: Span<UInt8> = Span(), folder: Span<UInt8> = Span(),
        casedFolder: Span<UInt8> = Span()
    ) -> FuzzyRank? {
        var places: [Int]?
        return path.rank(
            of: query, name: name, casedName: casedName, folder: folder, casedFolder: casedFolder,
            places: &places)
    }

    /// The parts of a document that are found; nil if it does not match. Inverse terms find none. The folder is the
    /// path up to the last `/`, which is included.
    package mutating func ranges(
        in name: String, folder: String = "", unit: TextUnit
    ) -> MatchedRanges? {
        let foldedName = FoldedName.bytes(of: name)
        let foldedFolder = FoldedName.bytes(of: folder)
        let casedName = FoldedName.casedBytes(of: name)
        let casedFolder = FoldedName.casedBytes(of: folder)
        var found: [Int]? = []
        let rank = path.rank(
            of: query, name: foldedName.span, casedName: casedName.span,
            folder: foldedFolder.span, casedFolder: casedFolder.span, places: &found)
        guard rank != nil else { return nil }
        let places = Set(found ?? []).sorted()
        let namePlaces = FoldedPlaces(of: name, in: unit)
        let folderPlaces = FoldedPlaces(of: folder, in: unit)
        let start = folderPlaces.folded.count
        return MatchedRanges(
            folder: folderPlaces.ranges(of: places.prefix { $0 < start }),
            name: namePlaces.ranges(of: places.drop { $0 < start }.map { $0 - start }))
    }
}

/// The place of a document in a list by score. What comes first is less.
package struct FuzzyRank: Hashable, Comparable, Sendable {
    /// More come first.
    package let points: Int32
    /// The number of letters of the path; fewer come first.
    package let length: Int32

    package init(points: Int32, length: Int32) {
        self.points = points
        self.length = length
    }

    /// A number that is ordered like the rank.
    package var order: UInt64 {
        UInt64(UInt32(Int32.max - points)) << 32 | UInt64(UInt32(bitPattern: length))
    }

    package static func < (left: FuzzyRank, right: FuzzyRank) -> Bool {
        left.order < right.order
    }
}
