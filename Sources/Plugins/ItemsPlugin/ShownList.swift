internal import ListRequests
internal import Observables
internal import PickerModel
internal import WireProtocol

/// The list that a stream shows, and the request that will replace it.
///
/// A list that is there already, or takes little work, is shown at once. Otherwise it is made in slices, and the
/// list before stays until it is done. A newer request replaces a pending one; nothing is computed for a request
/// before the client can be sent its rows, so one that is overtaken in the same turn costs nothing.
///
/// A list whose client does not read is suspended: the client no longer has it, and it is no longer updated unless
/// others have it or it is among the few that `ListBuilder` keeps. When the client reads again, it is made anew.
final class ShownList {
    /// The number of unread changes after which a list is suspended; long lists allow more, one for each
    /// `documentsPerChange` documents. At that point a rebuild costs about as much as the updates.
    private static let changesBeforeSuspension = 256
    private static let documentsPerChange = 64

    private struct PendingRequest {
        var request: ListRequest
        let claim: OrderClaim
        /// The work, once it has begun.
        var ticket: SurveyTicket?
        /// Whether the client was given all rows of its window.
        var isTold = false
        /// The same work for an earlier window, which goes on.
        var earlier: SurveyTicket?
    }

    /// Called when the rows, or their completeness, may have changed.
    var onChange: () -> Void = {}
    /// Called after a new request is shown.
    var onAdoption: () -> Void = {}
    /// Called when the first rows of a list are known before all, or again before the list is made again.
    var onPreview: () -> Void = {}

    /// The rows in the window of a list that is being made.
    struct Preview {
        let request: ListRequest
        let items: ShownRows
        let total: Int
        let rev: Int
        /// Whether these are all that the list has.
        let isWhole: Bool
        /// Whether the client has the rows that the same request had before a change.
        let isRebuilt: Bool
    }

    /// The rows to be sent before those of the list, once.
    private var preview: Preview?

    /// The request that is shown, or that will be shown first.
    private(set) var request: ListRequest
    /// The rows that may have changed since the last `takeTouched()`.
    private(set) var touched = TouchedRows.none
    private let builder: ListBuilder
    private unowned let session: AnyObject
    private var claim: OrderClaim {
        didSet {
            if claim === oldValue { return }
            for part in oldValue.parts { builder.surveys.release(part) }
        }
    }
    private var list: PickerList?
    /// Whether the client was shown a list of `request`.
    private var isAdopted = false
    private var connection: Connection?
    private var unsoundness: AnyObject?
    private var pending: PendingRequest?
    /// The number of changes since the last `takeTouched()`.
    private var unreadChanges = 0

    /// Builds no rows yet; `prepare` does that.
    init(
        _ request: ListRequest, with builder: ListBuilder, for session: AnyObject
    ) throws(ProtocolError) {
        let subset = try builder.check(request)
        defer { withExtendedLifetime(subset) {} }
        claim = try builder.claims.claim(request.orderName, for: session)
        self.request = request
        self.builder = builder
        self.session = session
        builder.add(self)
    }

    /// Whether the list is, or will be, made from the results of a query.
    func isMade(from query: DocumentQuery, in range: DocumentRange) -> Bool {
        wanted.range == range
            && PickerList.asked(wanted.query, in: claim.orders) == query
    }

    /// The list; nil until it is ready.
    var rows: PickerList? {
        guard connection != nil, let list, list.isSound else { return nil }
        return list
    }

    /// Whether the client has the rows of an earlier revision, and has had them for long, while they are found again.
    private(set) var isLate = false

    /// Whether the latest request is shown.
    var isSettled: Bool { pending == nil && rows != nil }

    /// The latest request.
    var wanted: ListRequest { pending?.request ?? request }

    /// Shows another request from the next `prepare` on, or when its list is made.
    /// - Throws: `limitExceeded`; then nothing is changed.
    func show(_ changed: ListRequest) throws(ProtocolError) {
        let former = wanted
        if let pending, former.orderName == changed.orderName, former.query == changed.query {
            // The same rows are being prepared. Where all were told, nobody waited for the list until now.
            self.pending = PendingRequest(
                request: changed, claim: pending.claim,
                ticket: pending.isTold ? nil : pending.ticket,
                earlier: pending.isTold ? pending.ticket : pending.earlier)
            if pending.isTold { preview = nil }
            return
        }
        var subset: DocumentSubset?
        defer { withExtendedLifetime(subset) {} }
        if former.query != changed.query || former.orderName != changed.orderName
            || former.sortOrder != changed.sortOrder
        {
            subset = try builder.check(changed)
        }
        let claim =
            changed.orderName == request.orderName
            ? self.claim : try builder.claims.claim(changed.orderName, for: session)
        pending = PendingRequest(request: changed, claim: claim)
        preview = nil
        isLate = false
    }

