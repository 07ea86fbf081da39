// A list in a session on random documents, for tests.

import Observables
import PickerModel
import TestSupport
import Testing

/// Results shared by lists with equal queries.
final class SharedSurveys {
    private(set) var made: [DocumentSurvey] = []
    private let store: DocumentStore
    private let range: DocumentRange

    init(of store: DocumentStore, in range: DocumentRange) {
        self.store = store
        self.range = range
    }

    func survey(for query: DocumentQuery) -> DocumentSurvey {
        if let known = made.last(where: { $0.query == query && $0.isSound }) { return known }
        let wider = made.last { $0.known != nil && query.narrows($0.query) }
        let survey = DocumentSurvey(of: store, in: range, for: query, among: wider)
        made.append(survey)
        return survey
    }
}

/// One list, and the array built from its changes alone.
final class ListSession {
    private static let stems = [
        "a", "A", "ä", "b", "notes", "Notes", "a2", "a10", "bericht", "résumé", "日本語", "ﬁn", "ß",
        "e\u{301}tude", "Straße",
    ]
    private static let texts = ["", "a", "no", "not", "1", "É", "ss", "本", "fi", "zzz", "."]

    let store = DocumentStore(epoch: "test")
    let range: DocumentRange
    let orders: DocumentOrders
    var query = DocumentQuery()
    private(set) lazy var list = PickerList(in: orders)
    private(set) var told: [PickerItem] = []
    private let isConnected: Bool
    private var connection: Connection?
    private var typed = ""
    private var conditions: [FilterExpression] = []

    init(_ random: inout SeededRandom, isConnected: Bool = true) throws {
        range = DocumentRange.allCases.randomElement(using: &random) ?? .all
        orders = DocumentOrders(of: store, in: range)
        self.isConnected = isConnected
        if random.chance(0.5) { change(Int.random(in: 0...60, using: &random), &random) }
        follow()
    }

    /// Without a list of its own: `count` documents in as many of `rows` rows, chosen at random.
    init(_ random: inout SeededRandom, count: Int, spreadOver rows: Int) throws {
        range = random.chance(0.5) ? .all : .listed
        isConnected = false
        orders = DocumentOrders(of: store, in: range)
        change(rows, &random, areNew: true)
        let others = store.documents.shuffled(using: &random).dropFirst(count)
        store.apply(removed: Array(others))
        store.releaseFreedRows()
    }

    var documents: [Document] {
        store.documents.filter { document in
            switch range.part {
            case .all: true
            case .listed: !document.isDropped
            case .dropped: document.isDropped
            }
        }
    }

    var wanted: [ItemContent] {
        generateItems(
            documents: documents, search: list.query.search, filter: list.query.filter,
            sortOrder: list.sortOrder)
    }

    var shown: [ItemContent] { list.contents(0..<list.items.count) }

    /// Another list, all of it new.
    private func show(by order: SortOrder) {
        list = PickerList(in: orders, sortedBy: order, query: query)
        follow()
    }

    /// Makes the list anew if a change has asked too much of it.
    func refresh() {
        if !list.isSound { show(by: list.sortOrder) }
    }

    private func follow() {
        guard isConnected else { return }
        list.activate()
        connection = list.items.changes.connect { [unowned self] in $0.apply(on: &told) }
        told = list.items.value
    }

    func making(by sortOrder: SortOrder, _ surveys: SharedSurveys) -> ListMaking {
        ListMaking(in: orders, sortedBy: sortOrder, query: query) { surveys.survey(for: $0) }
    }

    // MARK: Queries

