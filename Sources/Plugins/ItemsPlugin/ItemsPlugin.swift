internal import JSONText
package import ListRequests
internal import Observables
internal import PickerModel
package import PluginInterface
internal import WireProtocol

/// Picker items: live lists of documents, and one-time requests for rows or pages.
///
/// An open list is a `ListStream`: its own filter over an order that it shares with all lists of the same
/// sort order, and a cursor with the rows its client has. A one-time request (`items.get`, `items.page`)
/// uses a small cache of lists, so that paging through a list does not search again for each page.
package final class ItemsPlugin: Plugin {
    static let identifier = "items"

    package let manifest = PluginManifest(
        identifier, "Lists of documents, sorted and searched, that follow every change.",
        methods: [.itemsOpen, .itemsUpdate, .itemsClose, .itemsGet, .itemsPage],
        reservedWords: ["items"])

    private let limits: SurveyLimits
    private(set) var builder: ListBuilder?

    package init(limits: SurveyLimits = SurveyLimits()) {
        self.limits = limits
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        let documents = context.documents
        let builder = ListBuilder(
            of: documents, surveys: SurveyQueue(on: context.loop, limits: limits),
            sorting: DeferredSorting(on: context.loop))
        self.builder = builder
        context.register(.itemsOpen) { (call, writer) throws(ProtocolError) in
            let id = try call.streamID()
            let params = try call.reader()
            let request = try ListRequest(
                reading: params, knowing: documents.attributes, isOpening: true)
            let resume = try ListResume(reading: params)
            let stream = try ListStream(
                id: id, session: call.session, builder: builder, request: request)
            try call.session.open(stream, as: id)
            let isResumed = resume.map { stream.resume(from: $0) } ?? false
            stream.start()
            writer.object { writer in
                writer.member("sub", id)
                writer.member("token", documents.token)
                writer.member("resumed", isResumed)
            }
            return .answered
        }
        context.register(command: .itemsUpdate) { (call) throws(ProtocolError) in
            let params = try call.reader()
            try call.stream(ListStream.self, named: params).update(with: params)
        }
        context.register(closing: .itemsClose, ListStream.self)
        context.register(.itemsGet) { (call, writer) throws(ProtocolError) in
            let request = try ListRequest(
                reading: call.reader(), knowing: documents.attributes)
            let subset = try builder.check(request)
            defer { withExtendedLifetime(subset) {} }
            let attributes = AttributeWait(
                try request.use(documents.attributes), of: request, on: context.loop)
            let claim = try builder.claims.claim(request.orderName, for: nil)
            let answering = ItemsAnswer(
                to: request, in: claim, with: builder, Marking(request, for: call.session),
                limit: AnswerLimit(bytes: call.answerLimit))
            if attributes == nil, try answering.isWritten() {
                try answering.write(to: &writer)
                return .answered
            }
            let reply = PendingReply()
            answering.begin(for: reply, after: attributes)
            return .pending(reply)
        }
        context.register(.itemsPage) { (call, writer) throws(ProtocolError) in
            let request = try PageRequest(
                reading: call.reader(), knowing: documents.attributes, epoch: documents.epoch)
            let subset = try builder.check(request.list)
            defer { withExtendedLifetime(subset) {} }
            let attributes = AttributeWait(
                try request.list.use(documents.attributes), of: request.list, on: context.loop)
            let claim = try builder.claims.claim(request.list.orderName, for: nil)
            let answering = PageAnswer(
                to: request, in: claim, with: builder, Marking(request.list, for: call.session),
                limit: AnswerLimit(bytes: call.answerLimit))
            if attributes == nil, try answering.isWritten() {
                try answering.write(to: &writer)
                return .answered
            }
            let reply = PendingReply()
            answering.begin(for: reply, after: attributes)
            return .pending(reply)
        }
    }

    /// Nothing is stored.
    package func end() {}

    package func deactivate() {
        builder?.stop()
        builder = nil
    }
}
