/// The collections from which a list is drawn.
package enum CollectionSet: Hashable, Sendable {
    /// The documents of all roots, as for lists that name no collection.
    case documents
    /// Those of some others: their names in ascending order, each once. A name without a collection has no documents.
    case named([String])

    /// The name of the collection that has the documents of all roots.
    package static let documentsName = "documents"

    package init(_ names: some Sequence<String>) {
        let names = Set(names).sorted()
        self = names == [Self.documentsName] ? .documents : .named(names)
    }

    package var names: [String] {
        switch self {
        case .documents: [Self.documentsName]
        case .named(let names): names
        }
    }
}
