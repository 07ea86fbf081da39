import Glibc
import Synchronization
import SystemInterface
import TestSupport
import Testing

@Suite("Worker threads")
struct WorkerTests {
    private enum Job: Sendable {
        case say(Int)
        /// Waits for the test's permission to continue.
        case rest
        case end
    }

    private let told = Told()
    private let gate: Gate
    private let limit = Int32(patienceMilliseconds)

    init() throws { gate = try Gate() }

    private final class Told: Sendable {
        let all = Mutex<[Int]>([])
        func reaches(_ expected: [Int]) -> Bool { waitUntil { all.withLock { $0 == expected } } }
    }

    private final class Gate: Sendable {
        private let descriptor: OwnedDescriptor
        init() throws { descriptor = try .wakeUp() }
        func open() { descriptor.signalWakeUp() }
        func pass() {
            descriptor.waitUntilReadable(milliseconds: nil)
            descriptor.clearWakeUp()
        }
    }

    private func makeWorker(limit: Int = 100) throws -> Worker<Job, Int> {
        try Worker(
            limit: limit, answer: { [told] result in told.all.withLock { $0.append(result) } }
        ) { [gate] desk in
            while true {
                switch desk.next(within: nil) {
                case .say(let number)?: desk.answer(number)
                case .rest?:
                    gate.pass()
                    desk.answer(0)
                case .end?: return
                case nil: break
                }
            }
        }
    }

    @Test("Jobs are executed and reported in order")
    func order() throws {
        let worker = try makeWorker()
        for number in 1...50 { #expect(worker.post(.say(number))) }
        #expect(told.reaches(Array(1...50)))
        worker.post(.end)
    }

    @Test("The result of a question goes only to the thread that asked")
    func ask() throws {
        let worker = try makeWorker()
        worker.post(.say(1))
        #expect(worker.ask(.say(2), within: limit) == 2)
        #expect(worker.ask(.say(3), within: limit) == 3)
        worker.post(.say(4))
        #expect(told.reaches([1, 4]))
        worker.post(.end)
    }

    @Test("A late result is reported like others, and does not answer the next question")
    func late() throws {
        let worker = try makeWorker()
        #expect(worker.ask(.rest, within: 1) == nil)
        gate.open()
        #expect(worker.ask(.say(7), within: limit) == 7)
        #expect(told.reaches([0]))
        worker.post(.end)
    }

    @Test("Jobs beyond the limit are refused, and a superfluous job does not wait")
    func full() throws {
        let worker = try makeWorker(limit: 2)
        worker.post(.rest)
        #expect(waitUntil { worker.backlog == 0 })
        #expect(worker.post(.say(1)))
        #expect(worker.post(.say(2), unlessLast: { if case .say(1) = $0 { true } else { false } }))
        #expect(worker.backlog == 1)
        #expect(worker.post(.say(3), unlessLast: { if case .say(2) = $0 { true } else { false } }))
        #expect(!worker.post(.say(4)))
        #expect(worker.ask(.say(5), within: limit) == nil, "and nobody waits")
        gate.open()
        #expect(told.reaches([0, 1, 3]))
        worker.post(.end)
    }

    @Test("Once the thread has ended, jobs are refused and nothing is kept")
    func end() throws {
        var worker: Worker<Job, Int>? = try makeWorker()
        let isGone = { [weak worker] in worker == nil }
        worker?.post(.say(1))
        worker?.post(.end)
        #expect(waitUntil { worker?.post(.say(2), unlessLast: { _ in true }) == false })
        #expect(worker?.ask(.say(3), within: limit) == nil)
        #expect(told.reaches([1]))
        worker = nil
        #expect(waitUntil { isGone() })
    }

    @Test("An idle thread can do work of its own")
    func idle() throws {
        let worker = try Worker<Job, Int>(
            limit: 1, isBackground: true,
            answer: { [told] result in told.all.withLock { $0.append(result) } }
        ) { desk in
            while desk.next(within: 1) == nil {
                desk.tell(Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)))
            }
        }
        #expect(waitUntil { told.all.withLock { $0.count > 3 && $0.allSatisfy { $0 > 0 } } })
        worker.post(.end)
    }
}
