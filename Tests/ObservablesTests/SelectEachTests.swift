import Observables
import Testing

private final class Book {
    let title: Variable<String>
    init(_ title: String) { self.title = Variable(title) }
}

/// Something with observables of each kind in it.
private final class Item: Hashable {
    let id: Int
    let isOpen = Variable(false)
    let key = Variable(0)
    let rows = ArrayVariable<Int>()
    let tags = SetVariable<Int>()
    /// The key, at a greater height.
    let deepKey: Observable<Int>

    init(_ id: Int) {
        self.id = id
        deepKey = key.map { $0 }.map { $0 }.map { $0 }.map { $0 }.map { $0 }.map { $0 }
    }

    static func == (left: Item, right: Item) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Suite struct SelectEachTests {
    @Test("The talk's bookshelf prints what its comments say")
    func bookshelf() {
        let log = Log<String>()
        let b1 = Book("Anathem")
        let b2 = Book("Cryptonomicon")
        let shelf: ArrayVariable<Book> = [b1, b2]
        let titles = shelf.selectEach { $0.title }
        let c = titles.changes.connect { _ in log.add(titles.value.joined(separator: ", ")) }
        #expect(titles.value == ["Anathem", "Cryptonomicon"])
        b1.title.value = "Seveneves"
        shelf.append(Book("Zodiac"))
        shelf.remove(at: 1)
        b2.title.value = "The Diamond Age"
        c.disconnect()
        #expect(
            log.entries == [
                "Seveneves, Cryptonomicon", "Seveneves, Cryptonomicon, Zodiac",
                "Seveneves, Zodiac",
            ])
    }

    @Test("Every spelling compiles without annotations")
    func spellings() {
        let numbers: ArrayVariable<Int> = [1, 5]
        let set: SetVariable<Int> = [1, 5]
        let items = ArrayVariable([Item(1), Item(2)])
        let members = SetVariable([Item(1), Item(2)])
        items[0].isOpen.value = true
        items[0].key.value = 9
        items[0].rows.value = [7]
        for item in members.value { item.tags.value = [item.id, 9] }
        #expect(numbers.filter { $0 > 3 }.value == [5])
        #expect(numbers.filtered { $0 > 3 }.value == [5])
        #expect(set.filter { $0 > 3 }.value == [5])
        #expect(set.filtered { $0 > 3 }.value == [5])
        #expect(items.filtered(test: { $0.isOpen }).count == 1)
        #expect(items.filter { $0.isOpen }.count == 1)
        #expect(items.filter { !$0.isOpen }.count == 1)
        #expect(members.filtered { $0.isOpen }.count == 0)
        #expect(members.filter { $0.key > $0.isOpen.map { $0 ? 1 : 0 } }.count == 0)
        #expect(items.selectEach { $0.key }.value == [9, 0])
        #expect(items.selectEach { $0.rows }.value == [7])
        #expect(members.selectEach { $0.key }.value == [0])
        #expect(members.selectEach { $0.tags }.value == [1, 2, 9])
        #expect(items.sorted(using: { $0.key }, by: <).map { $0.id }.value == [2, 1])
        #expect(items.sorted(using: { $0.key }, by: { $0 > $1 }).map { $0.id }.value == [1, 2])
        #expect(items.sorted(using: { $0.key }).map { $0.id }.value == [2, 1])
        #expect(members.sorted(using: { $0.key }, by: <).count == 2)
        #expect(members.sorted(using: { $0.key }).count == 2)
    }

    @Test("A flip tells one row; those of elements removed earlier are silent")
    func flips() {
        let items = (0..<4).map(Item.init)
        let array = ArrayVariable(items)
        let mirror = Mirror(array.filter { $0.isOpen }.map { $0.id })
        items[1].isOpen.value = true
        #expect(mirror.takeChanges() == [[.insert(1, at: 0)]])
        items[3].isOpen.value = true
        #expect(mirror.takeChanges() == [[.insert(3, at: 1)]])
        array.remove(at: 1)
        #expect(mirror.takeChanges() == [[.remove(1, at: 0)]])
        items[1].isOpen.value = false
        #expect(mirror.takeChanges().isEmpty)
        transaction {
            // Inserted and flipped at once, whatever comes first.
            items[1].isOpen.value = true
            array.insert(items[1], at: 0)
            array.append(items[2])
            items[2].isOpen.value = true
            items[2].isOpen.value = false
        }
        #expect(mirror.takeChanges() == [[.insert(1, at: 0)]])
        transaction {
            items[3].isOpen.value = false
            array.value = [items[3], items[1], items[1]]
        }
        #expect(mirror.value == [1, 1])
        items[1].isOpen.value = false
        #expect(mirror.value.isEmpty)
    }

