internal import JSONText
internal import ListRequests
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// The answer to a request for a page of a list. It is written at once if that takes little work, and else in slices.
final class PageAnswer {
    private let request: PageRequest
    private let claim: OrderClaim
    private let builder: ListBuilder
    private let marking: Marking
    private let limit: AnswerLimit
    /// What is known of the page besides its rows.
    private var page: ItemsPage?
    private var writing: ItemsWriting?
    /// Its rows while they have not been read for what is shown of them.
    private var unread: ShownRows?
    private var ticket: SurveyTicket?
    private var attributes: AttributeWait?

    init(
        to request: PageRequest, in claim: OrderClaim, with builder: ListBuilder,
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
        guard let list = builder.listAtOnce(for: request.list, in: claim) else { return false }
        return try take(list)
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

    private func proceed(_ reply: PendingReply) {
        if let unread {
            self.unread = nil
            // With their values they are other rows, and perhaps elsewhere.
            attributes?.whenDone(for: unread) { [weak self, weak reply] in
                if let self, let reply { proceed(reply) }
            }
            return
        }
        if writing != nil { return write(for: reply) }
        ticket = builder.beginList(for: request.list, in: claim) { [weak self, weak reply] list in
            guard let self, let reply else { return }
            do throws(ProtocolError) {
                guard try take(list) else { return proceed(reply) }
                reply.answer { (writer) throws(ProtocolError) in try write(to: &writer) }
            } catch {
                reply.fail(error)
            }
        }
    }

    func write(to writer: inout JSONWriter) throws(ProtocolError) {
        guard var page, let writing else { return }
        if let error = writing.error { throw error }
        page.pending = attributes?.pending(builder.documents.attributes) ?? [:]
        page.write(to: &writer) { writing.write(to: &$0) }
    }

    /// Takes the rows of the page from a list.
    /// - Returns: whether they are written, as there are few.
    private func take(_ list: PickerList) throws(ProtocolError) -> Bool {
        let documents = builder.documents
        let found = ListPage(request, of: list)
        let rows = ShownRows(found.items, of: documents.table)
        if let attributes, !attributes.isDone(for: rows) {
            unread = rows
            return false
        }
        page = ItemsPage(
            count: found.total, results: [], nextPageIndex: found.nextIndex,
            previousPageIndex: found.previousIndex, rev: documents.rev,
            token: found.token(for: request, epoch: documents.epoch)
                .text(by: request.list.sortOrder.attributes))
        let writing = ItemsWriting(
            rows, of: documents, marking, request.list.fields, limit)
        self.writing = writing
        guard found.items.count <= builder.surveys.limits.rowsWrittenAtOnce else { return false }
        _ = writing.advance(budget: .max)
        if let error = writing.error { throw error }
        return true
    }

    private func write(for reply: PendingReply) {
        guard let writing else { return }
        ticket = builder.surveys.begin(writing) { [weak self, weak reply] in
            reply?.answer { (writer) throws(ProtocolError) in try self?.write(to: &writer) }
        }
    }
}
