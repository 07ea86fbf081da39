import Observables
import PickerModel
import TestSupport
import Testing

@testable import PickerModel

@Suite("Attributes")
struct AttributeTests {
    /// A store with an attribute of each kind, all of which are wanted.
    private final class Bench {
        let store = DocumentStore(epoch: "e")
        let offer: AttributeOffer
        let attributes: [Attribute]
        private(set) var use: AttributeUse?

        init() throws {
            let kinds = Attribute.Kind.allCases.map { (name: "a.\($0.rawValue)", kind: $0) }
            offer = AttributeOffer(
                plugin: "a", version: "1", group: "g", attributes: kinds, condition: nil)
            let directory = store.attributes
            directory.add(offer)
            attributes = kinds.compactMap { directory.attribute(named: $0.name) }
            try #require(attributes.count == kinds.count)
            use = try directory.use(
                AttributeWish(
                    shown: [], needed: Set(attributes), query: DocumentQuery(), range: .listed))
        }

        func endUse() { use = nil }
    }

    private static func value(
        _ kind: Attribute.Kind, _ random: inout SeededRandom
    ) -> AttributeValue {
        switch kind {
        case .boolean: return .boolean(random.chance(0.5))
        case .integer:
            return .integer(
                [0, 1, -1, .min, .max, 4000, .max - 1].randomElement(using: &random) ?? 0)
        case .number:
            return .number(
                [0, -0.0, 1.5, -1.5, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e-300]
                    .randomElement(using: &random) ?? 0)
        case .time: return .time(Double.random(in: -3...3, using: &random).rounded())
        case .text:
            return .text(
                [
                    "", "a", "B", "b", "a10", "a9", "é", "e", "abcdefgh", "abcdefgh9", "abcdefgh10",
                    "ABCDEFGH9",
                ].randomElement(using: &random) ?? "")
        }
    }

    private static func test(
        _ attributes: [Attribute], _ random: inout SeededRandom
    ) throws -> AttributeTest {
        while true {
            let attribute = try #require(attributes.randomElement(using: &random))
            let operation: AttributeTest.Operation
            var operand = value(attribute.kind, &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                operation = .known
                operand = .boolean(random.chance(0.5))
            case 1: operation = .contains
            case 2: operation = .prefix
            default: operation = .comparison(RandomFilters.comparison(&random))
            }
            if let test = AttributeTest(attribute, operation, operand) { return test }
        }
    }

    private static func order(
        _ bench: Bench, _ random: inout SeededRandom
    ) throws -> SortOrder {
        let directory = bench.store.attributes
        let all =
            bench.attributes.map { directory.name(of: $0) } + ["name", "size", "type", "liked"]
        let keys = all.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            .map { (random.chance(0.5) ? "-" : "") + $0 }
        return try SortOrder(keys: Array(keys)) { directory.attribute(named: $0) }
    }

    @Test("Orders and filters by attributes are those of the plain values after every edit")
    func randomEdits() throws {
        try withSeed { random in
            for _ in 0..<12 { try edit(&random) }
        }
    }

