import JSONText
import PickerClient
import WireProtocol

/// A daemon by script that has documents, and keeps lists of them: by keys, or by a part of the name.
final class ListingDaemon {
    private final class OpenList {
        let client: FakeClient
        var parameters: JSONObject
        var gen = 1

        init(_ client: FakeClient, _ parameters: JSONObject) {
            self.client = client
            self.parameters = parameters
        }
    }

    /// The documents, in their order. Lists are told at once.
    var documents: [ItemRecord] { didSet { tellAll() } }
    /// Whether it has found all its documents.
    var isComplete = true { didSet { tellAll() } }
    /// Requests of other methods get an empty object.
    let server: FakeServer
    private var lists: [RequestID: OpenList] = [:]
    private var rev = 1

    init(_ server: FakeServer, _ documents: [ItemRecord]) {
        self.server = server
        self.documents = documents
        server.respond = { [weak self] in self?.answer($0, $1) }
    }

    /// The conditions of the lists that are open.
    var filters: [JSONValue?] { lists.values.map { $0.parameters["where"] } }

    private func answer(_ request: RequestEnvelope, _ client: FakeClient) {
        guard let parameters = try? request.paramsValue().objectValue else { return }
        client.reply(request, [:])
        func list(_ id: RequestID?) -> (RequestID, OpenList)? {
            guard let id, let list = lists[id] else { return nil }
            return (id, list)
        }
        let named = parameters["sub"].flatMap { value in lists.keys.first { $0.value == value } }
        switch request.method {
        case "items.open":
            guard let id = request.id else { return }
            lists[id] = OpenList(client, parameters)
            tell(id, gen: Self.integer(parameters["gen"]) ?? 1)
        case "items.update":
            guard let (id, open) = list(named) else { return }
            for name in ["search", "where", "window"] {
                if let value = parameters[name] { open.parameters[name] = value }
            }
            tell(id, gen: Self.integer(parameters["gen"]) ?? open.gen)
        case "items.close": if let named { lists[named] = nil }
        default: break
        }
    }

    /// As after a crash: other lists, and in another life other keys.
    func restart(as epoch: Int, with documents: [ItemRecord]) {
        lists = [:]
        self.documents = documents
        server.restart(as: epoch)
    }

    private func tellAll() {
        rev += 1
        for (id, list) in lists { tell(id, gen: list.gen) }
    }

    private func tell(_ id: RequestID, gen: Int) {
        guard let list = lists[id] else { return }
        list.gen = gen
        let rows = rows(of: list.parameters)
        let window = list.parameters["window"]
        let anchor = window?["anchor"]?.stringValue.map { $0.dropFirst(4) }
        let place = anchor.flatMap { key in rows.firstIndex { $0.key == key } }
        let offset = Self.integer(window?["offset"]) ?? 0
        let start = place.map { max(0, $0 - offset) } ?? Self.integer(window?["start"]) ?? 0
        let count = Self.integer(window?["count"]) ?? rows.count
        list.client.notify(
            ItemsReset(
                sub: id, gen: gen, rev: rev, token: "\(server.epoch):\(rev)", total: rows.count,
                start: start, complete: isComplete, reason: "open",
                items: Array(rows.dropFirst(start).prefix(count))))
    }

    private func rows(of parameters: JSONObject) -> [ItemRecord] {
        let search = parameters["search"]?.stringValue ?? ""
        var found = documents.filter { search.isEmpty || $0.name?.text.contains(search) ?? false }
        if let keys = Self.keys(parameters["where"]) { found.removeAll { !keys.contains($0.key) } }
        return (search.isEmpty ? [.new] : []) + found
    }

    private static func integer(_ value: JSONValue?) -> Int? {
        value?.integerValue.map { Int($0) }
    }

    private static func keys(_ filter: JSONValue?) -> Set<String>? {
        guard let parts = filter?.arrayValue else { return nil }
        if parts.first == "key" {
            return Set((parts.last?.arrayValue ?? []).compactMap { $0.stringValue })
        }
        return parts.dropFirst().lazy.compactMap { keys($0) }.first
    }
}
