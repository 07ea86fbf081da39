import Foundation
import Observables
import Testing

// Ownership of observables: an actor, a task or a thread, on whatever threads
// an actor's or a task's work runs. The executors here run each job on a separate thread,
// as the runtime's own may, so that it is always a different thread.

/// Runs the jobs of an actor, one after the other, each on a new thread.
final class HoppingExecutor: SerialExecutor {
    /// Held by the running job: an actor relies on its executor for mutual exclusion.
    private let turn = NSLock()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = Thread {
            self.turn.withLock { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
        thread.start()
    }
}

/// The same for tasks outside of actors.
final class HoppingTaskExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = Thread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        thread.start()
    }
}

/// An actor whose calls each run on a different thread. Its creator creates its variables.
private actor Keeper {
    private let executor = HoppingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private let numbers: ArrayVariable<Int> = [3, 1, 2]
    private let limit = Variable(10)
    private let bells = Signal<Int>()
    private let small: ObservableArray<Int>
    private var connections: [Connection] = []
    private let log = Log<[Int]>()
    private let rung = Log<Int>()

    init() {
        small = numbers.sorted().filter(where: limit.map { limit in { $0 < limit } })
    }

    func begin() {
        let (log, rung, small) = (log, rung, small)
        connections = [
            small.connect { _ in log.add(small.value) },
            bells.connect { rung.add($0) },
        ]
    }

    var told: [Int] { log.entries.last ?? [] }
    var rings: Int { rung.entries.count }

    func add(_ number: Int) -> Unchecked<Thread> {
        numbers.append(number)
        bells.send(1)
        return Unchecked(Thread.current)
    }

    func setLimit(_ value: Int) {
        transaction {
            limit.value = value
            numbers.append(value - 1)
        }
    }

    func total() -> Int { small.value.reduce(0, +) }
}

/// An actor with the default executor.
private actor Plain {
    let number = Variable(0)
    /// The variable, for tests that use it from a wrong owner.
    nonisolated let taken: Unchecked<Variable<Int>>
    private lazy var double = number.map { $0 * 2 }
    private var connection: Connection?

    init() { taken = Unchecked(number) }

    func begin(_ count: LockedCount) {
        connection = double.connect { count.add($0.new - $0.old) }
    }

    func add() { number.value += 1 }
    var sum: Int { double.value }

    func use(_ other: Unchecked<Variable<Int>>) { other.value.value += 1 }
}

/// Transfers a value where the compiler would not allow it.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// The current thread.
private func currentThread() -> Thread { .current }

/// A thread-safe counter.
final class LockedCount: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add(_ number: Int) { lock.withLock { count += number } }
    var value: Int { lock.withLock { count } }
}

@Suite struct OwnerTests {
    @Test("An actor's observables follow it from thread to thread")
    func actor() async {
        let keeper = Keeper()
        await keeper.begin()
        var threads: [Unchecked<Thread>] = []
        for number in 4..<8 { threads.append(await keeper.add(number)) }
        #expect(Set(threads.map { ObjectIdentifier($0.value) }).count == 4)
        #expect(await keeper.told == [1, 2, 3, 4, 5, 6, 7])
        await keeper.setLimit(4)
        #expect(await keeper.told == [1, 2, 3, 3])
        #expect(await keeper.total() == 9)
        #expect(await keeper.rings == 4)
    }

