import DataBus
import Observables
import Testing

@Suite("Delivery")
struct DeliveryTests {
    @Test("reaches the subscribers of an event's type, and no others")
    func types() {
        let bus = EventBus()
        var saved: [Int] = []
        var all: [Int] = []
        let connections = [
            bus >> { (event: Saved) in saved.append(event.value) },
            bus.subscribeToAll { all.append($0.sequence) },
        ]
        bus << Saved(value: 5)
        bus << Closed()
        #expect(saved == [5])
        #expect(all == [1, 2])
        withExtendedLifetime(connections) {}
    }

    @Test("passes number and time to subscribers of one exact type that request them")
    func numbered() {
        var time = 0.0
        let bus = EventBus(now: { time })
        bus << Saved(value: 1)
        var saved: [[Double]] = []
        var opened: [Int] = []
        var last: Connection?
        let connections = [
            bus.subscribe(numbered: { (event: Saved, stamp) in
                saved.append([Double(event.value), Double(stamp.sequence), stamp.time])
                // Queued, with the number after this one.
                if event.value == 2 { bus << Saved(value: 3) }
                if event.value == 4 { last = nil }
            }),
            bus.subscribe(numbered: { (event: Opened, stamp) in opened.append(stamp.sequence) }),
        ]
        last = bus.subscribe(numbered: { (event: Saved, stamp) in
            saved.append([Double(-event.value), Double(stamp.sequence), stamp.time])
        })
        time = 2.5
        bus << Saved(value: 2)
        #expect(saved == [[2, 2, 2.5], [-2, 2, 2.5], [3, 3, 2.5], [-3, 3, 2.5]])
        saved = []
        // Next to a subscriber of SentEvent, delivery takes another path.
        let all = bus.subscribeToAll { _ in time = 3 }
        bus << Saved(value: 4)
        #expect(saved == [[4, 4, 2.5]])
        bus << OpenedAgain(value: 1)
        bus << Opened(value: 1)
        #expect(opened == [6], "a subclass is another type")
        withExtendedLifetime((connections, all, last)) {}
    }

    @Test("reaches subscribers of protocols, superclasses, any Event and SentEvent")
    func castTypes() {
        let bus = EventBus(now: { 2.5 })
        var log: [String] = []
        let connections = [
            bus >> { (event: any Marked) in log.append("marked \(event.value)") },
            bus >> { (event: Opened) in log.append("opened \(event.value)") },
            bus >> { (event: OpenedAgain) in log.append("again \(event.value)") },
            bus >> { (event: any Event) in log.append("any \(event.topic)") },
            bus >> { (sent: SentEvent) in log.append("\(sent.sequence) at \(sent.time)") },
        ]
        bus << Saved(value: 1)
        #expect(log == ["marked 1", "any app.saved", "1 at 2.5"])
        log = []
        bus << Opened(value: 2)
        #expect(log == ["opened 2", "any app.opened", "2 at 2.5"])
        log = []
        bus << OpenedAgain(value: 3)
        let expected = ["marked 3", "opened 3", "again 3", "any app.opened.again", "3 at 2.5"]
        #expect(log == expected)
        withExtendedLifetime(connections) {}
    }

    @Test("is the same for an event sent as a protocol type or as its superclass")
    func erasedTypes() {
        let bus = EventBus()
        var log: [String] = []
        let connections = [
            bus >> { (event: Opened) in log.append("opened \(event.value)") },
            bus >> { (event: OpenedAgain) in log.append("again \(event.value)") },
            bus >> { (event: Saved) in log.append("saved \(event.value)") },
        ]
        let events: [any Event] = [Saved(value: 1), OpenedAgain(value: 2)]
        for event in events { bus << event }
        let known: Opened = OpenedAgain(value: 3)
        bus << known
        #expect(log == ["saved 1", "opened 2", "again 2", "opened 3", "again 3"])
        #expect(bus.lastSequence == 3)
        withExtendedLifetime(connections) {}
    }

