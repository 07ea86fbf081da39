internal import ListRequests
internal import PickerModel

/// Identifies an order: a range of documents and a sort order.
struct OrderName: Hashable {
    /// The documents in the order.
    let range: DocumentRange
    let sortOrder: SortOrder
}

extension ListRequest {
    /// The order of the requested list.
    var orderName: OrderName {
        OrderName(range: DocumentRange(of: filter), sortOrder: sortOrder)
    }
}

/// The orders of all lists: of the listed documents and, once a client asks for dropped documents, of those
/// or of all documents.
final class ListOrders {
    private let documents: DocumentStore
    private var made: [DocumentRange: DocumentOrders] = [:]

    init(of documents: DocumentStore) { self.documents = documents }

    /// The number of orders.
    var count: Int { made.values.reduce(0) { $0 + $1.count } }

    /// Whether the order exists already.
    func has(_ name: OrderName) -> Bool { made[name.range]?.has(name.sortOrder) ?? false }

    /// The orders of the documents in that range.
    func orders(of range: DocumentRange) -> DocumentOrders {
        if let orders = made[range] { return orders }
        let orders = DocumentOrders(of: documents.documents(in: range))
        made[range] = orders
        return orders
    }
}
