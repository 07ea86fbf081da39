import EventLoops
import SystemInterface
import TestSupport
import Testing

@Suite("Timers, on both loops")
struct TimerTests {
    @Test("timers fire once, and not before they are due", arguments: LoopKind.allCases)
    func dueTimes(_ kind: LoopKind) throws {
        let test = try kind.make()
        let start = test.loop.now
        var fired: [Int: Duration] = [:]
        var sources: [any TimerSource] = []
        for milliseconds in [30, 10, 20] {
            sources.append(
                try test.loop.schedule(after: .milliseconds(milliseconds)) {
                    #expect(fired[milliseconds] == nil)
                    fired[milliseconds] = start.duration(to: test.loop.now)
                })
        }
        #expect(fired.isEmpty)
        #expect(sources.allSatisfy { $0.isSet })
        #expect(try test.letPass(.milliseconds(200), until: { fired.count == 3 }))
        for (milliseconds, time) in fired { #expect(time >= .milliseconds(milliseconds)) }
        #expect(sources.allSatisfy { !$0.isSet })
    }

    @Test("on the fake loop timers fire in order, exactly at their times")
    func order() throws {
        let loop = FakeLoop()
        let start = loop.now
        var fired: [Duration] = []
        let times: [Duration] = [.seconds(3), .milliseconds(1), .seconds(2), .zero]
        let sources = try times.map { time in
            try loop.schedule(after: time) { fired.append(start.duration(to: loop.now)) }
        }
        loop.advance(by: .milliseconds(2500))
        #expect(fired == [.zero, .milliseconds(1), .seconds(2)])
        #expect(start.duration(to: loop.now) == .milliseconds(2500))
        #expect(loop.nextTimer == start.advanced(by: .seconds(3)))
        #expect(sources.count(where: { $0.isSet }) == 1)
    }

    @Test("a timer can be set again, even in its handler", arguments: LoopKind.allCases)
    func reschedule(_ kind: LoopKind) throws {
        let test = try kind.make()
        var fired: [Duration] = []
        let start = test.loop.now
        var timer: (any TimerSource)?
        timer = try test.loop.schedule(after: .seconds(60)) {
            fired.append(start.duration(to: test.loop.now))
            if fired.count < 3 { timer?.reschedule(after: .milliseconds(10)) }
        }
        timer?.reschedule(after: .milliseconds(10))
        // However late one is, the next fires 10 ms after it.
        #expect(try test.letPass(.milliseconds(100), until: { fired.count >= 3 }))
        try test.letPass(.milliseconds(50))
        #expect(fired.count == 3)
        for (index, time) in fired.enumerated() {
            #expect(time >= .milliseconds(10 * (index + 1)))
        }
        timer?.cancel()
    }

    @Test("a timer for now fires in the next turn, not at once", arguments: LoopKind.allCases)
    func immediate(_ kind: LoopKind) throws {
        let test = try kind.make()
        var fired = 0
        let timers = [
            try test.loop.schedule(after: .zero) { fired += 1 },
            try test.loop.schedule(after: .seconds(-5)) { fired += 1 },
        ]
        #expect(fired == 0)
        #expect(try test.letPass(.milliseconds(50), until: { fired == 2 }))
        #expect(timers.count == 2)
    }

    @Test(
        "a timer that was unscheduled, cancelled or released does not fire",
        arguments: LoopKind.allCases)
    func takenBack(_ kind: LoopKind) throws {
        let test = try kind.make()
        var fired = 0
        let taken = try test.loop.schedule(after: .milliseconds(5)) { fired += 1 }
        let cancelled = try test.loop.schedule(after: .milliseconds(5)) { fired += 1 }
        _ = try test.loop.schedule(after: .milliseconds(5)) { fired += 1 }
        taken.unschedule()
        cancelled.cancel()
        cancelled.reschedule(after: .zero)
        try test.letPass(.milliseconds(50))
        #expect(fired == 0)
        #expect(!taken.isSet && !taken.isCancelled)
        #expect(!cancelled.isSet && cancelled.isCancelled)
        taken.reschedule(after: .milliseconds(1))
        #expect(try test.letPass(.milliseconds(50), until: { fired == 1 }))
    }

    @Test("instants and durations stay in range")
    func arithmetic() {
        let instant = MonotonicInstant(nanoseconds: 5)
        #expect(instant.advanced(by: .nanoseconds(7)).nanoseconds == 12)
        #expect(instant.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
        #expect(
            MonotonicInstant(nanoseconds: -5).advanced(by: .seconds(-1e12)).nanoseconds == .min)
        #expect(instant.duration(to: MonotonicInstant(nanoseconds: 12)) == .nanoseconds(7))
        #expect(Duration.seconds(-3).wholeNanoseconds == -3_000_000_000)
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
    }
}
