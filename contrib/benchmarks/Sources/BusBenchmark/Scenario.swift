import DataBus
import Observables

/// The subscribers of a bus on which `send` is called repeatedly.
struct Scenario {
    let name: String
    var bound: Double?
    /// Creates a bus with this buffer length, and returns a function that sends the event of a number.
    let prepare: (_ length: Int) -> (Int) -> Void
}

/// Accumulates the handlers' events, so that no call can be optimized away.
final class Received {
    var sum = 0
}

func scenarios(into received: Received) -> [Scenario] {
    everyday(received) + unusual(received) + wholeAndByTopic(received)
}

private func everyday(_ received: Received) -> [Scenario] {
    [
        plain(received, "nobody", subscribers: 0, make: { Tick(number: $0) }),
        bus("nobody", make: { Tick(number: $0) }) { _ in [] },
        plain(received, "1 typed", subscribers: 1, make: { Tick(number: $0) }),
        bus("1 typed", bound: 100, make: { Tick(number: $0) }) {
            typed($0, received, 1, Tick.self)
        },
        plain(received, "10 typed", subscribers: 10, make: { Tick(number: $0) }),
        bus("10 typed", make: { Tick(number: $0) }) { typed($0, received, 10, Tick.self) },
        plain(
            received, "1 typed, 3 words", subscribers: 1, make: { Saved(path: path, number: $0) }),
        bus("1 typed, 3 words", bound: 100, make: { Saved(path: path, number: $0) }) {
            typed($0, received, 1, Saved.self)
        },
        plain(
            received, "1 typed, 5 words", subscribers: 1,
            make: { Moved(old: path, new: path, number: $0) }),
        bus("1 typed, 5 words", make: { Moved(old: path, new: path, number: $0) }) {
            typed($0, received, 1, Moved.self)
        },
    ]
}

private func unusual(_ received: Received) -> [Scenario] {
    [
        Scenario(name: "bus: 1 typed, sent as any Event") { sendErased(length: $0, received) },
        Scenario(name: "bus: 1 typed, two types in turn") { length in
            let bus = EventBus(limits: .init(count: length))
            let connections =
                typed(bus, received, 1, Tick.self) + typed(bus, received, 1, Saved.self)
            return { number in
                if number & 1 == 0 {
                    bus.send(Tick(number: number))
                } else {
                    bus.send(Saved(path: path, number: number))
                }
                withExtendedLifetime(connections) {}
            }
        },
        Scenario(name: "bus: 1 typed, sent by a handler") { length in
            let bus = EventBus(limits: .init(count: length))
            let connections =
                typed(bus, received, 1, Tick.self)
                + [bus >> { (event: Saved) in bus.send(Tick(number: event.number)) }]
            return { number in
                bus.send(Saved(path: path, number: number))
                withExtendedLifetime(connections) {}
            }
        },
    ]
}

private func wholeAndByTopic(_ received: Received) -> [Scenario] {
    [
        bus("1 to any Event", make: { Tick(number: $0) }) { bus in
            [bus >> { (_: any Event) in received.sum &+= 1 }]
        },
        bus("1 to a protocol", make: { Tick(number: $0) }) { bus in
            [bus >> { (event: any Numbered) in received.sum &+= event.number }]
        },
        bus("1 to all, as sent", make: { Tick(number: $0) }) { bus in
            [bus.subscribeToAll { received.sum &+= $0.sequence }]
        },
        bus("1 by topic 'app.tick'", make: { Tick(number: $0) }) { bus in
            [bus.subscribe(topics: ["app.tick"]) { received.sum &+= $0.sequence }]
        },
        bus("1 by topics 'app.*', '!app.saved'", make: { Tick(number: $0) }) { bus in
            [bus.subscribe(topics: ["app.*", "!app.saved"]) { received.sum &+= $0.sequence }]
        },
        bus("10 by topic, 1 of them by this", make: { Tick(number: $0) }) { bus in
            ["a", "b.*", "app", "app.saved", "tick.*", "app.tick", "c", "d", "e.*", "app.tick.*"]
                .map { (text: String) in
                    let filter = try? TopicFilter([text])
                    return bus.subscribe(topics: filter ?? ["*"]) { received.sum &+= $0.sequence }
                }
        },
        Scenario(name: "bus: a wakeup, armed each time") { length in
            let bus = EventBus(limits: .init(count: length))
            let wakeup = bus.wakeup { received.sum &+= 1 }
            return { number in
                wakeup.arm()
                bus.send(Tick(number: number))
            }
        },
    ]
}

/// Too long for inline storage of a string.
private let path = "/home/somebody/documents/letters/2026/november.md"

private func plain<E>(
    _ received: Received, _ name: String, subscribers: Int, make: @escaping (Int) -> E
) -> Scenario where E: Event, E: Numbered {
    Scenario(name: "plain: \(name)") { length in
        let bus = PlainBus<E>(length: length)
        for _ in 0..<subscribers { bus.subscribe { received.sum &+= $0.number } }
        return { bus.send(make($0)) }
    }
}

private func bus<E: Event>(
    _ name: String, bound: Double? = nil, make: @escaping (Int) -> E,
    subscribe: @escaping (EventBus) -> [Connection]
) -> Scenario {
    Scenario(name: "bus: \(name)", bound: bound) { length in
        let bus = EventBus(limits: .init(count: length))
        let connections = subscribe(bus)
        return { number in
            bus.send(make(number))
            withExtendedLifetime(connections) {}
        }
    }
}

private func typed<E>(_ bus: EventBus, _ received: Received, _ count: Int, _ type: E.Type)
    -> [Connection]
where E: Event, E: Numbered {
    (0..<count).map { _ in bus >> { (event: E) in received.sum &+= event.number } }
}

private func sendErased(length: Int, _ received: Received) -> (Int) -> Void {
    let bus = EventBus(limits: .init(count: length))
    let connections = typed(bus, received, 1, Tick.self)
    let events: [any Event] = [Tick(number: 1), Tick(number: 2)]
    return { number in
        let event = events[number & 1]
        bus.send(event)
        withExtendedLifetime(connections) {}
    }
}
