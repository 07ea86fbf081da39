// Lists that are drawn from some collections, compared with the plain function that defines them.

import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite("Collections")
struct CollectionsTests {
    @Test(
        "After every random step each list has the documents of its collections, which come and go")
    func randomSteps() {
        withSeed { random in
            for _ in 0..<12 {
                let bench = CollectionBench(&random)
                for step in 0..<150 {
                    let what = bench.step(&random)
                    bench.store.checkInvariants()
                    for list in bench.lists {
                        #expect(
                            list.isRight(in: bench),
                            "\(list.range), step \(step), \(what): seed \(random.seed)")
                        guard list.isRight(in: bench) else { return }
                    }
                    if random.chance(0.4) { bench.store.releaseFreedRows() }
                }
            }
        }
    }

    @Test("Searches and rankings of a collection are made in slices while documents change")
    func slices() throws {
        try withSeed { random in
            for round in 0..<10 {
                let bench = CollectionBench(&random)
                for _ in 0..<40 { bench.edit(&random) }
                let range = bench.range(&random)
                let query = DocumentQuery(search: try DocumentSearch.parse("a"))
                let survey = DocumentSurvey(of: bench.store, in: range, for: query)
                let search = FuzzySearch(try #require(try FuzzyQuery.parse("a1")))
                let ranked = RankedDocuments(of: bench.store, in: range, by: search)
                var isDone = false
                while !isDone {
                    let budget = Int.random(in: 1...200, using: &random)
                    isDone = survey.advance(budget: budget)
                    isDone = ranked.advance(budget: budget) && isDone
                    if random.chance(0.5) { bench.edit(&random) }
                }
                for _ in 0..<10 {
                    let rows = bench.rows(in: range)
                    let table = bench.store.table
                    let found = rows.filter { query.matches($0, of: table) }
                    #expect(
                        survey.known.map { Set($0.map { DocumentRow($0) }) } == found,
                        "round \(round): seed \(random.seed)")
                    let ranks = rows.filter { search.rank(of: $0, in: table) != nil }
                    #expect(ranked.found.value == ranks, "round \(round): seed \(random.seed)")
                    bench.edit(&random)
                }
            }
        }
    }

    @Test("What a change is to the roots: documents that come from outside are added")
    func changesOfRoots() throws {
        let store = DocumentStore(epoch: "e")
        store.setCollections([:], roots: ["/r"], leased: ["/l"])
        var changes: [DocumentChange] = []
        store.whenChanged = { changes.append($0) }
        func put(_ key: String, _ root: String, _ path: String, size: UInt64 = 1) {
            store.apply(inserted: [
                Document(
                    key: key, root: root, path: FileName(path), size: size,
                    modified: FileTime(seconds: 1))
            ])
        }
        put("f1", "/r", "a")
        put("f2", "/l", "b")
        #expect(changes.map { $0.ofRoots.added.map(\.key) } == [["f1"], []])
        #expect(changes[1].added.map(\.key) == ["f2"], "the watcher counts all")
        put("f2", "/r", "b")
        #expect(changes[2].ofRoots.added.map(\.key) == ["f2"] && changes[2].moved.count == 1)
        put("f1", "/l", "a")
        #expect(changes[3].ofRoots.removed.map(\.path.text) == ["a"])
        put("f1", "/l", "c")
        put("f1", "/l", "c", size: 2)
        #expect(changes[4].ofRoots.isEmpty && changes[5].ofRoots.isEmpty)
        put("f2", "/r", "d")
        #expect(changes[6].ofRoots.moved.map(\.new.path.text) == ["d"])
        #expect(store.rev == 7 && store.count == 1 && store.documents.count == 2)
    }

    @Test("A leased folder that becomes a root shows its documents in all lists, as one change")
    func becomesRoot() throws {
        let store = DocumentStore(epoch: "e")
        store.setCollections(
            ["c1": .init([DocumentArea(root: "/l")], isWhole: true)], roots: ["/r"],
            leased: ["/l"])
        store.apply(inserted: [
            Document(
                key: "f1", root: "/l", path: FileName("a"), size: 1,
                modified: FileTime(seconds: 1))
        ])
        let leased = DocumentRange(.listed, of: CollectionSet(["c1"]))
        #expect(store.count(in: .listed) == 0 && store.count(in: leased) == 1)
        var told: [DocumentChange] = []
        store.whenChanged = { told.append($0) }
        store.setCollections(
            ["/l": .init([DocumentArea(root: "/l")], isWhole: true)], roots: ["/r", "/l"],
            leased: [])
        #expect(store.count(in: .listed) == 1 && store.rev == 2)
        #expect(told.map { $0.added.map(\.key) } == [["f1"]])
        store.setCollections([:], roots: ["/r"], leased: ["/l"])
        #expect(store.count(in: .listed) == 0 && store.rev == 3)
        #expect(told.last?.removed.map(\.key) == ["f1"])
        store.setCollections([:], roots: ["/r"], leased: [])
        #expect(store.count(in: .listed) == 0, "it has a document still")
        store.checkInvariants()
    }

    @Test("A collection is whole by itself")
    func wholeness() {
        let store = DocumentStore(epoch: "e")
        store.isComplete.value = false
        let area = [DocumentArea(root: "/l")]
        store.setCollections(["c1": .init(area, isWhole: true)], roots: [], leased: ["/l"])
        var told = 0
        let connection = store.collections.completeness.changes.connect { _ in told += 1 }
        #expect(store.isReady(for: CollectionSet(["c1"])) && !store.isReady(for: .documents))
        #expect(!store.isReady(for: CollectionSet(["c1", "documents"])))
        store.isComplete.value = true
        store.setCollections(["c1": .init(area, isWhole: false)], roots: [], leased: ["/l"])
        #expect(!store.isReady(for: CollectionSet(["c1"])) && store.isReady(for: .documents))
        #expect(told == 1)
        #expect(store.isReady(for: CollectionSet(["c9"])), "what is not there is not waited for")
        store.setCollections(
            ["c1": .init(area, isWhole: false, limit: 3)], roots: [], leased: ["/l"])
        #expect(store.isReady(for: CollectionSet(["c1"])) && told == 2, "nothing more is to come")
        connection.disconnect()
    }

    @Test("Lists that name no collection cost the same whether folders are leased or not")
    func costs() throws {
        func cost(leases: Int) throws -> (opening: Cost, change: Cost) {
            let store = DocumentStore(epoch: "e")
            let names = (0..<leases).map { "/l\($0)" }
            if leases > 0 {
                store.setCollections(
                    Dictionary(
                        uniqueKeysWithValues: names.map {
                            ($0, .init([DocumentArea(root: $0)], isWhole: true))
                        }), roots: ["/r"], leased: Set(names))
            }
            func document(_ number: Int, size: Int, in root: String = "/r") -> Document {
                Document(
                    key: "f\(number)", root: root, path: FileName("n\(number).txt"),
                    size: UInt64(size), modified: FileTime(seconds: 1))
            }
            store.apply(inserted: (0..<2000).map { document($0, size: $0) })
            store.apply(
                inserted: names.indices.flatMap { lease in
                    (0..<200).map {
                        document(10_000 + 1000 * lease + $0, size: $0, in: names[lease])
                    }
                })
            store.releaseFreedRows()
            let orders = DocumentOrders(of: store, in: .listed)
            var lists: [PickerList] = []
            let opening = Cost.of {
                let list = PickerList(in: orders)
                list.activate()
                _ = list.items.value.count
                lists.append(list)
            }
            let documents = (0..<200).map { document($0, size: 5000 + $0) }
            func change(_ document: Document) {
                store.apply(inserted: [document])
                store.releaseFreedRows()
            }
            for document in documents.prefix(100) { change(document) }
            let changes = Cost.of { for document in documents.dropFirst(100) { change(document) } }
            #expect(lists[0].items.count == 2001)
            return (opening, changes)
        }
        let plain = try cost(leases: 0)
        let leased = try cost(leases: 4)
        #expect(leased.opening.isAbout(plain.opening), "\(leased.opening), \(plain.opening)")
        #expect(
            leased.change.allocations <= plain.change.allocations + 1000,
            "to find each of the four takes two, in all ten: \(leased.change), \(plain.change)")
        // Without leases there is nothing to look at.
        let store = DocumentStore(epoch: "e")
        #expect(store.collections.isPlain && !store.collections.beginChange())
    }

    @Test("A change outside changes no order of the roots, and takes no step of a list of them")
    func outsideIsFree() throws {
        let store = DocumentStore(epoch: "e")
        store.setCollections([:], roots: ["/r"], leased: ["/l"])
        func documents(_ root: String, _ count: Int) -> [Document] {
            (0..<count).map {
                Document(
                    key: store.mintKey(), root: root, path: FileName("\($0)"), size: 1,
                    modified: FileTime(seconds: 1))
            }
        }
        store.apply(inserted: documents("/r", 5000))
        let orders = DocumentOrders(of: store, in: .listed)
        let list = PickerList(in: orders)
        list.activate()
        #expect(list.items.value.count == 5001)
        var told = 0
        let connection = list.items.extents.connect { _ in told += 1 }
        store.announceBulk(100_000)
        store.apply(inserted: documents("/l", 20_000))
        #expect(told == 0 && list.isSound && orders.isAtHand(list.sortOrder))
        #expect(store.rev == 2, "one revision for all")
        connection.disconnect()
    }

    @Test("A subset ends when nobody has it")
    func lifetimes() {
        let store = DocumentStore(epoch: "e")
        store.setCollections(
            ["c1": .init([DocumentArea(root: "/l")], isWhole: true)], roots: [], leased: [])
        let range = DocumentRange(.listed, of: CollectionSet(["c1"]))
        var orders: DocumentOrders? = DocumentOrders(of: store, in: range)
        _ = orders?.order(by: .name)
        let other = store.subset(of: range)
        #expect(store.collections.subsetCount == 1 && other != nil)
        orders = nil
        #expect(store.collections.subsetCount == 1)
        withExtendedLifetime(other) {}
    }
}

