import Foundation
import Observables
import Testing

/// Runs `body` on another thread, to its end.
private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.start()
    while !thread.isFinished { sched_yield() }
}

@Suite struct ThreadTests {
    // Each of these deliberately passes a value to a wrong thread: the check must
    // detect this.

    @Test("Reading, connecting and writing a transaction on another thread stop the program")
    func uses() async {
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) let sum = Variable(1) + Variable(2)
            onAnotherThread { _ = unsafe sum.value }
        }
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) let array: ArrayVariable<Int> = [1]
            onAnotherThread { _ = unsafe array.connect { _ in } }
        }
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) let set: SetVariable<Int> = [1]
            onAnotherThread { transaction { unsafe set.insert(2) } }
        }
    }

    @Test("Ending a connection on another thread stops the program")
    func disconnecting() async {
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) let connection = Variable(1).connect { _ in }
            onAnotherThread { unsafe connection.disconnect() }
        }
    }

    @Test("Sending to a signal on another thread stops the program")
    func sending() async {
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) let signal = Signal<Int>()
            onAnotherThread { unsafe signal.send(1) }
        }
    }

    @Test("Combining observables of two threads stops the program")
    func combining() async {
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) let here = Variable(1)
            onAnotherThread { _ = unsafe here + Variable(2) }
        }
    }

    @Test("The message describes the mistake")
    func message() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            nonisolated(unsafe) let here = Variable(1)
            onAnotherThread { unsafe here.value = 2 }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("confined to one thread"))
    }

    @Test("Threads with separate graphs run in parallel without interference")
    func separateGraphs() {
        let count = 4
        let started = LockedCount()
        let right = LockedCount()
        let threads = (0..<count).map { number in
            Thread {
                started.add(1)
                // All have started before any continues.
                while started.value < count { sched_yield() }
                let numbers = ArrayVariable<Int>()
                let limit = Variable(0)
                let items = numbers.sorted().filter(
                    where: limit.map { limit in { $0 >= limit } })
                var copy: [Int] = []
                var told = 0
                let connection = items.connect { change in
                    told += 1
                    change.apply(on: &copy)
                }
                for step in 0..<200 {
                    transaction {
                        numbers.append((step * 7 + number) % 50)
                        limit.value = step % 10
                    }
                }
                let expected = (0..<200).map { ($0 * 7 + number) % 50 }.sorted()
                    .filter { $0 >= 9 }
                if copy == expected, items.value == expected, told > 100 { right.add(1) }
                connection.disconnect()
            }
        }
        for thread in threads { thread.start() }
        while threads.contains(where: { !$0.isFinished }) { sched_yield() }
        #expect(right.value == count)
    }
}
