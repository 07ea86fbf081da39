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

    /// Whether the item belongs in a list with this search; nil stands for none. Who searches
    /// looks for what there is, so the offer of a new document is left out then.
    package func matches(_ search: NameSearch?) -> Bool {
        switch (self, search) {
        case (_, nil): true
        case (.newDocument, _): false
        case (.document(let document), let search?): search.matches(document)
        }
    }
}
