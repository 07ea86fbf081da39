import Observables
import Testing

// A transaction defers notifications: it may be nested, and ends with one change.

@Suite struct SuspensionScenarioTests {
    @Test("Nested transactions emit the net effect once, when the outermost ends")
    func netEffect() {
        let rows: ArrayVariable<Int> = [1, 2, 3]
        let sums = Log<Int>()
        let changes = Log<ArrayChange<Int>>()
        let early = rows.filter { $0 != 2 }.connect { changes.add($0) }
        let sum = rows.sum().connect { sums.add($0.new) }
        var late: Connection?
        let seen = Log<Int>()
        transaction {
            rows.append(2)
            transaction {
                rows.append(4)
                transaction { rows.remove(at: 0) }
                #expect(changes.entries.isEmpty)
            }
            #expect(changes.entries.isEmpty && sums.entries.isEmpty)
            // An observer connected in between starts from the current value.
            late = rows.connect { change in
                seen.add(change.deltaCount)
                #expect(change.modifications == [.insert(5, at: 4)])
            }
            rows.append(5)
            rows.append(6)
            rows.remove(at: 5)
        }
        #expect(
            changes.entries.map(\.modifications) == [
                [.remove(1, at: 0), .replaceRange([], at: 1, with: [4, 5])]
            ])
        #expect(sums.entries == [16] && seen.entries == [1])
        early.disconnect()
        sum.disconnect()
        late?.disconnect()
    }

    @Test("A transaction during a delivery loses nothing")
    func again() {
        let rows: ArrayVariable<Int> = [0]
        var copy = rows.value
        let told = Log<[Int]>()
        var budget = 3
        let writer = rows.connect { _ in
            guard budget > 0 else { return }
            budget -= 1
            transaction {
                rows.append(budget)
                transaction { rows.insert(9, at: 0) }
                rows.append(budget)
            }
        }
        let follower = rows.connect {
            $0.apply(on: &copy)
            told.add(copy)
        }
        rows.append(7)
        #expect(
            told.entries == [
                [0, 7], [9, 0, 7, 2, 2], [9, 9, 0, 7, 2, 2, 1, 1],
                [9, 9, 9, 0, 7, 2, 2, 1, 1, 0, 0],
            ])
        #expect(rows.value == copy)
        writer.disconnect()
        follower.disconnect()
    }

    @Test("After a connection has ended none of its sink, transform and predicate run")
    func ended() {
        let number = Variable(0)
        let rows: ArrayVariable<Int> = [1, 2, 3]
        var calls = 0
        func observe() -> [Connection] {
            [
                number.map { number in
                    calls += 1
                    return number
                }.connect { _ in calls += 1 },
                rows.filter { element in
                    calls += 1
                    return element > 1
                }.sorted(by: {
                    calls += 1
                    return $0 < $1
                }).connect { _ in calls += 1 },
                rows.selectEach { element in
                    number.map { number in
                        calls += 1
                        return number + element
                    }
                }.connect { _ in calls += 1 },
            ]
        }
        func write() {
            number.value += 1
            rows.append(number.value)
        }
        // Ended outside of a transaction, in one after writing, and in a sink of the same change.
        var connections = observe()
        write()
        #expect(calls > 0)
        for connection in connections { connection.disconnect() }
        calls = 0
        write()
        #expect(calls == 0)

        connections = observe()
        transaction {
            write()
            for connection in connections { connection.disconnect() }
            calls = 0
            write()
        }
        #expect(calls == 0)

        connections = []
        let first = number.connect { _ in
            for connection in connections { connection.disconnect() }
            calls = 0
        }
        connections = observe()
        write()
        #expect(calls == 0)
        first.disconnect()
    }

    @Test("A row's index is known outside of the window, and rows before, in and after it add up")
    func ranks() {
        let rows = ArrayVariable(Array(0..<20))
        let isEven = Variable(true)
        let found = rows.filter(where: isEven.map { isEven in { $0 % 2 == (isEven ? 0 : 1) } })
        let anchor = Variable<Int?>(4)
        let screen = found.window(anchoredAt: anchor.observable, before: 1, count: 3)
        let row14 = found.observableIndex(of: .constant(14))
        let behind = (found.observableCount - screen.observableStart) - screen.observableCount
        let connections = [
            screen.connect { _ in }, row14.connect { _ in }, behind.connect { _ in },
        ]
        #expect(screen.value == [2, 4, 6] && row14.value == 7)
        #expect(screen.observableStart.value == 1 && behind.value == 6)
        anchor.value = 14
        #expect(screen.value == [12, 14, 16] && screen.observableAnchorIndex.value == 7)
        rows.replaceSubrange(0..<8, with: [])
        #expect(screen.value == [12, 14, 16] && row14.value == 3 && behind.value == 1)
        isEven.value = false
        #expect(row14.value == nil && screen.observableAnchorIndex.value == nil)
        #expect(found.firstIndex(of: 14) == nil && found.firstIndex(of: 9) == 0)
        #expect(
            screen.observableStart.value + screen.count + behind.value == found.count)
        isEven.value = true
        #expect(screen.value == [12, 14, 16] && row14.value == 3)
        for connection in connections { connection.disconnect() }
    }
}
