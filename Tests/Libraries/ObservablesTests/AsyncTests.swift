import Observables
import Testing

/// Observables in `for await`, on the main actor and on actors whose calls run on a different thread each time.
@Suite struct AsyncTests {
    @Test("A loop gets the current value and then the result of each turn's changes")
    @MainActor
    func values() async {
        let number = Variable(0)
        var seen: [Int] = []
        for await value in (number * 10).asyncValues {
            seen.append(value)
            if value == 50 { break }
            // The loop gets one value for all of this.
            number.value += 1
            number.value += 1
            if value == 40 { number.value = 5 }
        }
        #expect(seen == [0, 20, 40, 50])
    }

    @Test("Changes during the loop's body are one change; equal results are none")
    @MainActor
    func changes() async {
        let rows: ArrayVariable<Int> = [1]
        let (told, loop) = (Log<ArrayChange<Int>>(), Log<[Int]>())
        let task = Task {
            var copy = rows.value
            for await change in rows.asyncChanges {
                told.add(change)
                change.apply(on: &copy)
                loop.add(copy)
                if copy.isEmpty { return }
            }
        }
        while told.entries.isEmpty {
            // The loop gets no changes before it starts.
            rows.append(2)
            await Task.yield()
        }
        rows.append(3)
        rows.remove(at: 0)
        rows[0] = 7
        await Task.yield()
        while loop.entries.last != rows.value { await Task.yield() }
        let count = told.entries.count
        rows.append(9)
        rows.removeLast()
        for _ in 0..<10 { await Task.yield() }
        #expect(told.entries.count == count)
        rows.removeAll()
        await task.value
        #expect(loop.entries.last == [])
    }

    @Test(
        "A loop ends when its task is cancelled, whether it waits or not, and releases the observable"
    )
    @MainActor
    func cancellation() async {
        let census = LiveCount()
        for rounds in 0..<3 {
            let source = Signal<Void>()
            var rounded = 0
            do {
                let token = Tracked(1, census)
                let own = Observable(getter: { token.number }, changes: source)
                let task = Task {
                    for await _ in own.asyncValues { rounded += 1 }
                }
                for _ in 0..<rounds { await Task.yield() }
                task.cancel()
                await task.value
            }
            #expect(rounded <= 1 && !source.isConnected && census.live == 0)
        }
    }

    @Test("An actor's loop receives the writes of its other calls, on whatever threads they run")
    func actors() async {
        let counter = LoopingCounter()
        async let seen = counter.follow(until: 200)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { await counter.add() } }
        }
        let values = await seen
        #expect(values.last == 200 && values == values.sorted())
    }
}

private actor LoopingCounter {
    private let executor = HoppingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private let number = Variable(0)

    func add() { number.value += 1 }

    func follow(until last: Int) async -> [Int] {
        var seen: [Int] = []
        for await value in number.asyncValues {
            seen.append(value)
            if value == last { break }
        }
        return seen
    }
}
