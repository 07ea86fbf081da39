import Observables
import Testing

@Suite struct ValueTests {
    @Test("A variable fits wherever an observable is expected")
    func variables() {
        let rows: ArrayVariable<Int> = [5, 1, 4, 2, 3]
        let isOdd = Variable<(Int) -> Bool> { $0 % 2 == 1 }
        let order = Variable<(Int, Int) -> Bool>(<)
        let (start, count) = (Variable(1), Variable(2))
        let range = Variable(0..<2)
        let anchor = Variable<Int?>(4)
        let set: SetVariable<Int> = [1, 2, 3]
        let ages: DictionaryVariable<String, Int> = ["Ada": 36, "Grace": 85]
        let trials: [any AnyTrial] = [
            Trial(rows.filter(where: isOdd)) { rows.value.filter(isOdd.value) },
            Trial(rows.filtered(test: isOdd.observable)) { rows.value.filter(isOdd.value) },
            Trial(rows.filter(by: count, narrowing: >=, matches: { $1 >= $0 })) {
                rows.value.filter { $0 >= count.value }
            },
            Trial(rows.sorted(by: order)) { rows.value.sorted(by: order.value) },
            Trial(rows.sorted(using: { Observable.constant($0) }, by: order.observable)) {
                rows.value.sorted(by: order.value)
            },
            Trial(rows.window(range)) { Array(rows.value[range.value]) },
            Trial(rows.window(start: start, count: .constant(2))) {
                Array(rows.value.dropFirst(start.value).prefix(2))
            },
            Trial(rows.window(fromEnd: start, count: count)) {
                Array(rows.value.dropLast(start.value).suffix(count.value))
            },
            Trial(rows.window(anchoredAt: anchor, before: start, count: count).observableStart) {
                rows.value.firstIndex(of: anchor.value ?? 0).map { max(0, $0 - start.value) } ?? 0
            },
            Trial(rows.observable(at: start)) { rows.value[start.value] },
            Trial(rows.observableIndex(of: anchor)) {
                rows.value.firstIndex(of: anchor.value ?? 0)
            },
            Trial(set.filter(where: isOdd)) { set.value.filter(isOdd.value) },
            Trial(set.sorted(by: order)) { set.value.sorted(by: order.value) },
            Trial(set.observableContains(count)) { set.value.contains(count.value) },
            Trial(ObservableSet.union(of: [set, set.map { $0 + 5 }])) {
                set.value.union(set.value.map { $0 + 5 })
            },
            Trial(ages.filter(where: count.map { count in { _, age in age % count == 0 } })) {
                ages.value.filter { $0.value % count.value == 0 }
            },
        ]
        for trial in trials { trial.toggle() }
        for step in 0..<4 {
            for trial in trials { trial.begin() }
            transaction {
                isOdd.value = step % 2 == 0 ? { $0 > 2 } : { $0 % 2 == 1 }
                order.value = step % 2 == 0 ? { $0 > $1 } : { $0 < $1 }
                start.value = step % 3
                count.value = 1 + step
                range.value = step..<(step + 2)
                anchor.value = step == 2 ? nil : step
                set.formSymmetricDifference([step, 7])
                rows[step] = 9 - step
                ages["Barbara", default: 57] += 1
            }
            for trial in trials { trial.check("step \(step)") }
        }
    }

    @Test("Literals are observables that stay so")
    func literals() {
        func shown(_ text: Observable<String>, _ rows: ObservableArray<Int>) -> String {
            text.value + "\(rows.value)"
        }
        #expect(shown("rows ", [1, 2]) == "rows [1, 2]")
        let fixed: (Observable<Int>, Observable<Double>, Observable<Bool>) = (1, 2.5, false)
        let letter: Observable<Character> = "A"
        #expect(fixed.0.value == 1 && fixed.1.value == 2.5 && !fixed.2.value && letter.value == "A")
        let set: ObservableSet<Int> = [1, 1, 2]
        let ages: ObservableDictionary<String, Int> = ["Ada": 36]
        #expect(set.value == [1, 2] && ages["Ada"] == 36)
    }

