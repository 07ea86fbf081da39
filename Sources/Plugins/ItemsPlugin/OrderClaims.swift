internal import ListRequests
internal import PickerModel
internal import WireProtocol

/// Identifies an order: a range of documents, a sort order, and for one by score the search that ranks them.
struct OrderName: Hashable {
    /// The documents in the order.
    let range: DocumentRange
    let sortOrder: SortOrder
    var ranking: FuzzySearch?
}

extension ListRequest {
    /// The order of the requested list.
    var orderName: OrderName {
        let ranking = sortOrder.hasScore ? search?.ranking : nil
        return OrderName(
            range: range,
            sortOrder: ranking == nil ? sortOrder.withoutScore : sortOrder, ranking: ranking)
    }
}

/// The orders of all lists: of the listed documents and, once a client asks for dropped documents, of those
/// or of all documents. It counts the orders that each session uses, and limits their memory.
///
/// An order takes five bytes for each document, however few rows its lists show. All lists of one sort order
/// share one order, so the limit is on the number of different orders: per session, and in total.
final class OrderClaims {
    /// The bytes of an order for each document: its row, and a share of the marks and of the index.
    static let bytesPerDocument = 5
    /// The most bytes of the orders of one session, if there are more than `sessionCount`.
    static let sessionBytes = 128 << 20
    /// The number of orders that a session may have regardless of their size.
    static let sessionCount = 16
    /// The most bytes of all orders, if there are more than `totalCount`.
    static let totalBytes = 512 << 20
    /// The number of orders that may exist regardless of their size.
    static let totalCount = 64

    /// The number of other searches that one is compared with, to see whether it narrows one of them.
    private static let mostCompared = 16

    /// The ranges of other collections whose orders are kept, so that the next page needs none.
    private static let keptRanges = 4

    private let documents: DocumentStore
    /// A search of a range of documents.
    private struct Ranked: Hashable {
        let range: DocumentRange
        let search: FuzzySearch
    }

    private struct Weak {
        weak var orders: DocumentOrders?
    }

    private var made: [DocumentRange: DocumentOrders] = [:]
    /// Those of other collections, as long as they are claimed.
    private var ofCollections: [DocumentRange: Weak] = [:]
    /// The ones among them that were used last, most recently first, as long as there are such collections.
    private var recent: [DocumentOrders] = []
    /// The orders by score, as long as they are claimed.
    private var ranked: [Ranked: Weak] = [:]
    private let sortedAtOnce: Int
    private let sessionBytes: Int
    private let totalBytes: Int
    private var counts: [ObjectIdentifier: [OrderName: Int]] = [:]

    init(
        of documents: DocumentStore, sortedAtOnce: Int = .max,
        sessionBytes: Int = OrderClaims.sessionBytes, totalBytes: Int = OrderClaims.totalBytes
    ) {
        self.sortedAtOnce = sortedAtOnce
        self.sessionBytes = sessionBytes
        self.totalBytes = totalBytes
        self.documents = documents
    }

    /// The number of orders.
    var orderCount: Int {
        made.values.reduce(0) { $0 + $1.count }
            + ofCollections.values.reduce(0) { $0 + ($1.orders?.count ?? 0) }
            + ranked.values.reduce(0) { $0 + ($1.orders == nil ? 0 : 1) }
    }

    /// The orders of the documents that `name` is about.
    func orders(for name: OrderName) -> DocumentOrders {
        guard let search = name.ranking else { return orders(of: name.range) }
        let key = Ranked(range: name.range, search: search)
        if let orders = ranked[key]?.orders { return orders }
        ranked = ranked.filter { $0.value.orders != nil }
        let orders = DocumentOrders(
            of: RankedDocuments(
                of: documents, in: name.range, by: search, among: widerRanking(for: key)))
        ranked[key] = Weak(orders: orders)
        return orders
    }

    /// What another search has found that the search narrows, if there is one: as a text is typed on. Of several, the
    /// one that has found fewest; only some are compared.
    private func widerRanking(for key: Ranked) -> RankedDocuments? {
        ranked.filter { $0.key.range == key.range }
            .compactMap { $0.value.orders?.ranking }
            .filter { $0.isMatched }
            .sorted { $0.foundBits.count < $1.foundBits.count }
            .prefix(Self.mostCompared)
            .first { key.search.query.narrows($0.search.query) }
    }

    private func orders(of range: DocumentRange) -> DocumentOrders {
        if case .named(let names) = range.collections { return orders(of: range, names) }
        if let orders = made[range] { return orders }
        let orders = DocumentOrders(of: documents, in: range)
        made[range] = orders
        return orders
    }

