import DataBus
import EventLoops
import JSONText
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@testable import AttributesPlugin

/// The plugin of attributes on documents that the test changes, with a reader that the test plays.
final class ReadingFixture {
    let loop = FakeLoop()
    let documents = DocumentStore(epoch: "e")
    /// By default there is nothing that says of power supplies, as on a machine without a battery.
    let plugin: AttributesPlugin
    private(set) var offer: AttributeOffer
    private(set) var reports: [Report] = []
    private var isStopped = false

    /// An integer, for which `ReadingFixture.width` is what the files say, and a text that none has.
    static let names: [(name: String, kind: Attribute.Kind)] = [
        ("a.width", .integer), ("a.title", .text),
    ]

    init(
        cacheFolder: String? = nil, condition: DocumentFilter? = nil,
        isReadInBackground: Bool = false, powerFolder: String = "/r/power"
    ) throws {
        plugin = AttributesPlugin(powerFolder: powerFolder)
        offer = Self.offer(condition: condition, isReadInBackground: isReadInBackground)
        let context = PluginContext(
            plugin: plugin.manifest, loop: loop, bus: EventBus(), documents: documents,
            settings: PluginSettings(roots: ["/r"], cacheFolder: cacheFolder),
            registry: MethodRegistry(), report: { [weak self] in self?.reports.append($0) })
        documents.whenRowsAreFreed = { [loop, unowned documents] in
            loop.enqueue { documents.releaseFreedRows() }
        }
        try plugin.activate(in: context)
        documents.attributes.add(offer)
    }

    deinit { stop() }

    func stop() {
        if isStopped { return }
        isStopped = true
        plugin.deactivate()
    }

    static func offer(
        version: String = "1", condition: DocumentFilter? = nil, _ plugin: String = "a",
        _ names: [(name: String, kind: Attribute.Kind)] = names, isReadInBackground: Bool = false
    ) -> AttributeOffer {
        AttributeOffer(
            plugin: plugin, version: version, group: "g", attributes: names, condition: condition,
            reader: ScriptedReader(), isReadInBackground: isReadInBackground)
    }

    var directory: AttributeDirectory { documents.attributes }

    var reader: ScriptedReader {
        get throws { try #require(offer.reader as? ScriptedReader) }
    }

    /// Replaces the offer by one with a reader of its own.
    func replaceOffer(by new: AttributeOffer) {
        directory.remove(offer)
        offer = new
        directory.add(new)
    }

    // MARK: Documents

    /// Adds documents `name0`, `name1` … of these numbers, which have as many bytes as their width says.
    @discardableResult
    func add(_ numbers: Range<Int>, _ name: String = "f", _ suffix: String = "jpg") -> [String] {
        let made = numbers.map { number in
            Document(
                key: documents.mintKey(), root: "/r", path: FileName("\(name)\(number).\(suffix)"),
                size: UInt64(number), modified: FileTime(seconds: 1), device: 1,
                inode: UInt64(number + 1))
        }
        documents.apply(inserted: made)
        return made.map(\.key)
    }

    /// Writes a file, so that its width is `size`.
    func write(_ key: String, size: UInt64) throws {
        let old = try #require(documents[key: key])
        let seconds = old.modified.seconds + 1
        documents.apply(inserted: [old.with(size: size, modified: FileTime(seconds: seconds))])
    }

    // MARK: Those who want something

    final class Viewer: DocumentViewer {
        /// They stay readable as long as somebody shows them.
        fileprivate var rows: ShownRows?
        var shownRows: [ShownRow] { rows?.rows ?? [] }
        /// What it may show next.
        var nearby: ShownRows?
        private(set) var mostAsked = 0

        func rowsNearby(atMost limit: Int) -> [ShownRow] {
            mostAsked = max(mostAsked, limit)
            return Array((nearby?.rows ?? []).prefix(limit))
        }
    }

    /// Somebody who looks at nothing, and needs the width of all documents that a query may keep.
    func need(
        _ names: [String] = ["a.width"], _ query: DocumentQuery = DocumentQuery()
    ) throws -> AttributeUse {
        try use(needed: names, query)
    }

    func use(
        shown: [String] = [], needed: [String] = [], _ query: DocumentQuery = DocumentQuery()
    ) throws -> AttributeUse {
        func attributes(_ names: [String]) throws -> Set<Attribute> {
            Set(try names.map { try #require(directory.attribute(named: $0)) })
        }
        return try directory.use(
            AttributeWish(
                shown: attributes(shown), needed: attributes(needed), query: query, range: .listed))
    }

    /// Lets somebody look at documents.
    func show(_ keys: [String], to viewer: Viewer, of use: AttributeUse) {
        viewer.rows = ShownRows(
            keys.compactMap { documents.row(key: $0).map { PickerItem($0) } },
            of: documents.table)
        use.viewer = viewer
        use.viewHasChanged()
    }

    // MARK: Values

    var width: Attribute {
        get throws { try #require(directory.attribute(named: "a.width")) }
    }

    /// The width of a document that is known.
    func width(of key: String) throws -> Int64? {
        guard case .integer(let value)? = documents[key: key]?.attributes[try width] else {
            return nil
        }
        return value
    }

    /// The keys of documents whose width is known to be their size.
    func known() throws -> Set<String> {
        let width = try width
        return Set(
            documents.documents.filter { $0.attributes[width] == .integer(Int64($0.size)) }
                .map(\.key))
    }

    /// What a file says of itself.
    static func seen(_ document: Document) -> ReadingOutcome.Seen {
        ReadingOutcome.Seen(
            inode: document.inode, size: document.size, modified: document.modified)
    }

    /// What an honest reader answers.
    func honest(_ batch: ReadingBatch) -> ReadingOutcome {
        .answers(batch.files.map { honest($0.key) })
    }

    func honest(_ key: String) -> ReadingOutcome.Answer {
        guard let document = documents[key: key] else { return .failed("it is gone") }
        return .values(
            ["a.width": .integer(Int64(document.size))], seen: Self.seen(document))
    }

    /// Lets the reader answer all that it gets, honestly, and all of it be committed.
    func readAll() throws {
        let reader = try reader
        repeat {
            loop.turn()
            while !reader.waiting.isEmpty {
                reader.answer(0, honest)
                loop.turn()
            }
            loop.advance(by: .milliseconds(50))
        } while !reader.waiting.isEmpty
    }

    /// Says that values of a group have changed, of some documents or all; the error if that is refused.
    func change(
        _ group: String, _ keys: [String]?, by process: String? = "a"
    ) throws -> ProtocolError? {
        var params: JSONObject = ["group": .string(group)]
        params["keys"] = keys.map { .array($0.map { .string($0) }) }
        let readings = try #require(plugin.readings)
        do throws(ProtocolError) {
            try readings.takeChange(ParameterReader(.object(params)), by: process)
            return nil
        } catch {
            return error
        }
    }

    /// What `attributes.list` says.
    func list() throws -> JSONValue {
        var writer = JSONWriter()
        try #require(plugin.readings).write(to: &writer)
        return try JSONValue(parsing: writer.finish())
    }

    func listed(_ name: String = "a.width") throws -> [String: Int] {
        let entry = try #require(try list().arrayValue?.first { $0["name"] == .string(name) })
        return Dictionary(
            uniqueKeysWithValues: ["known", "pending", "failed"].compactMap { member in
                entry[member]?.integerValue.map { (member, Int($0)) }
            })
    }
}
