internal import ListRequests
internal import Observables
internal import PickerModel
internal import WireProtocol

/// Builds lists and limits their cost. All open lists and one-time requests share it.
final class ListBuilder {
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
        claims = OrderClaims(of: documents, sortedAtOnce: surveys.limits.sortedAtOnce)
    }

    /// Throws if the query takes more work than one request may.
    func check(_ query: DocumentQuery) throws(ProtocolError) {
        try surveys.limits.check(query, of: documents.count)
    }

    /// Prepares a list in slices and then calls `finish`. The slices sort the order, if it is not sorted
    /// yet, and survey all documents, if testing `rows` rows at once takes too long.
    /// - Returns: nil if no slices are needed; then `finish` is not called.
    func prepare(
        _ query: DocumentQuery, in claim: OrderClaim, rows: Int,
        _ finish: @escaping (DocumentSurvey?) -> Void
    ) -> SurveyTicket? {
        var work: [any SlicedWork] = []
        work += claim.unfinished
        var survey: DocumentSurvey?
        let asked = claim.isRanked ? DocumentQuery(filter: query.filter) : query
        if !asked.isEverything, !surveys.limits.isDirect(asked.stepsPerDocument, rows) {
            let asking = DocumentSurvey(
                of: documents.documents(in: DocumentRange(of: query.filter)), for: asked)
            // Last, so that the survey sees the documents as they are when the list is made.
            work.append(asking)
            survey = asking
        }
        if work.isEmpty { return nil }
        return surveys.begin(WorkChain(work)) { finish(survey) }
    }

    /// An inactive list. The caller has claimed its order.
    func makeList(for request: ListRequest) -> PickerList {
        let name = request.orderName
        return PickerList(
            in: claims.orders(for: name), sortedBy: name.sortOrder, matching: request.search,
            keeping: request.filter)
    }

    func stop() {
        surveys.stop()
        sorting.stop()
    }
}
