/// One row of the list: the offer to make a new document, or a document.
package enum PickerItem: Hashable, Sendable {
    case newDocument
    case document(Document)

    /// The key of the item `newDocument`, which no document has.
    package static let newKey = "new"

    /// Identifies the item in its list.
    package var key: String {
        switch self {
        case .newDocument: PickerItem.newKey
        case .document(let document): document.key
        }
    }

    /// Whether the item is in a list with this search and filter; nil means none. A search is for existing
    /// documents, so it hides the offer of a new one. A filter applies to documents and keeps the offer.
    package func matches(_ search: DocumentSearch?, _ filter: DocumentFilter? = nil) -> Bool {
        guard case .document(let document) = self else { return search == nil }
        if let search, !search.matches(document) { return false }
        return filter?.matches(document) ?? true
    }
}
