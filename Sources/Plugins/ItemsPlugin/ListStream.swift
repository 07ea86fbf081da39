internal import JSONText
internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// One open list: the client's request, and the rows that the client has.
///
/// Rows are computed only when the connection has room for output (backpressure). The stream keeps the rows
/// as it last sent them and records which rows the list has touched since. When there is room, it sends the
/// difference as one delta, however many changes caused it, and compares only the touched rows.
///
/// The client always sees one consistent state of the list. A reset that needs several lines is sent from a
/// snapshot of the rows, and later changes follow as a delta. While a new request is being prepared, the
/// list sent is not `complete`; neither is one that is made again for long after a great change.
final class ListStream: SessionStream {
    let plugin = ItemsPlugin.identifier
    let id: RequestID
    var place: (any StreamPlace)?
    let documents: DocumentStore
    let shown: ShownList
    unowned let session: any ClientSession
    /// After a new request, at most this many rows are compared; longer lists are sent as a reset.
    let comparedRows: Int
    /// Of a window, at most this many rows are read at once.
    let rowsAtOnce: Int
    let surveys: SurveyQueue
    /// Whether `shown` has adopted a new request since the last reset or delta.
    var isAdopted = false
    var state = ListTransfer.mustReset(reason: "open")
    var windowPlace = WindowPlace()
    private var completeness: Connection?
    /// That of other collections, if the list has been drawn from any.
    private var collectionCompleteness: Connection?
    private(set) var followers = RowFollowers()
    /// What the latest request wants to know of documents.
    private(set) var attributes: AttributeUse?
    private var pending = PendingTelling()

    /// - Throws: limitExceeded, overloaded.
    init(
        id: RequestID, session: any ClientSession, builder: ListBuilder, request: ListRequest
    ) throws(ProtocolError) {
        self.id = id
        self.session = session
        documents = builder.documents
        surveys = builder.surveys
        comparedRows = surveys.limits.comparedRows
        rowsAtOnce = surveys.limits.rowsAtOnce
        attributes = try request.use(documents.attributes)
        shown = try ShownList(request, with: builder, for: session)
    }

    /// Shows what it wants to know of documents to those who find it out.
    private func follow(_ attributes: AttributeUse?) {
        self.attributes = attributes
        attributes?.viewer = self
        attributes?.whenPendingChanges = { [unowned self] in requestRoom() }
    }

    /// Continues from the rows that the client has, if possible. Call this before `start`.
    func resume(from resume: ListResume) -> Bool {
        // What was known of documents may be forgotten, without a change.
        if attributes != nil { return false }
        let isMarked = shown.request.highlights
        guard let rows = resume.rows(in: documents, isMarked: isMarked) else { return false }
        shown.touchAll()
        state = .following(
            SentRows(
                rev: resume.rev, total: SentRows.anyTotal, isComplete: false,
                gen: shown.request.gen,
                window: shown.request.window, items: rows.items,
                marking: Marking(shown.request, for: session), unknown: rows.unknown))
        return true
    }

    func start() {
        shown.onChange = { [unowned self] in requestRoom() }
        shown.onAdoption = { [unowned self] in
            isAdopted = true
            if case .reading = state { shown.touchAll() }
            state = state.afterAdoption
        }
        shown.onPreview = { [unowned self] in
            // A client that resumes relies on a delta.
            if case .following(let sent) = state, sent.isResumed { return }
            if case .reading(let reading) = state {
                shown.touchAll()
                isAdopted = reading.reason == "update"
            }
            state = state.afterPreview(isRebuilt: shown.isPreviewRebuilt)
            requestRoom()
        }
        documents.views.add(self)
        follow(attributes)
        completeness = documents.isComplete.changes.connect { [weak self] _ in self?.requestRoom() }
        followCollections()
        shown.prepare()
        requestRoom()
    }

    private func followCollections() {
        documents.want(shown.wanted.collections)
        guard case .named = shown.wanted.collections, collectionCompleteness == nil else { return }
        collectionCompleteness = documents.collections.completeness.changes.connect {
            [weak self] _ in self?.requestRoom()
        }
    }

    /// Changes the request. After an error nothing is changed.
    func update(with params: ParameterReader) throws(ProtocolError) {
        var changed = shown.wanted
        try changed.change(by: params, knowing: documents.attributes)
        let wish = changed.wish(documents.attributes)
        let isSame = attributes.map { $0.wish == wish } ?? wish.isEmpty
        let use = isSame ? attributes : try changed.use(documents.attributes)
        try shown.show(changed)
        if !isSame { follow(use) }
        followCollections()
        requestRoom()
    }

