internal import ListRequests
internal import PickerModel
internal import WireProtocol

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
/// or of all documents. It counts the orders that each session uses, and limits their memory.
///
/// An order takes 9 bytes for each document, however few rows its lists show. All lists of one sort order
/// share one order, so the limit is on the number of different orders: per session, and in total.
final class OrderClaims {
    /// The bytes of an order for each document: a reference, and a share of the marks and of the index.
    static let bytesPerDocument = 9
    /// The most bytes of the orders of one session, if there are more than `sessionCount`.
    static let sessionBytes = 128 << 20
    /// The number of orders that a session may have regardless of their size.
    static let sessionCount = 16
    /// The most bytes of all orders, if there are more than `totalCount`.
    static let totalBytes = 512 << 20
    /// The number of orders that may exist regardless of their size.
    static let totalCount = 64

    private let documents: DocumentStore
    private var made: [DocumentRange: DocumentOrders] = [:]
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
    var orderCount: Int { made.values.reduce(0) { $0 + $1.count } }

    /// The orders of the documents in that range.
    func orders(of range: DocumentRange) -> DocumentOrders {
        if let orders = made[range] { return orders }
        let orders = DocumentOrders(of: documents.documents(in: range))
        made[range] = orders
        return orders
    }

    /// Claims an order for a list of `session`, or for a one-time request (nil). The claim lasts as long as
    /// the returned object.
    /// - Throws: limitExceeded.
    func claim(_ order: OrderName, for session: AnyObject?) throws(ProtocolError) -> OrderClaim {
        let each = Self.bytesPerDocument * max(1, documents.count)
        if made[order.range]?.has(order.sortOrder) != true {
            let limit = max(Self.totalCount, totalBytes / each)
            if orderCount >= limit {
                throw Self.tooMany(limit, "the lists of all clients are sorted in", documents.count)
            }
        }
        let owner = session.map { ObjectIdentifier($0) }
        if let owner, counts[owner]?[order] == nil {
            let limit = max(Self.sessionCount, sessionBytes / each)
            if counts[owner]?.count ?? 0 >= limit {
                throw Self.tooMany(limit, "the lists of one client are sorted in", documents.count)
            }
        }
        if let owner { counts[owner, default: [:]][order, default: 0] += 1 }
        let orders = orders(of: order.range)
        let source: OrderClaim.Source =
            orders.isAtHand(order.sortOrder) || documents.count <= sortedAtOnce
            ? .order(orders.order(by: order.sortOrder))
            : .making(orders.making(by: order.sortOrder))
        return OrderClaim(order, source, of: owner, in: self)
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
    private let source: Source
    private let owner: ObjectIdentifier?
    private let claims: OrderClaims

    fileprivate init(
        _ name: OrderName, _ source: Source, of owner: ObjectIdentifier?, in claims: OrderClaims
    ) {
        self.name = name
        self.source = source
        self.owner = owner
        self.claims = claims
    }

    /// The unfinished task that makes the order; nil if the order is ready.
    var unfinished: OrderMaking? {
        if case .making(let making) = source, making.order == nil { return making }
        return nil
    }

    deinit {
        if let owner { claims.release(name, of: owner) }
    }
}
