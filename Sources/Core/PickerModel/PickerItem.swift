/// One row of the list: the offer to make a new document, or a document.
package enum PickerItem: Hashable, Sendable {
    case newDocument
    case document(Document)

    /// The key of the item `newDocument`. Documents' keys never are this.
    package static let newKey = "new"

    /// Tells the items of one list apart.
    package var key: String {
        switch self {
        case .newDocument: PickerItem.newKey
        case .document(let document): document.key
        }
    }

    /// Whether the item belongs in a list with this search and this filter; nil stands for none.
    /// Who searches looks for what there is, so the offer of a new document is left out then. A
    /// filter is about documents and lets the offer be.
    package func matches(_ search: NameSearch?, _ filter: DocumentFilter? = nil) -> Bool {
        guard case .document(let document) = self else { return search == nil }
        if let search, !search.matches(document) { return false }
        return filter?.matches(document) ?? true
    }
}