    @Test("follows the order of subscription, whatever the kind, and ends with the connection")
    func order() {
        let bus = EventBus()
        var calls: [String] = []
        let first = bus >> { (_: Saved) in calls.append("first") }
        bus << Saved()
        calls = []
        var second: Connection? = bus >> { (_: any Marked) in calls.append("second") }
        let third = bus.subscribe(topics: ["app.*"]) { _ in calls.append("third") }
        let fourth = bus >> { (_: Saved) in calls.append("fourth") }
        bus << Saved()
        #expect(calls == ["first", "second", "third", "fourth"])
        calls = []
        second = nil
        bus << Saved()
        #expect(calls == ["first", "third", "fourth"])
        first.disconnect()
        first.disconnect()
        third.disconnect()
        calls = []
        bus << Saved()
        #expect(calls == ["fourth"])
        withExtendedLifetime((second, fourth)) {}
    }

    @Test("of events sent by a handler follows the current event, for everyone")
    func reentrancy() {
        let bus = EventBus()
        var log: [String] = []
        let connections = [
            bus >> { (event: Saved) in
                log.append("a\(event.value)")
                if event.value < 2 { bus << Saved(value: event.value + 1) }
            },
            bus >> { (event: Saved) in log.append("b\(event.value)") },
        ]
        bus << Saved()
        #expect(log == ["a0", "b0", "a1", "b1", "a2", "b2"])
        withExtendedLifetime(connections) {}
    }

    @Test("skips subscribers that were removed meanwhile")
    func removalInDelivery() {
        let bus = EventBus()
        var calls = 0
        var victims: [Connection] = []
        let killer = bus >> { (_: Saved) in victims = [] }
        victims = [
            bus >> { (_: Saved) in calls += 1 },
            bus >> { (_: any Marked) in calls += 1 },
            bus >> { (_: any Event) in calls += 1 },
            bus >> { (_: SentEvent) in calls += 1 },
            bus.subscribe(topics: ["*"]) { _ in calls += 1 },
        ]
        bus << Saved()
        #expect(calls == 0)
        withExtendedLifetime((killer, victims)) {}
    }

    @Test("reaches new subscribers from the next event on, even if that is already queued")
    func subscribingInDelivery() {
        let bus = EventBus()
        var seen: [Int] = []
        var late: [Connection] = []
        let first =
            bus >> { (event: Saved) in
                guard event.value == 1 else { return }
                bus << Saved(value: 2)
                late.append(bus >> { (event: Saved) in seen.append(event.value) })
                bus << Saved(value: 3)
            }
        bus << Saved(value: 1)
        #expect(seen == [3])
        withExtendedLifetime((first, late)) {}
    }

    @Test("continues when hundreds disconnect, during a delivery and after it")
    func manyRemovals() {
        let bus = EventBus()
        var calls: [Int] = []
        var connections: [Connection?] = []
        for number in 0..<500 {
            connections.append(
                bus >> { (event: Saved) in
                    calls.append(number)
                    if event.value == 1, number == 3 {
                        for other in 0..<500 where other % 7 != 3 { connections[other] = nil }
                    }
                })
        }
        bus << Saved(value: 0)
        #expect(calls == Array(0..<500))
        calls = []
        bus << Saved(value: 1)
        #expect(calls == [0, 1, 2, 3] + (4..<500).filter { $0 % 7 == 3 })
        calls = []
        bus << Saved(value: 2)
        #expect(calls == (0..<500).filter { $0 % 7 == 3 })
        for number in 0..<500 where number != 10 { connections[number]?.disconnect() }
        calls = []
        bus << Saved(value: 3)
        #expect(calls == [10])
    }

    @Test("refuses events of handlers beyond the limit, and continues")
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

    @Test("of events sent by an event's deinit follows the event that pushed it out")
    func sendingEnds() {
        let bus = EventBus(limits: .init(count: 1))
        var seen: [Int] = []
        let connection = bus >> { (event: Saved) in seen.append(event.value) }
        bus << Ending { [unowned bus] in bus << Saved(value: 2) }
        bus << Saved(value: 1)
        #expect(seen == [1, 2])
        #expect(bus.keptNumbers == [3])
        bus << Ending { [unowned bus] in bus << Saved(value: 3) }
        bus.bufferLength = 0
        #expect(seen == [1, 2, 3])
        #expect(bus.lastSequence == 5)
        withExtendedLifetime(connection) {}
    }
}
