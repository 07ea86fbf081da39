internal import JSONText
internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// One open list: what a client asked for, and what it has.
///
/// The client's rows are computed when there is room for them and not before: the stream holds the
/// rows as they were last sent, learns from the list which rows have been touched since, and
/// once it is asked sends the difference between then and now as one delta, however many changes
/// made it. It looks at the touched rows only.
///
/// What has been sent is always a state that the list had, in one piece: a reset that needs
/// several lines is sent from a copy of its rows, and what changes meanwhile follows as a delta.
/// While what was asked for is still being worked out, what is shown is not `complete`.
final class ListStream: SessionStream {
    let plugin = ItemsPlugin.identifier
    /// The rows that the client has, and what it was told about them.
    struct Sent {
        var rev: Int
        var total: Int
        var isComplete: Bool
        var gen: Int
        var window: ListWindow
        var items: [PickerItem]
        /// The keys of those of which the client may have any state, or none that there ever was.
        var unknown: Set<String> = []
    }

    /// A reset on its way, line by line.
    private struct Reset {
        let reason: String
        var chunk = 0
        var next = 0
    }

    /// How the client's rows come to be what they should be.
    private enum State {
        /// It has nothing that counts: a reset comes first.
        case mustReset(reason: String)
        /// It was told that there is nothing yet: a reset comes when there is.
        case waiting
        case resetting(Reset, Sent)
        case following(Sent)
        /// A delta is being made: what the client has is in the hands of `sendDelta`, and nowhere else.
        case editing
    }

    /// The size that the lines of a reset aim at, in bytes.
    private static let chunkBytes = 128 << 10

    let id: RequestID
    var place: (any StreamPlace)?
    private let documents: DocumentStore
    private let shown: ShownList
    /// How many rows are compared with as many others, once something else is shown.
    private let comparedRows: Int
    /// Whether something else is shown than what the client has been sent.
    private var isAdopted = false
    private var state = State.mustReset(reason: "open")
    private var completeness: Connection?
    private var followers: [any ItemsFollower] = []

    /// - Throws: limitExceeded.
    init(
        id: RequestID, session: any ClientSession, desk: ItemsDesk, request: ListRequest
    ) throws(ProtocolError) {
        self.id = id
        documents = desk.documents
        comparedRows = desk.surveys.limits.comparedRows
        shown = try ShownList(request, at: desk, for: session)
    }

    /// Takes the client's word for what it has, if it can go on from there; to be called before `start`.
    func resume(from resume: ListResume) -> Bool {
        guard let rows = resume.rows(in: documents) else { return false }
        shown.touchAll()
        // No list has this total: there is something to say, and be it that nothing has changed.
        state = .following(
            Sent(
                rev: resume.rev, total: -1, isComplete: false, gen: shown.request.gen,
                window: shown.request.window, items: rows.items, unknown: rows.unknown))
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
        completeness = documents.isComplete.changes.connect { [weak self] _ in self?.requestRoom() }
        shown.prepare()
        requestRoom()
    }

