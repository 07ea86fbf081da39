// When slices of work run.

import EventLoops
import ListRequests
import PickerModel
import TestSupport
import Testing

@Suite struct SurveyQueueTests {
    /// Work that waits until it is told otherwise, and is done in one slice then.
    private final class Waiting: SlicedWork {
        private(set) var stepsTaken = 0
        private(set) var asked = 0
        var isWaiting = true
        var isPatient: Bool

        init(isPatient: Bool) { self.isPatient = isPatient }

        func advance(budget: Int) -> Bool {
            asked += 1
            stepsTaken += 1
            return !isWaiting
        }
    }

    private let loop = FakeLoop()
    private let queue: SurveyQueue

    init() { queue = SurveyQueue(on: loop, limits: SurveyLimits()) }

    @Test("the loop sleeps for a millisecond at a time while all work is patient")
    func patience() {
        var ended = 0
        let works = (0..<3).map { _ in Waiting(isPatient: true) }
        let tickets = works.map { queue.begin($0) { ended += 1 } }
        #expect(loop.turn(limit: 1000) < 10)
        #expect(works.map(\.asked) == [1, 1, 1])
        loop.advance(by: .milliseconds(20))
        #expect(works.map(\.asked) == [21, 21, 21])
        for work in works { work.isWaiting = false }
        loop.advance(by: .milliseconds(1))
        #expect(ended == 3)
        #expect(loop.turn() == 0)
        withExtendedLifetime(tickets) {}
    }

    @Test("work that will not wait for long, and other work, is done at once beside patient work")
    func impatience() {
        var ended = 0
        let patient = Waiting(isPatient: true)
        let impatient = Waiting(isPatient: false)
        let first = queue.begin(patient) { ended += 1 }
        let second = queue.begin(impatient) { ended += 1 }
        #expect(loop.turn(limit: 1000) == 1000, "it is asked again and again")
        #expect(patient.asked > 900 && impatient.asked > 900)
        impatient.isWaiting = false
        loop.turn()
        #expect(ended == 1)
        let asked = patient.asked
        #expect(loop.turn() == 0 && patient.asked == asked)
        let other = Waiting(isPatient: false)
        other.isWaiting = false
        let third = queue.begin(other) { ended += 1 }
        loop.turn()
        #expect(ended == 2)
        // Nothing is asked for work that nobody waits for any more.
        first.cancel()
        loop.advance(by: .milliseconds(10))
        #expect(patient.asked <= asked + 2)
        withExtendedLifetime((second, third)) {}
    }

    @Test("what is let go is freed behind what is told, before the next slice")
    func releasing() {
        final class Memory {}
        let waiting = Waiting(isPatient: false)
        waiting.isWaiting = false
        weak var memory: Memory?
        var (told, slices): ([Bool], [Bool]) = ([], [])
        let other = Waiting(isPatient: true)
        let first = queue.begin(waiting) {
            let freed = Memory()
            memory = freed
            self.queue.release(freed)
            self.loop.enqueue { told.append(memory != nil) }
            self.loop.enqueue(priority: .low) { slices.append(memory != nil) }
        }
        let second = queue.begin(other) {}
        loop.turn(limit: 1000)
        #expect(told == [true] && slices == [false])
        #expect(memory == nil)
        withExtendedLifetime((first, second)) {}
    }

    /// Work that takes a time of its only slice.
    private final class Slow: SlicedWork {
        private(set) var stepsTaken = 0
        let mayEndLater: Bool
        private let loop: FakeLoop
        private var time: Duration

        init(_ time: Duration, on loop: FakeLoop, mayEndLater: Bool) {
            self.time = time
            self.loop = loop
            self.mayEndLater = mayEndLater
        }

        func advance(budget: Int) -> Bool {
            loop.spend(time)
            time = .zero
            stepsTaken += 1
            return true
        }
    }

    @Test("a result that may be taken later is taken in the next slice if this one was used")
    func endsLater() {
        func handlers(_ time: Duration, mayEndLater: Bool) -> Int {
            var isEnded = false
            let work = Slow(time, on: loop, mayEndLater: mayEndLater)
            let ticket = queue.begin(work) { isEnded = true }
            var handlers = 0
            while !isEnded, loop.runOne() { handlers += 1 }
            #expect(isEnded && work.stepsTaken == handlers)
            loop.turn()
            withExtendedLifetime(ticket) {}
            return handlers
        }
        #expect(handlers(.microseconds(600), mayEndLater: true) == 2)
        #expect(handlers(.microseconds(600), mayEndLater: false) == 1)
        #expect(handlers(.microseconds(10), mayEndLater: true) == 1)
    }
}
