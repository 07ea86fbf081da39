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
        /// What makes the list, while nobody has it.
        weak var making: ListMaking?
        weak var preview: ListPreview?
    }

    /// The longest window whose first rows are found before the order is made.
    private static let mostPreviewed = 1000

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

    /// Makes the list of a request that has claimed its order in slices, and then calls `finish`. If the order is not
    /// there yet, its first items are found before, and given to `preview` with the number of all.
    /// - Returns: a ticket; releasing it ends the work.
    func beginList(
        for request: ListRequest, in claim: OrderClaim,
        preview: (([ItemContent], Int) -> Void)? = nil, _ finish: @escaping (PickerList) -> Void
    ) -> SurveyTicket {
        let making = making(for: request, in: claim)
        let name = Name(order: request.orderName, query: request.query)
        var work: [any SlicedWork] = []
        let (end, isOver) = request.window.start.addingReportingOverflow(
            request.window.count ?? Self.mostPreviewed + 1)
        if let preview, !claim.unfinished.isEmpty, !isOver, end <= Self.mostPreviewed {
            let first = self.preview(end, of: request, in: claim)
            work += [
                first,
                Announcement { [table = documents.table] in
                    guard let (items, count) = first.result else { return }
                    let range = request.window.range(in: count).clamped(to: 0..<items.count)
                    preview(items[range].map { table.content(of: $0) }, count)
                },
            ]
        }
        return surveys.begin(WorkChain(work + [making])) { [weak self] in
            guard let list = making.list else { return }
            finish(self?.add(list, name) ?? list)
        }
    }

    private func making(for request: ListRequest, in claim: OrderClaim) -> ListMaking {
        let name = Name(order: request.orderName, query: request.query)
        if let making = known[name]?.making, making.list == nil { return making }
        let making = ListMaking(
            in: claim.orders, sortedBy: request.orderName.sortOrder, query: request.query,
            after: claim.unfinished, survey: survey(for: request))
        forgetEnded()
        known[name, default: Weak()].making = making
        return making
    }

    private func preview(
        _ limit: Int, of request: ListRequest, in claim: OrderClaim
    ) -> ListPreview {
        let name = Name(order: request.orderName, query: request.query)
        if let preview = known[name]?.preview, preview.limit >= limit { return preview }
        let preview = ListPreview(
            limit, in: claim.orders, sortedBy: request.orderName.sortOrder, query: request.query,
            survey: survey(for: request))
        known[name, default: Weak()].preview = preview
        return preview
    }

    private func survey(for request: ListRequest) -> (DocumentQuery) -> DocumentSurvey {
        let range = DocumentRange(of: request.filter)
        return { [results] query in results.survey(for: query, in: range) }
    }

    private func forgetEnded() {
        known = known.filter { $0.value.list != nil || $0.value.making != nil }
    }

    /// Shares a list, unless an equal one has been made meanwhile.
    private func add(_ list: PickerList, _ name: Name) -> PickerList {
        let shared: PickerList
        if let equal = known[name]?.list, equal.isSound {
            shared = equal
        } else {
            forgetEnded()
            known[name, default: Weak()].list = list
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

/// Tells something between two pieces of work.
private final class Announcement: SlicedWork {
    private(set) var stepsTaken = 0
    private let announce: () -> Void

    init(_ announce: @escaping () -> Void) { self.announce = announce }

    func advance(budget: Int) -> Bool {
        stepsTaken += 1
        announce()
        return true
    }
}
