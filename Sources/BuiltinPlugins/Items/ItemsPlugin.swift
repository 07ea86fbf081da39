internal import JSONText
internal import Observables
internal import PickerModel
package import PluginInterface
internal import WireProtocol

/// Picker items: live lists over the documents, and single looks at them.
///
/// An open list is a `ListStream`: a pipeline of observables of its own and a cursor that knows
/// what its client has. A single look (`items.get`) uses one of a few pipelines kept for the purpose,
/// so that paging through a list does not sort it again for each page.
package final class ItemsPlugin: Plugin {
    package let identifier = "items"

    private var documents: DocumentStore?
    private var recent = RecentLists()

    package init() {}

    package func activate(in context: PluginContext) throws(PluginError) {
        documents = context.documents
        let documents = context.documents
        context.register("items.open") { (call, writer) throws(ProtocolError) in
            let id = try call.streamID()
            let request = try ListRequest(reading: call.reader())
            let stream = ListStream(
                id: id, session: call.session, documents: documents, request: request)
            try call.session.open(stream, as: id)
            stream.start()
            writer.object { writer in
                writer.member("sub", id)
                writer.member("token", documents.token)
                writer.member("resumed", false)
            }
            return .answered
        }
        context.register("items.update") { (call, writer) throws(ProtocolError) in
            let params = try call.reader()
            let stream = try Self.list(named: params, in: call.session)
            try stream.update(with: params)
            writer.object { _ in }
            return .answered
        }
        context.register("items.close") { (call, writer) throws(ProtocolError) in
            let params = try call.reader()
            call.session.close(try Self.list(named: params, in: call.session).id)
            writer.object { _ in }
            return .answered
        }
        context.register("items.get") { [unowned self] (call, writer) throws(ProtocolError) in
            let request = try ListRequest(reading: call.reader())
            let list = recent.list(
                of: documents, sortedBy: request.sortOrder, matching: request.search)
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
    }

    package func deactivate() {
        recent = RecentLists()
        documents = nil
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

/// A few pipelines for single looks, the last used first; the oldest goes when there are too many.
private struct RecentLists {
    private static let limit = 4

    private var lists: [PickerList] = []

    mutating func list(
        of documents: DocumentStore, sortedBy order: SortOrder, matching search: NameSearch?
    ) -> PickerList {
        let place = lists.firstIndex {
            $0.sortOrder.value == order && $0.search.value == search
        }
        if let place {
            let list = lists.remove(at: place)
            lists.insert(list, at: 0)
            return list
        }
        let list = PickerList(of: documents.all, sortedBy: order, matching: search)
        list.activate()
        lists.insert(list, at: 0)
        if lists.count > Self.limit { lists.removeLast() }
        return list
    }
}
