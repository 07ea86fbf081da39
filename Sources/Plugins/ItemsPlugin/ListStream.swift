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
    /// The state that the client has.
    struct Sent {
        var rev: Int
        var total: Int
        var isComplete: Bool
        var gen: Int
        /// The window, where it was.
        var window: ListWindow
        let items: ShownRows
        /// What is marked in the rows.
        var marking: Marking
        /// The keys of rows that the client may have in any state; they need not exist.
        var unknown: Set<String> = []
    }

    /// A reset in progress, sent line by line.
    private struct Reset {
        let reason: String
        var chunk = 0
        var next = 0
    }

    /// The state of the transfer to the client.
    private enum State {
        /// The client's rows are invalid; a reset comes next.
        case mustReset(reason: String)
        /// The client was sent an empty list; a reset follows when the rows are ready.
        case waiting
        case resetting(Reset, Sent)
        case following(Sent)
        /// `sendDelta` owns the `Sent` value while it makes a delta.
        case editing
    }

    /// The target size of a line of a reset, in bytes.
    private static let chunkBytes = 128 << 10

    let id: RequestID
    var place: (any StreamPlace)?
    private let documents: DocumentStore
    private let shown: ShownList
    private unowned let session: any ClientSession
    /// After a new request, at most this many rows are compared; longer lists are sent as a reset.
    private let comparedRows: Int
    /// Whether `shown` has adopted a new request since the last reset or delta.
    private var isAdopted = false
    private var state = State.mustReset(reason: "open")
    /// The window that follows an item, where that was found last.
    private var anchored: ListWindow?
    private var completeness: Connection?
    private var followers: [any ItemsFollower] = []

    /// - Throws: limitExceeded.
    init(
        id: RequestID, session: any ClientSession, builder: ListBuilder, request: ListRequest
    ) throws(ProtocolError) {
        self.id = id
        self.session = session
        documents = builder.documents
        comparedRows = builder.surveys.limits.comparedRows
        shown = try ShownList(request, with: builder, for: session)
    }

    /// Continues from the rows that the client has, if possible. Call this before `start`.
    func resume(from resume: ListResume) -> Bool {
        let isMarked = shown.request.highlights
        guard let rows = resume.rows(in: documents, isMarked: isMarked) else { return false }
        shown.touchAll()
        // No list has this total, so a delta is sent even if nothing has changed.
        state = .following(
            Sent(
                rev: resume.rev, total: -1, isComplete: false, gen: shown.request.gen,
                window: shown.request.window, items: ShownRows(rows.items, of: documents.table),
                marking: Marking(shown.request, for: session), unknown: rows.unknown))
        return true
    }

    func start() {
        shown.onChange = { [unowned self] in requestRoom() }
        shown.onAdoption = { [unowned self] in
            isAdopted = true
            switch state {
            case .resetting: state = .mustReset(reason: "update")
            case .waiting: state = .mustReset(reason: "open")
            case .mustReset, .following, .editing: break
            }
        }
        shown.onPreview = { [unowned self] in
            switch state {
            // A client that resumes relies on a delta.
            case .following(let sent) where sent.total < 0: return
            case .following, .resetting, .editing: state = .mustReset(reason: "update")
            case .waiting: state = .mustReset(reason: "open")
            case .mustReset: break
            }
            requestRoom()
        }
        completeness = documents.isComplete.changes.connect { [weak self] _ in self?.requestRoom() }
        shown.prepare()
        requestRoom()
    }

    /// Changes the request. After an error nothing is changed.
    func update(with params: ParameterReader) throws(ProtocolError) {
        var changed = shown.wanted
        try changed.change(by: params)
        try shown.show(changed)
        requestRoom()
    }

    func close() {
        shown.close()
        completeness = nil
        let told = followers
        followers = []
        for follower in told { follower.itemsEnded() }
    }

    func produce(into sink: any LineSink) -> Bool {
        shown.prepare()
        while sink.hasRoom {
            switch state {
            case .mustReset(let reason):
                if let rows = shown.rows {
                    _ = shown.takeTouched()
                    isAdopted = false
                    state = .resetting(Reset(reason: reason), current(rows))
                } else if let preview = shown.takePreview() {
                    state = .resetting(Reset(reason: reason), current(preview))
                } else if reason == "open" {
                    sendChunk(of: Reset(reason: reason), nothingYet, into: sink)
                    state = .waiting
                } else {
                    return false
                }
            case .waiting:
                return false
            case .resetting(let reset, let sent):
                sendChunk(of: reset, sent, into: sink)
            case .following, .editing:
                guard let rows = shown.rows else {
                    if shown.isLate { sendLateness(into: sink) }
                    return false
                }
                if sendDelta(rows, into: sink) { return false }
            }
        }
        return true
    }

    /// Whether the list answers the latest request, and the first scan has found all documents.
    private var isComplete: Bool { documents.isComplete.value && shown.isSettled }

    /// The window of the request as it is now. If the item that it follows is not in the list, it stays where it
    /// was.
    private func window(in rows: PickerList) -> ListWindow {
        let wanted = shown.request.window
        guard let anchor = wanted.anchor else { return wanted }
        let isSame = anchored?.anchor == anchor && anchored?.count == wanted.count
        return wanted.placed(
            in: rows, of: documents, otherwise: isSame ? anchored?.start ?? 0 : 0)
    }

    /// The same, remembered as the place where the client has it.
    private func placeWindow(in rows: PickerList) -> ListWindow {
        let window = window(in: rows)
        anchored = window.anchor == nil ? nil : window
        return window
    }

    private func current(_ rows: PickerList) -> Sent {
        let total = rows.items.count
        let request = shown.request
        let window = placeWindow(in: rows)
        return Sent(
            rev: documents.rev, total: total, isComplete: isComplete, gen: request.gen,
            window: window,
            items: ShownRows(rows.items[window.range(in: total)], of: rows.table),
            marking: Marking(request, for: session))
    }

    private func current(_ preview: ShownList.Preview) -> Sent {
        Sent(
            rev: preview.rev, total: preview.total,
            isComplete: preview.isWhole && documents.isComplete.value, gen: preview.request.gen,
            window: preview.request.window, items: preview.items,
            marking: Marking(preview.request, for: session))
    }

    /// The empty list that is sent while a new list waits for its survey.
    private var nothingYet: Sent {
        let request = shown.wanted
        return Sent(
            rev: documents.rev, total: 0, isComplete: false, gen: request.gen,
            window: request.window, items: ShownRows([ShownRow](), of: documents.table),
            marking: Marking(request, for: session))
    }

    // MARK: Resets

    private func sendChunk(of reset: Reset, _ sent: Sent, into sink: any LineSink) {
        var rows = JSONWriter(capacity: Self.chunkBytes / 4)
        var next = reset.next
        let items = sent.items.rows
        let fields = shown.request.fields
        while next < items.count, rows.count < Self.chunkBytes {
            sent.marking.record(of: items[next], in: documents.table, fields: fields)
                .write(to: &rows, fields: fields)
            next += 1
        }
        let isLast = next == items.count
        let message = ItemsReset(
            sub: id, gen: sent.gen, rev: sent.rev, token: documents.token(at: sent.rev),
            total: sent.total, start: sent.window.start, chunk: reset.chunk, last: isLast,
            complete: sent.isComplete && isLast, reason: reset.reason, items: [])
        sink.send { writer in
            writer.notification(ItemsReset.method) { writer in
                message.write(to: &writer) { $0.splice(rows) }
            }
        }
        if isLast {
            state = .following(sent)
            for follower in followers { tell(follower, sent) }
        } else {
            let rest = Reset(reason: reset.reason, chunk: reset.chunk + 1, next: next)
            state = .resetting(rest, sent)
        }
    }

    // MARK: Deltas

    /// Moves the sent rows out of `state`, so that they are uniquely referenced and edited in place. A
    /// second reference would make each delta copy all rows.
    private func takeSent() -> Sent? {
        guard case .following(let sent) = state else { return nil }
        state = .editing
        return sent
    }

    /// The number of equal rows at the start and at the end.
    private static func commonEnds(
        _ old: ArraySlice<ShownRow>, _ new: [ShownRow]
    ) -> (prefix: Int, suffix: Int) {
        let most = min(old.count, new.count)
        var prefix = 0
        while prefix < most, old[old.startIndex + prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < most - prefix,
            old[old.endIndex - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        return (prefix, suffix)
    }

    /// Sends the changes since the last reset or delta, if there are any.
    ///
    /// - Returns: true if the client is up to date; false if a reset must follow.
    private func sendDelta(
        _ rows: PickerList, into sink: any LineSink
    ) -> Bool {
        guard var now = takeSent() else { return true }
        let request = shown.request
        let touched = shown.takeTouched()
        let total = rows.items.count
        let window = placeWindow(in: rows)
        let range = window.range(in: total)
        // The untouched rows at the start and the end of the window.
        let count = now.items.rows.count
        let formerStart = min(now.window.start, max(0, now.total))
        let former = formerStart..<(formerStart + count)
        var before = touched.cleanPrefix(of: range, was: former)
        var after = touched.cleanSuffix(
            of: range, in: total, was: former, in: now.total, prefix: before)
        var newRows = rows.items[(range.lowerBound + before)..<(range.upperBound - after)]
            .map { ShownRow.item($0) }
        // Equal rows have not changed. Only those between the first and the last that differ are compared.
        let same = Self.commonEnds(now.items.rows[before..<(count - after)], newRows)
        before += same.prefix
        after += same.suffix
        newRows = Array(newRows.dropFirst(same.prefix).dropLast(same.suffix))
        let oldRows = before..<(count - after)
        // A new query may replace most of a long window. Comparing the rows would then take longer than
        // sending them. A client that resumes relies on a delta.
        let isResumed = now.total < 0
        // Other parts of all names are marked now.
        let marking = Marking(request, for: session)
        let isMarkedAnew = now.marking != marking
        // A window that follows an item may have gone with it to another part of the list.
        let hasMoved = window.anchor != nil && window.start != now.window.start
        if isAdopted || hasMoved, !isResumed,
            isMarkedAnew || max(oldRows.count, newRows.count) > comparedRows
        {
            state = .mustReset(reason: "update")
            return false
        }
        isAdopted = false
        now.marking = marking
        let edits = edits(
            from: Array(now.items.rows[oldRows]), to: newRows, at: before, now.marking,
            unknown: now.unknown)
        now.items.replaceSubrange(oldRows, with: newRows)
        now.unknown = []

        let isComplete = isComplete
        let isNews =
            !edits.isEmpty || now.total != total || now.isComplete != isComplete
            || now.gen != request.gen || now.window.start != window.start
        now.window = window
        // Nothing is sent for a change outside the window, in fields that the client did not ask for, or of
        // the window beyond the last row.
        guard isNews else {
            state = .following(now)
            return true
        }
        let from = now.rev
        now.rev = documents.rev
        now.total = total
        now.isComplete = isComplete
        now.gen = request.gen
        let delta = ItemsDelta(
            sub: id, gen: now.gen, from: from, to: now.rev, token: documents.token(at: now.rev),
            total: total, start: window.start, complete: isComplete,
            deleted: edits.deleted, moved: edits.moved, inserted: edits.inserted,
            updated: edits.updated, fields: request.fields)
        guard sink.sendIfItFits({ $0.notification(delta) }) else {
            state = .mustReset(reason: "large")
            return false
        }
        state = .following(now)
        for follower in followers { follower.itemsChanged(by: delta) }
        return true
    }

    /// Tells the client that its rows are those of an earlier revision, and are found again.
    private func sendLateness(into sink: any LineSink) {
        guard case .following(var sent) = state, sent.isComplete else { return }
        sent.isComplete = false
        let delta = ItemsDelta(
            sub: id, gen: sent.gen, from: sent.rev, to: sent.rev,
            token: documents.token(at: sent.rev), total: sent.total, start: sent.window.start,
            complete: false, deleted: [], moved: [], inserted: [], updated: [],
            fields: shown.request.fields)
        // Without room it is told later, or the rows are there by then.
        guard sink.sendIfItFits({ $0.notification(delta) }) else { return }
        state = .following(sent)
        for follower in followers { follower.itemsChanged(by: delta) }
    }

    /// The edits from `old` to `new`, which both begin at row `offset` of the window. Rows in `unknown` are
    /// sent with all their fields.
    private func edits(
        from old: [ShownRow], to new: [ShownRow], at offset: Int, _ marking: Marking,
        unknown: Set<String>
    ) -> WindowEdits {
        let table = documents.table
        let fields = shown.request.fields
        func record(of row: ShownRow) -> ItemRecord {
            marking.record(of: row, in: table, fields: fields)
        }
        if let edits = WindowEdits(ofOneRow: old, new, at: offset, in: table, record) {
            return edits
        }
        let batch = ArrayBatch(from: old, to: new, identifiedBy: { table.key(of: $0) })
        var edits = WindowEdits()
        edits.deleted = batch.deleted.map { $0 + offset }
        edits.moved = batch.moved.map { .init(from: $0.from + offset, to: $0.to + offset) }
        edits.inserted = batch.inserted.map {
            .init(index: $0 + offset, item: record(of: new[$0]))
        }
        edits.updated = batch.updated.compactMap { row in
            let new = record(of: new[row.to])
            let changes =
                unknown.contains(new.key)
                ? members(of: new)
                : new.changes(since: record(of: old[row.from]), fields: fields)
            return changes.map { .init(index: row.to + offset, changes: $0) }
        }
        return edits
    }

    /// All members of a row that the client may have in any state.
    private func members(of record: ItemRecord) -> JSONObject? {
        let fields = shown.request.fields
        var members = record.members(in: fields)
        // It may have been marked before.
        if shown.request.highlights, fields.contains(.matches), record.matches == nil {
            members = members ?? JSONObject()
            members?["m"] = .null
        }
        return members
    }
}

extension ListStream: FollowableItems {
    var rowCount: Int {
        if let rows = shown.rows {
            return window(in: rows).range(in: rows.items.count).count
        }
        if case .following(let sent) = state { return sent.items.rows.count }
        return 0
    }

    func add(_ follower: any ItemsFollower) {
        followers.append(follower)
        if case .following(let sent) = state { tell(follower, sent) }
    }

    func remove(_ follower: any ItemsFollower) {
        followers.removeAll { $0 === follower }
    }

    private func tell(_ follower: any ItemsFollower, _ sent: Sent) {
        let keys = sent.items.rows.map { documents.table.key(of: $0) }
        follower.itemsWereReset(to: keys, rev: sent.rev)
    }
}