    @Test("Many tasks may call one actor")
    func contention() async {
        let plain = Plain()
        let told = LockedCount()
        await plain.begin(told)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { await plain.add() } }
        }
        #expect(await plain.sum == 400 && told.value == 400)
    }

    @Test("A connection of an actor ends with the actor, whoever releases it last")
    func actorEnds() async {
        let told = LockedCount()
        do {
            let plain = Plain()
            await plain.begin(told)
            await plain.add()
        }
        #expect(told.value == 2)
    }

    @Test("The main actor's observables follow it, even away from the first thread")
    @MainActor func mainActor() async {
        let number = Variable(1)
        let double = number.map { $0 * 2 }
        var told: [Int] = []
        let connection = double.connect { told.append($0.new) }
        for step in 2..<50 {
            await Task.detached { await Task.yield() }.value
            number.value = step
        }
        #expect(told == (2..<50).map { $0 * 2 })
        connection.disconnect()
    }

    @Test("A task's observables follow it from thread to thread")
    func task() async {
        let executor = HoppingTaskExecutor()
        let threads = await withTaskExecutorPreference(executor) {
            let number = Variable(1)
            let double = number.map { $0 * 2 }
            var told: [Int] = []
            let connection = double.connect { told.append($0.new) }
            var kept: [Thread] = []
            for step in 2..<6 {
                await Task.yield()
                kept.append(currentThread())
                number.value = step
            }
            #expect(told == [4, 6, 8, 10])
            connection.disconnect()
            return Unchecked(kept)
        }
        #expect(Set(threads.value.map { ObjectIdentifier($0) }).count > 1)
    }

    @Test("Two tasks have separate graphs, and an actor one for all its tasks")
    func owners() async {
        let plain = Plain()
        await withTaskGroup(of: Bool.self) { group in
            for start in 0..<8 {
                group.addTask {
                    let number = Variable(start)
                    let sum = number + Variable(1)
                    await plain.add()
                    number.value += 1
                    return sum.value == start + 2
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(await plain.sum == 16)
    }

    @Test("The schedulers of actors and tasks are released with them")
    func schedulersGo() async {
        for _ in 0..<2_000 {
            await Task.detached {
                let plain = Plain()
                await plain.add()
                _ = Variable(1) + Variable(2)
            }.value
        }
        // Other tests run in parallel, each with a few schedulers.
        #expect(ObservableScheduler.ownerCount < 1_000)
    }

    @Test("The example of the article on actors, tasks and threads")
    func article() async {
        let log = Log<String>()
        func print(_ item: Any) { log.add("\(item)") }
        let total = Variable(0)
        let connection = total.connect { print("total \($0.new)") }
        await Task.yield()  // The task, or its actor, may go on on another thread.
        total.value = 3  // Prints "total 3"
        connection.disconnect()
        #expect(log.entries == ["total 3"])
    }

    // MARK: - Refused uses

    @Test("Using an actor's observable on a thread or in another task stops the program")
    func fromOutside() async {
        await #expect(processExitsWith: .failure) {
            let plain = Plain()
            await plain.add()
            let number = plain.taken
            let thread = Thread { number.value.value = 2 }
            thread.start()
            while !thread.isFinished { sched_yield() }
        }
        await #expect(processExitsWith: .failure) {
            let plain = Plain()
            await plain.add()
            let number = plain.taken
            await Task.detached { number.value.value = 2 }.value
        }
    }

    @Test("Using an actor's connected observable in another actor or a task stops the program")
    func betweenActors() async {
        await #expect(processExitsWith: .failure) {
            let number = await MainActor.run {
                let number = Variable(1)
                kept.append(number.connect { _ in })
                return Unchecked(number)
            }
            await Plain().use(number)
        }
        await #expect(processExitsWith: .failure) {
            let number = Unchecked(Variable(1))
            await Task.detached { number.value.value = 2 }.value
        }
    }

    @Test("An idle observable moves to the actor that uses it, with all its inputs")
    func adoption() async {
        let number = Variable(1)
        number.value = 5
        let result = await Plain().read(Unchecked(number), Unchecked(number.map { ($0 + 1) * 2 }))
        #expect(result == 14)
    }

    @Test("The message names the possible owners")
    func message() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let number = Unchecked(Variable(1))
            await Task.detached { _ = number.value.value }.value
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("by another task or actor, than its own"))
    }
}

/// Keeps connections of a test that ends with a trap.
@MainActor private var kept: [Connection] = []

extension Plain {
    /// Writes to a variable from outside and reads a value computed from it.
    func read(
        _ number: Unchecked<Variable<Int>>, _ computed: Unchecked<Observable<Int>>
    ) -> Int {
        number.value.value += 1
        return computed.value.value
    }
}