    func close() {
        shown.close()
        attributes = nil
        documents.views.remove(self)
        if case .reading = state { state = .waiting }
        completeness = nil
        collectionCompleteness = nil
        for follower in followers.takeAll() { follower.itemsEnded() }
    }

    func produce(into sink: any LineSink) -> Bool {
        shown.prepare()
        while sink.hasRoom {
            pending.send(attributes, ofList: id, knowing: documents.attributes, into: sink)
            switch state {
            case .mustReset(let reason):
                if let rows = shown.rows {
                    if isLong(rows) {
                        read(rows, from: nil, reason)
                        return false
                    }
                    isAdopted = false
                    _ = shown.takeTouched()
                    state = .resetting(.init(reason: reason), current(rows))
                } else if let preview = shown.takePreview() {
                    state = .resetting(.init(reason: reason), current(preview))
                } else if reason == "open" {
                    sendChunk(of: .init(reason: reason), nothingYet, into: sink)
                    state = .waiting
                } else {
                    return false
                }
            case .waiting:
                return false
            case .resetting(let reset, let sent):
                sendChunk(of: reset, sent, into: sink)
                // The next chunk may have to wait for a turn of its own.
                if case .resetting = state { return true }
            case .reading(let reading):
                if shown.rows === reading.work.list { return false }
                giveUp(reading)
            case .compared(let sent, let now, let difference):
                send(difference, from: sent, to: now, into: sink)
            case .following, .editing:
                guard let rows = shown.rows else {
                    if shown.isPreviewRebuilt, let preview = shown.takePreview() {
                        if sendDelta(preview, into: sink) { return false }
                        continue
                    }
                    if shown.isLate { sendLateness(into: sink) }
                    return false
                }
                if sendDelta(rows, into: sink) { return false }
            }
        }
        return true
    }

    /// Whether the list answers the latest request, the first scan has found all documents, and those have been read
    /// that it depends on, or that takes too long.
    var isComplete: Bool {
        documents.isReady(for: shown.request.collections) && shown.isSettled && hasAttributes
    }

    /// Whether the client has asked for other rows since these were read: more is to come.
    func isOvertaken(_ read: SentRows) -> Bool { read.gen != shown.wanted.gen }

    private var hasAttributes: Bool { attributes.map { $0.isSettled || $0.isOverdue } ?? true }

    /// The window of the request as it is now.
    func window(in rows: PickerList) -> ListWindow {
        windowPlace.window(shown.request.window, in: rows, of: documents)
    }

    func current(_ rows: PickerList) -> SentRows {
        let window = window(in: rows)
        let items = rows.items[window.range(in: rows.items.count)]
        return current(rows, window, ShownRows(items, of: rows.table))
    }

    func current(_ rows: PickerList, _ window: ListWindow, _ items: ShownRows) -> SentRows {
        let request = shown.request
        return SentRows(
            rev: documents.rev, total: rows.items.count, isComplete: isComplete, gen: request.gen,
            window: window, items: items, marking: Marking(request, for: session))
    }

    func current(_ preview: ShownList.Preview) -> SentRows {
        SentRows(
            rev: preview.rev, total: preview.total,
            isComplete: preview.isWhole && documents.isReady(for: preview.request.collections)
                && hasAttributes,
            gen: preview.request.gen,
            window: preview.request.window, items: preview.items,
            marking: Marking(preview.request, for: session))
    }

    /// The empty list that is sent while a new list waits for its survey.
    var nothingYet: SentRows {
        let request = shown.wanted
        return SentRows(
            rev: documents.rev, total: 0, isComplete: false, gen: request.gen,
            window: request.window, items: ShownRows([ShownRow](), of: documents.table),
            marking: Marking(request, for: session))
    }

}

extension ListStream: DocumentViewer {
    var shownRows: [ShownRow] { state.sent?.items.rows ?? [] }
    var shownCollections: CollectionSet { shown.wanted.collections }
}

extension ListStream: FollowableItems {
    var rowCount: Int {
        if let rows = shown.rows {
            return window(in: rows).range(in: rows.items.count).count
        }
        return state.sent?.items.count ?? 0
    }

    func add(_ follower: any ItemsFollower) { followers.add(follower, state.sent) }

    func remove(_ follower: any ItemsFollower) { followers.remove(follower) }
}
