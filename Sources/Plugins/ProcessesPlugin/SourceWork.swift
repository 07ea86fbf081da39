internal import JSONText
internal import PickerModel
internal import WireProtocol

/// A change of a source that is being taken.
struct SourceWork {
    let id: RequestID?
    let step: SourceStep
    /// The items that are to be put, undecoded.
    fileprivate let put: [JSONView]
    fileprivate let removed: [String]
    fileprivate var nextPut = 0
    private var nextRemoved = 0
    /// The slots of the collection that were looked at for items that a reset did not have.
    var sweptSlots = 0
    /// The items that were left out, and why the first one was.
    fileprivate(set) var leftOut = 0
    fileprivate(set) var reason: String?

    fileprivate init(
        _ id: RequestID?, _ step: SourceStep, putting put: [JSONView], removing removed: [String]
    ) {
        self.id = id
        self.step = step
        self.put = put
        self.removed = removed
    }

    /// Writes what became of it.
    func write(to writer: inout JSONWriter) {
        guard let reason else { return }
        writer.member("leftOut", leftOut)
        writer.member("reason", reason)
    }

    var isFirstStep: Bool { nextPut == 0 && nextRemoved == 0 && sweptSlots == 0 }
    /// Whether all that is to be removed is.
    var hasRemoved: Bool { nextRemoved == removed.count }
    var isDone: Bool { nextPut == put.count && hasRemoved }

    /// The next identifiers that are removed.
    mutating func takeRemoved(atMost limit: Int) -> ArraySlice<String> {
        let taken = removed[nextRemoved...].prefix(limit)
        nextRemoved += taken.count
        return taken
    }
}

/// Reads what sources send. Nothing of it is trusted.
struct SourceReader {
    static let longestID = 1024
    static let longestURI = 8192
    static let longestItem = 64 << 10
    private static let ownMembers: Set<String> = ["id", "name", "uri", "size", "modified", "type"]

    private let documents: DocumentStore

    init(of documents: DocumentStore) { self.documents = documents }

    /// What a request says, but for its items.
    func work(_ request: RequestEnvelope) throws(ProtocolError) -> SourceWork {
        let params = try request.reader()
        let put = try params.optionalElements("put") ?? []
        if request.method == "source.reset" {
            let step = SourceStep.reset(
                rev: Int64(try params.int("rev", in: 0...Int.max)),
                chunk: try params.int("chunk", in: 0...Int.max), isLast: try params.bool("last"))
            return SourceWork(request.id, step, putting: put, removing: [])
        }
        let from = Int64(try params.int("from", in: 0...Int.max))
        let to = Int64(try params.int("to", in: 0...Int.max))
        guard to > from else { throw params.invalid("to", mustBe: "greater than 'from'") }
        return SourceWork(
            request.id, .change(from: from, to: to), putting: put,
            removing: try params.optionalStrings("removed") ?? [])
    }

    /// The next items of a change. Faulty ones are left out, and the first reason is kept.
    func items(of work: inout SourceWork, atMost limit: Int) -> [SourcedItem] {
        var items: [SourcedItem] = []
        for view in work.put[work.nextPut...].prefix(limit) {
            do throws(ProtocolError) {
                items.append(try item(view, at: work.nextPut))
            } catch {
                work.leftOut += 1
                work.reason = work.reason ?? error.message
            }
            work.nextPut += 1
        }
        return items
    }

    private func item(_ view: JSONView, at place: Int) throws(ProtocolError) -> SourcedItem {
        if view.bytes.count > Self.longestItem {
            throw .limitExceeded(
                limit: Self.longestItem,
                "'put[\(place)]' has \(view.bytes.count) bytes; \(Self.longestItem) at most")
        }
        let reader = try ParameterReader(view, elementOf: "put", place)
        let id = try reader.string("id")
        guard 1...Self.longestID ~= id.utf8.count else {
            throw reader.invalid("id", mustBe: "1 to \(Self.longestID) bytes long")
        }
        let uri = try reader.optionalString("uri")
        if let uri, uri.utf8.count > Self.longestURI {
            throw reader.invalid("uri", mustBe: "at most \(Self.longestURI) bytes long")
        }
        let size = try reader.optionalInt("size", in: 0...Int.max) ?? 0
        let modified = try reader.optionalDouble("modified") ?? 0
        guard let time = FileTime(secondsSince1970: modified) else {
            throw reader.invalid("modified", mustBe: "seconds since 1970 that a file can have")
        }
        return SourcedItem(
            id: id, name: try reader.string("name"), uri: uri, size: UInt64(size), modified: time,
            type: try reader.optionalString("type").flatMap { MediaType(text: $0.lowercased()) },
            values: values(of: reader))
    }

    /// The values of attributes that somebody offers. What is no value of one is left out.
    private func values(of reader: ParameterReader) -> [String: AttributeValue] {
        if reader.count <= 2 { return [:] }
        var values: [String: AttributeValue] = [:]
        for name in reader.keys where !Self.ownMembers.contains(name) {
            guard let attribute = documents.attributes.attribute(named: name),
                let given = reader.view(name),
                let value = AttributeValue(given, attribute.kind)
            else { continue }
            values[name] = value
        }
        return values
    }
}
