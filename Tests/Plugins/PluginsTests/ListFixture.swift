// A set of documents, the items plugin, and a client that applies what it is sent.

import DataBus
import EventLoops
import ItemsPlugin
import JSONText
import ListRequests
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

/// The items plugin on a set of documents that the test changes.
final class ListFixture {
    let loop = FakeLoop()
    let documents = DocumentStore(epoch: "e")
    let registry = MethodRegistry()
    let session: FakeSession
    let plugin: ItemsPlugin

    init(limits: SurveyLimits = SurveyLimits()) throws {
        plugin = ItemsPlugin(limits: limits)
        let context = PluginContext(
            plugin: plugin.manifest, loop: loop, bus: EventBus(), documents: documents,
            settings: PluginSettings(roots: []), registry: registry, report: { _ in })
        try plugin.activate(in: context)
        session = FakeSession(registry: registry)
        // As the daemon does.
        documents.whenRowsAreFreed = { [loop, unowned documents] in
            loop.enqueue { documents.releaseFreedRows() }
        }
    }

    /// Lets the streams send at most `limit` lines, and do the work that is done before, and answers these.
    func read(lines limit: Int = .max) -> [JSONValue] {
        var found = session.read(lines: limit)
        while found.count < limit, loop.turn() > 0 {
            found += session.read(lines: limit - found.count)
        }
        return found
    }

    /// Ends the plugin as the daemon does.
    func stop() {
        registry.removeAll(of: plugin.identifier)
        plugin.deactivate()
    }

    func makeDocument(
        _ path: String, size: UInt64 = 1, seconds: Int64 = 0, key: String? = nil
    ) -> Document {
        Document(
            key: key ?? documents.mintKey(), root: "/r", path: FileName(path), size: size,
            modified: FileTime(seconds: seconds))
    }

    /// Adds documents with these names, as one change.
    @discardableResult
    func add(_ paths: [String]) -> [Document] {
        let made = paths.map { makeDocument($0) }
        documents.apply(removed: [], inserted: made)
        return made
    }

    func replace(_ old: Document, with new: Document) {
        documents.apply(removed: [old], inserted: [new])
    }
}

/// A client's copy of one list, which validates all messages.
struct ListCopy {
    let sub: RequestID
    private(set) var rows: [ItemRecord] = []
    private(set) var rev = -1
    private(set) var gen = -1
    private(set) var total = -1
    private(set) var start = -1
    private(set) var isComplete = false
    private(set) var token = ""
    /// The number of the next chunk of the reset that is under way.
    private(set) var nextChunk: Int?
    /// Whether the list was resumed since the last delta: the daemon may send again what the client has, and sends a
    /// delta even if nothing is new. After nothing else does it.
    var isResuming = false

    init(sub: RequestID) {
        self.sub = sub
    }

    var isWhole: Bool { nextChunk == nil && rev >= 0 }

    /// Applies one notification of this list.
    mutating func take(_ line: JSONValue) throws {
        let params = try #require(line["params"])
        switch line["method"]?.stringValue {
        case "items.reset": try take(ItemsReset(decoding: params))
        case "items.delta":
            let object = try #require(params.objectValue)
            for name in ["deleted", "moved", "inserted", "updated"] {
                #expect(object[name]?.arrayValue != nil, "a delta has no '\(name)'")
            }
            try take(ItemsDelta(decoding: params))
        default: Issue.record("not a notification of a list: \(line)")
        }
    }

    private mutating func take(_ reset: ItemsReset) throws {
        #expect(reset.sub == sub)
        if reset.chunk == 0 {
            rows = []
            rev = reset.rev
        } else {
            #expect(reset.chunk == nextChunk, "chunks come in order")
            #expect(reset.rev == rev && reset.total == total && reset.gen == gen)
        }
        rows += reset.items
        gen = reset.gen
        total = reset.total
        start = reset.start
        isComplete = reset.complete
        token = reset.token
        nextChunk = reset.last ? nil : reset.chunk + 1
    }

