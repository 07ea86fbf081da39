import PickerClient
import Picking
import TestSupport

/// A daemon with one list: a sorted array with a window by the protocol's rules. Requests and answers wait in queues,
/// as on a slow connection.
struct ListServer {
    struct Document {
        var key: String
        var name: String
        var modified: Double
    }

    /// An answer, and the whole list of which it has a window.
    struct Answer {
        var update: RowsUpdate
        let list: [ListItem]
    }

    private(set) var documents: [Document] = []
    private var wanted = WantedList(number: 0, query: ListQuery(sort: ["date"], count: 1))
    private var start = 0
    private var lastKey = 0
    private(set) var requests: [WantedList] = []
    private(set) var answers: [Answer] = []
    private var last: RowsUpdate?

    private mutating func newKey() -> String {
        lastKey += 1
        return "k\(lastKey)"
    }

    // MARK: Changes

    /// One change: a document more or less, another name, or another date.
    mutating func change(_ random: inout SeededRandom) {
        let place = documents.indices.randomElement(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2: add(&random)
        case 3, 4: if let place { documents.remove(at: place) }
        case 5: if let place { documents[place].name = Self.name(&random) }
        default: if let place { documents[place].modified = Self.date(&random) }
        }
        tell()
    }

    mutating func remove(_ key: String) {
        documents.removeAll { $0.key == key }
        tell()
    }

    mutating func add(_ random: inout SeededRandom) {
        documents.append(
            Document(key: newKey(), name: Self.name(&random), modified: Self.date(&random)))
    }

    /// All keys are others, and what was on its way is lost.
    mutating func beginNewHistory(_ wanted: WantedList) {
        for place in documents.indices { documents[place].key = newKey() }
        requests = []
        answers = []
        last = nil
        answer(wanted)
        answers[0].update.isNewHistory = true
    }

    private static func name(_ random: inout SeededRandom) -> String {
        String((0..<3).map { _ in "abc".randomElement(using: &random) ?? "a" })
            + "\(UInt32.random(in: 0..<100_000, using: &random))"
    }

    private static func date(_ random: inout SeededRandom) -> Double {
        Double(Int.random(in: 0..<1_000_000, using: &random))
    }

    // MARK: The list

    func list(_ query: ListQuery) -> [ListItem] {
        let search = query.search ?? ""
        let reversed = query.sort.first?.hasPrefix("-") ?? false
        let isByDate = query.sort.first?.hasSuffix("date") ?? false
        let sorted = documents.filter { document in
            search.allSatisfy { document.name.contains($0) }
        }.sorted { one, other in
            let (first, second) = reversed ? (other, one) : (one, other)
            if isByDate, one.modified != other.modified { return first.modified > second.modified }
            return (first.name, first.key) < (second.name, second.key)
        }
        return sorted.map { item($0.name, key: $0.key, modified: $0.modified) }
    }

    /// The documents of marks and of requests by keys.
    func items(_ keys: [String]) -> [ListItem] {
        let known = Dictionary(uniqueKeysWithValues: documents.map { ($0.key, $0) })
        return keys.compactMap { key in
            known[key].map { item($0.name, key: $0.key, modified: $0.modified) }
        }
    }

    // MARK: The wire

    mutating func ask(_ wanted: WantedList) {
        if wanted != requests.last ?? self.wanted { requests.append(wanted) }
    }

    /// Answers the oldest request.
    mutating func takeRequest() {
        if requests.isEmpty { return }
        answer(requests.removeFirst())
    }

    private mutating func answer(_ request: WantedList) {
        wanted = request
        start = request.query.anchor == nil ? request.query.start : 0
        last = nil
        tell()
    }

    /// Sends the window if it is not what was sent last.
    private mutating func tell() {
        let list = list(wanted.query)
        if let anchor = wanted.query.anchor,
            let index = list.firstIndex(where: { $0.key == anchor })
        {
            start = max(0, index - wanted.query.offset)
        }
        let update = RowsUpdate(
            items: Array(list.dropFirst(start).prefix(wanted.query.count ?? .max)), start: start,
            total: list.count, isComplete: true, query: wanted.number,
            place: wanted.query.anchor.map { .anchor($0) } ?? .start)
        if update == last { return }
        last = update
        answers.append(Answer(update: update, list: list))
    }

    mutating func takeAnswer() -> Answer? { answers.isEmpty ? nil : answers.removeFirst() }
}