    /// A query that narrows this one, most of the time.
    func extendQuery(_ random: inout SeededRandom) {
        var search = query.search
        var filter = query.filter?.expression
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let text = Self.texts.randomElement(using: &random) ?? "a"
            let match = DocumentSearch.Match.allCases.randomElement(using: &random) ?? .contains
            search = try? DocumentSearch.parse(text, match: match)
            filter = nil
        case 1, 2:
            let letter = ["a", "t", "1", "e"].randomElement(using: &random) ?? "a"
            search = try? DocumentSearch.parse((search?.text ?? "") + letter)
        default:
            let small = FilterExpression.size(.atMost, UInt64.random(in: 1...3, using: &random))
            let other = FilterExpression.modified(.greater, 1)
            let new = [small, other, .not(.liked)].randomElement(using: &random) ?? small
            filter = filter.map { .all([$0, new]) } ?? new
        }
        query = DocumentQuery(search: search, filter: filter.map { DocumentFilter($0) })
    }

    /// Another filter: none, one more condition, one fewer, or any.
    private func filter(_ random: inout SeededRandom) throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: conditions = []
        case 1..<4: conditions.append(try RandomFilters.expression(&random, depth: 3))
        case 4: conditions = conditions.shuffled(using: &random).dropLast()
        default: conditions = [try RandomFilters.expression(&random)]
        }
        query = DocumentQuery(
            search: query.search,
            filter: conditions.isEmpty ? nil : DocumentFilter(.all(conditions)))
    }

    /// A letter more, a letter less, or another text.
    private func typeLetter(_ random: inout SeededRandom) throws {
        switch Int.random(in: 0..<4, using: &random) {
        case 0..<2:
            typed.append(
                contentsOf: ["a", "o", "t", "e", "1"].randomElement(using: &random) ?? "a")
        case 2: typed = String(typed.dropLast())
        default: typed = Self.texts.randomElement(using: &random) ?? ""
        }
        query = DocumentQuery(search: try DocumentSearch.parse(typed), filter: query.filter)
    }

    func order(_ random: inout SeededRandom) throws -> SortOrder {
        let fields = SortOrder.Field.known.shuffled(using: &random)
        let keys = fields.prefix(Int.random(in: 1...3, using: &random)).map {
            (random.chance(0.5) ? "-" : "") + $0.key
        }
        return try SortOrder(keys: keys)
    }

    // MARK: Steps

    /// Changes the documents, or shows another list.
    func step(_ random: inout SeededRandom) throws -> String {
        switch Int.random(in: 0..<16, using: &random) {
        case 12..<15:
            try filter(&random)
            show(by: list.sortOrder)
            return "filter \(String(describing: query.filter?.expression))"
        case 15:
            try typeLetter(&random)
            try filter(&random)
            show(by: try order(&random))
            return "order, search and filter at once"
        case 0..<4:
            change(Int.random(in: 1...20, using: &random), &random)
            return "documents"
        case 4:
            let count = Int.random(in: 2...5, using: &random)
            transaction { for _ in 0..<count { change(3, &random) } }
            return "documents, several times at once"
        case 5..<7:
            show(by: try order(&random))
            return "order \(list.sortOrder.keys)"
        case 7..<9:
            try typeLetter(&random)
            show(by: list.sortOrder)
            return "search '\(typed)'"
        case 9, 10:
            drop(&random)
            return "marks"
        default:
            let budget = Int.random(in: 1...40, using: &random)
            ObservableScheduler.current.performDeferredWork(budget: budget)
            return "a slice of \(budget)"
        }
    }

    /// A small change, after which freed rows may be used again.
    func edit(_ random: inout SeededRandom) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: drop(&random)
        case 1: transaction { for _ in 0..<2 { change(2, &random) } }
        default: change(Int.random(in: 1...5, using: &random), &random)
        }
        if random.chance(0.5) { store.releaseFreedRows() }
    }

    /// Drops a document, or restores it.
    private func drop(_ random: inout SeededRandom) {
        let known = store.documents.sorted { $0.key < $1.key }
        guard let document = known.randomElement(using: &random) else { return }
        var planner = MarkPlanner(for: store)
        _ = planner.plan(document.isDropped ? .restore : .drop, for: document.key)
        store.mark(planner.changes)
    }

    /// Adds, changes, renames and removes documents, as one change of the set.
    func change(_ count: Int, _ random: inout SeededRandom, areNew: Bool = false) {
        var known =
            areNew ? [] : store.documents.sorted { $0.key < $1.key }.shuffled(using: &random)
        var removed: [Document] = []
        var inserted: [Document] = []
        for _ in 0..<count {
            let kind = Int.random(in: 0..<10, using: &random)
            guard kind > 3, let old = known.popLast() else {
                inserted.append(
                    Document(
                        key: store.mintKey(), root: "/r", path: path(&random),
                        size: UInt64.random(in: 0...3, using: &random),
                        modified: FileTime(seconds: Int64.random(in: 0...5, using: &random))))
                continue
            }
            removed.append(old)
            switch kind {
            case 4..<6: break
            case 6..<8: inserted.append(old.with(root: "/r", path: path(&random)))
            case 8: inserted.append(old.with(isLiked: !old.isLiked))
            default:
                inserted.append(
                    old.with(
                        size: old.size + 1,
                        modified: FileTime(seconds: Int64.random(in: 0...5, using: &random))))
            }
        }
        store.apply(removed: removed, inserted: inserted)
    }

    private var nextPath = 0

    private func path(_ random: inout SeededRandom) -> FileName {
        nextPath += 1
        let stem = Self.stems.randomElement(using: &random) ?? "a"
        let suffix = [".md", ".txt", "", ".PDF"].randomElement(using: &random) ?? ""
        // The folder makes the path unique; names repeat.
        return FileName("d\(nextPath)/\(stem)\(suffix)")
    }
}

extension PickerList {
    /// Whether it equals the plain function.
    func isRight(in session: ListSession) -> Bool {
        let wanted = generateItems(
            documents: session.documents, search: query.search, filter: query.filter,
            sortOrder: sortOrder)
        return contents(0..<items.count) == wanted
    }
}
