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

    /// `rows` are the documents in order, if that is known.
    fileprivate init(
        of documents: ObservableSet<Document>, by sortOrder: SortOrder,
        comparing areInOrder: @escaping (Document, Document) -> Bool, knowing rows: [Document]?
    ) {
        self.sortOrder = sortOrder
        let sorted = documents.sorted(by: areInOrder)
        if let rows { sorted.begin(with: rows) }
        items = ObservableArray.constant([.newDocument]) + sorted.map { .document($0) }
    }
}

/// The orders in use of one set of documents. Not for use on several threads.
package final class DocumentOrders {
    /// How many of the orders used last are kept though no list uses them.
    package static let keptCount = 4

    /// What may be asked of documents that come, by all lists in these orders.
    let asking: AskingBudget

    private struct Known {
        weak var order: DocumentOrder?
    }

    private struct Kept {
        let order: DocumentOrder
        /// Keeps it worked out.
        let connection: Connection
    }

    private struct Begun {
        weak var making: OrderMaking?
    }

    private let documents: ObservableSet<Document>
    private let comparator: (SortOrder) -> (Document, Document) -> Bool
    private var known: [SortOrder: Known] = [:]
    /// Those that are being made, each once.
    private var begun: [SortOrder: Begun] = [:]
    /// The one used last comes first.
    private var kept: [Kept] = []
    /// Begins `asking` anew with each change.
    private let refilling: Connection

    /// No orders yet, of `documents`. `comparator` says how documents compare in a sort order.
    package init(
        of documents: ObservableSet<Document>, asking: AskingBudget = AskingBudget(),
        comparator: @escaping (SortOrder) -> (Document, Document) -> Bool = { $0.comparator }
    ) {
        self.asking = asking
        self.documents = documents
        self.comparator = comparator
        refilling = documents.changes.connect { _ in asking.refill() }
    }

    /// How many orders there are, and are being made.
    package var count: Int {
        known.values.count { $0.order != nil }
            + begun.values.count { $0.making.map { $0.order == nil } ?? false }
    }

    /// Whether an order is there already, or being made.
    package func has(_ sortOrder: SortOrder) -> Bool {
        isAtHand(sortOrder) || begun[sortOrder]?.making != nil
    }

    /// Whether an order is there already.
    package func isAtHand(_ sortOrder: SortOrder) -> Bool { known[sortOrder]?.order != nil }

    /// What makes an order in slices that is not at hand: the same for whoever asks while somebody holds it.
    /// Who lets go of it gives the order up.
    package func making(by sortOrder: SortOrder) -> OrderMaking {
        if let making = begun[sortOrder]?.making, making.order == nil { return making }
        begun = begun.filter { $0.value.making != nil }
        let making = OrderMaking(of: documents, by: sortOrder, comparing: comparator(sortOrder)) {
            [weak self, documents, comparator] rows in
            if let self { return order(by: sortOrder, knowing: rows) }
            return DocumentOrder(
                of: documents, by: sortOrder, comparing: comparator(sortOrder), knowing: nil)
        }
        begun[sortOrder] = Begun(making: making)
        return making
    }

    /// The documents in `sortOrder`: the same object for whoever asks while it is there.
    /// - Complexity: O(n) if it has to be made; what is looked at of it is sorted then.
    package func order(by sortOrder: SortOrder) -> DocumentOrder {
        order(by: sortOrder, knowing: nil)
    }

    private func order(by sortOrder: SortOrder, knowing rows: [Document]?) -> DocumentOrder {
        if let place = kept.firstIndex(where: { $0.order.sortOrder == sortOrder }) {
            let used = kept.remove(at: place)
            kept.insert(used, at: 0)
            return used.order
        }
        let order = known[sortOrder]?.order ?? makeOrder(by: sortOrder, knowing: rows)
        kept.insert(Kept(order: order, connection: order.items.extents.connect { _ in }), at: 0)
        if kept.count > Self.keptCount { kept.removeLast() }
        return order
    }

    private func makeOrder(by sortOrder: SortOrder, knowing rows: [Document]?) -> DocumentOrder {
        let order = DocumentOrder(
            of: documents, by: sortOrder, comparing: comparator(sortOrder), knowing: rows)
        known = known.filter { $0.value.order != nil }
        known[sortOrder] = Known(order: order)
        return order
    }
}
