/// A set of documents: those that a search finds and a filter keeps.
package struct DocumentQuery: Hashable {
    /// Nil for no search.
    package let search: DocumentSearch?
    /// Nil for all documents.
    package let filter: DocumentFilter?

    package init(search: DocumentSearch? = nil, filter: DocumentFilter? = nil) {
        self.search = search
        self.filter = filter
    }

    /// Whether it matches all documents.
    package var isEverything: Bool { search == nil && filter == nil }

    package func matches(_ document: Document) -> Bool {
        if let search, !search.matches(document) { return false }
        return filter?.matches(document) ?? true
    }

    /// The same for a row; adds the cost to `steps`: about one per comparison.
    package func matches(
        _ row: DocumentRow, of table: DocumentTable, steps: inout Int
    ) -> Bool {
        if let search {
            steps += search.stepsPerDocument
            guard search.matches(row, of: table) else { return false }
        }
        return filter?.matches(row, of: table, steps: &steps) ?? true
    }

    package func matches(_ row: DocumentRow, of table: DocumentTable) -> Bool {
        var steps = 0
        return matches(row, of: table, steps: &steps)
    }

    /// Whether each document that matches this is known to match `wider`.
    package func narrows(_ wider: DocumentQuery) -> Bool {
        guard filter?.narrows(wider.filter) ?? (wider.filter == nil) else { return false }
        guard let widerSearch = wider.search else { return true }
        return search?.narrows(widerSearch) ?? false
    }

    /// The approximate number of steps per document, which limits a request before it begins.
    /// - Complexity: O(1).
    package var stepsPerDocument: Int { (search?.stepsPerDocument ?? 0) + (filter?.steps ?? 0) }
}