    /// Lets go of orders that nobody has.
    func forgetUnused() {
        for orders in made.values { orders.forgetUnused() }
        giveUpUnused()
    }

    private func orders(of range: DocumentRange, _ names: [String]) -> DocumentOrders {
        func isThere(_ name: String) -> Bool {
            name == CollectionSet.documentsName || documents.collections.known[name] != nil
        }
        let orders = ofCollections[range]?.orders ?? DocumentOrders(of: documents, in: range)
        ofCollections = ofCollections.filter { $0.value.orders != nil }
        ofCollections[range] = Weak(orders: orders)
        recent.removeAll {
            $0 === orders || !$0.range.collections.names.allSatisfy(isThere)
        }
        if names.allSatisfy(isThere) { recent.insert(orders, at: 0) }
        if recent.count > Self.keptRanges { recent.removeLast() }
        return orders
    }

    /// Lets go of orders of other collections that nobody uses.
    func giveUpUnused() { recent = [] }

    private func has(_ name: OrderName) -> Bool {
        let orders =
            if let search = name.ranking {
                ranked[Ranked(range: name.range, search: search)]?.orders
            } else { made[name.range] ?? ofCollections[name.range]?.orders }
        return orders?.has(name.sortOrder) == true
    }

    /// Claims an order for a list of `session`, or for a one-time request (nil). The claim lasts as long as
    /// the returned object.
    /// - Throws: limitExceeded.
    func claim(_ order: OrderName, for session: AnyObject?) throws(ProtocolError) -> OrderClaim {
        let count = documents.count(in: order.range)
        let each = Self.bytesPerDocument * max(1, count)
        if !has(order) {
            let limit = max(Self.totalCount, totalBytes / each)
            if orderCount >= limit {
                throw Self.tooMany(limit, "the lists of all clients are sorted in", count)
            }
        }
        let owner = session.map { ObjectIdentifier($0) }
        if let owner, counts[owner]?[order] == nil {
            let limit = max(Self.sessionCount, sessionBytes / each)
            if counts[owner]?.count ?? 0 >= limit {
                throw Self.tooMany(limit, "the lists of one client are sorted in", count)
            }
        }
        if let owner { counts[owner, default: [:]][order, default: 0] += 1 }
        let orders = orders(for: order)
        let isSmall = count <= sortedAtOnce && orders.ranking?.isFew ?? true
        if isSmall { _ = orders.ranking?.advance(budget: .max) }
        let source: OrderClaim.Source =
            orders.isAtHand(order.sortOrder) || isSmall
            ? .order(orders.order(by: order.sortOrder))
            : .making(orders.making(by: order.sortOrder))
        return OrderClaim(order, source, in: orders, of: owner, in: self)
    }

    private static func tooMany(_ limit: Int, _ whose: String, _ documents: Int) -> ProtocolError {
        .limitExceeded(
            limit: limit,
            "\(whose) \(limit) different orders, as many as may be with \(documents) documents: use one "
                + "of these in 'sort', or close a list")
    }

    fileprivate func release(_ order: OrderName, of owner: ObjectIdentifier) {
        guard let count = counts[owner]?[order] else { return }
        if count > 1 {
            counts[owner]?[order] = count - 1
        } else {
            counts[owner]?[order] = nil
            if counts[owner]?.isEmpty == true { counts[owner] = nil }
        }
    }
}

/// A reference to an order that counts towards the limits.
final class OrderClaim {
    /// The order, or the task that makes it and then owns it.
    enum Source {
        case order(DocumentOrder)
        case making(OrderMaking)
    }

    private let name: OrderName
    private var source: Source
    let orders: DocumentOrders
    private let owner: ObjectIdentifier?
    private let claims: OrderClaims

    fileprivate init(
        _ name: OrderName, _ source: Source, in orders: DocumentOrders,
        of owner: ObjectIdentifier?, in claims: OrderClaims
    ) {
        self.orders = orders
        self.name = name
        self.source = source
        self.owner = owner
        self.claims = claims
    }

    /// Whether the order is at hand, or of few documents. If it has fallen behind, it is made again from then on.
    var isReady: Bool {
        let sortOrder = name.sortOrder
        if orders.isAtHand(sortOrder) { return true }
        if case .making(let making) = source, making.order == nil { return false }
        guard orders.isMadeInSlices(sortOrder) else { return true }
        source = .making(orders.making(by: sortOrder))
        return false
    }

    /// What takes the memory, and is freed with the last claim.
    var parts: [AnyObject] {
        switch source {
        case .order(let order): [order, orders]
        case .making(let making): [making, orders]
        }
    }

    deinit {
        if let owner { claims.release(name, of: owner) }
    }
}
