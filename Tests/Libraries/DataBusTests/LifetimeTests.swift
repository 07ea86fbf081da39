import DataBus
import Observables
import TestSupport
import Testing

/// When objects are released. One token represents the captures of a handler, one an event.
@Suite("Lifetimes")
struct LifetimeTests {
    private let count = LifetimeCount()

    /// The ways to subscribe to `Holding`, each with a handler that captures a token.
    enum Way: CaseIterable {
        case typed, cast, any, all, topics, replaying

        func connect(
            _ bus: EventBus, _ token: LifetimeToken, then action: @escaping () -> Void = {}
        ) -> Connection {
            switch self {
            case .typed:
                bus >> { (_: Holding) in
                    token.touch(); action()
                }
            case .cast:
                bus >> { (_: any Holder) in
                    token.touch(); action()
                }
            case .any:
                bus >> { (_: any Event) in
                    token.touch(); action()
                }
            case .all:
                bus.subscribeToAll { _ in
                    token.touch(); action()
                }
            case .topics:
                bus.subscribe(topics: ["app.*"]) { _ in
                    token.touch(); action()
                }
            case .replaying:
                bus.subscribe(replaying: 5) { (_: Holding) in
                    token.touch(); action()
                }
            }
        }
    }

    @Test(
        "A handler is released, with its captures, when its connection is disconnected",
        arguments: Way.allCases)
    func disconnecting(_ way: Way) {
        let bus = EventBus()
        bus << Holding(token: bus)
        let connection = way.connect(bus, count.token())
        bus << Holding(token: bus)
        #expect(count.alive == 1)
        connection.disconnect()
        #expect(count.alive == 0)
        bus.bufferLength = 0
        withExtendedLifetime(connection) {}
    }

    @Test("A handler is released when its connection is released", arguments: Way.allCases)
    func releasing(_ way: Way) {
        let bus = EventBus(limits: .init(count: 0))
        var connection: Connection? = way.connect(bus, count.token())
        bus << Holding(token: self.count)
        #expect(count.alive == 1)
        connection = nil
        #expect(count.alive == 0)
        withExtendedLifetime(connection) {}
    }

    @Test(
        "A handler that ends itself is released when it returns, and not before",
        arguments: Way.allCases)
    func endingItself(_ way: Way) {
        let bus = EventBus(limits: .init(count: 0))
        var connection: Connection?
        var calls = 0
        var aliveInside = 0
        connection = way.connect(bus, count.token()) { [count] in
            calls += 1
            connection = nil
            aliveInside = count.alive
        }
        bus << Holding(token: self.count)
        #expect(calls == 1 && aliveInside == 1)
        #expect(count.alive == 0)
        bus << Holding(token: self.count)
        #expect(calls == 1)
        withExtendedLifetime(connection) {}
    }

    @Test(
        "A handler that another one ends during a delivery is released at once",
        arguments: Way.allCases)
    func endingAnother(_ way: Way) {
        let bus = EventBus(limits: .init(count: 0))
        var victim: Connection?
        var aliveAfter = -1
        let killer =
            bus >> { [count] (_: Holding) in
                victim = nil
                aliveAfter = count.alive
            }
        victim = way.connect(bus, count.token())
        bus << Holding(token: self.count)
        #expect(aliveAfter == 0)
        withExtendedLifetime((killer, victim)) {}
    }

    @Test(
        "All handlers are released with the bus; remaining connections do nothing",
        arguments: Way.allCases)
    func releasingTheBus(_ way: Way) {
        var bus: EventBus? = EventBus(limits: .init(count: 0))
        let connection = bus.map { way.connect($0, count.token()) }
        bus?.send(Holding(token: count))
        #expect(count.alive == 1)
        bus = nil
        #expect(count.alive == 0)
        connection?.disconnect()
    }

    @Test("An owner captured weakly by its handler is released with everything it holds")
    func weakOwner() {
        final class Owner {
            private let token: LifetimeToken
            private var connections: [Connection] = []
            private(set) var seen = 0

            init(_ bus: EventBus, _ token: LifetimeToken) {
                self.token = token
                connections = [
                    bus >> { [weak self] (_: Saved) in self?.seen += 1 },
                    bus.subscribe(topics: ["*"]) { [unowned self] _ in seen += 1 },
                ]
            }
        }
        let bus = EventBus()
        var owner: Owner? = Owner(bus, count.token())
        bus << Saved()
        #expect(owner?.seen == 2)
        #expect(count.alive == 1)
        owner = nil
        #expect(count.alive == 0)
        bus << Saved()
    }

    @Test("An owner captured strongly by its handler lives until its connection or the bus ends")
    func strongOwner() {
        final class Owner {
            private let token: LifetimeToken
            private var connection: Connection?

            init(_ bus: EventBus, _ token: LifetimeToken) {
                self.token = token
                connection = bus >> { (_: Saved) in _ = self.token }
            }

            func disconnect() { connection?.disconnect() }
        }
        var bus: EventBus? = EventBus()
        var owners = (0..<2).compactMap { _ in bus.map { Owner($0, count.token()) } }
        weak let first = owners[0]
        owners = []
        #expect(count.alive == 2)
        first?.disconnect()
        #expect(count.alive == 1)
        bus = nil
        #expect(count.alive == 0)
    }

    @Test("An event is released when it is no longer kept: pushed out, lower limits, too old")
    func events() {
        var now = 0.0
        var bus: EventBus? = EventBus(limits: .init(count: 3, age: 100), now: { now })
        for number in 1...5 {
            bus?.send(Holding(token: count.token()))
            #expect(count.alive == min(number, 3))
        }
        bus?.bufferLength = 2
        #expect(count.alive == 2)
        now = 50
        bus?.send(Saved())
        #expect(count.alive == 1)
        now = 101
        bus?.dropExpired()
        #expect(count.alive == 0)
        bus?.send(Holding(token: count.token()))
        #expect(count.alive == 1)
        bus = nil
        #expect(count.alive == 0)
    }

    @Test("A queued event is released after its delivery, if it is not kept")
    func pendingEvents() {
        let bus = EventBus(limits: .init(count: 0))
        var alive: [Int] = []
        let connections = [
            bus >> { [count] (_: Saved) in
                for _ in 0..<3 { bus << Holding(token: count.token()) }
            },
            bus >> { [count] (_: Holding) in alive.append(count.alive) },
        ]
        bus << Saved()
        #expect(alive == [3, 2, 1])
        #expect(count.alive == 0)
        withExtendedLifetime(connections) {}
    }

    @Test("Captures may end other subscriptions, and send, when they are released")
    func endsThatEnd() {
        let bus = EventBus()
        var seen: [Int] = []
        var others: [Connection] = []
        let listener = bus >> { (event: Saved) in seen.append(event.value) }
        var connection: Connection?
        do {
            let ending = Ending {
                others = []
                bus << Saved(value: 7)
            }
            connection = bus >> { (_: Closed) in withExtendedLifetime(ending) {} }
        }
        for _ in 0..<40 {
            let token = count.token()
            others.append(bus >> { (_: Closed) in token.touch() })
        }
        #expect(count.alive == 40)
        connection = nil
        #expect(count.alive == 0)
        #expect(seen == [7])
        withExtendedLifetime((listener, connection)) {}
    }
}

private protocol Holder {}

extension Holding: Holder {}
