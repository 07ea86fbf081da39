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

    /// The reading of a long window.
    private struct Reading {
        let work: WindowReading
        let ticket: SurveyTicket
        /// What the client has, if a delta may follow.
        let former: Sent?
        /// The reason of the reset otherwise.
        let reason: String
        /// What it has been read to, once it is.
        var now: Sent?
    }

    /// The state of the transfer to the client.
    private enum State {
        /// The client's rows are invalid; a reset comes next.
        case mustReset(reason: String)
        /// The client was sent an empty list; a reset follows when the rows are ready.
        case waiting
        case resetting(Reset, Sent)
        case following(Sent)
        /// The rows of a long window are read in slices: for a reset, or for a delta from what the client has.
        case reading(Reading)
        /// They have been read, and differ in a few rows from what the client has.
        case compared(Sent, Sent, RowDifference)
        /// `sendDelta` owns the `Sent` value while it makes a delta.
        case editing
    }

    /// The target size of a line of a reset, in bytes.
    private static let chunkBytes = 8 << 10

    let id: RequestID
    var place: (any StreamPlace)?
    private let documents: DocumentStore
    let shown: ShownList
    private unowned let session: any ClientSession
    /// After a new request, at most this many rows are compared; longer lists are sent as a reset.
    private let comparedRows: Int
    /// Of a window, at most this many rows are read at once.
    private let rowsAtOnce: Int
    private let surveys: SurveyQueue
    /// Whether `shown` has adopted a new request since the last reset or delta.
    private var isAdopted = false
    private var state = State.mustReset(reason: "open")
    /// The window that follows an item, where the client has it.
    private var anchored: ListWindow?
    private var completeness: Connection?
    /// That of other collections, if the list has been drawn from any.
    private var collectionCompleteness: Connection?
    private var followers: [any ItemsFollower] = []
    /// What the latest request wants to know of documents.
    private var attributes: AttributeUse?
    /// How many documents were to be read when the client was told last.
    private var pendingTold: [Attribute: Int] = [:]

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

    /// Tells how many documents are still to be read, if the client was told another number.
    private func sendPending(into sink: any LineSink) {
        // A request that needs nothing any more waits for nothing.
        let wanted = attributes.map { $0.wish.needed.isEmpty ? [:] : $0.pending } ?? [:]
        guard let wanted else { return }
        var pending = wanted
        for (attribute, count) in pendingTold where count > 0 && pending[attribute] == nil {
            pending[attribute] = 0
        }
        guard pending != pendingTold else { return }
        if pendingTold.values.allSatisfy({ $0 == 0 }), pending.values.allSatisfy({ $0 == 0 }) {
            return
        }
        pendingTold = wanted
        let known = documents.attributes
        sink.send { writer in
            writer.notification("items.pending") { writer in
                writer.object { writer in
                    writer.member("sub", id)
                    writer.member(object: "attributes") { writer in
                        for (attribute, count) in pending.sorted(by: {
                            $0.key.number < $1.key.number
                        }) {
                            writer.key(escaping: known.name(of: attribute))
                            writer.integer(count)
                        }
                    }
                }
            }
        }
    }

    /// Continues from the rows that the client has, if possible. Call this before `start`.
    func resume(from resume: ListResume) -> Bool {
        // What was known of documents may be forgotten, without a change.
        if attributes != nil { return false }
        let isMarked = shown.request.highlights
        guard let rows = resume.rows(in: documents, isMarked: isMarked) else { return false }
        shown.touchAll()
        // No list has this total, so a delta is sent even if nothing has changed.
        state = .following(
            Sent(
                rev: resume.rev, total: -1, isComplete: false, gen: shown.request.gen,
                window: shown.request.window, items: rows.items,
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
            case .reading(let reading):
                giveUp(reading)
                isAdopted = true
            case .compared(let sent, _, _): state = .following(sent)
            case .mustReset, .following, .editing: break
            }
        }
        shown.onPreview = { [unowned self] in
            switch state {
            // A client that resumes relies on a delta.
            case .following(let sent) where sent.total < 0: return
            // What differs is sent.
            case .following where shown.isPreviewRebuilt: break
            case .compared(let sent, _, _) where shown.isPreviewRebuilt: state = .following(sent)
            case .resetting where shown.isPreviewRebuilt: break
            case .following, .resetting, .compared, .editing: state = .mustReset(reason: "update")
            case .reading(let reading):
                giveUp(reading)
                if case .following = state { state = .mustReset(reason: "update") }
            case .waiting: state = .mustReset(reason: "open")
            case .mustReset: break
            }
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
        let told = followers
        followers = []
        for follower in told { follower.itemsEnded() }
    }

    func produce(into sink: any LineSink) -> Bool {
        shown.prepare()
        while sink.hasRoom {
            sendPending(into: sink)
            switch state {
            case .mustReset(let reason):
                if let rows = shown.rows {
                    if isLong(rows) {
                        read(rows, from: nil, reason)
                        return false
                    }
                    isAdopted = false
                    _ = shown.takeTouched()
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
    private var isComplete: Bool {
        documents.isWhole(shown.request.collections) && shown.isSettled && hasAttributes
    }

    private var hasAttributes: Bool { attributes.map { $0.isSettled || $0.isOverdue } ?? true }

    /// The window of the request as it is now. If the item that it follows is not in the list, it stays where it
    /// was.
    private func window(in rows: PickerList) -> ListWindow {
        let wanted = shown.request.window
        guard let anchor = wanted.anchor else { return wanted }
        let isSame = anchored?.anchor == anchor && anchored?.count == wanted.count
        return wanted.placed(
            in: rows, of: documents, otherwise: isSame ? anchored?.start ?? 0 : 0)
    }

    /// Whether a window was placed by an item that has gone from the list since, so that it belongs elsewhere: where the
    /// client has it.
    private func hasLostItem(_ placed: ListWindow, in rows: PickerList) -> Bool {
        placed.missesAnchor(in: rows, of: documents)
            && window(in: rows).start != placed.start
    }

    /// Remembers where the client has the window.
    private func remember(_ window: ListWindow) {
        anchored = window.anchor == nil ? nil : window
    }

    private func current(_ rows: PickerList) -> Sent {
        let window = window(in: rows)
        let items = rows.items[window.range(in: rows.items.count)]
        return current(rows, window, ShownRows(items, of: rows.table))
    }

    private func current(_ rows: PickerList, _ window: ListWindow, _ items: ShownRows) -> Sent {
        let request = shown.request
        return Sent(
            rev: documents.rev, total: rows.items.count, isComplete: isComplete, gen: request.gen,
            window: window, items: items, marking: Marking(request, for: session))
    }

    private func current(_ preview: ShownList.Preview) -> Sent {
        Sent(
            rev: preview.rev, total: preview.total,
            isComplete: preview.isWhole && documents.isWhole(preview.request.collections)
                && hasAttributes,
            gen: preview.request.gen,
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

    // MARK: Long windows

    /// Whether the window has too many rows to be read at once.
    private func isLong(_ rows: PickerList) -> Bool {
        window(in: rows).range(in: rows.items.count).count > rowsAtOnce
    }

    /// Reads the window in slices, for a delta from what was sent, if that is given, or else a reset.
    private func read(_ rows: PickerList, from former: Sent?, _ reason: String) {
        isAdopted = false
        let work = WindowReading(
            window(in: rows), of: rows, comparedWith: former?.items,
            mostDiffering: comparedRows
        ) { [unowned self] in
            guard case .reading(var reading) = state, !hasLostItem(reading.work.window, in: rows)
            else { return }
            _ = shown.takeTouched()
            reading.now = current(rows, reading.work.window, reading.work.rows)
            state = .reading(reading)
        }
        let ticket = surveys.begin(work) { [weak self] in self?.endReading() }
        state = .reading(Reading(work: work, ticket: ticket, former: former, reason: reason))
    }

    private func endReading() {
        guard case .reading(let reading) = state else { return }
        if let now = reading.now {
            if let former = reading.former, let difference = reading.work.difference {
                state = .compared(former, now, difference)
            } else {
                state = .resetting(Reset(reason: reading.reason), now)
            }
        } else {
            giveUp(reading)
        }
        requestRoom()
    }

    /// Goes back to what the client has.
    private func giveUp(_ reading: Reading) {
        shown.touchAll()
        isAdopted = reading.reason == "update"
        state = reading.former.map { .following($0) } ?? .mustReset(reason: reading.reason)
    }

    /// Sends what differs between two readings of a long window.
    private func send(
        _ difference: RowDifference, from sent: Sent, to now: Sent, into sink: any LineSink
    ) {
        let old = sent.items.rows
        let new = now.items.rows
        let table = documents.table
        let operations = difference.operations(from: old, to: new) { table.key(of: $0) }
        let edits = WindowEdits(
            operations, from: old, to: new, at: 0, fields: shown.request.fields, unknown: [],
            { now.marking.record(of: $0, in: documents, fields: shown.request.fields) },
            members: members)
        _ = send(edits, from: sent, to: now, into: sink)
    }

    // MARK: Resets

    private func sendChunk(of reset: Reset, _ sent: Sent, into sink: any LineSink) {
        var sent = sent
        // More is to come if another request has been made meanwhile.
        if sent.gen != shown.wanted.gen { sent.isComplete = false }
        var rows = JSONWriter(capacity: Self.chunkBytes)
        var next = reset.next
        let items = sent.items.rows
        let fields = shown.request.fields
        while next < items.count, rows.count < Self.chunkBytes {
            sent.marking.record(of: items[next], in: documents, fields: fields)
                .write(to: &rows, fields: fields)
            next += 1
        }
        let isLast = next == items.count
        let message = ItemsReset(
            sub: id, gen: sent.gen, rev: sent.rev, token: documents.token(at: sent.rev),
            total: sent.total, start: sent.window.start, chunk: reset.chunk, last: isLast,
            complete: sent.isComplete && isLast, reason: reset.reason, items: [])
        remember(sent.window)
        sink.send { writer in
            writer.notification(ItemsReset.method) { writer in
                message.write(to: &writer) { $0.splice(rows) }
            }
        }
        if isLast {
            state = .following(sent)
            attributes?.viewHasChanged()
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
        let window = window(in: rows)
        let range = window.range(in: total)
        // The untouched rows at the start and the end of the window.
        let count = now.items.rows.count
        let formerStart = min(now.window.start, max(0, now.total))
        let formerRange = formerStart..<(formerStart + count)
        var before = touched.cleanPrefix(of: range, was: formerRange)
        var after = touched.cleanSuffix(
            of: range, in: total, was: formerRange, in: now.total, prefix: before)
        // A client that resumes relies on a delta.
        let isResumed = now.total < 0
        // Other parts of all names are marked now.
        let marking = Marking(request, for: session)
        let isMarkedAnew = now.marking != marking
        // A window that follows an item may have gone with it to another part of the list.
        let hasMoved = window.anchor != nil && window.start != now.window.start
        if max(range.count, count) - before - after > rowsAtOnce, !isResumed {
            read(
                rows, from: isMarkedAnew ? nil : now,
                isAdopted || hasMoved || isMarkedAnew ? "update" : "large")
            return true
        }
        var newRows = rows.items[(range.lowerBound + before)..<(range.upperBound - after)]
            .map { ShownRow.item($0) }
        // Equal rows have not changed. Only those between the first and the last that differ are compared.
        let same = Self.commonEnds(now.items.rows[before..<(count - after)], newRows)
        before += same.prefix
        after += same.suffix
        newRows = Array(newRows.dropFirst(same.prefix).dropLast(same.suffix))
        let oldRows = before..<(count - after)
        // A new query may replace most of a long window. Comparing the rows would then take longer than
        // sending them.
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

        let sent = now
        now.rev = documents.rev
        now.total = total
        now.isComplete = isComplete
        now.gen = request.gen
        now.window = window
        return send(edits, from: sent, to: now, into: sink)
    }

    /// Sends what a great change has made of the window, before the list is made again.
    /// - Returns: true if the client is up to date; false if a reset must follow.
    private func sendDelta(_ preview: ShownList.Preview, into sink: any LineSink) -> Bool {
        guard let former = takeSent() else { return true }
        let now = current(preview)
        let old = former.items.rows
        let new = now.items.rows
        // It knows of some rows only that they may differ, or others are marked in them now.
        guard former.unknown.isEmpty, former.marking == now.marking,
            max(old.count, new.count) <= comparedRows
        else {
            state = .mustReset(reason: "large")
            shown.restore(preview)
            return false
        }
        let same = Self.commonEnds(old[...], new)
        let edits = edits(
            from: Array(old.dropFirst(same.prefix).dropLast(same.suffix)),
            to: Array(new.dropFirst(same.prefix).dropLast(same.suffix)), at: same.prefix,
            now.marking, unknown: [])
        if send(edits, from: former, to: now, into: sink) { return true }
        shown.restore(preview)
        return false
    }

    /// Sends edits as a delta.
    /// - Returns: false if it would not fit, and a reset must follow.
    private func send(
        _ edits: WindowEdits, from former: Sent, to sent: Sent, into sink: any LineSink
    ) -> Bool {
        var now = sent
        let isNews =
            !edits.isEmpty || now.total != former.total || now.isComplete != former.isComplete
            || now.gen != former.gen || now.window.start != former.window.start
        // Nothing is sent for a change outside the window, in fields that the client did not ask for, or of
        // the window beyond the last row.
        guard isNews else {
            now.rev = former.rev
            remember(now.window)
            state = .following(now)
            return true
        }
        let delta = ItemsDelta(
            sub: id, gen: now.gen, from: former.rev, to: now.rev,
            token: documents.token(at: now.rev), total: now.total, start: now.window.start,
            complete: now.isComplete, deleted: edits.deleted, moved: edits.moved,
            inserted: edits.inserted, updated: edits.updated, fields: shown.request.fields)
        guard sink.sendIfItFits({ $0.notification(delta) }) else {
            state = .mustReset(reason: "large")
            return false
        }
        remember(now.window)
        state = .following(now)
        if !edits.inserted.isEmpty { attributes?.viewHasChanged() }
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
            marking.record(of: row, in: documents, fields: fields)
        }
        if let edits = WindowEdits(ofOneRow: old, new, at: offset, in: table, record) {
            return edits
        }
        let batch = ArrayBatch(from: old, to: new, identifiedBy: { table.key(of: $0) })
        return WindowEdits(
            RowOperations(batch), from: old, to: new, at: offset, fields: fields, unknown: unknown,
            record, members: members)
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

extension ListStream: DocumentViewer {
    var shownRows: [ShownRow] { sent?.items.rows ?? [] }
}

extension ListStream: FollowableItems {
    var rowCount: Int {
        if let rows = shown.rows {
            return window(in: rows).range(in: rows.items.count).count
        }
        return sent?.items.count ?? 0
    }

    /// What the client has; nil if it has no rows that are kept up to date.
    private var sent: Sent? {
        switch state {
        case .following(let sent), .compared(let sent, _, _): sent
        case .reading(let reading): reading.former
        case .mustReset, .waiting, .resetting, .editing: nil
        }
    }

    func add(_ follower: any ItemsFollower) {
        followers.append(follower)
        if let sent { tell(follower, sent) }
    }

    func remove(_ follower: any ItemsFollower) {
        followers.removeAll { $0 === follower }
    }

    private func tell(_ follower: any ItemsFollower, _ sent: Sent) {
        let keys = sent.items.rows.map { documents.table.key(of: $0) }
        follower.itemsWereReset(to: keys, rev: sent.rev)
    }
}
