internal import ListRequests
internal import Observables
internal import PickerModel
internal import WireProtocol

/// What lists are made of, and the limits on it: shared by all open lists and single looks.
final class ItemsDesk {
    let documents: DocumentStore
    let claims: OrderClaims
    let surveys: SurveyQueue
    let sorting: DeferredSorting

    init(
        of documents: DocumentStore, surveys: SurveyQueue, sorting: DeferredSorting
    ) {
        self.documents = documents
        self.surveys = surveys
        self.sorting = sorting
        claims = OrderClaims(
            ListOrders(of: documents), of: documents, sortedAtOnce: surveys.limits.sortedAtOnce)
    }

    private func orders(for query: DocumentQuery) -> DocumentOrders {
        claims.orders.orders(for: query.filter)
    }

    /// Refuses a request that would take too much work.
    func check(_ query: DocumentQuery) throws(ProtocolError) {
        try surveys.limits.check(query, of: documents.count)
    }

    /// Whether so many rows are better asked in slices.
    private func needsSurvey(_ query: DocumentQuery, rows: Int) -> Bool {
        !query.isEverything && !surveys.limits.isDirect(query.stepsPerDocument, rows)
    }

    /// Has worked out in slices what a list is made of, and then calls `finish`: its order, if that is
    /// being made, and what all documents say to the query, if so many `rows` are better asked like that.
    /// - Returns: nil if all is at hand, or little work; then `finish` is not called.
    func prepare(
        _ query: DocumentQuery, in claim: OrderClaim, rows: Int,
        _ finish: @escaping (DocumentSurvey?) -> Void
    ) -> SurveyTicket? {
        var work: [any SlicedWork] = []
        if let making = claim.unfinished { work.append(making) }
        var survey: DocumentSurvey?
        if needsSurvey(query, rows: rows) {
            let asking = DocumentSurvey(
                of: documents.documents(in: DocumentRange(of: query.filter)), for: query)
            // The last, so that its answers are about the documents that there are then.
            work.append(asking)
            survey = asking
        }
        if work.isEmpty { return nil }
        return surveys.begin(WorkChain(work)) { finish(survey) }
    }

    /// A list that nobody follows yet. Who asks for it has claimed its order.
    func makeList(for request: ListRequest) -> PickerList {
        PickerList(
            in: orders(for: request.query), sortedBy: request.sortOrder, matching: request.search,
            keeping: request.filter)
    }

    func stop() {
        surveys.stop()
        sorting.stop()
    }
}
