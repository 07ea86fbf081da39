/// What a client searches for in the names or paths of documents, and how.
package enum DocumentSearch: Hashable {
    /// The ways to search, by the word that clients send.
    package enum Match: String, CaseIterable, Sendable {
        /// The name contains the text.
        case contains
        /// The name contains each word of the text, in any order.
        case words
        /// The path has the letters of each term, in their order; the best match has the best rank.
        case fuzzy
    }

    case contains(NameSearch)
    case words(WordsQuery)
    case fuzzy(FuzzySearch)

    /// A search for `text`; nil, meaning no search, if the text is nil or empty.
    /// - Throws: `PickerModelError.searchTooLong`.
    /// - Complexity: O(n).
    package static func parse(
        _ text: String?, match: Match = .contains
    ) throws(PickerModelError) -> DocumentSearch? {
        switch match {
        case .contains: try NameSearch.parse(text).map { .contains($0) }
        case .words: try WordsQuery.parse(text).map { .words($0) }
        case .fuzzy: try FuzzyQuery.parse(text).map { .fuzzy(FuzzySearch($0)) }
        }
    }

    package var text: String {
        switch self {
        case .contains(let search): search.text
        case .words(let query): query.text
        case .fuzzy(let search): search.query.text
        }
    }

    /// The search, if it ranks documents.
    package var ranking: FuzzySearch? {
        if case .fuzzy(let search) = self, search.query.isRanked { search } else { nil }
    }

    /// Whether the search finds a document.
    package func matches(_ document: Document) -> Bool {
        switch self {
        case .contains(let search): search.matches(document)
        case .words(let query): query.matches(document.foldedName.searchBytes.span)
        case .fuzzy(let search): search.rank(of: document) != nil
        }
    }

    /// Whether the search finds the document of a row.
    package func matches(_ row: DocumentRow, of table: DocumentTable) -> Bool {
        switch self {
        case .contains(let search): table.withSearchBytes(of: row) { search.matches($0) }
        case .words(let query): table.withSearchBytes(of: row) { query.matches($0) }
        case .fuzzy(let search): search.rank(of: row, in: table) != nil
        }
    }

    /// The approximate number of steps to match a document, whatever its name.
    var stepsPerDocument: Int {
        switch self {
        case .contains: 16
        case .words(let query): 8 + query.steps(forBytes: 40)
        case .fuzzy(let search): 16 + search.query.steps(forBytes: 80)
        }
    }

    /// Whether each document that this finds is known to be found by `wider` too.
    package func narrows(_ wider: DocumentSearch) -> Bool {
        switch (self, wider) {
        case (.contains(let search), .contains(let wider)): search.narrows(wider)
        case (.words(let query), .words(let wider)): query.narrows(wider)
        case (.fuzzy(let search), .fuzzy(let wider)): search.query.narrows(wider.query)
        default: false
        }
    }

    /// The parts of a document's name that the search has found; nil if it does not find the document.
    /// - Complexity: O(n).
    package func ranges(in document: Document, unit: TextUnit) -> MatchedRanges? {
        switch self {
        case .contains(let search): search.ranges(in: document.name.text, unit: unit)
        case .words(let query): query.ranges(in: document.name.text, unit: unit)
        case .fuzzy(let search): search.ranges(in: document, unit: unit)
        }
    }
}

/// A fuzzy search with its working memory. Not thread-safe.
package final class FuzzySearch: Hashable {
    /// The forms of a folder's path that are matched.
    private struct FolderTexts {
        let number: FolderNumber
        let version: Int
        let folded: [UInt8]
        let cased: [UInt8]
    }

    package let query: FuzzyQuery
    private var matcher: FuzzyMatcher
    private var latestFolder: FolderTexts?

    package init(_ query: FuzzyQuery) {
        self.query = query
        matcher = FuzzyMatcher(query)
    }

    package static func == (left: FuzzySearch, right: FuzzySearch) -> Bool {
        left.query == right.query
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(query) }

    /// The rank of a document; nil if the search does not find it.
    package func rank(of document: Document) -> FuzzyRank? {
        let name = document.name.text
        let folder = document.folder
        let foldedName = FoldedName.bytes(of: name)
        let foldedFolder = FoldedName.bytes(of: folder)
        let casedName = FoldedName.casedBytes(of: name)
        let casedFolder = FoldedName.casedBytes(of: folder)
        return matcher.rank(
            name: foldedName.span, casedName: casedName.span, folder: foldedFolder.span,
            casedFolder: casedFolder.span)
    }

    /// The rank of the document of a row; nil if the search does not find it.
    package func rank(of row: DocumentRow, in table: DocumentTable) -> FuzzyRank? {
        let folder = folderTexts(of: table.folder(of: row), in: table)
        return table.withCasedName(of: row) { cased in
            table.withSearchBytes(of: row) { folded in
                matcher.rank(
                    name: folded, casedName: cased, folder: folder.folded.span,
                    casedFolder: folder.cased.span)
            }
        }
    }

    /// The forms of a folder's path, which most rows share with the row before.
    private func folderTexts(of folder: FolderNumber, in table: DocumentTable) -> FolderTexts {
        let version = table.folders.version
        if let known = latestFolder, known.number == folder, known.version == version {
            return known
        }
        let path = table.pathText(of: folder)
        let texts = FolderTexts(
            number: folder, version: version, folded: FoldedName.bytes(of: path),
            cased: FoldedName.casedBytes(of: path))
        latestFolder = texts
        return texts
    }

    /// The parts of a document that are found; nil if the search does not find it.
    func ranges(in document: Document, unit: TextUnit) -> MatchedRanges? {
        matcher.ranges(in: document.name.text, folder: document.folder, unit: unit)
    }
}

extension Document {
    /// The path up to the last `/`, which is included; empty for a document directly below its root.
    fileprivate var folder: String {
        String(path.text.utf8.dropLast(name.text.utf8.count)) ?? ""
    }
}
