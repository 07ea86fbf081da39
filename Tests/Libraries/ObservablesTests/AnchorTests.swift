import Observables
import Testing

@Suite struct AnchorTests {
    @Test("A window follows its anchor")
    func following() {
        let array = ArrayVariable(Array(0..<30))
        let anchor = Variable<Int?>(10)
        let window = array.window(anchoredAt: anchor.observable, before: 2, count: 5)
        let mirror = Mirror(window.observableArray)
        #expect(mirror.value == [8, 9, 10, 11, 12])
        array.insert(contentsOf: [100, 101], at: 0)
        array.remove(at: 30)
        #expect(mirror.takeChanges().isEmpty)
        array.insert(102, at: 11)
        #expect(mirror.value == [102, 9, 10, 11, 12])
        transaction {
            array.remove(at: 13)
            array.insert(10, at: 3)
        }
        #expect(mirror.value == [101, 0, 10, 1, 2])
        array.remove(at: 3)
        #expect(mirror.value == [101, 0, 1, 2, 3])
        array.insert(103, at: 0)
        #expect(mirror.value == [101, 0, 1, 2, 3])
        array.append(10)
        #expect(mirror.value == [27, 29, 10])
        anchor.value = nil
        #expect(mirror.value == [103, 100, 101, 0, 1])
        anchor.value = 77
        #expect(mirror.value == [103, 100, 101, 0, 1])
        anchor.value = 103
        #expect(mirror.value == [103, 100, 101, 0, 1])
        anchor.value = 0
        #expect(mirror.value == [100, 101, 0, 1, 2])
        array.value = [5, 6, 7, 0, 8, 9]
        #expect(mirror.value == [6, 7, 0, 8, 9])
    }

    @Test("A filtered-out anchor leaves the window in place and is found again")
    func filtering() {
        let set = SetVariable<Int>(Set(0..<40))
        let modulus = Variable(1)
        let ascending = Variable(true)
        let order: Observable<(Int, Int) -> Bool> = ascending.map {
            $0 ? { $0 < $1 } : { $0 > $1 }
        }
        let rows = set.sorted(by: order).filter(
            where: modulus.map { modulus in { $0 % modulus == 0 } })
        let anchor = Variable<Int?>(21)
        let index = rows.observableIndex(of: anchor.observable)
        let mirror = Mirror(
            rows.window(anchoredAt: anchor.observable, before: 1, count: 3).observableArray)
        let log = Log<Int?>()
        let c = index.connect { log.add($0.new) }
        #expect(mirror.value == [20, 21, 22] && index.value == 21)
        modulus.value = 3
        #expect(mirror.value == [18, 21, 24])
        modulus.value = 2
        #expect(index.value == nil && rows.firstIndex(of: 21) == nil)
        modulus.value = 1
        #expect(mirror.value == [20, 21, 22])
        ascending.value = false
        #expect(mirror.value == [22, 21, 20])
        transaction {
            set.remove(3)
            set.remove(30)
            anchor.value = 20
        }
        #expect(mirror.value == [21, 20, 19] && rows.firstIndex(of: 20) == 18)
        #expect(log.entries == [7, nil, 21, 18])
        c.disconnect()
        #expect(index.value == 18)
    }

    @Test("Removing the anchor keeps the window in place")
    func removal() {
        let set = SetVariable<Int>(Set(0..<20))
        let mirror = Mirror(
            set.sorted().window(anchoredAt: .constant(10), before: 1, count: 3).observableArray)
        set.remove(10)
        #expect(mirror.value == [9, 11, 12])
        set.remove(3)
        #expect(mirror.value == [9, 11, 12])
        set.remove(11)
        #expect(mirror.value == [9, 12, 13])
        set.insert(10)
        #expect(mirror.value == [9, 10, 12])
    }

