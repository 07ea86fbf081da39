// What a client has of one list, made of what it was sent and nothing else.

import JSONText
import PickerModel
import TestSupport
import WireProtocol

/// A client's window, kept by `items.reset` and `items.delta` alone. It refuses what doesn't fit.
struct WindowMirror {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var items: [ItemRecord] = []
    private(set) var gen = 0
    private(set) var rev = -1
    private(set) var total = 0
    private(set) var start = 0
    private(set) var isComplete = false
    /// Deltas and resets so far.
    private(set) var deltas = 0
    private(set) var resets = 0
    /// Nothing of an older one may come.
    var oldestGen = 0
    private var chunks: [ItemRecord]?
    private var nextChunk = 0

    /// Whether there is something to compare: a reset is complete.
    var hasReset: Bool { rev >= 0 && chunks == nil }

    mutating func take(_ notification: TestConnection.Notification) throws {
        switch notification.method {
        case "items.reset": try take(ItemsReset(decoding: notification.params))
        case "items.delta": try take(ItemsDelta(decoding: notification.params))
        default: throw Refusal(description: "a '\(notification.method)' for a list")
        }
    }

    private mutating func take(_ reset: ItemsReset) throws {
        try check(reset.gen, reset.token, reset.rev)
        if reset.chunk == 0 {
            chunks = []
            nextChunk = 0
        }
        guard var gathered = chunks, reset.chunk == nextChunk else {
            throw Refusal(description: "chunk \(reset.chunk) where \(nextChunk) comes next")
        }
        gathered += reset.items
        nextChunk += 1
        if !reset.last {
            chunks = gathered
            return
        }
        chunks = nil
        resets += 1
        items = gathered
        note(reset.gen, reset.rev, reset.total, reset.start, reset.complete)
    }

    private mutating func take(_ delta: ItemsDelta) throws {
        try check(delta.gen, delta.token, delta.to)
        guard hasReset else { throw Refusal(description: "a delta before the reset's end") }
        guard delta.from == rev else {
            throw Refusal(description: "a delta from \(delta.from) for a client at \(rev)")
        }
        guard delta.to >= delta.from else {
            throw Refusal(description: "a delta from \(delta.from) to \(delta.to)")
        }
        for move in delta.moved
        where move.from == move.to && delta.deleted.isEmpty
            && delta.inserted.isEmpty && delta.moved.count == 1
        {
            throw Refusal(description: "an idle move of row \(move.from)")
        }
        try delta.apply(to: &items)
        deltas += 1
        note(delta.gen, delta.to, delta.total, delta.start, delta.complete)
    }

    private func check(_ gen: Int, _ token: String, _ rev: Int) throws {
        guard gen >= oldestGen else {
            throw Refusal(description: "gen \(gen) after the reply for \(oldestGen)")
        }
        guard token.hasSuffix(":\(rev)") else {
            throw Refusal(description: "token \(token) at revision \(rev)")
        }
    }

    private mutating func note(
        _ gen: Int, _ rev: Int, _ total: Int, _ start: Int, _ complete: Bool
    ) {
        self.gen = gen
        self.rev = rev
        self.total = total
        self.start = start
        isComplete = complete
    }

    /// What differs from the rows that there should be; nil if nothing does.
    func difference(from wanted: [ItemRecord], total wantedTotal: Int, start: Int) -> String? {
        guard hasReset else { return "no reset yet" }
        if !isComplete { return "not complete" }
        if total != wantedTotal { return "total \(total), not \(wantedTotal)" }
        if self.start != start { return "start \(self.start), not \(start)" }
        if items.count != wanted.count { return "\(items.count) rows, not \(wanted.count)" }
        guard let row = items.indices.first(where: { items[$0] != wanted[$0] }) else { return nil }
        return "row \(row) is \(items[row]), not \(wanted[row])"
    }
}

/// What a list should show.
struct WantedList {
    var sort = SortOrder.name
    var search: String?
    var start = 0
    var count: Int?
    var fields: [String]?
    var gen = 0

    var params: JSONObject {
        var params: JSONObject = [
            "sort": .array(sort.keys.map { .string($0) }),
            "search": search.map { .string($0) } ?? .null,
            "window": [
                "start": JSONValue(start), "count": count.map { JSONValue($0) } ?? .null,
            ],
            "gen": JSONValue(gen),
        ]
        if let fields { params["fields"] = .array(fields.map { .string($0) }) }
        return params
    }

    /// The rows by the plain function, and how many there are without the window.
    func rows(of documents: [Document]) throws -> (rows: [ItemRecord], total: Int) {
        let items = try generateItems(
            documents: documents, search: DocumentSearch.parse(search), sortOrder: sort)
        let window = ListWindow(start: start, count: count)
        return (items[window.range(in: items.count)].map(record), items.count)
    }

    private func record(_ item: ItemContent) -> ItemRecord {
        guard case .document(let document) = item else { return .new }
        func has(_ field: String) -> Bool { fields?.contains(field) ?? true }
        var record = ItemRecord(kind: .document, key: document.key)
        if has("name") {
            record.name = WireName(text: document.name.text, bytes: document.name.rawBytes)
        }
        if has("path") {
            record.path = WireName(text: document.path.text, bytes: document.path.rawBytes)
        }
        if has("root") { record.root = document.root }
        if has("size") { record.size = Int64(document.size) }
        if has("modified") { record.modified = document.modified.secondsSince1970 }
        if has("type") { record.type = document.type.text }
        return record
    }
}