    @Test("Arrays are flattened with one occurring twice, and an element's key moves its row")
    func flattening() {
        let item = Item(0)
        let other = Item(1)
        item.rows.value = [1, 2]
        let array = ArrayVariable([item, other, item])
        let mirror = Mirror(array.selectEach { $0.rows })
        #expect(mirror.value == [1, 2, 1, 2])
        other.rows.append(5)
        item.rows.insert(0, at: 1)
        #expect(mirror.value == [1, 0, 2, 5, 1, 0, 2])
        transaction {
            item.rows.remove(at: 0)
            array.remove(at: 0)
            other.rows[0] = 6
        }
        #expect(mirror.value == [6, 0, 2] && mirror.takeChanges().count == 3)

        let order = Mirror(array.sorted(using: { $0.key }, by: <).map { $0.id })
        item.key.value = -1
        #expect(order.value == [0, 1] && order.takeChanges().count == 1)
        item.key.value = -2
        #expect(order.takeChanges().isEmpty)
        transaction {
            item.key.value = 5
            array.remove(at: 1)
            other.key.value = 9
        }
        #expect(order.value == [1] && order.takeChanges() == [[.remove(0, at: 0)]])
    }

    @Test("An element that looks at the operator's own result gives nothing and is reported")
    func circle() {
        let scheduler = ObservableScheduler.current
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        defer { scheduler.onCascade = nil }
        let first = Variable(1)
        let array = ArrayVariable([0])
        var own: Observable<Int>?
        let result = array.selectEach { $0 == 9 ? own ?? .constant(0) : first.observable }
        own = result.observableCount
        let set: SetVariable<Int> = [0]
        var ownSet: Observable<Int>?
        let setResult = set.selectEach { $0 == 9 ? ownSet ?? .constant(0) : first.observable }
        ownSet = setResult.observableCount
        let sorted = array.sorted(using: { $0 == 9 ? own ?? .constant(0) : first.observable })
        let mirror = Mirror(result)
        let setMirror = SetMirror(setResult)
        let sortedMirror = Mirror(sorted)
        array.append(9)
        set.insert(9)
        #expect(reports.map(\.kind) == [.dependencies, .dependencies])
        #expect(mirror.value == [1] && setMirror.value == [1] && sortedMirror.value == [0, 9])
        first.value = 5
        array.append(3)
        #expect(mirror.value == [5, 5] && setMirror.value == [5])
        array.remove(at: 1)
        set.remove(9)
        #expect(mirror.value == [5, 5] && setMirror.value == [5])
        own = nil
        ownSet = nil
    }

