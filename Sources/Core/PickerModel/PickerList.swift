package import Observables

/// The list of a document picker: a composition of observables that follows the documents, for one query and in
/// one order.
///
/// ```
/// documents ── sorted ── map ──┐
///                        new + ┴── filter ── items
/// ╰── shared by equal orders ──╯      ▲
///                                   query
/// ```
///
/// It always equals `generateItems`. While nobody is connected to `items`, no changes are computed or
/// delivered. Another order or query is another list; `ListMaking` makes one in slices.
package final class PickerList {
    /// The sort order of the documents.
    package let sortOrder: SortOrder
    package let query: DocumentQuery
    /// The matching items, the offer of a new document first.
    package let items: ObservableArray<PickerItem>
    package let table: DocumentTable

    /// Nil once the order has fallen behind.
    private var order: DocumentOrder?
    private let testing: ChangeTesting
    private var activation: Connection?

    /// A list in one of `orders`. The filter begins with what is prepared, if it is for these items.
    package convenience init(
        in orders: DocumentOrders, sortedBy sortOrder: SortOrder = .name,
        query: DocumentQuery = DocumentQuery()
    ) {
        self.init(
            in: orders, order: orders.order(by: sortOrder), query: query, prepared: nil)
    }

    init(
        in orders: DocumentOrders, order: DocumentOrder, query: DocumentQuery,
        prepared: PreparedFilter<PickerItem>?
    ) {
        self.query = query
        self.order = order
        sortOrder = order.sortOrder
        table = orders.table
        let testing = ChangeTesting()
        self.testing = testing
        let asked = Self.asked(query, in: orders)
        let hidesNew = query.search != nil
        if asked.isEverything {
            items = hidesNew ? order.documents : order.items
            order.add(self)
            return
        }
        let table = orders.table
        let asking = orders.asking
        let steps = asked.stepsPerDocument
        items = order.items.filter(prepared: prepared) { item in
            guard let row = item.row else { return !hidesNew }
            guard testing.isUnlimited || asking.spend(steps) else {
                testing.markUnsound()
                return false
            }
            return asked.matches(row, of: table)
        }
        order.add(self)
    }

    /// Ends the list, before a change that its order does not follow. It is no longer kept up to date.
    func orderFellBehind() {
        testing.markUnsound()
        activation = nil
        order = nil
    }

    /// What is asked of the documents of an order: one by score has only what the search finds.
    package static func asked(
        _ query: DocumentQuery, in orders: DocumentOrders
    ) -> DocumentQuery {
        orders.ranking == nil ? query : DocumentQuery(filter: query.filter)
    }

    /// Whether the list is correct. It becomes permanently false when new documents would have taken too long
    /// to match (see `AskingBudget`), or to find their places (see `OrderFollowing`): the list must then be replaced,
    /// and nothing of it may be read.
    package var isSound: Bool { testing.isSound }

    /// Calls `body`, possibly in the middle of a transaction, when the list becomes unsound, while the returned
    /// object exists.
    package func whenUnsound(_ body: @escaping () -> Void) -> AnyObject { testing.add(body) }

    /// Whether all rows are sorted; otherwise some are sorted as they are read.
    package var isSorted: Bool { items.isSorted }

    /// Keeps the items up to date from now on, so that reading them is cheap even without a connection.
    /// Unsorted rows are sorted as they are read.
    package func activate() {
        guard activation == nil else { return }
        testing.isUnlimited = true
        activation = items.extents.connect { _ in }
        testing.isUnlimited = false
    }

    /// The index of an item; nil if it is not in the list.
    /// - Complexity: O(log n) comparisons and reads of rows, if the list is sorted.
    package func index(of item: PickerItem) -> Int? {
        // Of a list that has fallen behind nothing may be read.
        guard let order else { return nil }
        let count = items.count
        guard let row = item.row else {
            return count > 0 && items[0] == item ? 0 : nil
        }
        // Rows below `low` are before the item, rows from `high` on are not.
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            // The offer of a new document is before all documents.
            let isBefore = items[middle].row.map { order.areInOrder($0, row) } ?? true
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low < count && items[low] == item ? low : nil
    }

    /// What the items in a range are now.
    package func contents(_ range: Range<Int>) -> [ItemContent] {
        items[range].map { table.content(of: $0) }
    }
}

/// The matching rows of the whole list: the offer of a new document, then the documents in order.
///
/// It computes everything anew from the set of documents, and so defines a list: the incremental list must
/// always equal it, and tests compare the two.
/// - Complexity: O(n log n).
package func generateItems(
    documents: some Collection<Document>, search: DocumentSearch?, filter: DocumentFilter? = nil,
    sortOrder: SortOrder
) -> [ItemContent] {
    let query = DocumentQuery(search: search, filter: filter)
    let ranking = search?.ranking
    let found = documents.filter { query.matches($0) }.map { document in
        SortedDocument(
            document: document, name: document.foldedName,
            rank: sortOrder.hasScore ? ranking?.rank(of: document)?.order ?? .max : 0)
    }
    let sorted = found.sorted { sortOrder.compare($0, $1) < 0 }
    return (search == nil ? [.newDocument] : []) + sorted.map { .document($0.document) }
}

/// Whether a list may test documents at a change, however many there are.
private final class ChangeTesting {
    private struct Observer {
        weak var token: Token?
        let body: () -> Void
    }

    private final class Token {}

    /// Whether the caller has made sure that testing does not take too long.
    var isUnlimited = false
    private(set) var isSound = true
    private var observers: [Observer] = []

    func add(_ body: @escaping () -> Void) -> AnyObject {
        observers.removeAll { $0.token == nil }
        let token = Token()
        observers.append(Observer(token: token, body: body))
        return token
    }

    /// Records that a row was not tested.
    func markUnsound() {
        guard isSound else { return }
        isSound = false
        for observer in observers where observer.token != nil { observer.body() }
    }
}
