/// Which documents are meant: those that a search finds and a filter keeps.
package struct DocumentQuery: Hashable, Sendable {
    /// Nil for no search.
    package let search: NameSearch?
    /// Nil for all documents.
    package let filter: DocumentFilter?

    package init(search: NameSearch? = nil, filter: DocumentFilter? = nil) {
        self.search = search
        self.filter = filter
    }

    /// Whether all documents are meant.
    package var isEverything: Bool { search == nil && filter == nil }

    package func matches(_ document: Document) -> Bool {
        if let search, !search.matches(document) { return false }
        return filter?.matches(document) ?? true
    }

    /// The same, and adds to `steps` what it took: about one for each thing compared.
    package func matches(_ document: Document, steps: inout Int) -> Bool {
        if let search {
            steps += search.steps(for: document)
            guard search.matches(document) else { return false }
        }
        return filter?.matches(document, steps: &steps) ?? true
    }

    /// How many steps it takes to ask one document, about: what a request is measured by before it is
    /// begun.
    /// - Complexity: O(1).
    package var stepsPerDocument: Int { (search == nil ? 0 : 16) + (filter?.steps ?? 0) }
}