    @Test("Random scripts on arrays equal recomputation", arguments: 0..<250)
    func randomArrays(seed: Int) {
        var random = Seeded(seed)
        let items = (0..<5).map(Item.init)
        let array = ArrayVariable((0..<random.below(30)).map { _ in items[random.below(5)] })
        let shared = items[0].rows
        let isDescending = Variable(false)
        let keeps = items.map { $0.deepKey.connect { _ in } }
        let comparator: Observable<(Int, Int) -> Bool> = isDescending.map {
            $0 ? { $0 > $1 } : { $0 < $1 }
        }
        let limit = Variable(1)
        let operators: [(ObservableArray<Int>, () -> [Int])] = [
            (
                array.filter { $0.isOpen }.map { $0.id },
                { array.value.filter { $0.isOpen.value }.map { $0.id } }
            ),
            (
                // At heights that differ, and made anew for each element.
                array.filter { $0.id % 2 == 0 ? $0.deepKey > limit : $0.isOpen.map { $0 } }
                    .map { $0.id },
                {
                    array.value.filter {
                        $0.id % 2 == 0 ? $0.key.value > limit.value : $0.isOpen.value
                    }
                    .map { $0.id }
                }
            ),
            (array.selectEach { $0.deepKey }, { array.value.map { $0.key.value } }),
            (
                array.selectEach { item in
                    limit.flatMap { $0 > 1 ? item.deepKey : item.key.observable }
                },
                { array.value.map { $0.key.value } }
            ),
            (array.selectEach { $0.rows }, { array.value.flatMap { $0.rows.value } }),
            (
                array.selectEach { $0.id < 2 ? shared.observableArray : $0.rows.filter { $0 > 0 } },
                {
                    array.value.flatMap { item in
                        item.id < 2 ? shared.value : item.rows.value.filter { $0 > 0 }
                    }
                }
            ),
        ]
        let sorted = array.sorted(
            using: { $0.id % 2 == 0 ? $0.deepKey : $0.key.observable }, by: comparator
        )
        .map { $0.id }
        func checkSorted(_ ids: [Int]) -> Bool {
            let keys = ids.map { items[$0].key.value }
            return ids.sorted() == array.value.map(\.id).sorted()
                && keys == (isDescending.value ? keys.sorted(by: >) : keys.sorted())
        }
        func step() {
            let item = items[random.below(5)]
            switch random.below(9) {
            case 0, 1: item.isOpen.value.toggle()
            case 2, 3: item.key.value = random.below(4)
            case 4:
                let modification = random.modification(of: item.rows.value, alphabet: 3)
                item.rows.replaceSubrange(
                    modification.inputRange, with: modification.newElements)
            case 5: limit.value = random.below(3)
            case 6 where random.below(3) == 0: isDescending.value.toggle()
            default:
                let start = random.below(array.count + 1)
                let end = start + random.below(min(12, array.count - start) + 1)
                let count = random.below(3) == 0 ? random.below(14) : random.below(3)
                array.replaceSubrange(
                    start..<end, with: (0..<count).map { _ in items[random.below(5)] })
            }
        }
        var mirrors: [(mirror: Mirror<Int>, index: Int)] = []
        for _ in 0..<40 {
            switch random.below(5) {
            case 0 where mirrors.count < 6:
                let index = random.below(operators.count + 1)
                let result = index < operators.count ? operators[index].0 : sorted
                mirrors.append((Mirror(result), index))
            case 1 where !mirrors.isEmpty && random.below(3) == 0:
                mirrors.remove(at: random.below(mirrors.count))
            case 2: step()
            default:
                transaction {
                    for _ in 0..<(1 + random.below(4)) {
                        step()
                        if random.below(4) == 0 {
                            let (result, model) = operators[random.below(operators.count)]
                            #expect(result.value == model(), "seed \(seed)")
                            #expect(checkSorted(sorted.value), "seed \(seed)")
                        }
                    }
                }
            }
            for (mirror, index) in mirrors {
                if index < operators.count {
                    let (result, model) = operators[index]
                    let expected = model()
                    #expect(mirror.value == expected, "seed \(seed) operator \(index)")
                    let lower = random.below(expected.count + 1)
                    #expect(result[lower..<expected.count] == Array(expected[lower...]))
                } else {
                    #expect(checkSorted(mirror.value), "seed \(seed)")
                    #expect(sorted.value == mirror.value, "seed \(seed)")
                }
            }
            let (result, model) = operators[random.below(operators.count)]
            #expect(result.value == model() && result.count == model().count, "seed \(seed)")
        }
        for keep in keeps { keep.disconnect() }
    }

