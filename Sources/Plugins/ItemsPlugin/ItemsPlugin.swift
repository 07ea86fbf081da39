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
    private var recent = RecentLists()

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
            let request = try ListRequest(reading: params, isOpening: true)
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
        context.register(.itemsGet) { [unowned self] (call, writer) throws(ProtocolError) in
            let request = try ListRequest(reading: call.reader())
            let marking = Marking(request, for: call.session)
            return try answerOnce(request, with: builder, for: call, &writer) {
                (list, writer) throws(ProtocolError) in
                let total = list.items.count
                let rows = request.window.range(in: total)
                let result = ItemsResult(
                    rev: documents.rev, total: total, start: request.window.start, items: [])
                try result.write(to: &writer) { (writer) throws(ProtocolError) in
                    for item in list.items[rows] {
                        marking.record(of: item).write(to: &writer, fields: request.fields)
                        try call.checkLength(of: writer)
                    }
                }
            }
        }
        context.register(.itemsPage) { [unowned self] (call, writer) throws(ProtocolError) in
            let request = try PageRequest(reading: call.reader(), epoch: documents.epoch)
            let marking = Marking(request.list, for: call.session)
            return try answerOnce(request.list, with: builder, for: call, &writer) {
                (list, writer) throws(ProtocolError) in
                let page = ListPage(request, of: list.items)
                let result = ItemsPage(
                    count: page.total, results: [], nextPageIndex: page.nextIndex,
                    previousPageIndex: page.previousIndex, rev: documents.rev,
                    token: page.token(for: request, epoch: documents.epoch).text)
                try result.write(to: &writer) { (writer) throws(ProtocolError) in
                    for item in page.items {
                        marking.record(of: item)
                            .write(to: &writer, fields: request.list.fields)
                        try call.checkLength(of: writer)
                    }
                }
            }
        }
    }

    package func deactivate() {
        recent = RecentLists()
        builder?.stop()
        builder = nil
    }

    /// Answers a one-time request: at once, or after a survey of the documents.
    private func answerOnce(
        _ request: ListRequest, with builder: ListBuilder, for call: MethodCall,
        _ writer: inout JSONWriter,
        _ write: @escaping (PickerList, inout JSONWriter) throws(ProtocolError) -> Void
    ) throws(ProtocolError) -> MethodOutcome {
        if let list = recent.list(for: request) {
            try write(list, &writer)
            return .answered
        }
        try builder.check(request.query)
        let claim = try builder.claims.claim(request.orderName, for: nil)
        let reply = PendingReply()
        let ticket = builder.prepare(request.query, in: claim, rows: builder.documents.count) {
            [weak self, weak reply] survey in
            guard let self, let reply else { return }
            let list = recent.add(builder.makeList(for: request), survey)
            reply.answer { (writer) throws(ProtocolError) in try write(list, &writer) }
            builder.sorting.start()
        }
        guard let ticket else {
            try write(recent.add(builder.makeList(for: request), nil), &writer)
            builder.sorting.start()
            return .answered
        }
        reply.onEnd = {
            ticket.cancel()
            _ = claim
        }
        return .pending(reply)
    }
}

/// An LRU cache of lists for one-time requests.
private struct RecentLists {
    private static let limit = 4

    private var lists: [PickerList] = []

    mutating func list(for request: ListRequest) -> PickerList? {
        lists.removeAll { !$0.isSound }
        let place = lists.firstIndex {
            $0.sortOrder == request.orderName.sortOrder && $0.query == request.query
        }
        guard let place else { return nil }
        let list = lists.remove(at: place)
        lists.insert(list, at: 0)
        return list
    }

    /// Activates `list` and caches it.
    mutating func add(_ list: PickerList, _ survey: DocumentSurvey?) -> PickerList {
        list.knowing(survey) { list.activate() }
        // Two concurrent requests may have asked for the same list.
        lists.removeAll { $0.sortOrder == list.sortOrder && $0.query == list.query }
        lists.insert(list, at: 0)
        if lists.count > Self.limit { lists.removeLast() }
        return list
    }
}