/// Documents of roots and of leased folders, and lists of some of them.
private final class CollectionBench {
    private static let roots = ["/a", "/b"]
    private static let leases = ["/x", "/y/z", "/a/inner"]
    private static let folders = ["", "d/", "d/e/", "sub/"]

    let store = DocumentStore(epoch: "e")
    private(set) var lists: [OpenList] = []
    private var leased: Set<String> = []
    private var roots = Set(CollectionBench.roots)
    private var counter = 0

    init(_ random: inout SeededRandom) {
        update()
        for _ in 0..<4 { open(&random) }
    }

    // MARK: The plain function

    /// The areas of a collection; nil for one that is not there.
    private func areas(_ name: String) -> [DocumentArea] {
        switch name {
        case "below": [DocumentArea(root: "/a", path: Array("d/".utf8))]
        case "both": [DocumentArea(root: "/x"), DocumentArea(root: "/b", path: Array("d/e/".utf8))]
        default: [DocumentArea(root: name)]
        }
    }

    private func isIn(_ document: Document, _ name: String) -> Bool {
        if name == "documents" { return !isOutside(document.root) }
        guard store.collections.known[name] != nil else { return false }
        return areas(name).contains {
            document.root == $0.root && document.path.bytes.starts(with: $0.path)
        }
    }

