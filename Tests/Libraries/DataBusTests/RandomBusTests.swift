import Observables
import TestSupport
import Testing

@testable import DataBus

/// The bus compared with `PlainBus`: after the same operations, from outside or by handlers, each
/// handler receives the same events, in the same overall order, and the same events are kept.
@Suite("Random work")
struct RandomBusTests {
    @Test("gives each handler the same events as the plain bus, and keeps the same")
    func random() {
        withSeed { random in
            for _ in 0..<60 {
                let script = UInt64.random(in: 0 ... .max, using: &random)
                Trial(script: script).run(steps: 40, &random)
            }
        }
    }
}

/// One bus of each kind, with the operations on both.
private final class Trial {
    private let clock = Clock()
    private let plain: Side<PlainBus>
    private let real: Side<RealBus>

    init(script: UInt64) {
        let clock = clock
        plain = Side(PlainBus(now: { clock.time }), script: script)
        real = Side(RealBus(now: { clock.time }), script: script)
    }

    func run(steps: Int, _ random: inout SeededRandom) {
        if random.chance(0.5) { restore(&random) }
        for step in 0..<steps {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                guard let kind = TestEvent.Kind.allCases.randomElement(using: &random) else {
                    return
                }
                let event = TestEvent(kind: kind, value: 1000 * step)
                both({ $0.send(event) }, { $0.send(event) })
            case 5:
                let limits = EventBus.Limits(
                    count: Int.random(in: 0..<12, using: &random),
                    bytes: random.chance(0.3) ? Int.random(in: 0..<600, using: &random) : .max,
                    age: random.chance(0.3) ? Double.random(in: 0..<4, using: &random) : nil)
                both({ $0.limits = limits }, { $0.limits = limits })
            case 6: clock.time += Double.random(in: 0..<2, using: &random)
            case 7:
                let index = Int.random(in: 0..<20, using: &random)
                both({ $0.disconnect(index) }, { $0.disconnect(index) })
            default:
                let choice = UInt64.random(in: 0 ... .max, using: &random)
                plain.subscribe(choice)
                real.subscribe(choice)
            }
            guard compare(step, seed: random.seed) else { return }
        }
    }

    private func both(_ onPlain: (PlainBus) -> Void, _ onReal: (RealBus) -> Void) {
        onPlain(plain.bus)
        onReal(real.bus)
    }

    private func restore(_ random: inout SeededRandom) {
        var events: [(Int, Double, TestEvent)] = []
        var last = 0
        for number in 0..<Int.random(in: 0..<8, using: &random) {
            last += random.chance(0.6) ? 1 : Int.random(in: 1..<5, using: &random)
            let kind = TestEvent.Kind.allCases[number % 4]
            events.append((last, Double(last) / 5, TestEvent(kind: kind, value: -1000 * last)))
        }
        last += Int.random(in: 0..<4, using: &random)
        let limits = EventBus.Limits(count: Int.random(in: 0..<20, using: &random))
        both({ $0.limits = limits }, { $0.limits = limits })
        both(
            { $0.restore(events, lastSequence: last) }, { $0.restore(events, lastSequence: last) })
    }

    private func compare(_ step: Int, seed: UInt64) -> Bool {
        let bus = real.bus.bus
        #if DEBUG
        bus.buffer.checkInvariants()
        #endif
        let kept = plain.bus.kept
        let last = plain.bus.lastSequence
        let numbers = (last - 30)...(last + 2)
        let isEqual =
            plain.log == real.log && last == bus.lastSequence
            && bus.oldestSequence == kept.first ?? last + 1 && bus.keptCount == kept.count
            && numbers.allSatisfy { number in
                bus.kept(sequence: number)?.sequence == kept.first { $0 == number }
                    && bus.firstKept(after: number)?.sequence == kept.first { $0 > number }
                    && bus.missing(after: number)
                        == (max(number, 0)..<max(last, number, 0)).count { !kept.contains($0 + 1) }
            }
        #expect(
            isEqual,
            """
            step \(step), PICKERD_TEST_SEED=\(seed): \(plain.log.suffix(12)) kept \(kept) of \(last), \
            not \(real.log.suffix(12)) kept \(bus.oldestSequence)… (\(bus.keptCount)) of \
            \(bus.lastSequence)
            """)
        plain.log = []
        real.log = []
        return isEqual
    }
}

private final class Clock {
    var time = 0.0
}

/// A bus with subscribers that record their events and react to them. Their reactions depend on
/// the script, on themselves and on the event only, so they are the same on both sides.
private final class Side<Bus: TestedBus> {
    let bus: Bus
    var log: [[Int]] = []
    private let script: UInt64
    private var subscribers = 0

    init(_ bus: Bus, script: UInt64) {
        self.bus = bus
        self.script = script
    }

