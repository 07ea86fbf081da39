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
        claims = OrderClaims(ListOrders(of: documents), of: documents)
    }

    private func orders(for query: DocumentQuery) -> DocumentOrders {
        claims.orders.orders(for: query.filter)
    }

    /// Refuses a request that would take too much work.
    func check(_ query: DocumentQuery) throws(ProtocolError) {
        try surveys.limits.check(query, of: documents.count)
    }

    /// Whether so many rows are better asked in slices.
    func needsSurvey(_ query: DocumentQuery, rows: Int) -> Bool {
        !query.isEverything && !surveys.limits.isDirect(query.stepsPerDocument, rows)
    }

    /// Has all documents asked, and calls `finish` with what they say.
    func survey(
        _ query: DocumentQuery, _ finish: @escaping (DocumentSurvey) -> Void
    ) -> SurveyTicket {
        let survey = DocumentSurvey(
            of: documents.documents(in: DocumentRange(of: query.filter)), for: query)
        return surveys.begin(survey) { finish(survey) }
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
