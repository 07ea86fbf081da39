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