    @Test("The index of an anchor is that of the first equal element", arguments: 0..<100)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        let array = ArrayVariable(random.array(limit: 12))
        let set = SetVariable<Int>()
        let anchor = Variable<Int?>(1)
        let modulus = Variable(1)
        let descending = Variable(false)
        let order: Observable<(Int, Int) -> Bool> = descending.map {
            $0 ? { $0 > $1 } : { $0 < $1 }
        }
        let predicate: Observable<(Int) -> Bool> = modulus.map { m in { $0 % m == 0 } }
        let all: [ObservableArray<Int>] = [
            array.observableArray, array + array, array.filter(where: predicate),
            array.sorted(by: order), set.sorted(by: order).filter(where: predicate),
            (set.sorted(by: order) + array).window(2..<8), array.map { $0 / 2 },
            array.filter(where: predicate).window(fromEnd: 1, count: 4),
        ]
        let trials: [any AnyTrial] = all.map { rows in
            Trial(rows.observableIndex(of: anchor.observable)) {
                anchor.value.flatMap { rows.value.firstIndex(of: $0) }
            }
        }
        let connections = all.map { $0.connect { _ in } }
        run(trials, seed: seed, random: &random) { random in
            switch random.below(9) {
            case 0: anchor.value = random.below(5)
            case 1: anchor.value = random.below(3) == 0 ? nil : random.below(4)
            case 2: modulus.value = 1 + random.below(3)
            case 3: descending.value.toggle()
            case 4: set.insert(random.below(6))
            case 5: set.remove(random.below(6))
            default:
                let low = random.below(array.count + 1)
                let high = min(array.count, low + random.below(3))
                array.replaceSubrange(low..<high, with: random.array(limit: 3))
            }
            for rows in all {
                let value = rows.value
                for element in 0..<5 {
                    #expect(
                        rows.firstIndex(of: element) == value.firstIndex(of: element),
                        "seed \(seed)")
                }
            }
        }
        for connection in connections { connection.disconnect() }
        for rows in all {
            #expect(rows.firstIndex(of: 1) == rows.value.firstIndex(of: 1), "seed \(seed)")
        }
    }

    @Test("An anchored window equals a model that follows one row", arguments: 0..<100)
    func anchoredScripts(seed: Int) {
        var random = Seeded(seed)
        let array = ArrayVariable(Array(0..<20))
        let before = Variable(2)
        let size = Variable(5)
        let anchor = Variable<Int?>(9)
        let window = array.window(
            anchoredAt: anchor.observable, before: before.observable, count: size.observable)
        let mirror = Mirror(window.observableArray)
        var fresh = 100
        var place = 9
        for index in 0..<60 {
            switch random.below(6) {
            case 0: before.value = random.below(6)
            case 1: size.value = random.below(7)
            case 2:
                // The anchor moves, or comes back.
                let target = random.below(array.count + 1)
                transaction {
                    if let row = array.value.firstIndex(of: 9) { array.remove(at: row) }
                    array.insert(9, at: min(target, array.count))
                }
            case 3:
                if let row = array.value.firstIndex(of: 9) { array.remove(at: row) }
            default:
                let low = random.below(array.count + 1)
                let isAbsent = !array.value.contains(9)
                if random.below(2) == 0 {
                    array.insert(fresh, at: low)
                    fresh += 1
                    if isAbsent, low <= place { place += 1 }
                } else if low < array.count {
                    array.remove(at: low)
                    if isAbsent, low < place { place -= 1 }
                }
            }
            place = array.value.firstIndex(of: 9) ?? place
            let start = min(max(0, place - before.value), array.count)
            let expected = Array(array.value[start...].prefix(size.value))
            #expect(mirror.value == expected, "seed \(seed), step \(index)")
            #expect(window.observableStart.value == start, "seed \(seed), step \(index)")
            #expect(
                window.observableAnchorIndex.value == array.value.firstIndex(of: 9),
                "seed \(seed), step \(index)")
            // The rows before, in and after the window are all rows.
            let ahead = Array(array.value[..<window.observableStart.value])
            let behind = Array(array.value[(ahead.count + mirror.value.count)...])
            #expect(ahead + mirror.value + behind == array.value)
        }
    }

    @Test("Each stage below an anchored window is computed once in a transaction")
    func stages() {
        let set = SetVariable<Int>(Set(0..<40))
        let limit = Variable(30)
        let anchor = Variable<Int?>(10)
        let before = Variable(2)
        let rows = set.sorted().filter(where: limit.map { limit in { $0 < limit } })
        let window = rows.window(
            anchoredAt: anchor.observable, before: before.observable, count: .constant(5))
        let connections = [
            window.connect { _ in }, window.observableStart.connect { _ in },
            window.observableAnchorIndex.connect { _ in },
        ]
        let scheduler = ObservableScheduler.current
        let start = scheduler.recomputations
        transaction {
            set.insert(-1)
            set.remove(5)
            limit.value = 20
            anchor.value = 12
            anchor.value = 15
            before.value = 1
        }
        // Four sources, the limit's predicate and the filter's form of it, the order, the filter,
        // the anchor and its index, the range, the rows and the start.
        #expect(scheduler.recomputations - start == 13)
        #expect(window.value == [14, 15, 16, 17, 18] && window.observableStart.value == 14)
        for connection in connections { connection.disconnect() }
    }

    @Test("Following an anchor costs comparisons with changed rows, finding it a binary search")
    func work() {
        let calls = Calls()
        let array = ArrayVariable((0..<10_000).map { Probe(number: $0 * 2, calls: calls) })
        var comparisons = 0
        let rows = array.sorted {
            comparisons += 1
            return $0.number < $1.number
        }.filter { $0.number % 3 != 1 }
        let anchor = Variable<Probe?>(Probe(number: 9_000, calls: calls))
        let mirror = Log<ArrayChange<Probe>>()
        let c = rows.window(anchoredAt: anchor.observable, before: 5, count: 10)
            .connect { mirror.add($0) }
        let d = rows.observableIndex(of: anchor.observable).connect { _ in }
        calls.count = 0
        comparisons = 0
        for number in 0..<20 { array.append(Probe(number: number * 600 + 3, calls: calls)) }
        // Two nodes follow the anchor, each comparing it with new rows.
        #expect(calls.count <= 20 * 2 && comparisons <= 20 * 16)
        calls.count = 0
        comparisons = 0
        anchor.value = Probe(number: 12_000, calls: calls)
        #expect(calls.count <= 8 && comparisons <= 2 * 17)
        calls.count = 0
        comparisons = 0
        array.remove(at: 6_000)
        #expect(calls.count <= 8 && comparisons <= 3 * 18)
        let expected = rows.value.firstIndex { $0.number == 18_000 }
        calls.count = 0
        comparisons = 0
        #expect(rows.firstIndex(of: Probe(number: 18_000, calls: calls)) == expected)
        #expect(calls.count <= 2 && comparisons <= 17)
        #expect(mirror.entries.allSatisfy { $0.modifications.count <= 2 })
        c.disconnect()
        d.disconnect()
    }
}

private final class Calls {
    var count = 0
}

/// A number that counts the comparisons of all instances.
private struct Probe: Hashable {
    let number: Int
    let calls: Calls

    static func == (left: Probe, right: Probe) -> Bool {
        left.calls.count += 1
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