    @Test("Random scripts on sets equal recomputation", arguments: 0..<250)
    func randomSets(seed: Int) {
        var random = Seeded(seed)
        let items = (0..<12).map(Item.init)
        let set = SetVariable<Item>()
        let isDescending = Variable(false)
        let limit = Variable(1)
        let comparator: Observable<(Int, Int) -> Bool> = isDescending.map {
            $0 ? { $0 > $1 } : { $0 < $1 }
        }
        let operators: [(ObservableSet<Int>, () -> Set<Int>)] = [
            (
                set.filter { $0.isOpen }.map { $0.id },
                { Set(set.value.filter { $0.isOpen.value }.map(\.id)) }
            ),
            (
                set.filter { $0.deepKey > limit }.map { $0.id },
                { Set(set.value.filter { $0.key.value > limit.value }.map(\.id)) }
            ),
            (set.selectEach { $0.deepKey }, { Set(set.value.map(\.key.value)) }),
            (
                set.selectEach { item in
                    limit.flatMap { $0 > 1 ? item.deepKey : item.key.observable }
                },
                { Set(set.value.map(\.key.value)) }
            ),
            (set.selectEach { $0.tags }, { Set(set.value.flatMap(\.tags.value)) }),
            (
                set.selectEach { $0.tags.filter { $0 > 0 } },
                { Set(set.value.flatMap(\.tags.value).filter { $0 > 0 }) }
            ),
        ]
        let sorted = set.sorted(using: { $0.deepKey }, by: comparator).map { $0.id }
        func checkSorted(_ ids: [Int]) -> Bool {
            let keys = ids.map { items[$0].key.value }
            return ids.sorted() == set.value.map(\.id).sorted()
                && keys == (isDescending.value ? keys.sorted(by: >) : keys.sorted())
        }
        func step() {
            let item = items[random.below(12)]
            switch random.below(10) {
            case 0, 1: item.isOpen.value.toggle()
            case 2, 3: item.key.value = random.below(4)
            case 4:
                let tag = random.below(4)
                if item.tags.contains(tag) { item.tags.remove(tag) } else { item.tags.insert(tag) }
            case 5: limit.value = random.below(3)
            case 6 where random.below(3) == 0: isDescending.value.toggle()
            case 7, 8: set.insert(item)
            default: set.remove(item)
            }
        }
        var mirrors: [(mirror: SetMirror<Int>, index: Int)] = []
        var rows: Mirror<Int>?
        for _ in 0..<50 {
            switch random.below(6) {
            case 0 where mirrors.count < 6:
                let index = random.below(operators.count)
                mirrors.append((SetMirror(operators[index].0), index))
            case 1 where !mirrors.isEmpty && random.below(3) == 0:
                mirrors.remove(at: random.below(mirrors.count))
            case 2: rows = rows == nil ? Mirror(sorted) : random.below(3) == 0 ? nil : rows
            case 3: step()
            default:
                transaction {
                    for _ in 0..<(1 + random.below(5)) {
                        step()
                        if random.below(4) == 0 {
                            let (result, model) = operators[random.below(operators.count)]
                            #expect(result.value == model(), "seed \(seed)")
                            #expect(checkSorted(sorted.value), "seed \(seed)")
                        }
                    }
                }
            }
            for (mirror, index) in mirrors {
                #expect(mirror.value == operators[index].1(), "seed \(seed) operator \(index)")
            }
            if let rows { #expect(checkSorted(rows.value), "seed \(seed)") }
            let (result, model) = operators[random.below(operators.count)]
            #expect(result.value == model() && result.count == model().count, "seed \(seed)")
            #expect(checkSorted(sorted.value), "seed \(seed)")
        }
    }

    @Test("A changed key costs comparisons in proportion to the logarithm, and no other tap's")
    func work() {
        let items = (0..<4096).map(Item.init)
        for item in items { item.key.value = item.id * 2 }
        let array = ArrayVariable(items)
        var comparisons = 0
        let sorted = array.sorted(using: { $0.key }) {
            comparisons += 1
            return $0 < $1
        }
        let c = sorted.connect { _ in }
        let scheduler = ObservableScheduler.current
        comparisons = 0
        let before = scheduler.recomputations
        for item in items.prefix(50) { item.key.value = 5_001 - item.id * 2 }
        // A variable, a tap and the sort, for each.
        #expect(scheduler.recomputations - before == 150)
        // Two searches of 12 steps, with up to two comparisons at each step.
        #expect(comparisons <= 50 * 60)
        c.disconnect()
    }

    @Test("Nothing is left alive when the last connection has gone")
    func lifetimes() {
        weak var gone: Item?
        weak var inside: Item?
        do {
            let array = ArrayVariable<Item>()
            let set = SetVariable<Item>()
            do {
                let item = Item(1)
                gone = item
                array.value = [item, Item(2), item]
                set.insert(item)
                let connections = [
                    array.filter { $0.isOpen }.connect { _ in },
                    array.sorted(using: { $0.deepKey }).connect { _ in },
                    set.filter { $0.isOpen }.connect { _ in },
                    set.sorted(using: { $0.deepKey }).connect { _ in },
                ]
                let fields = [array.selectEach { $0.deepKey }.connect { _ in }]
                item.isOpen.value = true
                item.key.value = 3
                array.removeAll()
                set.removeAll()
                let last = Item(4)
                array.append(last)
                inside = last
                for connection in connections + fields { connection.disconnect() }
            }
            #expect(gone == nil && inside != nil)
            array.removeAll()
            #expect(inside == nil)
        }
    }
}