    private func edit(_ random: inout SeededRandom) throws {
        let bench = try Bench()
        let store = bench.store
        let table = store.table
        let orders = DocumentOrders(of: store, in: .listed)
        let sorts = try (0..<3).map { _ in try Self.order(bench, &random) }
        let live = try sorts.map { sort in
            let order = orders.order(by: sort)
            try #require(order.items.count >= 1)
            return order
        }
        let filters = try (0..<3).map { _ in
            DocumentFilter(
                .any([
                    .attribute(try Self.test(bench.attributes, &random)),
                    .all([
                        .not(.attribute(try Self.test(bench.attributes, &random))), .liked,
                    ]),
                ]))
        }
        let surveys = filters.map {
            DocumentSurvey(of: store, in: .listed, for: DocumentQuery(filter: $0))
        }
        for survey in surveys { #expect(survey.advance(budget: .max)) }
        /// What is to be known, by key.
        var plain: [String: [Attribute: AttributeValue]] = [:]
        for _ in 0..<60 {
            Self.change(bench, &plain, &random)
            store.releaseFreedRows()
            let documents = store.documents
            for document in documents {
                #expect(document.attributes == plain[document.key] ?? [:])
            }
            for (sort, order) in zip(sorts, live) {
                let expected = documents.sorted(by: sort.comparator).map(\.key)
                #expect(
                    order.items[1..<order.items.count].compactMap {
                        $0.row.map { table.text(of: table.key(of: $0)) }
                    }
                        == expected, "\(sort.keys)")
                let limit = Int.random(in: 0...5, using: &random)
                let first = table.firstRows(limit, by: sort)
                #expect(
                    first.map { table.text(of: table.key(of: $0)) } == Array(expected.prefix(limit))
                )
                let sorting = RowOrdering(table.current, of: table, by: sort)
                #expect(sorting.advance(budget: .max))
                #expect(
                    sorting.rows.map { table.text(of: table.key(of: $0)) } == expected,
                    "\(sort.keys)")
            }
            for (filter, survey) in zip(filters, surveys) {
                let expected = Set(documents.filter { filter.expression.holds($0) }.map(\.key))
                let found = survey.matches.map { table.text(of: table.key(of: DocumentRow($0))) }
                #expect(Set(found) == expected, "\(filter.expression)")
                #expect(documents.allSatisfy { filter.matches($0) == expected.contains($0.key) })
            }
        }
    }

    private static func change(
        _ bench: Bench, _ plain: inout [String: [Attribute: AttributeValue]],
        _ random: inout SeededRandom
    ) {
        let store = bench.store
        let count = store.count
        let chosen = store.documents.sorted { $0.key < $1.key }.randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            store.apply(inserted: [
                Document(
                    key: store.mintKey(), root: "/r", path: FileName(RandomFilters.path(&random)),
                    size: UInt64(count % 3), modified: FileTime(seconds: 1), inode: UInt64(count))
            ])
        case 2:
            if let chosen { store.apply(removed: [chosen]) }
        case 3:
            if let chosen {
                store.apply(inserted: [
                    chosen.with(size: chosen.size + 1, modified: FileTime(seconds: 2))
                ])
            }
        case 4:
            if let chosen {
                store.apply(inserted: [
                    chosen.with(root: "/r", path: FileName(RandomFilters.path(&random)))
                ])
            }
        default:
            guard let chosen, let key = store.table.key(chosen.key) else { break }
            var cells: [(attribute: Attribute, value: AttributeValue?)] = []
            for attribute in bench.attributes where random.chance(0.5) {
                let new = random.chance(0.2) ? nil : value(attribute.kind, &random)
                cells.append((attribute, new))
                plain[chosen.key, default: [:]][attribute] = new
            }
            store.edit { edits in edits.give(cells, to: key) }
        }
        let left = Set(store.documents.map(\.key))
        plain = plain.filter { left.contains($0.key) }
    }

    @Test("A value that is given again is no change, and one that differs is one revision")
    func revisions() throws {
        let bench = try Bench()
        let store = bench.store
        store.apply(inserted: [
            Document(
                key: store.mintKey(), root: "/r", path: FileName("a"), size: 1,
                modified: FileTime(seconds: 1))
        ])
        let key = try #require(store.table.key("f0"))
        let width = bench.attributes[1]
        let rev = store.rev
        #expect(store.edit { $0.give([(width, .integer(7))], to: key) } != nil)
        #expect(store.rev == rev + 1)
        #expect(store.edit { $0.give([(width, .integer(7))], to: key) } == nil)
        #expect(store.edit { $0.give([(width, nil)], to: key) } != nil)
        #expect(store[key: "f0"]?.attributes == [:])
        // A value of another kind is none.
        #expect(store.edit { $0.give([(width, .text("x"))], to: key) } == nil)
    }

    @Test(
        "Whether a row has been read is kept when it is marked or moved, and not when its file changes"
    )
    func reading() throws {
        let bench = try Bench()
        let store = bench.store
        let read = store.attributes.beginReading()
        let document = Document(
            key: store.mintKey(), root: "/r", path: FileName("x/a"), size: 1,
            modified: FileTime(seconds: 1), inode: 5)
        store.apply(inserted: [document])
        func row() throws -> DocumentRow { try #require(store.row(key: "f0")) }
        #expect(!read.contains(try row()))
        read.insert(try row())
        let key = try #require(store.table.key("f0"))
        store.edit { $0.give([(bench.attributes[0], .boolean(true))], to: key) }
        #expect(read.contains(try row()))
        store.edit { edits in
            if let folder = try? edits.folder(root: "/r", path: Array("y/".utf8)) {
                edits.move(key, to: folder)
            }
        }
        #expect(store[key: "f0"]?.path.text == "y/a")
        #expect(read.contains(try row()))
        let moved = try #require(store[key: "f0"])
        store.apply(inserted: [moved.with(size: 2, modified: FileTime(seconds: 2))])
        #expect(!read.contains(try row()))
        #expect(store[key: "f0"]?.attributes.count == 1, "old values stay until new ones come")
        // A new document in the room of a released row has nothing of it.
        store.apply(removed: store.documents)
        store.releaseFreedRows()
        store.apply(inserted: [
            Document(
                key: store.mintKey(), root: "/r", path: FileName("b"), size: 1,
                modified: FileTime(seconds: 1))
        ])
        #expect(store.documents.map(\.attributes) == [[:]])
    }

    @Test("A column ends only when nobody wants it, and its values are gone then")
    func columns() throws {
        let bench = try Bench()
        let store = bench.store
        let directory = store.attributes
        var told = 0
        directory.whenColumnsEnd { told += 1 }
        directory.endColumns(bench.attributes)
        #expect(told == 0 && directory.columns.count == bench.attributes.count)
        bench.endUse()
        directory.endColumns(bench.attributes)
        #expect(told == 1 && directory.columns.isEmpty)
    }

    @Test("The first offer of a name counts, and a name of another kind is another attribute")
    func offers() throws {
        let store = DocumentStore(epoch: "e")
        let directory = store.attributes
        func offer(_ plugin: String, _ kind: Attribute.Kind) -> AttributeOffer {
            AttributeOffer(
                plugin: plugin, version: "1", group: "g", attributes: [("x.y", kind)],
                condition: nil)
        }
        let (first, second) = (offer("one", .integer), offer("two", .text))
        directory.add(first)
        let number = try #require(directory.attribute(named: "x.y"))
        directory.add(second)
        #expect(directory.attribute(named: "x.y") == number)
        #expect(directory.attributes(of: second).isEmpty)
        directory.remove(first)
        let text = try #require(directory.attribute(named: "x.y"))
        #expect(text != number && text.kind == .text && directory.name(of: number) == "x.y")
        directory.add(first)
        #expect(directory.attribute(named: "x.y") == text)
        directory.remove(second)
        #expect(directory.attribute(named: "x.y") == number)
    }

    @Test("Words sort like values, and restore them")
    func words() throws {
        try withSeed { random in
            for kind in Attribute.Kind.allCases where kind != .text {
                for _ in 0..<200 {
                    let one = Self.value(kind, &random)
                    let other = Self.value(kind, &random)
                    let (left, right) = (try #require(one.word), try #require(other.word))
                    #expect((left == right) == (one == other))
                    #expect(AttributeValue(word: left, kind) == one)
                    switch (one, other) {
                    case (.integer(let a), .integer(let b)): #expect((left < right) == (a < b))
                    case (.number(let a), .number(let b)), (.time(let a), .time(let b)):
                        #expect((left < right) == (a < b))
                    default: break
                    }
                }
            }
        }
    }
}
