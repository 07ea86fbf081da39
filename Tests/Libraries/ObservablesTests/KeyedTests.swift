import Observables
import TestSupport
import Testing

@Suite struct KeyedTests {
    @Test(
        "Joins, keys and observables of values equal recomputation",
        arguments: 0..<300)
    func operators(seed: Int) {
        var random = Seeded(seed)
        let left: DictionaryVariable<Int, Int> = [1: 1]
        let right: DictionaryVariable<Int, Int> = [2: 1]
        let fields = (0..<4).map { Variable($0) }
        let elements = SetVariable([0, 5])
        let bound = Variable(1)
        func joined(_ combine: (Int, Int?, Int?) -> Int?) -> [Int: Int] {
            var result: [Int: Int] = [:]
            for key in Set(left.value.keys).union(right.value.keys) {
                result[key] = combine(key, left.value[key], right.value[key])
            }
            return result
        }
        let full = left.fullJoin(right) { 100 * ($1 ?? 9) + ($2 ?? 9) }
        let trials: [any AnyTrial] = [
            Trial(left.join(right) { $0 + 10 * $1 + $2 }) {
                joined { key, left, right in
                    if let left, let right { key + 10 * left + right } else { nil }
                }
            },
            Trial(left.leftJoin(right) { $1 / 2 + ($2 ?? 7) }) {
                joined { _, left, right in left.map { $0 / 2 + (right ?? 7) } }
            },
            Trial(full) { joined { 100 * ($1 ?? 9) + ($2 ?? 9) } },
            Trial(full.observableCount) { Set(left.value.keys).union(right.value.keys).count },
            Trial(full.observable(forKey: 2)) {
                left.value[2] == nil && right.value[2] == nil
                    ? nil : 100 * (left.value[2] ?? 9) + (right.value[2] ?? 9)
            },
            Trial(left.merging(right, uniquingKeysWith: *)) {
                left.value.merging(right.value, uniquingKeysWith: *)
            },
            Trial(left.merging(left, uniquingKeysWith: +)) { left.value.mapValues { $0 * 2 } },
            Trial(left.selectEach { fields[$0] }) { left.value.mapValues { fields[$0].value } },
            Trial(left.selectEach { fields[$0].map { $0 / 2 } }.observable(forKey: 1)) {
                left.value[1].map { fields[$0].value / 2 }
            },
            Trial(left.filter(where: bound.map { bound in { $0 >= bound || $1 == 0 } })) {
                left.value.filter { $0.key >= bound.value || $0.value == 0 }
            },
            Trial(elements.keyed { $0 % 5 }) {
                Dictionary(uniqueKeysWithValues: elements.value.map { ($0 % 5, $0) })
            },
            Trial(elements.keyed { $0 % 5 }.observable(forKey: 0)) {
                elements.value.first { $0 % 5 == 0 }
            },
            Trial(elements.observableContains(5)) { elements.value.contains(5) },
        ]
        elements.remove(0)
        run(trials, seed: seed, random: &random) { random in
            let key = random.below(4)
            switch random.below(6) {
            case 0: left[key] = random.below(3) == 0 ? nil : random.below(4)
            case 1: right[key] = random.below(3) == 0 ? nil : random.below(4)
            case 2: fields[key].value = random.below(4)
            case 3: bound.value = random.below(4)
            default:
                // Another element with the same key, or none.
                let old = elements.value.filter { $0 % 5 == key }
                let new = random.below(3) == 0 ? [] : [key + 5 * random.below(4)]
                elements.apply(SetChange(removed: old, inserted: Set(new)))
            }
        }
    }

    @Test("Groups by an observable key, and trees by ids of parents", arguments: 0..<200)
    func groups(seed: Int) {
        var random = Seeded(seed)
        let elements = SetVariable(0..<5)
        let parents = (0..<8).map { Variable<Int?>($0 == 0 ? nil : ($0 - 1) / 2) }
        let keys = elements.grouped { element in parents[element].map { $0 ?? -1 } }
        let tree = elements.tree(id: { $0 }, parent: { parents[$0] })
        let fixed = elements.tree(id: { $0 + 10 }, parent: { $0 < 2 ? nil : 10 + $0 / 2 })
        func children(of id: Int) -> Set<Int> {
            elements.value.filter { parents[$0].value == id }
        }
        var trials: [any AnyTrial] = [
            Trial(keys.keys) { Set(elements.value.map { parents[$0].value ?? -1 }) },
            Trial(keys.observable(forKey: 1).flatMap { $0 ?? [] }) { children(of: 1) },
            Trial(tree.roots) {
                elements.value.filter { element in
                    parents[element].value.map { !elements.value.contains($0) } ?? true
                }
            },
            Trial(fixed.roots) {
                elements.value.filter { $0 < 2 || !elements.value.contains($0 / 2) }
            },
            Trial(fixed.children(of: 11).sorted()) {
                elements.value.filter { $0 == 2 || $0 == 3 }.sorted()
            },
        ]
        for id in 0..<4 { trials.append(Trial(tree.children(of: id)) { children(of: id) }) }
        run(trials, seed: seed, random: &random) { random in
            let element = random.below(8)
            if random.below(2) == 0 {
                elements.formSymmetricDifference([element])
            } else {
                parents[element].value = random.below(4) == 0 ? nil : random.below(8)
            }
        }
    }

    @Test("A write notifies the observers of its key, and no others", arguments: [100, 10_000])
    func work(count: Int) {
        let ages = DictionaryVariable(Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 0) }))
        let set = SetVariable(0..<count)
        var told: [Int] = []
        var connections: [Connection] = []
        for key in 0..<count {
            ages.observable(forKey: key).connect { _ in told.append(key) }.store(in: &connections)
            set.observableContains(key).connect { _ in told.append(-key) }.store(in: &connections)
        }
        let rows = ArrayVariable(0..<count)
        let joined = rows.selectEach { ages.observable(forKey: $0) }
        joined.connect { told.append($0.modifications.count) }.store(in: &connections)
        let scheduler = ObservableScheduler.current
        func recomputations(_ body: () -> Void) -> Int {
            let before = scheduler.recomputations
            body()
            return scheduler.recomputations - before
        }
        // The dictionary, its hub, the key for its observer and the key for its row, the row's tap, the join.
        #expect(recomputations { ages[7] = 1 } == 6)
        #expect(told == [7, 1])
        #expect(recomputations { set.remove(9) } == 3)
        #expect(told == [7, 1, -9])
        let cost = SelfChecks.$areMade.withValue(false) { Cost.of { ages[8] = 1 } }
        #expect(cost.allocations < 150, "\(cost)")
        // A change of more keys than are observed visits the observed ones.
        told = []
        let few = DictionaryVariable(ages.value)
        let c = few.observable(forKey: 3).connect { told.append($0.new ?? -1) }
        few.value = few.value.mapValues { $0 + 5 }
        #expect(told == [5])
        c.disconnect()
        connections = []
        #expect(recomputations { ages[7] = 2 } == 0)
    }

    @Test("Two elements with one key stop the program")
    func doubleKeys() async {
        await #expect(processExitsWith: .failure) {
            let set: SetVariable<Int> = [1]
            let c = set.keyed { $0 % 2 }.connect { _ in }
            set.insert(3)
            c.disconnect()
        }
    }
}