    private mutating func take(_ delta: ItemsDelta) throws {
        #expect(delta.sub == sub)
        #expect(isWhole, "a delta came before the end of a reset")
        #expect(delta.from == rev, "deltas follow on each other")
        #expect(delta.to >= delta.from)
        let isNews =
            !delta.leavesWindow || delta.total != total || delta.complete != isComplete
            || delta.gen != gen || delta.start != start
        #expect(isNews || isResuming, "a delta says nothing: \(delta)")
        let before = rows
        try delta.apply(to: &rows)
        Self.checkMinimal(delta, from: before, to: rows, mayRepeat: isResuming)
        rev = delta.to
        gen = delta.gen
        total = delta.total
        start = delta.start
        isComplete = delta.complete
        token = delta.token
        isResuming = false
    }

    /// No delta between the same two states deletes, inserts, moves or updates fewer rows.
    private static func checkMinimal(
        _ delta: ItemsDelta, from old: [ItemRecord], to new: [ItemRecord], mayRepeat: Bool
    ) {
        let oldPlaces = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.key, $0) })
        let newKeys = Set(new.map(\.key))
        #expect(newKeys.count == new.count, "a key occurs twice")
        #expect(delta.deleted == old.indices.filter { !newKeys.contains(old[$0].key) })
        #expect(delta.inserted.map(\.index) == new.indices.filter { oldPlaces[new[$0].key] == nil })
        let kept = new.compactMap { oldPlaces[$0.key] }
        #expect(delta.moved.count == kept.count - longestIncreasing(kept))
        for move in delta.moved { #expect(old[move.from].key == new[move.to].key) }
        #expect(delta.moved.map(\.to) == delta.moved.map(\.to).sorted())
        for update in delta.updated {
            let before = oldPlaces[new[update.index].key].map { old[$0] }
            let isNews = before != nil && (mayRepeat || before != new[update.index])
            #expect(isNews, "an update changes nothing")
            #expect(!update.changes.isEmpty)
        }
    }

    /// The length of a longest increasing run, by laying cards on piles.
    private static func longestIncreasing(_ values: [Int]) -> Int {
        var tops: [Int] = []
        for value in values {
            var low = 0
            var high = tops.count
            while low < high {
                let middle = (low + high) / 2
                if tops[middle] < value { low = middle + 1 } else { high = middle }
            }
            if low == tops.count { tops.append(value) } else { tops[low] = value }
        }
        return tops.count
    }
}

extension ItemsDelta {
    /// Whether the window is unchanged; the total may differ.
    var leavesWindow: Bool {
        deleted.isEmpty && moved.isEmpty && inserted.isEmpty && updated.isEmpty
    }
}

/// The expected contents of a list with these parameters, by the reference function.
struct ExpectedList {
    let rows: [ItemRecord]
    let total: Int
    /// Where the window begins.
    let start: Int
    /// Whether this is certain: a window whose item is not in the list stays where it was.
    let isPlaced: Bool

    init(
        of documents: DocumentStore, sort: SortOrder, search text: String?,
        match: DocumentSearch.Match = .contains, filter: DocumentFilter? = nil,
        window: ListWindow, staying: Int = 0, fields: ItemFields, highlights: Bool = false
    ) throws {
        let search = try DocumentSearch.parse(text, match: match)
        let all = generateItems(
            documents: Array(documents.documents), search: search, filter: filter,
            sortOrder: sort)
        total = all.count
        var place = window
        if let anchor = window.anchor {
            let index = all.firstIndex { $0.key == anchor.key }
            isPlaced = index != nil
            place = ListWindow(
                start: index.map { max(0, $0 - anchor.offset) } ?? staying, count: window.count)
        } else {
            isPlaced = true
        }
        start = place.start
        rows = try all[place.range(in: all.count)].map { item in
            // As the client knows it: what was written of the fields it asked for.
            var writer = JSONWriter()
            var record = ItemRecord(item)
            if highlights, let search, case .document(let document) = item {
                let found = try #require(search.ranges(in: document, unit: .utf8))
                record.matches = found.name.flatMap { [$0.lowerBound, $0.upperBound] }
                let inFolder = found.folder.flatMap { [$0.lowerBound, $0.upperBound] }
                record.folderMatches = inFolder.isEmpty ? nil : inFolder
            }
            record.write(to: &writer, fields: fields)
            return try ItemRecord(decoding: JSONValue(parsing: writer.finish()))
        }
    }
}
