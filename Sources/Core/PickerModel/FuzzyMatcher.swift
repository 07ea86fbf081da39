// Matching of documents with a fuzzy query, and their ranks.
//
// A document is found by its path below its root: the folder, which ends with `/` or is empty, and the name. The
// points of a document are the sum of those of its terms (`FuzzyPoints`). Inverse terms give none. More points come
// first, then shorter names, then the order of the list.
//
// The name weighs more. A term that is in the name has its points there, whatever the folder is; only if it is not,
// it is looked for in the path, which gives half of the points. Of alternatives, the first that is in the name
// counts, or else the first that is in the path. So for what is found in names the ranking is that of fzf for the
// names.
//
// A path is one text, but for the bonus of the name's first letter, which is that of the first letter of a text.
//
// The letters that one letter of a name is spelled with, such as `ae` for `Æ`, have no bonus for their place: half a
// letter begins no word, and fzf does not find it.

/// Matches documents with one fuzzy query, on one thread. It keeps its working memory, so that a row allocates
/// nothing.
package struct FuzzyMatcher: ~Copyable {
    package let query: FuzzyQuery
    private var path = FuzzyPath()
    private var letters = CapitalLetters()

    package init(_ query: FuzzyQuery) {
        self.query = query
    }

    /// The rank of a document, given its folded name and folder; nil if it does not match.
    ///
    /// The cased texts are those of `FoldedName.casedBytes(of:)`, for the bonus of capitals. One of another
    /// length than the folded text has no effect. `letters` is the number of scalars of the name, if that is another
    /// than of the folded name: some letters are folded to two. These are the bits of `spelled`, the lowest for the first
    /// scalar. A document that is `likely` to match is not tested
    /// before it is read; the rank is the same.
    /// - Complexity: O(terms × path) for documents that do not match; for others, up to
    ///   `FuzzyPath.mostSteps` more.
    package mutating func rank(
        name: Span<UInt8>, casedName: Span<UInt8> = Span(), folder: Span<UInt8> = Span(),
        casedFolder: Span<UInt8> = Span(), letters: Int? = nil, spelled: UInt64 = 0,
        isLikely: Bool = false
    ) -> FuzzyRank? {
        var places: [Int]?
        return path.rank(
            of: query, name: name, casedName: casedName, folder: folder, casedFolder: casedFolder,
            letters: letters, spelled: spelled, isLikely: isLikely, places: &places)
    }

    /// The rank of a document, given its name and folder as they are written; nil if it does not match.
    package mutating func rank(name: String, folder: String) -> FuzzyRank? {
        let foldedName = FoldedName.bytes(of: name)
        let foldedFolder = FoldedName.bytes(of: folder)
        let casedName = FoldedName.casedBytes(of: name)
        let casedFolder = FoldedName.casedBytes(of: folder)
        return rank(
            name: foldedName.span, casedName: casedName.span, folder: foldedFolder.span,
            casedFolder: casedFolder.span, letters: name.unicodeScalars.count,
            spelled: letters.spelled(in: name))
    }

    /// The parts of a document that are found; nil if it does not match. Inverse terms find none. The folder is the
    /// path up to the last `/`, which is included.
    package mutating func ranges(
        in name: String, folder: String = "", unit: TextUnit
    ) -> MatchedRanges? {
        if !folder.isEmpty, !query.hasInverse,
            let found = ranges(in: name, folder: "", unit: unit)
        {
            // What is in the name is found there, whatever the folder is.
            return found
        }
        let foldedName = FoldedName.bytes(of: name)
        let foldedFolder = FoldedName.bytes(of: folder)
        let casedName = FoldedName.casedBytes(of: name)
        let casedFolder = FoldedName.casedBytes(of: folder)
        var found: [Int]? = []
        let rank = path.rank(
            of: query, name: foldedName.span, casedName: casedName.span,
            folder: foldedFolder.span, casedFolder: casedFolder.span, letters: nil,
            spelled: letters.spelled(in: name), isLikely: false, places: &found)
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
    /// The number of letters of the name as it is written, without white space around it; fewer come first.
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
