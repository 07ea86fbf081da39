// The sorted orders of the documents, each of them kept once, however many lists are in it.
//
// A sorted order is what costs most of a list: n log n comparisons to make and one reference a
// document to keep. Lists whose sort orders are equal are therefore built on one `DocumentOrder`. It
// lives for as long as a list uses it; the few that were used last are kept beyond that and kept
// up, so that a client that flips between two orders sorts each of them once. What is kept like that
// costs log n comparisons for each document that changes, whether anyone looks or not; so there are
// at most `keptCount` of them, and the one that was used longest ago goes first. An order that has
// gone is made again when it is asked for, sorted as far as it is looked at.

package import Observables

/// All documents in one order, as the items of a list without a search.
package final class DocumentOrder {
    package let sortOrder: SortOrder
    /// The offer of a new document, then the documents in order.
    package let items: ObservableArray<PickerItem>

    fileprivate init(
        of documents: ObservableSet<Document>, by sortOrder: SortOrder,
        comparing areInOrder: @escaping (Document, Document) -> Bool
    ) {
        self.sortOrder = sortOrder
        items =
            ObservableArray.constant([.newDocument])
            + documents.sorted(by: areInOrder).map { .document($0) }
    }
}

/// The orders in use of one set of documents. Not for use on several threads.
package final class DocumentOrders {
    /// How many of the orders used last are kept though no list uses them.
    package static let keptCount = 4

    private struct Known {
        weak var order: DocumentOrder?
    }

    private struct Kept {
        let order: DocumentOrder
        /// Keeps it worked out.
        let connection: Connection
    }

    private let documents: ObservableSet<Document>
    private let comparator: (SortOrder) -> (Document, Document) -> Bool
    private var known: [SortOrder: Known] = [:]
    /// The one used last comes first.
    private var kept: [Kept] = []

    /// No orders yet, of `documents`. `comparator` says how documents compare in a sort order.
    package init(
        of documents: ObservableSet<Document>,
        comparator: @escaping (SortOrder) -> (Document, Document) -> Bool = { $0.comparator }
    ) {
        self.documents = documents
        self.comparator = comparator
    }

    /// How many orders there are.
    package var count: Int { known.values.count { $0.order != nil } }

    /// Whether an order is there already.
    package func has(_ sortOrder: SortOrder) -> Bool { known[sortOrder]?.order != nil }

    /// The documents in `sortOrder`: the same object for whoever asks while it is there.
    /// - Complexity: O(n) if it has to be made; what is looked at of it is sorted then.
    package func order(by sortOrder: SortOrder) -> DocumentOrder {
        if let place = kept.firstIndex(where: { $0.order.sortOrder == sortOrder }) {
            let used = kept.remove(at: place)
            kept.insert(used, at: 0)
            return used.order
        }
        let order = known[sortOrder]?.order ?? makeOrder(by: sortOrder)
        kept.insert(Kept(order: order, connection: order.items.extents.connect { _ in }), at: 0)
        if kept.count > Self.keptCount { kept.removeLast() }
        return order
    }

    private func makeOrder(by sortOrder: SortOrder) -> DocumentOrder {
        let order = DocumentOrder(
            of: documents, by: sortOrder, comparing: comparator(sortOrder))
        known = known.filter { $0.value.order != nil }
        known[sortOrder] = Known(order: order)
        return order
    }
}
