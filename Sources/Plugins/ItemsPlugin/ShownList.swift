internal import ListRequests
internal import Observables
internal import PickerModel
internal import WireProtocol

/// The list that a stream shows, and the one that it is to show next.
///
/// What is asked for is shown at once if that takes little work, else when a survey of the documents is done:
/// until then the list stays as it was. A newer request takes the place of one that is under way.
///
/// A list whose client does not read is laid to rest: it is not kept up, and costs nothing however much
/// changes. When the client reads again it is worked out anew.
final class ShownList {
    /// So many changes wait for a client before its list is laid to rest, and more if it is long:
    /// to work it out anew costs about as much as to follow as many changes as it has documents by this.
    private static let fewestNotes = 256
    private static let documentsPerNote = 64

    private struct Next {
        var request: ListRequest
        let claim: OrderClaim
        let ticket: SurveyTicket
    }

    /// Called when there is something to tell.
    var onChange: () -> Void = {}
    /// Called when another request is shown than before.
    var onAdoption: () -> Void = {}

    /// What is shown, or, while nothing has been worked out, what is to be.
    private(set) var request: ListRequest
    /// Which rows of the window may differ from what was taken last.
    private(set) var touched = TouchedRows.none
    private let desk: ItemsDesk
    private unowned let session: AnyObject
    private var claim: OrderClaim
    private var list: PickerList?
    private var connection: Connection?
    private var next: Next?
    /// How many changes there have been since the rows were looked at.
    private var notes = 0

    /// Nothing is worked out yet: `prepare` does.
    init(_ request: ListRequest, at desk: ItemsDesk, for session: AnyObject) throws(ProtocolError) {
        try desk.check(request.query)
        claim = try desk.claims.claim(request.orderName, for: session)
        self.request = request
        self.desk = desk
        self.session = session
    }

    /// The rows, if they are worked out.
    var rows: ObservableArray<PickerItem>? {
        guard connection != nil, let list, list.isSound else { return nil }
        return list.items
    }

    /// Whether what is shown is what was asked for last.
    var isSettled: Bool { next == nil && rows != nil }

    /// What was asked for last.
    var wanted: ListRequest { next?.request ?? request }

    /// Shows something else, now or later.
    /// - Throws: limitExceeded; then nothing is changed.
    func show(_ changed: ListRequest) throws(ProtocolError) {
        let query = changed.query
        let former = wanted
        if next != nil, former.sortOrder == changed.sortOrder, former.query == query {
            // The same rows are on their way.
            next?.request = changed
            return
        }
        if former.query != query || former.sortOrder != changed.sortOrder {
            try desk.check(query)
        }
        let claim =
            changed.orderName == request.orderName
            ? self.claim : try desk.claims.claim(changed.orderName, for: session)
        next = nil
        begin(changed, claim)
    }

    /// Works out the rows, or begins to, if they are not.
    func prepare() {
        if let list, !list.isSound { rest() }
        if connection == nil, next == nil { begin(request, claim) }
    }

    /// Notes that all that may have been touched is looked at now.
    func takeTouched() -> TouchedRows {
        defer {
            touched = .none
            notes = 0
        }
        return touched
    }

    /// Nothing is as the client has it.
    func touchAll() { touched = .all }

    func close() {
        next = nil
        connection = nil
        list = nil
        onChange = {}
        onAdoption = {}
    }

    // MARK: Showing

    private func begin(_ changed: ListRequest, _ claim: OrderClaim) {
        let query = changed.query
        let count: Int
        if let list = kept(for: changed) {
            count = list.query == query ? 0 : list.rowsToAsk(for: query)
        } else {
            count = desk.documents.count
        }
        let ticket = desk.prepare(query, in: claim, rows: count) { [weak self] survey in
            guard let self, let next else { return }
            adopt(next.request, next.claim, survey)
        }
        guard let ticket else { return adopt(changed, claim, nil) }
        next = Next(request: changed, claim: claim, ticket: ticket)
        onChange()
    }

    /// The list as it is, if it can go on to show what is asked for.
    ///
    /// Another order is another list: the new one may be at hand already, or else its first rows are found
    /// without sorting the others, where a change from order to order would need them all, as
    /// would another search or filter in an order that is not complete.
    private func kept(for changed: ListRequest) -> PickerList? {
        guard connection != nil, let list, list.isSound, changed.orderName == request.orderName
        else {
            return nil
        }
        return list.query == changed.query || list.isSorted ? list : nil
    }

    private func adopt(_ changed: ListRequest, _ claim: OrderClaim, _ survey: DocumentSurvey?) {
        next = nil
        let query = changed.query
        if let list = kept(for: changed) {
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
            let list = desk.makeList(for: changed)
            list.knowing(survey) { follow(list) }
            self.list = list
            touched = .all
        }
        self.claim = claim
        request = changed
        desk.sorting.start()
        onAdoption()
        onChange()
    }

    /// Learns from now on which rows of `list` are touched. Extents, not changes: they sort nothing.
    private func follow(_ list: PickerList) {
        notes = 0
        list.onUnsound = { [weak self] in self?.onChange() }
        connection = list.items.extents.connect { [weak self] extent in
            guard let self else { return }
            note(extent)
        }
    }

    private func note(_ extent: ArrayExtent) {
        touched.note(extent)
        notes += 1
        if notes > max(Self.fewestNotes, desk.documents.count / Self.documentsPerNote) { rest() }
        onChange()
    }

    /// Does not keep the list up any more: it is worked out anew when it is looked at.
    private func rest() {
        connection = nil
        list = nil
        touched = .all
    }
}
