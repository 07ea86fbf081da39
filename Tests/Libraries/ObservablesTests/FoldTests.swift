import Observables
import Testing

@Suite struct FoldTests {
    @Test("Folds and distinct unions equal recomputation on random scripts", arguments: 0..<100)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        let array = ArrayVariable(random.array(limit: 10))
        let set = SetVariable<Int>()
        let rows = array.filter { $0 != 2 } + array
        var model: [Int] { array.value.filter { $0 != 2 } + array.value }
        let trials: [any AnyTrial] = [
            Trial(rows.sum()) { model.reduce(0, +) },
            Trial(rows.reduce(7, add: { $0 &+ $1 * 3 }, remove: { $0 &- $1 * 3 })) {
                model.reduce(7) { $0 + $1 * 3 }
            },
            Trial(rows.observableCount(where: { $0 > 1 })) { model.count { $0 > 1 } },
            Trial(rows.observableMin) { model.min() },
            Trial(rows.observableMax) { model.max() },
            Trial(rows.distinctUnion()) { Set(model) },
            Trial(rows.distinctUnion().observableCount) { Set(model).count },
            Trial(rows.map { $0 / 2 }.buffered()) { model.map { $0 / 2 } },
            Trial(rows.sum().buffered()) { model.reduce(0, +) },
            Trial(set.sum()) { set.value.reduce(0, +) },
            Trial(set.observableCount(where: { $0 > 1 })) { set.value.count { $0 > 1 } },
            Trial(set.observableMin) { set.value.min() },
            // A state that differs from the result, and is mutated in place.
            Trial(
                set.reduce(
                    into: [Int](), add: { $0.append($1) },
                    remove: { state, element in state.removeAll { $0 == element } },
                    giving: { $0.max() })
            ) { set.value.max() },
            Trial(set.map { $0 / 2 }.observableMax) { set.value.max().map { $0 / 2 } },
        ]
        run(trials, seed: seed, random: &random) { random in
            switch random.below(5) {
            case 0:
                let element = random.below(6)
                if set.contains(element) { set.remove(element) } else { set.insert(element) }
            case 1 where random.below(3) == 0: array.value = random.array(limit: 20)
            default:
                let low = random.below(array.count + 1)
                let high = min(array.count, low + random.below(4))
                array.replaceSubrange(low..<high, with: random.array(limit: 4))
            }
        }
    }

    @Test("A fold calls its functions once for each changed element")
    func work() {
        var calls = 0
        let array = ArrayVariable(Array(0..<10_000))
        let set = SetVariable<Int>(Set(0..<10_000))
        let add: (Int, Int) -> Int = {
            calls += 1
            return $0 + $1
        }
        let remove: (Int, Int) -> Int = {
            calls += 1
            return $0 - $1
        }
        let c = array.reduce(0, add: add, remove: remove).connect { _ in }
        let d = set.reduce(0, add: add, remove: remove).connect { _ in }
        calls = 0
        array[5_000] = 1
        #expect(calls == 2)
        // The state is one array from the first to the last, not a copy in each change.
        var storages: Set<Int> = []
        let e = set.reduce(
            into: [Int](), add: { $0.append($1) },
            remove: { state, element in
                state.swapAt(state.firstIndex(of: element) ?? 0, state.count - 1)
                state.removeLast()
            },
            giving: { state in
                // An address that is only compared, never dereferenced.
                unsafe state.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
            }
        ).connect { _ in storages.insert(0) }
        calls = 0
        set.remove(17)
        set.insert(17)
        #expect(storages.isEmpty, "the state was copied")
        e.disconnect()
        calls = 0
        transaction {
            set.remove(4)
            set.insert(-4)
            set.insert(-5)
        }
        #expect(calls == 3)
        c.disconnect()
        d.disconnect()
    }

    @Test("Reading a connected buffer calls no transform")
    func buffering() {
        var calls = 0
        let array = ArrayVariable(Array(0..<100))
        let set = SetVariable<Int>(Set(0..<100))
        let scalar = Variable(1)
        let rows = array.map { element in
            calls += 1
            return element * 2
        }.buffered()
        let elements = set.filter { element in
            calls += 1
            return element % 2 == 0
        }.buffered()
        let value = scalar.map { value in
            calls += 1
            return value + 1
        }.buffered()
        let connections = [
            rows.connect { _ in }, elements.connect { _ in }, value.connect { _ in },
        ]
        calls = 0
        for _ in 0..<3 {
            #expect(rows.value.count == 100 && rows[7] == 14 && rows[3..<5] == [6, 8])
            #expect(elements.value.count == 50 && elements.contains(4) && elements.count == 50)
            #expect(value.value == 2)
        }
        #expect(calls == 0)
        array[7] = 50
        scalar.value = 2
        set.insert(-2)
        #expect(calls == 4)
        #expect(rows[7] == 100 && value.value == 3 && elements.contains(-2))
        #expect(calls == 4)
        for connection in connections { connection.disconnect() }
        #expect(rows[7] == 100 && value.value == 3)
        #expect(calls == 6)
    }
}
