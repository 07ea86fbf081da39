// Orders shared by lists, and the matches of lists: measured in comparisons and matches, not in time.

import Observables
import PickerModel
import Testing

@Suite("Shared orders")
struct DocumentOrdersTests {
    @Test("Lists sorted alike share an order: a change costs the comparisons of one list")
    func sharing() throws {
        let alone = Bench()
        let one = alone.open(try DocumentSearch.parse("9"))
        let cost = alone.costOfRename()

        let bench = Bench()
        let searches = try ["", "9", "1", "9", "99", "", "1", "9", "2", "a"].map {
            try DocumentSearch.parse($0)
        }
        let lists = searches.map { bench.open($0) }
        #expect(bench.orders.count == 1)
        let shared = bench.costOfRename()
        #expect(cost.comparisons > 0)
        #expect(shared.comparisons == cost.comparisons)
        #expect(cost.questions == 1)
        #expect(shared.questions == lists.count)
        for (list, search) in zip(lists + [one], searches + [searches[1]]) {
            let store = list === one ? alone.store : bench.store
            #expect(
                list.items.value
                    == generateItems(
                        documents: Array(store.documents), search: search, sortOrder: .name))
        }
    }

    @Test("The orders used last are kept up to date, so switching back compares nothing")
    func keeping() throws {
        let bench = Bench()
        let orders = try [["name"], ["size"], ["-name"], ["path"], ["type"]].map {
            try SortOrder(keys: $0)
        }
        weak var first: DocumentOrder?
        for order in orders.prefix(DocumentOrders.keptCount) {
            let made = bench.orders.order(by: order)
            if first == nil { first = made }
            _ = made.items.value
        }
        bench.finishSorting()
        let before = bench.comparisons
        for order in orders.prefix(DocumentOrders.keptCount) {
            let list = PickerList(in: bench.orders, sortedBy: order)
            #expect(list.items.value.count == bench.store.count + 1)
        }
        #expect(bench.comparisons == before)

        #expect(first != nil && bench.orders.count == DocumentOrders.keptCount)
        _ = bench.orders.order(by: orders[DocumentOrders.keptCount])
        #expect(first == nil, "the order used longest ago is gone")
        #expect(bench.orders.count == DocumentOrders.keptCount)
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

    @Test("The first rows of a new order are found without a full sort, which slices then do")
    func firstRows() throws {
        let bench = Bench(count: 5000)
        let list = PickerList(in: bench.orders, sortedBy: .date)
        list.activate()
        let wanted = generateItems(
            documents: Array(bench.store.documents), search: nil, sortOrder: .date)
        #expect(list.items[0..<50] == Array(wanted[0..<50]))
        // A full sort takes about 55,000; most of these sort a sample of fixed size.
        #expect(bench.comparisons < 25_000)
        #expect(ObservableScheduler.current.hasDeferredWork)
        bench.finishSorting()
        let before = bench.comparisons
        #expect(list.items.value == wanted)
        #expect(bench.comparisons == before)
    }

    @Test("A longer search matches only earlier matches, a shorter one only the others")
    func narrowing() throws {
        let bench = Bench()
        // Unusual names: a ligature, a decomposed one.
        _ = bench.add("ﬁ1.md")
        _ = bench.add("e\u{301}12.md")
        let list = bench.open(nil)
        let total = bench.store.count + 1
        var asked: [Int] = []
        var matched = [total]
        for text in ["1", "12", "123", "12", "1", "2", ""] {
            let before = bench.questions
            list.search.value = try DocumentSearch.parse(text)
            asked.append(bench.questions - before)
            matched.append(list.items.count)
        }
        #expect(
            asked == [
                total, matched[1], matched[2], total - matched[3], total - matched[4], total,
                total - matched[6],
            ])
    }

    @Test("A stricter filter matches only earlier matches, a weaker one only the others")
    func narrowingByFilter() throws {
        let bench = Bench()
        let list = bench.open(nil)
        let small = FilterExpression.size(.less, 5)
        let early = FilterExpression.modified(.less, 3000)
        let md = FilterExpression.suffix([Array("md".utf8)])
        let total = bench.store.count + 1
        var asked: [Int] = []
        var matched = [total]
        for expression: FilterExpression in [
            small, .all([small, early]), .all([early, small, md]), .all([md, small]), early,
            .everything,
        ] {
            let before = bench.questions
            list.filter.value = DocumentFilter(expression)
            asked.append(bench.questions - before)
            matched.append(list.items.count)
        }
        #expect(
            asked == [
                total, matched[1], matched[2], total - matched[3], total, total - matched[5],
            ])
        // An edit matches once; the same filter again matches nothing.
        let before = bench.questions
        list.filter.value = DocumentFilter(.everything)
        #expect(bench.questions == before)
        #expect(bench.costOfRename().questions == 1)
        // A search and a filter that narrow together match only earlier matches.
        transaction {
            list.search.value = try? DocumentSearch.parse("1")
            list.filter.value = DocumentFilter(small)
        }
        let both = list.items.count
        let then = bench.questions
        transaction {
            list.search.value = try? DocumentSearch.parse("12")
            list.filter.value = DocumentFilter(.all([small, early]))
        }
        #expect(bench.questions - then == both)
        #expect(
            list.items.value
                == generateItems(
                    documents: Array(bench.store.documents), search: list.search.value,
                    filter: list.filter.value, sortOrder: .name))
    }
}

