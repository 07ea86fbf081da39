// The sorted orders of the documents, each kept once for all lists.
//
// A sorted order is the most expensive part of a list: it takes a sort to build, and four bytes per document to keep.
// Lists with equal sort orders therefore share one `DocumentOrder`. It lives as long as anyone has it, and it is
// sorted and up to date all that time, unless it fell behind: nobody who finds it at hand has to sort it. The most
// recently used orders are kept longer, so that a client that switches between two orders sorts each of them once. A
// kept order costs log n comparisons per changed document, used or not; so there are at most `keptCount` of them, and
// the least recently used goes first; one, when nobody has been connected for a while. An order that is gone is built
// again on request, and sorted as far as it is read.
//
// An order that would have to change too much at once falls behind (`OrderFollowing`). It is then no longer at hand:
// its rows stay as they were, and whoever still has it, has the base from which it is made again.

package import Observables

/// All documents in one order, as the items of a list without a search.
package final class DocumentOrder {
    package let sortOrder: SortOrder
    /// The offer of a new document, then the documents in order.
    package let items: ObservableArray<PickerItem>
    /// The documents alone.
    let documents: ObservableArray<PickerItem>
    /// Whether it no longer follows the documents.
    package private(set) var isBehind = false
    private let sorted: ObservableArray<DocumentRow>
    /// Keeps the rows sorted.
    private let connection: Connection
    /// Whether a document comes before another one; neither need be in the order.
    let areInOrder: (DocumentRow, DocumentRow) -> Bool
    /// What had been sorted when it fell behind, until it is made again.
    fileprivate var base: OrderBase?

    private struct Weak {
        weak var list: PickerList?
    }

    /// The lists in this order.
    private var lists: [Weak] = []

    /// `rows` are the sorted documents, if known.
    fileprivate init(
        of documents: ObservableSet<DocumentRow>, by sortOrder: SortOrder,
        comparing areInOrder: @escaping (DocumentRow, DocumentRow) -> Bool,
        word: @escaping (DocumentRow) -> UInt64, knowing rows: PreparedRows<DocumentRow>?
    ) {
        self.sortOrder = sortOrder
        self.areInOrder = areInOrder
        sorted = documents.sorted(by: areInOrder, key: word)
        if let rows { sorted.begin(with: rows) }
        self.documents = sorted.map { PickerItem($0) }
        items = ObservableArray.constant([.newDocument]) + self.documents
        connection = items.extents.connect { _ in }
    }

    /// The documents, if they are those of now, and all are sorted.
    var sortedRows: PreparedRows<DocumentRow>? { isBehind ? nil : sorted.sortedRows }

    /// Tells a list when the order falls behind.
    func add(_ list: PickerList) {
        lists.removeAll { $0.list == nil }
        lists.append(Weak(list: list))
    }

    /// Ends the order: its rows remain as they are.
    fileprivate func fallBehind(in table: DocumentTable, _ noted: NotedRows) {
        isBehind = true
        // Rows that the change under way has freed are in the order.
        base = sorted.stopFollowing().map {
            OrderBase($0, hold: table.holdWithFreed(), noted: noted)
        }
        let told = lists
        lists = []
        for entry in told { entry.list?.orderFellBehind() }
    }

    /// The indices in `items` of documents in the order, ascending.
    /// - Complexity: O(k log n) comparisons for k documents, if the order is sorted.
    package func indices(of rows: some Sequence<Int>) -> [Int] {
        rows.compactMap { sorted.firstIndex(of: DocumentRow(UInt32($0))) }.sorted().map { $0 + 1 }
    }

    /// The items of documents in the order.
    /// - Complexity: O(k log n) comparisons for k documents.
    func items(of rows: some Sequence<Int>) -> [PickerItem] { indices(of: rows).map { items[$0] } }
}

