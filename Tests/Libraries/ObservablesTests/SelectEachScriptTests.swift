import Observables
import Testing

@Suite struct SelectEachScriptTests {
    @Test("Random scripts on arrays equal recomputation", arguments: 0..<120)
    func randomArrays(seed: Int) {
        var random = Seeded(seed)
        let items = (0..<5).map(Document.init)
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
                // At different heights, and created for each element.
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

    @Test("Random scripts on sets equal recomputation", arguments: 0..<120)
    func randomSets(seed: Int) {
        var random = Seeded(seed)
        let items = (0..<12).map(Document.init)
        let set = SetVariable<Document>()
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
}
