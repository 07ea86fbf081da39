// Orders shared by lists, and what changes cost them: measured in recomputations, not in time.

import Observables
import PickerModel
import TestSupport
import Testing

@Suite("Shared orders")
struct DocumentOrdersTests {
    @Test("Lists sorted alike share an order: each other list costs a change only its filter")
    func sharing() throws {
        func cost(lists count: Int) throws -> Int {
            let bench = Bench()
            // Neither of the renamed document's names is found.
            let lists = try (0..<count).map { bench.open(try DocumentSearch.parse("9\($0)")) }
            #expect(bench.orders.count == 1)
            let cost = bench.costOfRename()
            return withExtendedLifetime(lists) { cost }
        }
        let (one, two) = (try cost(lists: 1), try cost(lists: 2))
        #expect(two - one < one, "a second list costs less than the first")
        #expect(try cost(lists: 10) == one + 9 * (two - one))

        let bench = Bench()
        let searches = try ["", "9", "1", "9", "99", "", "1", "9", "2", "a"].map {
            try DocumentSearch.parse($0)
        }
        let lists = searches.map { bench.open($0) }
        #expect(bench.orders.count == 1)
        _ = bench.costOfRename()
        for (list, search) in zip(lists, searches) {
            #expect(list.all == bench.wanted(search, by: .name))
        }
    }

    @Test("The orders used last are kept up to date, so switching back sorts nothing")
    func keeping() throws {
        let bench = Bench(count: 1000)
        let sortOrders = try [["name"], ["size"], ["-name"], ["path"], ["type"]].map {
            try SortOrder(keys: $0)
        }
        var made: [() -> DocumentOrder?] = []
        for sortOrder in sortOrders.prefix(DocumentOrders.keptCount) {
            let order = bench.orders.order(by: sortOrder)
            made.append { [weak order] in order }
        }
        bench.finishSorting()
        _ = bench.add("new.md")
        for (sortOrder, made) in zip(sortOrders, made) {
            let list = PickerList(in: bench.orders, sortedBy: sortOrder)
            #expect(list.isSorted)
            #expect(bench.orders.order(by: sortOrder) === made())
            #expect(list.items.value.count == bench.store.count + 1)
        }
        #expect(!ObservableScheduler.current.hasDeferredWork)

        #expect(made[0]() != nil && bench.orders.count == DocumentOrders.keptCount)
        _ = bench.orders.order(by: sortOrders[DocumentOrders.keptCount])
        #expect(made[0]() == nil, "the order used longest ago is gone")
        #expect(bench.orders.count == DocumentOrders.keptCount)
    }

    @Test("When nobody is there, orders that no list uses are given up, except for the last")
    func givingUp() throws {
        let bench = Bench(count: 1000)
        let sortOrders = try [["name"], ["size"], ["-name"], ["path"]].map {
            try SortOrder(keys: $0)
        }
        let used = PickerList(in: bench.orders, sortedBy: sortOrders[0])
        for sortOrder in sortOrders { _ = bench.orders.order(by: sortOrder) }
        #expect(bench.orders.count == 4)
        // The last use of the first was the longest ago, but a list has it.
        #expect(!bench.store.giveUpUnused())
        #expect(sortOrders.map(bench.orders.isAtHand) == [true, true, true, true])
        #expect(!bench.store.giveUpUnused())
        #expect(sortOrders.map(bench.orders.isAtHand) == [true, false, true, true])
        #expect(!bench.store.giveUpUnused())
        #expect(bench.store.giveUpUnused())
        #expect(sortOrders.map(bench.orders.isAtHand) == [true, false, false, true])
        #expect(bench.store.idleCount.value == 4)
        withExtendedLifetime(used) {}
        #expect(bench.store.giveUpUnused())
        #expect(bench.orders.isAtHand(sortOrders[3]))
    }

    @Test("An order in use stays the same object, however many others are created")
    func inUse() throws {
        let bench = Bench()
        let list = bench.open(nil)
        let used = bench.orders.order(by: .name)
        for keys in [["size"], ["-size"], ["path"], ["-path"], ["type"]] {
            _ = bench.orders.order(by: try SortOrder(keys: keys))
        }
        #expect(bench.orders.order(by: .name) === used)
        #expect(list.items.count == bench.store.count + 1)
    }

    @Test("An order that anyone has stays sorted and up to date, though more were used since")
    func stayingSorted() throws {
        let bench = Bench(count: 1000)
        let held = bench.orders.order(by: .name)
        for keys in [["size"], ["-size"], ["path"], ["-path"], ["type"]] {
            _ = bench.orders.order(by: try SortOrder(keys: keys))
        }
        bench.finishSorting()
        #expect(bench.orders.isAtHand(.name) && held.items.isSorted)
        _ = bench.add("new.md")
        #expect(bench.orders.order(by: .name) === held)
        #expect(held.items.isSorted && !ObservableScheduler.current.hasDeferredWork)
        #expect(bench.open(nil).all == bench.wanted(nil, by: .name))
    }