    /// Shows the latest request, or starts to make its list. The caller is about to send what has changed.
    func prepare() {
        if let list, !list.isSound { suspend() }
        if connection == nil, pending == nil {
            pending = PendingRequest(request: request, claim: claim)
        }
        guard let pending, pending.ticket == nil else { return }
        let wanted = pending.request
        if let list = rows, wanted.query == request.query, wanted.orderName == request.orderName {
            return adopt(wanted, pending.claim, list)
        }
        if let list = builder.listAtOnce(for: wanted, in: pending.claim) {
            return adopt(wanted, pending.claim, list)
        }
        let isRebuilt = isRebuilt(wanted)
        var isPreviewed = false
        let ticket = builder.beginList(
            for: wanted, in: pending.claim, isAfterChange: isRebuilt,
            preview: { [weak self] found, isWhole in
                guard let self, let pending = self.pending,
                    pending.request.window == wanted.window
                else { return }
                // The list before is no longer shown.
                suspend()
                request = pending.request
                claim = pending.claim
                isAdopted = isRebuilt
                isLate = false
                self.pending?.isTold = isWhole
                if isWhole, let ticket = pending.ticket {
                    watchLateness(of: ticket, since: found.rev)
                }
                let hasRows = isRebuilt || isPreviewed && preview == nil || isPreviewRebuilt
                isPreviewed = true
                preview = Preview(
                    request: pending.request, items: found.items, total: found.total,
                    rev: found.rev, isWhole: isWhole, isRebuilt: hasRows)
                onPreview()
            },
            { [weak self] list in
                guard let self, let pending = self.pending else { return }
                adopt(pending.request, pending.claim, list)
                onChange()
            })
        self.pending?.ticket = ticket
        self.pending?.earlier = nil
        if isRebuilt { watchLateness(of: ticket, since: nil) }
    }

    /// Notes if the rows that the client was given, of this revision or, if it is nil, of an earlier one, have changed and
    /// are still not there after some time.
    private func watchLateness(of ticket: SurveyTicket, since rev: Int?) {
        builder.surveys.whenLate(ticket) { [weak self, weak ticket] in
            guard let self, let ticket else { return }
            if rev == builder.documents.rev { return watchLateness(of: ticket, since: rev) }
            isLate = true
            onChange()
        }
    }

    /// Whether the client has the rows of a request, as they were: it keeps them until it is sent the difference.
    private func isRebuilt(_ wanted: ListRequest) -> Bool {
        isAdopted && wanted.query == request.query && wanted.orderName == request.orderName
            && wanted.window == request.window
    }

    /// Returns the rows to be sent before those of the list, once.
    func takePreview() -> Preview? { preview.take() }

    /// Gives back a preview that is to be sent in another way.
    func restore(_ taken: Preview) { preview = taken }

    /// Whether the preview has the rows of a list that is made again.
    var isPreviewRebuilt: Bool { preview?.isRebuilt ?? false }

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
        unsoundness = nil
        list = nil
        preview = nil
        onChange = {}
        onAdoption = {}
        onPreview = {}
    }

    // MARK: Showing

    private func adopt(_ changed: ListRequest, _ claim: OrderClaim, _ list: PickerList) {
        pending = nil
        isLate = false
        preview = nil
        if self.list !== list || connection == nil {
            follow(list)
            touched = .all
        } else if changed.window != request.window {
            touched = .all
        }
        self.claim = claim
        request = changed
        isAdopted = true
        onAdoption()
    }

    /// Records the touched rows of `list` from now on. It observes extents rather than changes, because
    /// extents do not force a sort.
    private func follow(_ list: PickerList) {
        if self.list !== list { letGo() }
        self.list = list
        unreadChanges = 0
        unsoundness = list.whenUnsound { [weak self] in self?.onChange() }
        connection = list.items.extents.connect { [weak self] extent in
            guard let self else { return }
            recordChange(extent)
        }
    }

    private func recordChange(_ extent: ArrayExtent) {
        touched.insert(extent)
        unreadChanges += 1
        let limit = max(
            Self.changesBeforeSuspension,
            builder.documents.count(in: request.range) / Self.documentsPerChange)
        if unreadChanges > limit { suspend() }
        onChange()
    }

    /// Stops updating the list. `prepare` builds it anew.
    private func suspend() {
        letGo()
        touched = .all
    }

    /// Lets go of the list. Its memory, and that of the places of its items, which it has while someone observes them, is
    /// freed behind what is told next.
    private func letGo() {
        guard let list else { return }
        if connection != nil { builder.surveys.release(list.items.extents.connect { _ in }) }
        builder.surveys.release(list)
        connection = nil
        unsoundness = nil
        self.list = nil
    }
}
