internal import ListRequests
internal import Observables
internal import PickerModel
internal import WireProtocol

/// Makes lists and limits their cost. All open lists and one-time requests share it, and lists with equal queries
/// and orders are one list.
final class ListBuilder {
    /// The number of lists that are kept although no client has them, so that a page, or a text that is typed again,
    /// needs none. Each is kept up to date.
    private static let keptCount = 8

    private struct Name: Hashable {
        let order: OrderName
        let query: DocumentQuery
    }

    private struct Weak {
        weak var list: PickerList?
    }

    let documents: DocumentStore
    let claims: OrderClaims
    let surveys: SurveyQueue
    let sorting: DeferredSorting
    private let results: SurveyCache
    private var known: [Name: Weak] = [:]
    /// Most recently used first.
    private var kept: [PickerList] = []

    init(
        of documents: DocumentStore, surveys: SurveyQueue, sorting: DeferredSorting
    ) {
        self.documents = documents
        self.surveys = surveys
        self.sorting = sorting
        results = SurveyCache(of: documents)
        claims = OrderClaims(of: documents, sortedAtOnce: surveys.limits.sortedAtOnce)
    }

    /// Throws if the query takes more work than one request may.
    func check(_ query: DocumentQuery) throws(ProtocolError) {
        try surveys.limits.check(query, of: documents.count)
    }

    /// The list of a request that has claimed its order, if it is there or takes little work; else nil.
    func listAtOnce(for request: ListRequest, in claim: OrderClaim) -> PickerList? {
        let name = Name(order: request.orderName, query: request.query)
        if let list = known[name]?.list, list.isSound {
            keep(list)
            return list
        }
        guard claim.unfinished.isEmpty else { return nil }
        let making = making(for: request, in: claim)
        guard making.stepsLeft <= surveys.limits.direct, making.advance(budget: .max) else {
            return nil
        }
        return making.list.map { add($0, name) }
    }

    /// Makes the list of a request that has claimed its order in slices, and then calls `finish`.
    /// - Returns: a ticket; releasing it ends the work.
    func beginList(
        for request: ListRequest, in claim: OrderClaim, _ finish: @escaping (PickerList) -> Void
    ) -> SurveyTicket {
        let making = making(for: request, in: claim)
        let name = Name(order: request.orderName, query: request.query)
        return surveys.begin(WorkChain(claim.unfinished + [making])) { [weak self] in
            guard let list = making.list else { return }
            finish(self?.add(list, name) ?? list)
        }
    }

    private func making(for request: ListRequest, in claim: OrderClaim) -> ListMaking {
        let range = DocumentRange(of: request.filter)
        return ListMaking(
            in: claim.orders, sortedBy: request.orderName.sortOrder, query: request.query
        ) { [results] query in results.survey(for: query, in: range) }
    }

    /// Shares a list, unless an equal one has been made meanwhile.
    private func add(_ list: PickerList, _ name: Name) -> PickerList {
        let shared: PickerList
        if let equal = known[name]?.list, equal.isSound {
            shared = equal
        } else {
            known = known.filter { $0.value.list != nil }
            known[name] = Weak(list: list)
            shared = list
        }
        keep(shared)
        sorting.start()
        return shared
    }

    private func keep(_ list: PickerList) {
        kept.removeAll { $0 === list || !$0.isSound }
        kept.insert(list, at: 0)
        if kept.count > Self.keptCount { kept.removeLast() }
    }

    func stop() {
        surveys.stop()
        sorting.stop()
        kept = []
        known = [:]
        results.removeAll()
    }
}
