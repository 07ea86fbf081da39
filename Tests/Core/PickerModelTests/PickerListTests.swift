// The list as a composition of observables, compared with the plain function that defines it.

import Observables
import PickerModel
import TestSupport
import Testing

@Suite("The live list")
struct PickerListTests {
    @Test(
        "After every random step the list equals the plain function, looked at or told by changes")
    func randomSteps() throws {
        try withSeed { random in
            for _ in 0..<8 {
                let session = try ListSession(&random)
                for step in 0..<120 {
                    let what = try session.step(&random)
                    let wanted = session.wanted
                    #expect(
                        session.list.items.value == wanted,
                        "step \(step), \(what): seed \(random.seed)")
                    #expect(
                        session.told == wanted,
                        "told of step \(step), \(what): seed \(random.seed)")
                    guard session.told == wanted else { return }
                }
            }
        }
    }

    @Test("A list without a connection is correct whenever it is read")
    func notConnected() throws {
        try withSeed { random in
            let session = try ListSession(&random, isConnected: false)
            for step in 0..<100 {
                let what = try session.step(&random)
                if random.chance(0.3) {
                    #expect(
                        session.list.items.value == session.wanted,
                        "step \(step), \(what): seed \(random.seed)")
                }
            }
        }
    }

    @Test("Several changes in one transaction are delivered as one")
    func oneTransaction() throws {
        let store = DocumentStore(epoch: "test")
        let orders = DocumentOrders(of: store.all)
        let downwards = SortOrder(first: .init(.name, isReversed: true))
        let list = PickerList(in: orders, sortedBy: downwards)
        var told = 0
        let connection = list.items.changes.connect { _ in told += 1 }
        let search = try DocumentSearch.parse("b")
        transaction {
            for name in ["b2", "a", "b10"] {
                let document = Document(
                    key: store.mintKey(), root: "/r", path: FileName(name), size: 1,
                    modified: FileTime(seconds: 1))
                store.apply(removed: [], inserted: [document])
            }
            list.search.value = search
        }
        #expect(told == 1)
        let names = list.items.value.map {
            if case .document(let document) = $0 { document.name.text } else { "new" }
        }
        #expect(names == ["b10", "b2"])
        connection.disconnect()
    }
}

/// One list, and the array built from its changes alone.
private final class ListSession {
    private static let stems = [
        "a", "A", "ä", "b", "notes", "Notes", "a2", "a10", "bericht", "résumé", "日本語", "ﬁn", "ß",
        "e\u{301}tude", "Straße",
    ]
    private static let texts = ["", "a", "no", "not", "1", "É", "ss", "本", "fi", "zzz", "."]

    let store = DocumentStore(epoch: "test")
    private let orders: DocumentOrders
    private(set) var list: PickerList
    private(set) var told: [PickerItem] = []
    private let isConnected: Bool
    private var connection: Connection?
    private var typed = ""
    private var conditions: [FilterExpression] = []

    init(_ random: inout SeededRandom, isConnected: Bool = true) throws {
        orders = DocumentOrders(of: store.all)
        list = PickerList(in: orders)
        self.isConnected = isConnected
        if random.chance(0.5) { change(Int.random(in: 0...60, using: &random), &random) }
        follow()
    }

    /// Another list, all of it new.
    private func sort(by order: SortOrder, matching search: DocumentSearch?) {
        list = PickerList(
            in: orders, sortedBy: order, matching: search, keeping: list.filter.value)
        follow()
    }

    private func follow() {
        guard isConnected else { return }
        connection = list.items.changes.connect { [unowned self] in $0.apply(on: &told) }
        told = list.items.value
    }

    var wanted: [PickerItem] {
        generateItems(
            documents: Array(store.documents), search: list.search.value,
            filter: list.filter.value, sortOrder: list.sortOrder)
    }

    /// Another filter: none, one more condition, one fewer, or any.
    private func filter(_ random: inout SeededRandom) throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: conditions = []
        case 1..<4: conditions.append(try RandomFilters.expression(&random, depth: 3))
        case 4: conditions = conditions.shuffled(using: &random).dropLast()
        default: conditions = [try RandomFilters.expression(&random)]
        }
        list.filter.value = conditions.isEmpty ? nil : DocumentFilter(.all(conditions))
    }

    /// Changes the documents, the order, the search, the filter, or all of them at once.
    func step(_ random: inout SeededRandom) throws -> String {
        switch Int.random(in: 0..<16, using: &random) {
        case 12..<15:
            try filter(&random)
            return "filter \(String(describing: list.filter.value?.expression))"
        case 15:
            typeLetter(&random)
            try transaction {
                list.search.value = try DocumentSearch.parse(typed)
                try filter(&random)
                change(5, &random)
            }
            return "search, filter and documents at once"
        case 0..<4:
            change(Int.random(in: 1...20, using: &random), &random)
            return "documents"
        case 4:
            let count = Int.random(in: 2...5, using: &random)
            transaction { for _ in 0..<count { change(3, &random) } }
            return "documents, several times at once"
        case 5..<7:
            sort(by: try order(&random), matching: list.search.value)
            return "order \(list.sortOrder.keys)"
        case 7..<9:
            typeLetter(&random)
            list.search.value = try DocumentSearch.parse(typed)
            return "search '\(typed)'"
        case 9:
            typeLetter(&random)
            let search = try DocumentSearch.parse(typed)
            transaction {
                list.search.value = search
                change(5, &random)
            }
            return "search and documents at once"
        case 10:
            typeLetter(&random)
            sort(by: try order(&random), matching: try DocumentSearch.parse(typed))
            return "order and search"
        default:
            let budget = Int.random(in: 1...40, using: &random)
            ObservableScheduler.current.performDeferredWork(budget: budget)
            return "a slice of \(budget)"
        }
    }

    /// A letter more, a letter less, or another text.
    private func typeLetter(_ random: inout SeededRandom) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0..<2:
            typed.append(
                contentsOf: ["a", "o", "t", "e", "1"].randomElement(using: &random) ?? "a")
        case 2: typed = String(typed.dropLast())
        default: typed = Self.texts.randomElement(using: &random) ?? ""
        }
    }

    private func order(_ random: inout SeededRandom) throws -> SortOrder {
        let fields = SortOrder.Field.allCases.shuffled(using: &random)
        let keys = fields.prefix(Int.random(in: 1...3, using: &random)).map {
            (random.chance(0.5) ? "-" : "") + $0.rawValue
        }
        return try SortOrder(keys: keys)
    }

    /// Adds, changes, renames and removes documents, as one change of the set.
    private func change(_ count: Int, _ random: inout SeededRandom) {
        var known = store.documents.sorted { $0.key < $1.key }.shuffled(using: &random)
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