extension DocumentOrdersTests {
    @Test(
        "The first unusual name, and the removal of the last, match nothing else")
    func plainness() throws {
        let bench = Bench()
        let list = bench.open(try DocumentSearch.parse("1"))
        let before = bench.questions
        let ligature = bench.add("\u{FB01}1.md")
        #expect(bench.questions == before + 1)
        bench.store.apply(removed: [ligature])
        #expect(bench.questions == before + 1)
        #expect(list.items.count > 1)
    }

    @Test(
        "Matches that would take too long are skipped while documents change: the list says so")
    func budget() throws {
        let bench = Bench()
        let dear = DocumentFilter(
            .any(try (0..<20).map { .glob(try Glob("*q\($0)*z*")) }))
        let steps = DocumentQuery(filter: dear).stepsPerDocument
        #expect(steps > AskingBudget.dearSteps)
        let orders = DocumentOrders(of: bench.store.all, asking: AskingBudget(3 * steps))
        let lists = [nil, nil, DocumentFilter(.size(.less, 5))].enumerated().map { index, filter in
            let list = PickerList(in: orders, keeping: index < 2 ? dear : filter)
            list.activate()
            return list
        }
        var told = 0
        for list in lists { list.onUnsound = { told += 1 } }
        // One for each of two lists, whenever that occurs.
        for number in 0..<5 { _ = bench.add("q1\(number)z") }
        #expect(told == 0 && lists.allSatisfy(\.isSound))
        #expect(lists[0].items.count == lists[1].items.count)
        transaction { for number in 5..<7 { _ = bench.add("q1\(number)z") } }
        #expect(told == 1)
        #expect(lists.count(where: \.isSound) == 2 && lists[2].isSound)
    }
}

/// Documents, and lists with counted comparisons and matches.
private final class Bench {
    let store = DocumentStore(epoch: "test")
    private(set) lazy var orders = DocumentOrders(of: store.all) { [unowned self] order in
        let areInOrder = order.comparator
        return { [unowned self] in
            comparisons += 1
            return areInOrder($0, $1)
        }
    }
    private(set) var comparisons = 0
    private(set) var questions = 0
    private var connections: [Connection] = []

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
        let list = PickerList(
            in: orders, matching: search,
            asking: { [unowned self] item, search, filter in
                questions += 1
                return item.matches(search, filter)
            })
        list.activate()
        finishSorting()
        return list
    }

    func finishSorting() {
        while ObservableScheduler.current.performDeferredWork(budget: 1000) {}
    }

    /// The cost of one document's rename.
    func costOfRename() -> (comparisons: Int, questions: Int) {
        let before = (comparisons, questions)
        guard let old = store.documents.min(by: { $0.key < $1.key }) else { return (0, 0) }
        store.apply(
            removed: [old], inserted: [old.with(root: "/r", path: FileName("n0 again.md"))])
        return (comparisons - before.0, questions - before.1)
    }
}