/// The orders in use of one range of documents. Not thread-safe.
package final class DocumentOrders {
    /// The number of recently used orders that are kept although no list uses them.
    package static let keptCount = 4

    /// The budget for matching changed documents, shared by all lists in these orders.
    let asking: AskingBudget

    private struct Weak<Object: AnyObject> {
        weak var object: Object?
    }

    /// The search that ranks the documents and finds no others; nil if all documents are sorted.
    package let ranking: RankedDocuments?
    package var table: DocumentTable { store.table }
    let store: DocumentStore
    package let range: DocumentRange
    private let documents: ObservableSet<DocumentRow>
    /// Keeps them up to date.
    private let subset: DocumentSubset?
    /// The documents as bits.
    private let bits: () -> RowBitset
    private var known: [SortOrder: Weak<DocumentOrder>] = [:]
    /// The orders being built, each once.
    private var begun: [SortOrder: Weak<OrderMaking>] = [:]
    /// The orders that have fallen behind, as long as anyone has them.
    private var behind: [SortOrder: Weak<DocumentOrder>] = [:]
    /// Most recently used first.
    private var kept: [DocumentOrder] = []
    /// Refills `asking` at each change.
    private let refilling: Connection

    /// Orders of the documents of a range, initially none.
    package init(
        of store: DocumentStore, in range: DocumentRange, asking: AskingBudget = AskingBudget()
    ) {
        self.asking = asking
        self.store = store
        self.range = range
        subset = store.subset(of: range)
        documents = store.documents(in: range)
        bits = { store.bits(in: range) }
        ranking = nil
        refilling = documents.changes.connect { _ in asking.refill() }
        store.following.add(self)
    }

    /// Orders of the documents that a search finds and ranks.
    package init(of ranking: RankedDocuments) {
        asking = AskingBudget()
        store = ranking.store
        range = ranking.range
        subset = nil
        documents = ranking.found
        bits = { ranking.foundBits }
        self.ranking = ranking
        refilling = documents.changes.connect { [asking] _ in asking.refill() }
        store.following.add(self)
    }

    /// The number of orders, including those being built and those that are behind.
    package var count: Int {
        known.values.count { $0.object != nil }
            + begun.values.count { $0.object.map { $0.order == nil } ?? false }
            + behind.values.count { $0.object?.base != nil }
    }

    /// Whether an order exists or is being built.
    package func has(_ sortOrder: SortOrder) -> Bool {
        isAtHand(sortOrder) || begun[sortOrder]?.object != nil
    }

    /// Whether an order exists.
    package func isAtHand(_ sortOrder: SortOrder) -> Bool { known[sortOrder]?.object != nil }

    /// The number of documents in each order.
    var documentCount: Int { ranking?.foundBits.count ?? documents.count }

    /// The documents in each order, as bits.
    var rows: RowBitset { bits() }

    /// A number for rows that is less for what comes first by score.
    var rank: ((DocumentRow) -> UInt64)? {
        guard let ranking else { return nil }
        return { ranking.rank(of: $0) }
    }

    private func comparator(for order: SortOrder) -> (DocumentRow, DocumentRow) -> Bool {
        { [table, rank] in table.compare($0, $1, by: order, rank: rank) < 0 }
    }

    /// The order, if it exists.
    func orderAtHand(by sortOrder: SortOrder) -> DocumentOrder? { known[sortOrder]?.object }

    /// Whether an order that is not at hand is made in slices.
    package func isMadeInSlices(_ sortOrder: SortOrder) -> Bool {
        documentCount > store.following.limits.alwaysFollowed
            || begun[sortOrder]?.object.map { $0.order == nil } ?? false
    }

    /// The sliced build of a missing order: one shared object while anyone retains it. Releasing it gives the
    /// order up. An order that has fallen behind is made from what it had.
    package func making(by sortOrder: SortOrder) -> OrderMaking {
        if let making = begun[sortOrder]?.object, making.order == nil { return making }
        begun = begun.filter { $0.value.object != nil }
        let comparator = comparator(for: sortOrder)
        let word = table.leadingWord(of: sortOrder, rank: rank)
        let making = OrderMaking(
            of: bits, following: store.following, from: takeBase(of: sortOrder), after: ranking,
            in: table, by: sortOrder, source: { [weak self] in self?.source(of: sortOrder) }
        ) { [weak self, documents] rows in
            if let self { return order(by: sortOrder, knowing: rows) }
            return DocumentOrder(
                of: documents, by: sortOrder, comparing: comparator, word: word, knowing: rows)
        }
        begun[sortOrder] = Weak(object: making)
        return making
    }

    /// Another order from which one can be made, if there is any that is sorted or is being sorted.
    private func source(of sortOrder: SortOrder) -> OrderSource? {
        let sources = sortOrder.sources
        for (order, derivation) in sources {
            if let rows = orderAtHand(by: order)?.sortedRows { return .order(rows, derivation) }
        }
        for (order, derivation) in sources {
            guard let making = begun[order]?.object, making.order == nil, !making.isAwaitingOther
            else { continue }
            return .making(making, derivation)
        }
        return nil
    }

    /// The documents in `sortOrder`: one shared object while it exists. `rows` are the sorted documents, if
    /// known.
    /// - Complexity: O(n) to build it; rows are sorted as they are read.
    package func order(
        by sortOrder: SortOrder, knowing rows: PreparedRows<DocumentRow>? = nil
    ) -> DocumentOrder {
        if let place = kept.firstIndex(where: { $0.sortOrder == sortOrder }) {
            let used = kept.remove(at: place)
            kept.insert(used, at: 0)
            return used
        }
        let order = known[sortOrder]?.object ?? makeOrder(by: sortOrder, knowing: rows)
        kept.insert(order, at: 0)
        if kept.count > Self.keptCount { kept.removeLast() }
        return order
    }

    /// Gives up the order whose last use was the longest ago, except for the most recently used one.
    /// - Returns: whether there was one.
    func giveUpUnused() -> Bool {
        guard kept.count > 1 else { return false }
        kept.removeLast()
        return true
    }

    /// Gives up all orders that nobody has.
    package func forgetUnused() { kept = [] }

    private func makeOrder(
        by sortOrder: SortOrder, knowing rows: PreparedRows<DocumentRow>?
    ) -> DocumentOrder {
        let order = DocumentOrder(
            of: documents, by: sortOrder, comparing: comparator(for: sortOrder),
            word: table.leadingWord(of: sortOrder, rank: rank), knowing: rows)
        known = known.filter { $0.value.object != nil }
        known[sortOrder] = Weak(object: order)
        _ = takeBase(of: sortOrder)
        return order
    }

    // MARK: Falling behind

    /// The number of orders that take work for each changed document, unless they have few documents.
    var followingCount: Int {
        documentCount > store.following.limits.alwaysFollowed
            ? known.values.count { $0.object != nil } : 0
    }

    /// Ends all orders, before a change that is too great for them. Those that nobody uses are gone.
    func fallBehind() {
        let ended = known.values.compactMap(\.object)
        known = [:]
        // What has been sorted is kept for who still has the order.
        let given = kept
        defer { withExtendedLifetime(given) {} }
        kept = []
        behind = behind.filter { $0.value.object?.base != nil }
        let noted = NotedRows()
        for order in ended {
            order.fallBehind(in: table, noted)
            if order.base != nil { behind[order.sortOrder] = Weak(object: order) }
        }
    }

    private func takeBase(of sortOrder: SortOrder) -> OrderBase? {
        behind.removeValue(forKey: sortOrder)?.object?.base.take()
    }

    /// Gives up what was sorted before if too many rows are kept for that.
    func dropLargeBases() {
        let most = max(store.following.limits.mostFreed, table.count / 2)
        if behind.isEmpty || table.freed.count <= most { return }
        for entry in behind.values { entry.object?.base = nil }
        behind = [:]
    }
}