    func subscribe(_ choice: UInt64) {
        guard subscribers < 20 else { return }
        let index = subscribers
        subscribers += 1
        let interests = Interest.allCases
        let interest = interests[Int(choice % UInt64(interests.count))]
        let count = Int(choice >> 8 % 8) - 3
        bus.subscribe(interest, replaying: max(count, 0)) { [unowned self] in
            receive($0, by: index)
        }
    }

    private func receive(_ value: Int, by index: Int) {
        log.append([index, value])
        var choice = SeededRandom(
            seed: script &+ UInt64(bitPattern: Int64(value &* 1000 &+ index)))
        let generation = abs(value) % 10
        switch Int.random(in: 0..<30, using: &choice) {
        case 0...4 where generation < 3:
            guard let kind = TestEvent.Kind.allCases.randomElement(using: &choice) else { return }
            for number in 1...Int.random(in: 1...2, using: &choice) {
                let next = 10 * (abs(value) / 10) + 100 * number + 10 * (index % 10)
                bus.send(TestEvent(kind: kind, value: next + generation + 1))
            }
        case 5, 6: bus.disconnect(Int.random(in: 0..<20, using: &choice))
        case 7, 8: bus.disconnect(index)
        case 9: bus.limits.count = Int.random(in: 0..<12, using: &choice)
        case 10, 11: subscribe(choice.next())
        case 12 where generation < 3:
            bus.replay(.marked, count: Int.random(in: 0..<4, using: &choice)) {
                [unowned self] in
                log.append([-1 - index, $0])
                if $0 % 3 == 0, abs($0) % 10 < 3 {
                    bus.send(TestEvent(kind: .saved, value: 10 * abs($0 / 10) + 3))
                }
            }
        default: break
        }
    }
}

/// The bus itself.
private final class RealBus: TestedBus {
    let bus: EventBus
    private var connections: [Connection?] = []

    init(now: @escaping () -> Double) {
        bus = EventBus(now: now)
    }

    var lastSequence: Int { bus.lastSequence }

    var limits: EventBus.Limits {
        get { bus.limits }
        set { bus.limits = newValue }
    }

    var kept: [Int] { bus.keptNumbers }

    func restore(_ events: [(Int, Double, TestEvent)], lastSequence: Int) {
        bus.restore(
            events.map { SentEvent(sequence: $0.0, time: $0.1, event: $0.2.event) },
            lastSequence: lastSequence)
    }

    func send(_ event: TestEvent) {
        switch (event.kind, event.value / 100 % 2 == 0) {
        case (.saved, true): bus << Saved(value: event.value)
        case (.openedAgain, true): bus << OpenedAgain(value: event.value)
        case (.openedAgain, false): bus << (OpenedAgain(value: event.value) as Opened)
        default: bus.send(event.event)
        }
    }

    func subscribe(
        _ interest: Interest, replaying count: Int, _ handler: @escaping (Int) -> Void
    ) {
        let index = connections.count
        connections.append(nil)
        let connection =
            switch interest {
            case .saved: bus.subscribe(replaying: count) { (event: Saved) in handler(event.value) }
            case .described:
                bus.subscribe(replaying: count) { (event: Described) in handler(event.value) }
            case .opened:
                bus.subscribe(replaying: count) { (event: Opened) in handler(event.value) }
            case .openedAgain:
                bus.subscribe(replaying: count) { (event: OpenedAgain) in handler(event.value) }
            case .marked:
                bus.subscribe(replaying: count) { (event: any Marked) in handler(event.value) }
            case .anyEvent:
                bus.subscribe(replaying: count) { (event: any Event) in handler(event.testValue) }
            case .asSent:
                bus.subscribeToAll(replaying: count) { handler($0.event.testValue) }
            case .topics, .otherTopics:
                bus.subscribe(topics: interest.filter, replaying: count) {
                    handler($0.event.testValue)
                }
            }
        connections[index] = connection
    }

    func disconnect(_ subscriber: Int) {
        guard connections.indices.contains(subscriber) else { return }
        let connection = connections[subscriber]
        if subscriber % 2 == 0 { connection?.disconnect() } else { connections[subscriber] = nil }
    }

    func replay(_ interest: Interest, count: Int, _ handler: @escaping (Int) -> Void) {
        precondition(interest == .marked)
        bus.replay(count: count) { (event: any Marked) in handler(event.value) }
    }
}

extension Interest {
    fileprivate var filter: TopicFilter { (try? TopicFilter(patterns)) ?? ["none"] }
}

extension TestEvent {
    fileprivate var event: any Event {
        switch kind {
        case .saved: Saved(value: value)
        case .described: Described(value: value, topic: topic, retainedBytes: bytes)
        case .opened: Opened(value: value)
        case .openedAgain: OpenedAgain(value: value)
        }
    }
}

extension Event {
    fileprivate var testValue: Int {
        switch self {
        case let event as Described: event.value
        case let event as Opened: event.value
        case let event as Saved: event.value
        default: .min
        }
    }
}
