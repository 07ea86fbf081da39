import DataBus
import Observables
import TestSupport
import Testing

@Suite("Wakeups")
struct WakeupTests {
    @Test("fire once for events after they were armed, and again after they are armed again")
    func once() {
        let bus = EventBus()
        var calls = 0
        let wakeup = bus.wakeup { calls += 1 }
        bus << Saved()
        #expect(calls == 0)
        wakeup.arm()
        wakeup.arm()
        #expect(calls == 0)
        bus << Saved()
        bus << Saved()
        #expect(calls == 1)
        wakeup.arm()
        bus << Saved()
        #expect(calls == 2)
        wakeup.arm()
        wakeup.disarm()
        bus << Saved()
        #expect(calls == 2)
    }

    @Test("fire after the delivery of all events that handlers sent in answer")
    func order() {
        let bus = EventBus()
        var log: [String] = []
        let wakeup = bus.wakeup { log.append("woken at \(bus.lastSequence)") }
        let connection =
            bus >> { (event: Saved) in
                log.append("got \(event.value)")
                if event.value < 3 { bus << Saved(value: event.value + 1) }
            }
        wakeup.arm()
        bus << Saved(value: 1)
        #expect(log == ["got 1", "got 2", "got 3", "woken at 3"])
        withExtendedLifetime(connection) {}
    }

    @Test("armed during a delivery fire for the next event, not for the current one")
    func armedInDelivery() {
        let bus = EventBus()
        var calls = 0
        let wakeup = bus.wakeup { calls += 1 }
        let connection = bus >> { (_: Saved) in wakeup.arm() }
        bus << Saved()
        #expect(calls == 0)
        bus << Saved()
        #expect(calls == 1)
        withExtendedLifetime(connection) {}
    }

    @Test("may send and arm again, disarm others, and end others")
    func reentrancy() {
        let bus = EventBus()
        var log: [String] = []
        var wakeups: [EventWakeup] = []
        wakeups.append(
            bus.wakeup {
                log.append("first")
                wakeups[1].disarm()
                wakeups.removeLast()
                guard log.count < 3 else { return }
                wakeups[0].arm()
                bus << Saved()
                log.append("sent")
            })
        wakeups.append(bus.wakeup { log.append("second") })
        wakeups.append(bus.wakeup { log.append("third") })
        for wakeup in wakeups { wakeup.arm() }
        wakeups.append(bus.wakeup {})
        wakeups.swapAt(2, 3)
        bus << Saved()
        #expect(log == ["first", "sent", "first"])
        #expect(bus.lastSequence == 2)
    }

    @Test("are released with their captures, armed or not, and may outlive the bus")
    func lifetimes() {
        let count = LifetimeCount()
        var bus: EventBus? = EventBus()
        func wakeup() -> EventWakeup? {
            let token = count.token()
            return bus?.wakeup { token.touch() }
        }
        var first = wakeup()
        var second = wakeup()
        second?.arm()
        #expect(count.alive == 2)
        first = nil
        #expect(count.alive == 1)
        second = nil
        #expect(count.alive == 0)
        bus?.send(Saved())
        let third = wakeup()
        third?.arm()
        bus = nil
        third?.arm()
        third?.disarm()
        withExtendedLifetime((first, second, third)) {}
    }
}
