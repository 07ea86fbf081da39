internal import JSONText
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
final class ListStream: SessionStream {
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
        case resetting(Reset, Sent)
        case following(Sent)
        /// A delta is being made: what the client has is in the hands of `sendDelta`, and nowhere else.
        case editing
    }

    /// The size that the lines of a reset aim at, in bytes.
    private static let chunkBytes = 128 << 10

    let id: RequestID
    private unowned let session: any ClientSession
    private let documents: DocumentStore
    private let orders: ListOrders
    private var list: PickerList
    private var request: ListRequest
    private var state = State.mustReset(reason: "open")
    private var touched = TouchedRows.none
    private var rows: Connection?
    private var completeness: Connection?
    private var followers: [any ItemsFollower] = []

    init(
        id: RequestID, session: any ClientSession, documents: DocumentStore,
        orders: ListOrders, request: ListRequest
    ) {
        self.id = id
        self.session = session
        self.documents = documents
        self.orders = orders
        self.request = request
        list = Self.list(in: orders, for: request)
    }

    /// Takes the client's word for what it has, if it can go on from there; to be called before `start`.
    func resume(from resume: ListResume) -> Bool {
        guard let rows = resume.rows(in: documents) else { return false }
        touched = .all
        // No list has this total: there is something to say, and be it that nothing has changed.
        state = .following(
            Sent(
                rev: resume.rev, total: -1, isComplete: false, gen: request.gen,
                window: request.window, items: rows.items, unknown: rows.unknown))
        return true
    }

    func start() {
        follow()
        completeness = documents.isComplete.changes.connect { [weak self] _ in
            guard let self else { return }
            session.requestRoom(for: id)
        }
        session.requestRoom(for: id)
    }

    /// Learns from now on which rows of `list` are touched. Extents, not changes: they sort nothing.
    private func follow() {
        rows = list.items.extents.connect { [weak self] extent in
            guard let self else { return }
            touched.note(extent)
            session.requestRoom(for: id)
        }
    }

    /// Changes what the client asks for. If anything is wrong, nothing is changed.
    func update(with params: ParameterReader) throws(ProtocolError) {
        var changed = request
        try changed.change(by: params)
        if changed.window != request.window { touched = .all }
        let isSorted = !ObservableScheduler.current.hasDeferredWork
        let selects = changed.search != request.search || changed.filter != request.filter
        let isElsewhere =
            DocumentRange(of: changed.filter) != DocumentRange(of: request.filter)
        if changed.sortOrder != request.sortOrder || isElsewhere || selects && !isSorted {
            // Another list: the new order may be at hand already, or else its first rows are found
            // without sorting the others, where a change from order to order would need them all, as
            // would another search or filter in an order that is not complete.
            list = Self.list(in: orders, for: changed)
            follow()
            touched = .all
        } else if selects {
            transaction {
                list.search.value = changed.search
                list.filter.value = changed.filter
            }
        }
        request = changed
        if case .resetting = state { state = .mustReset(reason: "update") }
        session.requestRoom(for: id)
    }

    private static func list(in orders: ListOrders, for request: ListRequest) -> PickerList {
        PickerList(
            in: orders.orders(for: request.filter), sortedBy: request.sortOrder,
            matching: request.search,
            keeping: request.filter)
    }

    func close() {
        rows = nil
        completeness = nil
        let told = followers
        followers = []
        for follower in told { follower.itemsEnded() }
    }

    func produce(into sink: any LineSink) -> Bool {
        while sink.hasRoom {
            switch state {
            case .mustReset(let reason):
                touched = .none
                state = .resetting(Reset(reason: reason), current())
            case .resetting(let reset, let sent):
                sendChunk(of: reset, sent, into: sink)
            case .following, .editing:
                if sendDelta(into: sink) { return false }
            }
        }
        return true
    }

    private func current() -> Sent {
        let total = list.items.count
        return Sent(
            rev: documents.rev, total: total, isComplete: documents.isComplete.value,
            gen: request.gen, window: request.window,
            items: list.items[request.window.range(in: total)])
    }

    // MARK: Resets

    private func sendChunk(of reset: Reset, _ sent: Sent, into sink: any LineSink) {
        var rows = JSONWriter(capacity: Self.chunkBytes / 4)
        var next = reset.next
        while next < sent.items.count, rows.count < Self.chunkBytes {
            ItemRecord(sent.items[next]).write(to: &rows, fields: request.fields)
            next += 1
        }
        let isLast = next == sent.items.count
        let message = ItemsReset(
            sub: id, gen: sent.gen, rev: sent.rev, token: documents.token(at: sent.rev),
            total: sent.total, start: sent.window.start, chunk: reset.chunk, last: isLast,
            complete: sent.isComplete, reason: reset.reason, items: [])
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
    private func sendDelta(into sink: any LineSink) -> Bool {
        guard var now = takeSent() else { return true }
        let total = list.items.count
        let range = request.window.range(in: total)
        // Rows of the window before and after the touched ones, the same in both states.
        let before = touched.cleanPrefix(of: range, was: now.items.count)
        let after = touched.cleanSuffix(
            of: range, was: now.items.count, total: total, before: now.total, prefix: before,
            sameWindow: now.window == request.window)
        touched = .none
        let oldRows = before..<(now.items.count - after)
        let newRows = list.items[(range.lowerBound + before)..<(range.upperBound - after)]
        let edits = edits(
            from: Array(now.items[oldRows]), to: newRows, at: before, unknown: now.unknown)
        now.items.replaceSubrange(oldRows, with: newRows)
        now.unknown = []

        let isComplete = documents.isComplete.value
        let window = request.window
        let isNews =
            !edits.isEmpty || now.total != total || now.isComplete != isComplete
            || now.gen != request.gen || now.window != window
        // A change outside the window, or in fields that weren't asked for, is no news.
        guard isNews else {
            state = .following(now)
            return true
        }
        let from = now.rev
        now.rev = documents.rev
        now.total = total
        now.isComplete = isComplete
        now.gen = request.gen
        now.window = window
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
                ? record.members(in: request.fields)
                : record.changes(since: ItemRecord(old[row.from]), fields: request.fields)
            return changes.map { .init(index: row.to + offset, changes: $0) }
        }
        return edits
    }
}

extension ListStream: FollowableItems {
    var rowCount: Int { request.window.range(in: list.items.count).count }

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
