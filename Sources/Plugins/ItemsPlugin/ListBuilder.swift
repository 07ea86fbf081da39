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

    private struct Shown {
        weak var list: ShownList?
    }

    /// Rows that were found without their list, and the number of all.
    private struct FoundRows {
        let name: Name
        let limit: Int
        let result: ListPreview.Found
    }

    /// The number of windows whose rows are kept until documents change, as of a search for each letter of a word: the
    /// lists before may be asked for again.
    static let keptWindows = 16

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
    /// Most recently found first.
    private var found: [FoundRows] = []
    private var idleness: Connection?
    private var shown: [Shown] = []

    init(
        of documents: DocumentStore, surveys: SurveyQueue, sorting: DeferredSorting
    ) {
        self.documents = documents
        self.surveys = surveys
        self.sorting = sorting
        results = SurveyCache(of: documents)
        claims = OrderClaims(of: documents, sortedAtOnce: surveys.limits.sortedAtOnce)
        idleness = documents.idleCount.changes.connect { [weak self] _ in
            guard let self else { return }
            // The first may be the list that everyone asks for.
            kept.removeLast(max(0, kept.count - 1))
            claims.giveUpUnused()
            found = []
        }
        documents.attributes.whenColumnsEnd { [weak self] in self?.forgetAll() }
        results.isNeeded = { [weak self] query, range in
            self?.shown.contains { $0.list?.isMade(from: query, in: range) ?? false } ?? false
        }
    }

    /// Keeps the results for a list up to date as long as it exists, however many documents change: it is made from
    /// them again.
    func add(_ list: ShownList) {
        if shown.count == shown.capacity { shown.removeAll { $0.list == nil } }
        shown.append(Shown(list: list))
    }

    /// Throws if there is no such collection, or the query takes more work than one request may.
    /// - Returns: what keeps the documents of other collections until an order of them is claimed.
    func check(_ request: ListRequest) throws(ProtocolError) -> DocumentSubset? {
        try documents.check(request.collections)
        let subset = documents.subset(of: request.range)
        try surveys.limits.check(request.query, of: documents.count(in: request.range))
        return subset
    }

    /// The list of a request, if it is there.
    func knownList(for request: ListRequest) -> PickerList? {
        let name = Name(order: request.orderName, query: request.query)
        guard let list = known[name]?.list, list.isSound else { return nil }
        keep(list)
        return list
    }

    /// The list of a request that has claimed its order, if it is there or takes little work; else nil.
    func listAtOnce(for request: ListRequest, in claim: OrderClaim) -> PickerList? {
        let name = Name(order: request.orderName, query: request.query)
        if let list = knownList(for: request) { return list }
        guard claim.isReady else { return nil }
        let making = making(for: request, in: claim)
        guard making.stepsLeft <= surveys.limits.direct, making.advance(budget: .max) else {
            return nil
        }
        if let survey = making.survey { results.keep(survey) }
        return making.list.map { add($0, name) }
    }

    /// The rows in the window of a request and the number of all, at a revision; and where the window begins.
    typealias FirstItems = (items: ShownRows, total: Int, rev: Int, start: Int)

    /// What answers a request for rows.
    enum Found {
        case list(PickerList)
        /// The rows in the window, without the list.
        case rows(FirstItems)
    }

    /// What answers a request that has claimed its order, if it is there or found at once; else nil.
    func found(for request: ListRequest, in claim: OrderClaim) -> Found? {
        if let list = knownList(for: request) { return .list(list) }
        guard let preview = newPreview(of: request, in: claim) else {
            return listAtOnce(for: request, in: claim).map { .list($0) }
        }
        guard preview.stepsLeft <= surveys.limits.direct, preview.advance(budget: .max)
        else { return nil }
        sorting.start()
        return items(of: preview, for: request).map { .rows($0) }
    }

    /// Finds it in slices, without the list if the rows are among the first, and then calls `finish`.
    /// - Returns: a ticket; releasing it ends the work.
    func beginFinding(
        for request: ListRequest, in claim: OrderClaim, _ finish: @escaping (Found) -> Void
    ) -> SurveyTicket {
        guard let preview = newPreview(of: request, in: claim) else {
            return beginList(for: request, in: claim) { finish(.list($0)) }
        }
        return surveys.begin(preview) { [weak self] in
            guard let self, let found = items(of: preview, for: request) else { return }
            finish(.rows(found))
        }
    }

    /// Makes the list of a request that has claimed its order in slices, and then calls `finish`. If the window is
    /// near the start, its rows are found before, and given to `preview`, with whether that is all that the list has:
    /// early without the number of all, which is at least the one given; and again when documents have changed. With `isAfterChange` they are not found before the documents are quiet.
    /// - Returns: a ticket; releasing it ends the work.
    func beginList(
        for request: ListRequest, in claim: OrderClaim, isAfterChange: Bool = false,
        preview announce: ((FirstItems, _ isWhole: Bool) -> Void)? = nil,
        _ finish: @escaping (PickerList) -> Void
    ) -> SurveyTicket {
        let making = making(for: request, in: claim)
        let name = Name(order: request.orderName, query: request.query)
        let work = ListArrival(
            making, of: documents, isAfterChange: isAfterChange,
            preview: { [weak self] isAfterChange in
                guard announce != nil else { return nil }
                return self?.preview(of: request, in: claim, isAfterChange: isAfterChange)
            },
            { [weak self] preview in
                guard let self, let found = items(of: preview, for: request) else { return }
                keep(preview, name)
                announce?(found, preview.isWhole)
            })
        return surveys.begin(work) { [weak self] in
            guard let list = making.list else { return }
            if let survey = making.survey { self?.results.keep(survey) }
            finish(self?.add(list, name) ?? list)
        }
    }

    /// Keeps the rows that were found.
    private func keep(_ preview: ListPreview, _ name: Name) {
        guard preview.isWhole, let result = preview.result else { return }
        found.removeAll { $0.name == name || $0.result.rev != result.rev }
        found.insert(FoundRows(name: name, limit: preview.limit, result: result), at: 0)
        if found.count > Self.keptWindows { found.removeLast() }
    }

    private func items(of preview: ListPreview, for request: ListRequest) -> FirstItems? {
        guard let (items, total, rev) = preview.result ?? preview.early else { return nil }
        if let survey = preview.survey { results.keep(survey) }
        let range = request.window.range(in: total).clamped(to: 0..<items.rows.count)
        return (
            ShownRows(Array(items.rows[range]), of: documents.table), total, rev,
            request.window.start
        )
    }

    /// The rows of a list in the window of a request, now.
    func items(of list: PickerList, for request: ListRequest) -> FirstItems {
        let total = list.items.count
        let window = request.window.placed(in: list, of: documents)
        let items = list.items[window.range(in: total)]
        return (ShownRows(items, of: list.table), total, documents.rev, window.start)
    }

    private func making(for request: ListRequest, in claim: OrderClaim) -> ListMaking {
        let name = Name(order: request.orderName, query: request.query)
        if let making = known[name]?.making, making.list == nil { return making }
        let making = ListMaking(
            in: claim.orders, sortedBy: request.orderName.sortOrder, query: request.query,
            survey: survey(for: request))
        forgetEnded()
        known[name, default: Weak()].making = making
        return making
    }

    /// The end of a window whose rows are found without their list.
    private func previewedEnd(of request: ListRequest) -> Int? {
        if request.window.anchor != nil { return nil }
        let (end, isOver) = request.window.start.addingReportingOverflow(
            request.window.count ?? Self.mostPreviewed + 1)
        return !isOver && end <= Self.mostPreviewed ? end : nil
    }

    /// Finds the rows in the window of a request; nil if the window is not near the start of the list, or where an item
    /// is.
    private func newPreview(
        of request: ListRequest, in claim: OrderClaim, isAfterChange: Bool = false,
        early: (from: Int, after: Int)? = nil
    ) -> ListPreview? {
        guard let end = previewedEnd(of: request) else { return nil }
        return ListPreview(
            end, in: claim.orders, sortedBy: request.orderName.sortOrder, query: request.query,
            isAfterChange: isAfterChange, early: early, survey: survey(for: request))
    }

    /// The same, shared by all whose lists are being made.
    private func preview(
        of request: ListRequest, in claim: OrderClaim, isAfterChange: Bool
    ) -> ListPreview? {
        let name = Name(order: request.orderName, query: request.query)
        guard let end = previewedEnd(of: request) else { return nil }
        if let known = found.first(where: { $0.name == name && $0.limit >= end }),
            known.result.rev == documents.rev
        {
            return ListPreview(
                again: known.result, known.limit, in: claim.orders,
                sortedBy: request.orderName.sortOrder, query: request.query)
        }
        // Rows that have been found are those of that moment.
        if let begun = known[name]?.preview, begun.limit >= end, begun.result == nil {
            return begun
        }
        // Whoever has the rows before a change is told the difference, once.
        let preview = newPreview(
            of: request, in: claim, isAfterChange: isAfterChange,
            early: isAfterChange ? nil : (surveys.limits.earlyFrom, surveys.limits.earlyAfter))
        known[name, default: Weak()].preview = preview
        return preview
    }

    private func survey(for request: ListRequest) -> (DocumentQuery) -> DocumentSurvey {
        let range = request.range
        return { [results] query in results.survey(for: query, in: range) }
    }

    private func forgetEnded() {
        known = known.filter {
            $0.value.list != nil || $0.value.making != nil || $0.value.preview != nil
        }
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

    /// Lets go of all that nobody has.
    private func forgetAll() {
        kept = []
        found = []
        results.removeAll()
        claims.forgetUnused()
    }

    func stop() {
        surveys.stop()
        sorting.stop()
        kept = []
        found = []
        known = [:]
        results.removeAll()
    }
}