    private func isOutside(_ root: String) -> Bool { store.collections.outsideRoots.contains(root) }

    func documents(in range: DocumentRange) -> [Document] {
        store.documents.filter { document in
            let isMarked =
                switch range.part {
                case .all: true
                case .dropped: document.isDropped
                case .listed: !document.isDropped
                }
            return isMarked && range.collections.names.contains { isIn(document, $0) }
        }
    }

    func rows(in range: DocumentRange) -> Set<DocumentRow> {
        Set(documents(in: range).compactMap { store.row(key: $0.key) })
    }

    // MARK: Steps

    func range(_ random: inout SeededRandom) -> DocumentRange {
        let names = Self.roots + Self.leases + ["below", "both", "documents"]
        let chosen = names.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random))
        let parts: [DocumentRange.Part] = [.listed, .listed, .dropped, .all]
        let part = parts.randomElement(using: &random)
        return DocumentRange(
            part ?? .listed, of: random.chance(0.3) ? .documents : CollectionSet(chosen))
    }

    private func open(_ random: inout SeededRandom) {
        if lists.count > 5 { lists.remove(at: Int.random(in: 0..<lists.count, using: &random)) }
        lists.append(OpenList(of: store, in: range(&random)))
    }

    /// Tells the store of the collections.
    private func update() {
        var known: [String: DocumentCollections.Collection] = [:]
        for name in leased.union(roots).union(["below", "both"]) {
            known[name] = .init(areas(name), isWhole: true)
        }
        store.setCollections(known, roots: roots, leased: leased.subtracting(roots))
    }

    func step(_ random: inout SeededRandom) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            open(&random)
            return "a list"
        case 1:
            let name = Self.leases.randomElement(using: &random) ?? "/x"
            if leased.remove(name) == nil { leased.insert(name) }
            update()
            // As the watcher removes the documents of a folder that it follows no more, at once or later.
            if !leased.contains(name), !roots.contains(name), random.chance(0.6) {
                store.apply(removed: store.documents.filter { $0.root == name })
            }
            return "lease \(name)"
        case 2:
            let name = (Self.roots + Self.leases).randomElement(using: &random) ?? "/a"
            if roots.remove(name) == nil { roots.insert(name) }
            update()
            if !roots.contains(name), !leased.contains(name) {
                store.apply(removed: store.documents.filter { $0.root == name })
            }
            return "root \(name)"
        case 3:
            mark(&random)
            return "marks"
        default:
            edit(&random)
            return "documents"
        }
    }

    private func mark(_ random: inout SeededRandom) {
        var planner = MarkPlanner(for: store)
        for document in store.documents.shuffled(using: &random).prefix(3) {
            _ = planner.plan(document.isDropped ? .restore : .drop, for: document.key)
        }
        store.mark(planner.changes)
    }

    func edit(_ random: inout SeededRandom) {
        let old = store.documents.shuffled(using: &random)
        // Only where somebody watches.
        let places = roots.union(leased).sorted()
        guard let root = places.randomElement(using: &random) else { return }
        func place(_ random: inout SeededRandom) -> FileName {
            let folder = Self.folders.randomElement(using: &random) ?? ""
            return FileName("\(folder)a\(Int.random(in: 0..<30, using: &random))")
        }
        var inserted: [Document] = []
        for index in 0..<Int.random(in: 1...6, using: &random) {
            counter += 1
            let key = index < old.count && random.chance(0.5) ? old[index].key : store.mintKey()
            inserted.append(
                Document(
                    key: key, root: root, path: place(&random), size: UInt64(counter % 7),
                    modified: FileTime(seconds: Int64(counter))))
        }
        store.apply(
            removed: Array(old.suffix(Int.random(in: 0...3, using: &random))), inserted: inserted)
    }
}

/// A list, and the array built from its changes alone.
private final class OpenList {
    let range: DocumentRange
    private let orders: DocumentOrders
    private let list: PickerList
    private var told: [PickerItem] = []
    private var connection: Connection?

    init(of store: DocumentStore, in range: DocumentRange) {
        self.range = range
        orders = DocumentOrders(of: store, in: range)
        list = PickerList(in: orders)
        list.activate()
        connection = list.items.changes.connect { [unowned self] in $0.apply(on: &told) }
        told = list.items.value
    }

    func isRight(in bench: CollectionBench) -> Bool {
        let wanted = generateItems(
            documents: bench.documents(in: range), search: nil, sortOrder: list.sortOrder)
        return list.contents(0..<list.items.count) == wanted && told == list.items.value
            && orders.rows.map { DocumentRow($0) }.count == wanted.count - 1
    }
}
