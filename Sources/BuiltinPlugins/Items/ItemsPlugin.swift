internal import JSONText
internal import Observables
internal import PickerModel
package import PluginInterface
internal import WireProtocol

/// Picker items: live lists over the documents, and single looks at them.
///
/// An open list is a `ListStream`: a filter of its own on an order that it shares with all lists that
/// are sorted alike, and a cursor that knows what its client has. A single look (`items.get`) uses
/// one of a few lists kept for the purpose, so that paging through a list does not search it again
/// for each page.
package final class ItemsPlugin: Plugin {
    package let identifier = "items"

    private var sorting: DeferredSorting?
    private var recent = RecentLists()

    package init() {}

    package func activate(in context: PluginContext) throws(PluginError) {
        let documents = context.documents
        let orders = ListOrders(of: documents)
        let sorting = DeferredSorting(on: context.loop)
        self.sorting = sorting
        context.register(.itemsOpen) { (call, writer) throws(ProtocolError) in
            let id = try call.streamID()
            let params = try call.reader()
            let request = try ListRequest(reading: params, isOpening: true)
            let resume = try ListResume(reading: params)
            let stream = ListStream(
                id: id, session: call.session, documents: documents, orders: orders,
                request: request)
            try call.session.open(stream, as: id)
            let isResumed = resume.map { stream.resume(from: $0) } ?? false
            stream.start()
            sorting.start()
            writer.object { writer in
                writer.member("sub", id)
                writer.member("token", documents.token)
                writer.member("resumed", isResumed)
            }
            return .answered
        }
        context.register(.itemsUpdate) { (call, writer) throws(ProtocolError) in
            let params = try call.reader()
            let stream = try Self.list(named: params, in: call.session)
            try stream.update(with: params)
            sorting.start()
            writer.object { _ in }
            return .answered
        }
        context.register(.itemsClose) { (call, writer) throws(ProtocolError) in
            let params = try call.reader()
            call.session.close(try Self.list(named: params, in: call.session).id)
            writer.object { _ in }
            return .answered
        }
        context.register(.itemsGet) { [unowned self] (call, writer) throws(ProtocolError) in
            let request = try ListRequest(reading: call.reader())
            let list = recent.list(
                in: orders, sortedBy: request.sortOrder, matching: request.search,
                keeping: request.filter)
            sorting.start()
            let total = list.items.count
            let rows = request.window.range(in: total)
            let result = ItemsResult(
                rev: documents.rev, total: total, start: request.window.start, items: [])
            try result.write(to: &writer) { (writer) throws(ProtocolError) in
                for item in list.items[rows] {
                    ItemRecord(item).write(to: &writer, fields: request.fields)
                    try call.checkLength(of: writer)
                }
            }
            return .answered
        }
        context.register(.itemsPage) { [unowned self] (call, writer) throws(ProtocolError) in
            let request = try PageRequest(reading: call.reader(), epoch: documents.epoch)
            let list = recent.list(
                in: orders, sortedBy: request.list.sortOrder, matching: request.list.search,
                keeping: request.list.filter)
            sorting.start()
            let page = ListPage(request, of: list.items)
            let result = ItemsPage(
                count: page.total, results: [], nextPageIndex: page.nextIndex,
                previousPageIndex: page.previousIndex, rev: documents.rev,
                token: page.token(for: request, epoch: documents.epoch).text)
            try result.write(to: &writer) { (writer) throws(ProtocolError) in
                for item in page.items {
                    ItemRecord(item).write(to: &writer, fields: request.list.fields)
                    try call.checkLength(of: writer)
                }
            }
            return .answered
        }
    }

    package func deactivate() {
        recent = RecentLists()
        sorting?.stop()
        sorting = nil
    }

    private static func list(
        named params: ParameterReader, in session: any ClientSession
    ) throws(ProtocolError) -> ListStream {
        let id = try params.requestID("sub")
        guard let stream = session.stream(id) as? ListStream else {
            throw .noSuchSubscription(id)
        }
        return stream
    }
}

/// A few lists for single looks, the last used first; the oldest goes when there are too many.
private struct RecentLists {
    private static let limit = 4

    private var lists: [PickerList] = []

    mutating func list(
        in orders: ListOrders, sortedBy order: SortOrder, matching search: NameSearch?,
        keeping filter: DocumentFilter?
    ) -> PickerList {
        let place = lists.firstIndex {
            $0.sortOrder == order && $0.search.value == search && $0.filter.value == filter
        }
        if let place {
            let list = lists.remove(at: place)
            lists.insert(list, at: 0)
            return list
        }
        let list = PickerList(
            in: orders.orders(for: filter), sortedBy: order, matching: search, keeping: filter)
        list.activate()
        lists.insert(list, at: 0)
        if lists.count > Self.limit { lists.removeLast() }
        return list
    }
}