    @Test("An operator takes a plain value on either side")
    func constants() {
        let number = Variable(7)
        let share = Variable(0.5)
        let trials: [any AnyTrial] = [
            Trial(number + 1) { number.value + 1 }, Trial(1 + number) { 1 + number.value },
            Trial(number - 1) { number.value - 1 }, Trial(1 - number) { 1 - number.value },
            Trial(number * 2) { number.value * 2 }, Trial(2 * number) { 2 * number.value },
            Trial(number / 2) { number.value / 2 }, Trial(90 / number) { 90 / number.value },
            Trial(number % 2) { number.value % 2 }, Trial(90 % number) { 90 % number.value },
            Trial(share / 2) { share.value / 2 }, Trial(1 / share) { 1 / share.value },
            Trial(share * 2 + 1) { share.value * 2 + 1 },
            Trial(number == 7) { number.value == 7 }, Trial(7 == number) { 7 == number.value },
            Trial(number != 7) { number.value != 7 }, Trial(7 != number) { 7 != number.value },
            Trial(number < 7) { number.value < 7 }, Trial(7 < number) { 7 < number.value },
            Trial(number <= 7) { number.value <= 7 }, Trial(7 <= number) { 7 <= number.value },
            Trial(number > 7) { number.value > 7 }, Trial(7 > number) { 7 > number.value },
            Trial(number >= 7) { number.value >= 7 }, Trial(7 >= number) { 7 >= number.value },
        ]
        for trial in trials { trial.toggle() }
        for value in [8, 6, 7, 1] {
            for trial in trials { trial.begin() }
            transaction {
                number.value = value
                share.value = Double(value) / 4
            }
            for trial in trials { trial.check("\(value)") }
        }
    }

    @Test("Values are sent at once and then after each change, until the connection ends")
    func values() {
        let number = Variable(1)
        let rows: ArrayVariable<Int> = [1]
        let numbers = Log<Int>()
        let arrays = Log<[Int]>()
        var connections: Set<Connection> = []
        (number * 10).values.connect { numbers.add($0) }.store(in: &connections)
        rows.values.connect { arrays.add($0) }.store(in: &connections)
        number.value = 2
        number.value = 2
        transaction {
            rows.append(2)
            rows.append(3)
            let inside = number.values.connect { numbers.add($0) }
            inside.disconnect()
        }
        #expect(numbers.entries == [10, 20, 2] && arrays.entries == [[1], [1, 2, 3]])
        connections = []
        number.value = 3
        rows.removeAll()
        #expect(numbers.entries.count == 3 && arrays.entries.count == 2)
    }

    @Test("A getter is read again when its source sends something")
    func sourced() {
        var state = 1
        var calls = 0
        let changed = Signal<Void>()
        let own = Observable(
            getter: {
                calls += 1
                return state
            }, changes: changed)
        #expect(own.value == 1 && !changed.isConnected)
        let doubled = own * 2
        let log = Log<ScalarChange<Int>>()
        let c = doubled.connect { log.add($0) }
        calls = 0
        #expect(changed.isConnected && doubled.value == 2 && calls == 0)
        state = 5
        #expect(own.value == 1, "it has not been told yet")
        changed.send(())
        changed.send(())
        #expect(log.entries == [ScalarChange(from: 2, to: 10)] && calls == 2)
        transaction {
            state = 6
            changed.send(())
            #expect(own.value == 6)
            state = 5
            changed.send(())
        }
        #expect(log.entries.count == 1, "back where it was")
        let trigger = Variable(0)
        let d = trigger.connect { change in
            state = change.new
            changed.send(())
            #expect(own.value == 5, "written when all sinks have been called")
        }
        trigger.value = 8
        #expect(own.value == 8 && log.entries.last == ScalarChange(from: 10, to: 16))
        d.disconnect()
        c.disconnect()
        #expect(!changed.isConnected)
        state = 9
        #expect(own.value == 9 && doubled.value == 18)
        let e = doubled.connect { log.add($0) }
        state = 10
        changed.send(())
        #expect(log.entries.last == ScalarChange(from: 18, to: 20))
        e.disconnect()
    }
}
