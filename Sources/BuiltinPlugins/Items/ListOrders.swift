internal import PickerModel

/// The orders that lists are in: those of what is listed, and, once somebody asked for what is dropped,
/// of that, or of all.
final class ListOrders {
    private let documents: DocumentStore
    private var made: [DocumentRange: DocumentOrders] = [:]

    init(of documents: DocumentStore) { self.documents = documents }

    /// Those of the documents that a list with this filter looks at.
    func orders(for filter: DocumentFilter?) -> DocumentOrders {
        let range = DocumentRange(of: filter)
        if let orders = made[range] { return orders }
        let orders = DocumentOrders(of: documents.documents(in: range))
        made[range] = orders
        return orders
    }
}