    /// Changes what the client asks for. If anything is wrong, nothing is changed.
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
                guard let rows = shown.rows else { return false }
                if sendDelta(rows, into: sink) { return false }
            }
        }
        return true
    }

    /// Whether the list is all that was asked for, of all documents that there are.
    private var isComplete: Bool { documents.isComplete.value && shown.isSettled }

    private func current(_ rows: ObservableArray<PickerItem>) -> Sent {
        let total = rows.count
        let request = shown.request
        return Sent(
            rev: documents.rev, total: total, isComplete: isComplete, gen: request.gen,
            window: request.window, items: rows[request.window.range(in: total)])
    }

    /// What is told while the documents are looked at for a list that is opened.
    private var nothingYet: Sent {
        let request = shown.wanted
        return Sent(
            rev: documents.rev, total: 0, isComplete: false, gen: request.gen,
            window: request.window, items: [])
    }

    // MARK: Resets

    private func sendChunk(of reset: Reset, _ sent: Sent, into sink: any LineSink) {
        var rows = JSONWriter(capacity: Self.chunkBytes / 4)
        var next = reset.next
        while next < sent.items.count, rows.count < Self.chunkBytes {
            ItemRecord(sent.items[next]).write(to: &rows, fields: shown.request.fields)
            next += 1
        }
        let isLast = next == sent.items.count
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
            for follower in followers { Self.tell(follower, sent) }
        } else {
            let rest = Reset(reason: reset.reason, chunk: reset.chunk + 1, next: next)
            state = .resetting(rest, sent)
        }
    }

    // MARK: Deltas

    /// Takes what the client has out of the state. Rows that are held in one place alone are edited in
    /// place; with a second holder, each delta would cost a copy of them all.
    private func takeSent() -> Sent? {
        guard case .following(let sent) = state else { return nil }
        state = .editing
        return sent
    }

    /// Sends what has changed since the client was sent something, if anything has.
    ///
    /// - Returns: whether the client has it all now; if not, a reset is to come.
    private func sendDelta(
        _ rows: ObservableArray<PickerItem>, into sink: any LineSink
    ) -> Bool {
        guard var now = takeSent() else { return true }
        let request = shown.request
        let touched = shown.takeTouched()
        let total = rows.count
        let range = request.window.range(in: total)
        // Rows of the window before and after the touched ones, the same in both states.
        let before = touched.cleanPrefix(of: range, was: now.items.count)
        let after = touched.cleanSuffix(
            of: range, was: now.items.count, total: total, before: now.total, prefix: before,
            sameWindow: now.window == request.window)
        let oldRows = before..<(now.items.count - after)
        let newRange = (range.lowerBound + before)..<(range.upperBound - after)
        // Another query may exchange most of a long window: to find out how takes longer than to send it.
        // A client that goes on from what it had counts on being told what differs.
        let isResumed = now.total < 0
        if isAdopted, !isResumed, max(oldRows.count, newRange.count) > comparedRows {
            state = .mustReset(reason: "update")
            return false
        }
        isAdopted = false
        let newRows = rows[newRange]
        let edits = edits(
            from: Array(now.items[oldRows]), to: newRows, at: before, unknown: now.unknown)
        now.items.replaceSubrange(oldRows, with: newRows)
        now.unknown = []

        let isComplete = isComplete
        let window = request.window
        let isNews =
            !edits.isEmpty || now.total != total || now.isComplete != isComplete
            || now.gen != request.gen || now.window.start != window.start
        now.window = window
        // A change outside the window, or in fields that weren't asked for, is no news; nor is room for
        // rows that there are not.
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

    /// What has changed in the window, in the client's terms: indices count from its first row.
    private struct Edits {
        var deleted: [Int] = []
        var moved: [ItemsDelta.Move] = []
        var inserted: [ItemsDelta.Insertion] = []
        var updated: [ItemsDelta.Update] = []

        var isEmpty: Bool {
            deleted.isEmpty && moved.isEmpty && inserted.isEmpty && updated.isEmpty
        }
    }

    /// The edits from the rows `old` to `new`, which both begin at row `offset` of the window. Of those in
    /// `unknown`, the client is sent all.
    private func edits(
        from old: [PickerItem], to new: [PickerItem], at offset: Int, unknown: Set<String>
    ) -> Edits {
        let batch = ArrayBatch(from: old, to: new, identifiedBy: \.key)
        var edits = Edits()
        edits.deleted = batch.deleted.map { $0 + offset }
        edits.moved = batch.moved.map { .init(from: $0.from + offset, to: $0.to + offset) }
        edits.inserted = batch.inserted.map {
            .init(index: $0 + offset, item: ItemRecord(new[$0]))
        }
        edits.updated = batch.updated.compactMap { row in
            let record = ItemRecord(new[row.to])
            let changes =
                unknown.contains(record.key)
                ? record.members(in: shown.request.fields)
                : record.changes(since: ItemRecord(old[row.from]), fields: shown.request.fields)
            return changes.map { .init(index: row.to + offset, changes: $0) }
        }
        return edits
    }
}

extension ListStream: FollowableItems {
    var rowCount: Int {
        if let rows = shown.rows { return shown.request.window.range(in: rows.count).count }
        if case .following(let sent) = state { return sent.items.count }
        return 0
    }

    func add(_ follower: any ItemsFollower) {
        followers.append(follower)
        if case .following(let sent) = state { Self.tell(follower, sent) }
    }

    func remove(_ follower: any ItemsFollower) {
        followers.removeAll { $0 === follower }
    }

    private static func tell(_ follower: any ItemsFollower, _ sent: Sent) {
        follower.itemsWereReset(to: sent.items.map(\.key), rev: sent.rev)
    }
}