    @Test("The first rows of a new order are found without a full sort, which slices then do")
    func firstRows() throws {
        let bench = Bench(count: 5000)
        let list = PickerList(in: bench.orders, sortedBy: .date)
        list.activate()
        let wanted = bench.wanted(nil, by: .date)
        #expect(list.contents(0..<50) == Array(wanted[0..<50]))
        #expect(!list.isSorted && ObservableScheduler.current.hasDeferredWork)
        // A full sort takes about 55,000 comparisons.
        let slices = bench.finishSorting()
        #expect(slices > 10, "\(slices) slices were left")
        #expect(list.isSorted && !ObservableScheduler.current.hasDeferredWork)
        #expect(list.all == wanted)
    }

    @Test("The indices of documents in an order are those of their rows, ascending")
    func indices() throws {
        try withSeed { random in
            let bench = Bench(count: 300)
            for keys in [["name"], ["-size"], ["-path"]] {
                let order = bench.orders.order(by: try SortOrder(keys: keys))
                bench.finishSorting()
                for _ in 0..<5 {
                    _ = bench.costOfRename()
                    if random.chance(0.5) { bench.store.releaseFreedRows() }
                    let items = order.items.value
                    let some = items.indices.dropFirst().shuffled(using: &random).prefix(40)
                    let rows = some.compactMap { items[$0].row?.index }
                    #expect(rows.count == some.count)
                    #expect(order.indices(of: rows) == some.sorted())
                }
            }
        }
    }

    @Test("A list follows unusual names that come and go")
    func unusualNames() throws {
        let bench = Bench()
        let search = try DocumentSearch.parse("fi1")
        let list = bench.open(search)
        #expect(list.items.count == 0)
        let ligature = bench.add("\u{FB01}1.md")
        #expect(list.all == [.document(ligature)])
        _ = bench.add("e\u{301}fi12.md")
        #expect(list.all == bench.wanted(search, by: .name) && list.items.count == 2)
        bench.store.apply(removed: [ligature])
        bench.store.releaseFreedRows()
        _ = bench.add("FI1.txt")
        #expect(list.all == bench.wanted(search, by: .name) && list.items.count == 2)
    }

    @Test(
        "Matches that would take too long are skipped while documents change: the list says so")
    func budget() throws {
        let bench = Bench()
        let dear = DocumentFilter(
            .any(try (0..<20).map { .glob(try Glob("*q\($0)*z*")) }))
        let steps = DocumentQuery(filter: dear).stepsPerDocument
        #expect(steps > AskingBudget.dearSteps)
        let orders = DocumentOrders(
            of: bench.store, in: .all, asking: AskingBudget(3 * steps))
        let lists = [dear, dear, DocumentFilter(.size(.less, 5))].map { filter in
            let list = PickerList(in: orders, query: DocumentQuery(filter: filter))
            list.activate()
            return list
        }
        var told = 0
        let tokens = lists.map { $0.whenUnsound { told += 1 } }
        var toldOthers = 0
        for list in lists { _ = list.whenUnsound { toldOthers += 1 } }
        // One for each of two lists, whenever that occurs.
        for number in 0..<5 { _ = bench.add("q1\(number)z") }
        #expect(told == 0 && lists.allSatisfy(\.isSound))
        #expect(lists[0].items.count == lists[1].items.count)
        transaction { for number in 5..<7 { _ = bench.add("q1\(number)z") } }
        #expect(told == 1)
        #expect(toldOthers == 0, "nobody waits any more")
        #expect(lists.count(where: \.isSound) == 2 && lists[2].isSound)
        withExtendedLifetime(tokens) {}
    }
}

extension PickerList {
    /// All items as they are now.
    fileprivate var all: [ItemContent] { contents(0..<items.count) }
}

/// Documents, and lists of them.
private final class Bench {
    let store = DocumentStore(epoch: "test")
    private(set) lazy var orders = DocumentOrders(of: store, in: .all)
    private var renames = 0

    init(count: Int = 400) {
        store.apply(inserted: (0..<count).map { document("n\($0 * 7919 % count).md", $0) })
    }

    private func document(_ name: String, _ number: Int) -> Document {
        Document(
            key: store.mintKey(), root: "/r", path: FileName(name), size: UInt64(number % 10),
            modified: FileTime(seconds: Int64(number * 104_729 % 7001)))
    }

    func add(_ name: String) -> Document {
        let new = document(name, 0)
        store.apply(inserted: [new])
        return new
    }

    /// An active list.
    func open(_ search: DocumentSearch?) -> PickerList {
        let list = PickerList(in: orders, query: DocumentQuery(search: search))
        list.activate()
        finishSorting()
        return list
    }

    func wanted(_ search: DocumentSearch?, by sortOrder: SortOrder) -> [ItemContent] {
        generateItems(documents: store.documents, search: search, sortOrder: sortOrder)
    }

    /// - Returns: the number of slices that it took.
    @discardableResult
    func finishSorting() -> Int {
        var slices = 0
        while ObservableScheduler.current.performDeferredWork(budget: 1000) { slices += 1 }
        return slices
    }

    /// The recomputations of one document's rename.
    func costOfRename() -> Int {
        let before = ObservableScheduler.current.recomputations
        guard let old = store.documents.min(by: { $0.key < $1.key }) else { return 0 }
        renames += 1
        store.apply(
            removed: [old],
            inserted: [old.with(root: "/r", path: FileName("n0 again\(renames).md"))])
        return ObservableScheduler.current.recomputations - before
    }
}
