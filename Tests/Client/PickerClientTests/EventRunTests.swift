import Glibc
import PickerClient
import SystemInterface
import TestSupport
import Testing
import pickerctl

/// The way of events to a sink, on the loop of the test.
@Suite struct EventRunTests {
    /// Takes an event when it is let.
    private final class StubSink: EventSink {
        var onHandled: ((EventPosition?) -> Void)?
        var onFailure: ((any Error) -> Void)?
        var isHeldUp = false
        private(set) var taken: [PendingEvent] = []
        private(set) var done = 0

        var isReady: Bool { isIdle }
        var isIdle: Bool { done == taken.count }

        func take(_ event: PendingEvent) { taken.append(event) }
        func end(because signal: Int32) {}

        func finish() {
            if isHeldUp || isIdle { return }
            done += 1
            onHandled?(taken[done - 1].position)
        }
    }

    @Test("Without events the stored position advances past other topics from time to time")
    func quietTopic() throws {
        let bench = try EventsBench()
        let loop = bench.bench.loop
        let place = try RememberedPlace(at: bench.state)
        let sink = StubSink()
        let run = EventRun(
            try LiveRun(to: bench.bench.server.path, on: loop), into: sink, topics: ["quiet"],
            place: place, endsAtLoss: true, count: 1, advancePause: .milliseconds(5))
        var steps = 0
        func step() {
            sink.finish()
            if place.position?.seq == steps {
                steps += 10
                if steps <= 50 {
                    for _ in 1...10 { bench.bus.publish("loud") }
                } else {
                    bench.bus.publish("quiet")
                }
            }
            loop.schedule(after: .milliseconds(1)) { step() }
        }
        step()
        let deadline = loop.schedule(after: patience) { loop.stop() }
        try run.follow(from: .kept, takesLines: false)
        deadline.cancel()
        #expect(steps == 60)
        #expect(place.position == EventPosition("e:51"))
        #expect(bench.remembered == EventsBench.file("e:51"))
        // It asked in the place of its last one each time, and never began anew.
        #expect(bench.bus.subscribeParams.count == 1)
    }

    @Test("At an end by signal, the position of a quiet topic advances past other topics")
    func quietEnd() throws {
        try Self.endQuietly(try EventsBench())
    }

    /// A run with the state file of `bench` that is ended by a signal when only other topics' events have
    /// come since it subscribed. It waits for the daemon as long as that takes, unlike the program: whether
    /// a daemon by script in a test answers in half a second is a matter of luck.
    static func endQuietly(_ bench: EventsBench) throws {
        let loop = bench.bench.loop
        // A process that another test starts holds a copy of a lock from its fork to its exec.
        _ = waitUntil { (try? RememberedPlace(at: bench.state)) != nil }
        let place = try RememberedPlace(at: bench.state)
        let run = EventRun(
            try LiveRun(to: bench.bench.server.path, on: loop), into: StubSink(),
            topics: ["quiet"], place: place, endsAtLoss: true, count: nil, partingLimit: patience)
        let subscriptions = bench.bus.subscribeParams.count
        func endWhenSubscribed() {
            guard place.position != nil, bench.bus.subscribeParams.count > subscriptions else {
                loop.schedule(after: .milliseconds(1)) { endWhenSubscribed() }
                return
            }
            for _ in 1...50 { bench.bus.publish("loud") }
            run.end(because: SIGTERM)
        }
        endWhenSubscribed()
        let deadline = loop.schedule(after: patience) { loop.stop() }
        let start = place.position.map { EventFeed.Start.after($0) } ?? .kept
        #expect(try run.follow(from: start, takesLines: false) == SIGTERM)
        deadline.cancel()
        #expect(bench.remembered == EventsBench.file("e:\(bench.bus.newest)"))
    }

    @Test("While the sink is busy the position stays, and reading is limited")
    func heldUp() throws {
        let bench = try EventsBench()
        bench.bus.capacity = 100_000
        let loop = bench.bench.loop
        let place = try RememberedPlace(at: bench.state)
        let sink = StubSink()
        sink.isHeldUp = true
        let run = EventRun(
            try LiveRun(to: bench.bench.server.path, on: loop), into: sink, topics: ["a"],
            place: place, endsAtLoss: true, count: 200, advancePause: .milliseconds(1))
        let text = "\"\(String(repeating: "x", count: 1000))\""
        for _ in 1...3000 { bench.bus.publish("a", text) }
        var turns = 0
        func step() {
            turns += 1
            if turns == 200 {
                #expect(sink.taken.count == 1)
                #expect(place.position == EventPosition("e:0"))
                #expect(bench.bench.server.clients[0].waitingBytes >= bench.bus.mostWaiting)
                sink.isHeldUp = false
            }
            sink.finish()
            loop.schedule(after: .zero) { step() }
        }
        step()
        let deadline = loop.schedule(after: patience) { loop.stop() }
        try run.follow(from: .kept, takesLines: false)
        deadline.cancel()
        #expect(sink.taken.map { $0.position?.seq } == (1...200).map { $0 })
        #expect(place.position == EventPosition("e:200"))
    }
}
