internal import ListRequests
internal import Observables
internal import PickerModel
internal import WireProtocol

/// The list that a stream shows, and the request that will replace it.
///
/// A request that takes little work is shown at once. Otherwise a survey of the documents runs first, and
/// the old list stays until it is done. A newer request replaces a pending one.
///
/// A list whose client does not read is suspended: it is no longer updated, and changes cost nothing. When
/// the client reads again, the list is built anew.
final class ShownList {
    /// The number of unread changes after which a list is suspended; long lists allow more, one for each
    /// `documentsPerChange` documents. At that point a rebuild costs about as much as the updates.
    private static let changesBeforeSuspension = 256
    private static let documentsPerChange = 64

    private struct PendingRequest {
        var request: ListRequest
        let claim: OrderClaim
        let ticket: SurveyTicket
    }

    /// Called when the rows, or their completeness, may have changed.
    var onChange: () -> Void = {}
    /// Called after a new request is shown.
    var onAdoption: () -> Void = {}

    /// The request that is shown, or that will be shown first.
    private(set) var request: ListRequest
    /// The rows that may have changed since the last `takeTouched()`.
    private(set) var touched = TouchedRows.none
    private let builder: ListBuilder
    private unowned let session: AnyObject
    private var claim: OrderClaim
    private var list: PickerList?
    private var connection: Connection?
    private var pending: PendingRequest?
    /// The number of changes since the last `takeTouched()`.
    private var unreadChanges = 0

    /// Builds no rows yet; `prepare` does that.
    init(
        _ request: ListRequest, with builder: ListBuilder, for session: AnyObject
    ) throws(ProtocolError) {
        try builder.check(request.query)
        claim = try builder.claims.claim(request.orderName, for: session)
        self.request = request
        self.builder = builder
        self.session = session
    }

    /// The rows; nil until they are ready.
    var rows: ObservableArray<PickerItem>? {
        guard connection != nil, let list, list.isSound else { return nil }
        return list.items
    }

    /// Whether the latest request is shown.
    var isSettled: Bool { pending == nil && rows != nil }

    /// The latest request.
    var wanted: ListRequest { pending?.request ?? request }

    /// Shows another request, now or after a survey.
    /// - Throws: `limitExceeded`; then nothing is changed.
    func show(_ changed: ListRequest) throws(ProtocolError) {
        let query = changed.query
        let former = wanted
        if pending != nil, former.sortOrder == changed.sortOrder, former.query == query {
            // The same rows are being prepared.
            pending?.request = changed
            return
        }
        if former.query != query || former.sortOrder != changed.sortOrder {
            try builder.check(query)
        }
        let claim =
            changed.orderName == request.orderName
            ? self.claim : try builder.claims.claim(changed.orderName, for: session)
        pending = nil
        startShowing(changed, claim)
    }

    /// Starts to build the rows if needed.
    func prepare() {
        if let list, !list.isSound { suspend() }
        if connection == nil, pending == nil { startShowing(request, claim) }
    }

    /// Returns the touched rows and clears the record.
    func takeTouched() -> TouchedRows {
        defer {
            touched = .none
            unreadChanges = 0
        }
        return touched
    }

    /// Marks all rows as touched.
    func touchAll() { touched = .all }

    func close() {
        pending = nil
        connection = nil
        list = nil
        onChange = {}
        onAdoption = {}
    }

    // MARK: Showing

    private func startShowing(_ changed: ListRequest, _ claim: OrderClaim) {
        let query = changed.query
        let count: Int
        if let list = reusableList(for: changed) {
            count = list.query == query ? 0 : list.rowsToAsk(for: query)
        } else {
            count = builder.documents.count
        }
        let ticket = builder.prepare(query, in: claim, rows: count) { [weak self] survey in
            guard let self, let pending else { return }
            adopt(pending.request, pending.claim, survey)
        }
        guard let ticket else { return adopt(changed, claim, nil) }
        pending = PendingRequest(request: changed, claim: claim, ticket: ticket)
        onChange()
    }

    /// The current list, if it can be changed to show `changed`.
    ///
    /// Another sort order needs another list. That list may exist already, or it finds its first rows
    /// without sorting the rest; changing the order of the current list would sort all rows. The same holds
    /// for another search or filter in an order that is not fully sorted.
    private func reusableList(for changed: ListRequest) -> PickerList? {
        guard connection != nil, let list, list.isSound, changed.orderName == request.orderName
        else {
            return nil
        }
        return list.query == changed.query || list.isSorted ? list : nil
    }

    private func adopt(_ changed: ListRequest, _ claim: OrderClaim, _ survey: DocumentSurvey?) {
        pending = nil
        let query = changed.query
        if let list = reusableList(for: changed) {
            if list.query != query {
                list.knowing(survey) {
                    transaction {
                        list.search.value = query.search
                        list.filter.value = query.filter
                    }
                }
            }
            if changed.window != request.window { touched = .all }
        } else {
            let list = builder.makeList(for: changed)
            list.knowing(survey) { follow(list) }
            self.list = list
            touched = .all
        }
        self.claim = claim
        request = changed
        builder.sorting.start()
        onAdoption()
        onChange()
    }

    /// Records the touched rows of `list` from now on. It observes extents rather than changes, because
    /// extents do not force a sort.
    private func follow(_ list: PickerList) {
        unreadChanges = 0
        list.onUnsound = { [weak self] in self?.onChange() }
        connection = list.items.extents.connect { [weak self] extent in
            guard let self else { return }
            recordChange(extent)
        }
    }

    private func recordChange(_ extent: ArrayExtent) {
        touched.insert(extent)
        unreadChanges += 1
        let limit = max(
            Self.changesBeforeSuspension, builder.documents.count / Self.documentsPerChange)
        if unreadChanges > limit { suspend() }
        onChange()
    }

    /// Stops updating the list. `prepare` builds it anew.
    private func suspend() {
        connection = nil
        list = nil
        touched = .all
    }
}
