import Observables
import Testing

private final class Census {
    var live = 0
}

/// Something whose instances are counted. Equal and hashed by its number.
private final class Counted: Hashable {
    let number: Int
    private let census: Census

    init(_ number: Int, _ census: Census) {
        self.number = number
        self.census = census
        census.live += 1
    }

    deinit { census.live -= 1 }

    static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

@Suite struct PipelineTests {
    /// What the pipeline below must give, by plain recomputation.
    private struct Model {
        var documents: Set<Int> = []
        var extra: [Int] = []
        var modulus = 1
        var descending = false

        var value: [Int] {
            let less: (Int, Int) -> Bool = descending ? { $0 > $1 } : { $0 < $1 }
            let sorted = documents.sorted(by: less).map { $0 * 2 }
            return ([-2] + sorted + extra + extra).filter { ($0 / 2) % modulus == 0 }
        }
    }

    @Test("Random scripts: the pipeline equals recomputation after each step", arguments: 0..<150)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        let documents = SetVariable<Int>()
        let extra = ArrayVariable<Int>()
        let modulus = Variable(1)
        let descending = Variable(false)
        var model = Model()
        var committed = model.value

        let order: Observable<(Int, Int) -> Bool> = descending.map {
            $0 ? { $0 > $1 } : { $0 < $1 }
        }
        let items =
            (ObservableArray.constant([-2]) + documents.sorted(by: order).map { $0 * 2 }
            + extra + extra).filter(
                where: modulus.map { modulus in { ($0 / 2) % modulus == 0 } })
        let count = items.observableCount

        var mirrors: [Mirror<Int>] = []
        var counts: [Connection] = []
        var toldCount = count.value
        func step() {
            switch random.below(8) {
            case 0, 1:
                let element = random.below(40)
                documents.insert(element)
                model.documents.insert(element)
            case 2:
                if let element = model.documents.sorted().randomElement(using: &random) {
                    documents.remove(element)
                    model.documents.remove(element)
                }
            case 3:
                modulus.value = 1 + random.below(3)
                model.modulus = modulus.value
            case 4:
                descending.value.toggle()
                model.descending.toggle()
            case 5:
                let batch = Set((0..<random.below(90)).map { _ in random.below(400) })
                documents.value = batch
                model.documents = batch
            default:
                let start = random.below(model.extra.count + 1)
                let end = min(model.extra.count, start + random.below(3))
                let new = random.array(limit: 3)
                extra.replaceSubrange(start..<end, with: new)
                model.extra.replaceSubrange(start..<end, with: new)
            }
        }
        for _ in 0..<60 {
            switch random.below(5) {
            case 0 where mirrors.count < 3:
                mirrors.append(Mirror(items))
                if counts.isEmpty {
                    toldCount = count.value
                    counts.append(
                        count.connect {
                            #expect($0.old == toldCount && $0.new == items.count)
                            toldCount = $0.new
                        })
                }
            case 1 where !mirrors.isEmpty:
                mirrors.remove(at: random.below(mirrors.count))
                if mirrors.isEmpty { counts.removeAll() }
            case 2:
                let connected = mirrors.count
                transaction {
                    for _ in 0..<(1 + random.below(5)) {
                        step()
                        if random.below(3) == 0 {
                            #expect(items.value == model.value, "seed \(seed)")
                        }
                        if random.below(9) == 0 { mirrors.append(Mirror(items)) }
                    }
                    // Whoever was connected before is told nothing until the end.
                    for mirror in mirrors[..<connected] {
                        #expect(mirror.value == committed, "seed \(seed)")
                    }
                }
            default: step()
            }
            committed = model.value
            #expect(items.value == committed, "seed \(seed)")
            #expect(items.count == committed.count && count.value == committed.count)
            for mirror in mirrors { #expect(mirror.value == committed, "seed \(seed)") }
            if !committed.isEmpty {
                let lower = random.below(committed.count)
                let upper = lower + random.below(committed.count - lower + 1)
                #expect(items[lower..<upper] == Array(committed[lower..<upper]), "seed \(seed)")
                #expect(items[lower] == committed[lower], "seed \(seed)")
            }
        }
    }

    @Test("Each stage of a pipeline is computed once in a transaction, and not at all when idle")
    func stages() {
        let documents = SetVariable<Int>(Set(0..<20))
        let limit = Variable(10)
        let items = (documents.sorted() + documents.sorted().map { $0 + 100 })
            .filter(where: limit.map { limit in { $0 != limit } })
        let scheduler = ObservableScheduler.current
        let c = items.connect { _ in }
        var before = scheduler.recomputations
        transaction {
            documents.insert(50)
            documents.insert(51)
            limit.value = 3
        }
        // Two sources, two sorts, one map of rows, one of the limit, one sum, one filter.
        #expect(scheduler.recomputations - before == 8)
        c.disconnect()
        before = scheduler.recomputations
        documents.insert(60)
        #expect(scheduler.recomputations == before)
        #expect(items.count == 45)
    }

    @Test("A change costs comparisons and predicate calls in proportion to the logarithm")
    func work() {
        var comparisons = 0
        var calls = 0
        let documents = SetVariable<Int>(Set((0..<20_000).map { $0 * 2 }))
        let items = documents.sorted {
            comparisons += 1
            return $0 < $1
        }.filter {
            calls += 1
            return $0 % 3 == 0
        }
        let c = items.connect { _ in }
        comparisons = 0
        calls = 0
        for element in 0..<100 {
            documents.insert(element * 200 + 1)
            documents.remove(element * 400)
        }
        // log2 of 20,000 is 14.3; a removal also looks at the row it finds.
        #expect(comparisons <= 200 * 18)
        #expect(calls <= 100)
        c.disconnect()
    }

    @Test("Nothing is left alive when the last connection has gone")
    func lifetimes() {
        let census = Census()
        do {
            let documents = SetVariable<Counted>()
            let search = Variable(0)
            var held = 0
            do {
                let token = Counted(-1, census)
                let items = documents.sorted { $0.number < $1.number }
                    .map { Counted($0.number, census) }
                    .filter(
                        where: search.map { text in { $0.number % 7 != text && token.number < 0 } })
                let one = items.connect { change in held += change.modifications.count }
                let other = items.observableCount.connect { _ in held += 1 }
                for number in 0..<30 { documents.insert(Counted(number, census)) }
                search.value = 3
                #expect(items.count == 26)
                one.disconnect()
                #expect(items.count == 26)
                other.disconnect()
                #expect(held > 0)
            }
            #expect(census.live == 30)
            documents.removeAll()
            #expect(census.live == 0)
        }
        #expect(census.live == 0)
    }
}
