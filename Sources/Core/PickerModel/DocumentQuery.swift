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

    /// Like `matches(_:)`; adds the cost to `steps`: about one per comparison.
    package func matches(_ document: Document, steps: inout Int) -> Bool {
        if let search {
            steps += search.steps(for: document)
            guard search.matches(document) else { return false }
        }
        return filter?.matches(document, steps: &steps) ?? true
    }

    /// The approximate number of steps per document, which limits a request before it begins.
    /// - Complexity: O(1).
    package var stepsPerDocument: Int { (search?.stepsPerDocument ?? 0) + (filter?.steps ?? 0) }
}
