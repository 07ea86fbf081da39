import DataBus
import Observables
import TestSupport
import Testing

private struct Saved: Event {
    let topic = "app.saved"
    var number = 0
}

private struct Closed: Event {
    let topic = "app.closed"
    var retainedBytes: Int { 1000 }
}

@Suite("The event bus")
struct EventBusTests {
    @Test("delivers an event to the subscribers of its type, and to no others")
    func types() {
        let bus = EventBus()
        var saved: [Int] = []
        var all: [Int] = []
        let connections = [
            bus >> { (event: Saved) in saved.append(event.number) },
            bus.subscribeToAll { all.append($0.sequence) },
        ]
        bus << Saved(number: 5)
        bus << Closed()
        #expect(saved == [5])
        #expect(all == [1, 2])
        withExtendedLifetime(connections) {}
    }

    @Test("calls in order of subscription, and ends with its connection")
    func order() {
        let bus = EventBus()
        var calls: [String] = []
        let first = bus >> { (_: Saved) in calls.append("first") }
        var second: Connection? = bus >> { (_: Saved) in calls.append("second") }
        bus << Saved()
        #expect(calls == ["first", "second"])
        second = nil
        bus << Saved()
        #expect(calls == ["first", "second", "first"])
        first.disconnect()
        first.disconnect()
        bus << Saved()
        #expect(calls.count == 3)
        _ = second
    }

    @Test("delivers what a handler sends after the current event, to everyone")
    func reentrancy() {
        let bus = EventBus()
        var log: [String] = []
        let connections = [
            bus >> { (event: Saved) in
                log.append("a\(event.number)")
                if event.number < 2 { bus << Saved(number: event.number + 1) }
            },
            bus >> { (event: Saved) in log.append("b\(event.number)") },
        ]
        bus << Saved()
        #expect(log == ["a0", "b0", "a1", "b1", "a2", "b2"])
        withExtendedLifetime(connections) {}
    }

    @Test("calls nobody who was removed during the delivery")
    func removalInDelivery() {
        let bus = EventBus()
        var calls = 0
        var victim: Connection?
        let killer = bus >> { (_: Saved) in victim?.disconnect() }
        victim = bus >> { (_: Saved) in calls += 1 }
        bus << Saved()
        #expect(calls == 0)
        withExtendedLifetime(killer) {}
    }

    @Test("keeps the last events, five unless told, and drops the oldest at once when told fewer")
    func bufferLength() {
        let bus = EventBus()
        for number in 1...8 { bus << Saved(number: number) }
        #expect(kept(bus) == [4, 5, 6, 7, 8])
        #expect(bus.oldestSequence == 4)
        bus.bufferLength = 2
        #expect(kept(bus) == [7, 8])
        bus.bufferLength = 0
        #expect(kept(bus).isEmpty)
        #expect(bus.oldestSequence == 9 && bus.lastSequence == 8)
    }

    @Test("keeps no more bytes and no older events than its limits say")
    func bytesAndAge() {
        var now = 100.0
        let bus = EventBus(limits: .init(count: 100, bytes: 2500, age: 10), now: { now })
        for _ in 1...4 { bus << Closed() }
        #expect(bus.keptCount == 2)
        now = 105
        bus << Saved(number: 1)
        now = 111
        #expect(kept(bus) == [1])
        bus << Saved(number: 2)
        #expect(bus.keptCount == 2)
        #expect(bus.kept(sequence: 4) == nil)
        #expect(bus.kept(sequence: 6)?.sequence == 6)
        #expect(bus.kept(sequence: 7) == nil)
    }

    @Test("replays the last few of one type, oldest first")
    func replay() {
        let bus = EventBus(limits: .init(count: 10))
        for number in 1...3 {
            bus << Saved(number: number)
            bus << Closed()
        }
        var seen: [Int] = []
        bus.replay(count: 2) { (event: Saved) in seen.append(event.number) }
        #expect(seen == [2, 3])
    }

    @Test("joins replay and live events without a gap or a repeat, from a handler too")
    func replayThenLive() {
        let bus = EventBus(limits: .init(count: 10))
        for number in 1...3 { bus << Saved(number: number) }
        var seen: [Int] = []
        var late: Connection?
        let first =
            bus >> { (event: Saved) in
                guard event.number == 4 else { return }
                bus << Saved(number: 5)
                late = bus.subscribe(replaying: 3) { (event: Saved) in
                    seen.append(event.number)
                    if event.number == 3 { bus << Saved(number: 6) }
                }
            }
        bus << Saved(number: 4)
        #expect(seen == [3, 4, 5, 6])
        withExtendedLifetime((first, late)) {}
    }

    @Test("frees a handler and what it captured when its connection goes")
    func lifetimes() {
        final class Owner {}
        let bus = EventBus()
        weak var captured: Owner?
        var connection: Connection?
        do {
            let owner = Owner()
            captured = owner
            connection = bus >> { (_: Saved) in withExtendedLifetime(owner) {} }
        }
        #expect(captured != nil)
        connection?.disconnect()
        connection = nil
        #expect(captured == nil)
    }

    @Test("refuses what handlers send beyond the limit, and goes on")
    func cascade() {
        let bus = EventBus()
        var refused = 0
        var calls = 0
        let connection =
            bus >> { (_: Saved) in
                calls += 1
                guard calls == 1 else { return }
                for _ in 0...EventBus.pendingLimit where bus.send(Saved()) == nil { refused += 1 }
            }
        bus << Saved()
        #expect(refused == 1)
        #expect(calls == EventBus.pendingLimit + 1)
        #expect(bus.send(Saved()) != nil)
        withExtendedLifetime(connection) {}
    }

    private func kept(_ bus: EventBus) -> [Int] {
        var numbers: [Int] = []
        bus.replay { (event: Saved) in numbers.append(event.number) }
        return numbers
    }
}
