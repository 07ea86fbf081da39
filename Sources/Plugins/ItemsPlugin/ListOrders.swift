internal import ListRequests
internal import PickerModel

/// Which order a list is in.
struct OrderName: Hashable {
    /// The documents that are in it.
    let range: DocumentRange
    let sortOrder: SortOrder
}

extension ListRequest {
    /// The order that its list is in.
    var orderName: OrderName {
        OrderName(range: DocumentRange(of: filter), sortOrder: sortOrder)
    }
}

/// The orders that lists are in: those of what is listed, and, once somebody asked for what is dropped,
/// of that, or of all.
final class ListOrders {
    private let documents: DocumentStore
    private var made: [DocumentRange: DocumentOrders] = [:]

    init(of documents: DocumentStore) { self.documents = documents }

    /// How many there are.
    var count: Int { made.values.reduce(0) { $0 + $1.count } }

    /// Whether an order is there already.
    func has(_ name: OrderName) -> Bool { made[name.range]?.has(name.sortOrder) ?? false }

    /// Those of the documents that a list with this filter looks at.
    func orders(for filter: DocumentFilter?) -> DocumentOrders {
        orders(of: DocumentRange(of: filter))
    }

    func orders(of range: DocumentRange) -> DocumentOrders {
        if let orders = made[range] { return orders }
        let orders = DocumentOrders(of: documents.documents(in: range))
        made[range] = orders
        return orders
    }
}
