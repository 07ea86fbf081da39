internal import JSONText
internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// The answer to a request for rows of a list. They are found, read and written at once if that takes little work, and
/// else in slices.
final class ItemsAnswer {
    private enum State {
        /// Nothing is found yet.
        case wanted
        /// The list is there, but its window is long.
        case found(PickerList)
        /// The rows are there, but have not been read for what is shown of them.
        case unread(ListBuilder.FirstItems)
        case writing(ListBuilder.FirstItems, ItemsWriting)
    }

    /// The least bytes of an item: a longer window than the answer has room for is not even read.
    private static let leastBytes = 12

    private let request: ListRequest
    private let claim: OrderClaim
    private let builder: ListBuilder
    private let marking: Marking
    private let limit: AnswerLimit
    private var state = State.wanted
    private var ticket: SurveyTicket?
    private var attributes: AttributeWait?

    init(
        to request: ListRequest, in claim: OrderClaim, with builder: ListBuilder,
        _ marking: Marking, limit: AnswerLimit
    ) {
        self.request = request
        self.claim = claim
        self.builder = builder
        self.marking = marking
        self.limit = limit
    }

    /// Whether the answer could be written at once.
    func isWritten() throws(ProtocolError) -> Bool {
        switch builder.found(for: request, in: claim) {
        case nil: return false
        case .list(let list): return try take(list)
        case .rows(let found): return try take(found)
        }
    }

    /// Continues in slices, and then answers, once what the list depends on and what is shown of its rows has been read
    /// if `attributes` are given. Until then the reply retains this.
    func begin(for reply: PendingReply, after attributes: AttributeWait? = nil) {
        self.attributes = attributes
        reply.onEnd = { [self] in
            ticket?.cancel()
            ticket = nil
            self.attributes?.cancel()
        }
        guard let attributes else { return proceed(reply) }
        attributes.whenDone { [weak self, weak reply] in
            if let self, let reply { proceed(reply) }
        }
    }

    func write(to writer: inout JSONWriter) throws(ProtocolError) {
        guard case .writing(let found, let writing) = state else { return }
        if let error = writing.error { throw error }
        let pending = attributes?.pending(builder.documents.attributes) ?? [:]
        let result = ItemsResult(
            rev: found.rev, total: found.total, start: found.start, items: [], pending: pending)
        result.write(to: &writer) { writing.write(to: &$0) }
    }

    private func take(_ list: PickerList) throws(ProtocolError) -> Bool {
        let count = request.window.range(in: list.items.count).count
        if count > limit.bytes / Self.leastBytes { throw limit.error }
        state = .found(list)
        if count > builder.surveys.limits.rowsAtOnce { return false }
        return try take(builder.items(of: list, for: request))
    }

    private func take(_ found: ListBuilder.FirstItems) throws(ProtocolError) -> Bool {
        if let attributes, !attributes.isDone(for: found.items) {
            state = .unread(found)
            return false
        }
        let writing = ItemsWriting(
            found.items, of: builder.documents, marking, request.fields, limit)
        state = .writing(found, writing)
        guard found.items.count <= builder.surveys.limits.rowsWrittenAtOnce else { return false }
        _ = writing.advance(budget: .max)
        if let error = writing.error { throw error }
        return true
    }

    private func proceed(_ reply: PendingReply) {
        switch state {
        case .wanted:
            ticket = builder.beginFinding(for: request, in: claim) {
                [weak self, weak reply] found in
                guard let self, let reply else { return }
                attempt(reply) { () throws(ProtocolError) in
                    switch found {
                    case .list(let list): try take(list)
                    case .rows(let rows): try take(rows)
                    }
                }
            }
        case .found(let list):
            let reading = WindowReading(
                request.window.placed(in: list, of: builder.documents), of: list,
                comparedWith: nil, mostDiffering: 0, whenRead: {})
            ticket = builder.surveys.begin(reading) { [weak self, weak reply] in
                guard let self, let reply else { return }
                guard reading.isWhole else {
                    state = .wanted
                    return proceed(reply)
                }
                attempt(reply) { () throws(ProtocolError) in
                    try take(
                        (
                            reading.rows, list.items.count, builder.documents.rev,
                            reading.window.start
                        ))
                }
            }
        case .unread(let found):
            attributes?.whenDone(for: found.items) { [weak self, weak reply] in
                guard let self, let reply else { return }
                // With their values they are other rows, and perhaps elsewhere.
                state = .wanted
                proceed(reply)
            }
        case .writing(_, let writing):
            ticket = builder.surveys.begin(writing) { [weak self, weak reply] in
                reply?.answer { (writer) throws(ProtocolError) in
                    try self?.write(to: &writer)
                }
            }
        }
    }

    private func attempt(
        _ reply: PendingReply, _ body: () throws(ProtocolError) -> Bool
    ) {
        do throws(ProtocolError) {
            if try body() {
                reply.answer { (writer) throws(ProtocolError) in try write(to: &writer) }
            } else {
                proceed(reply)
            }
        } catch {
            reply.fail(error)
        }
    }
}
