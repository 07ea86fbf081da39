import DataBus

// A reference bus without optimizations: it keeps lists, and searches them.

/// The events of the random test, with their distance from a send outside of handlers.
struct TestEvent: Equatable {
    enum Kind: CaseIterable { case saved, described, opened, openedAgain }

    let kind: Kind
    let value: Int
    var generation: Int { value % 10 }
    var bytes: Int { kind == .described ? abs(value) % 7 * 20 : 64 }

    var topic: String {
        switch kind {
        case .saved: "app.saved"
        case .described: "app.\(value % 3).x"
        case .opened: "app.opened"
        case .openedAgain: "app.opened.again"
        }
    }
}

/// A subscriber and its events.
enum Interest: CaseIterable {
    case saved, described, opened, openedAgain, marked, anyEvent, asSent, topics, otherTopics

    var patterns: [String] {
        self == .topics ? ["app.opened", "app.1.*"] : ["*", "!app.opened.*", "!app.0.x"]
    }

    func wants(_ event: TestEvent) -> Bool {
        switch self {
        case .saved: event.kind == .saved
        case .described: event.kind == .described
        case .opened: event.kind == .opened || event.kind == .openedAgain
        case .openedAgain: event.kind == .openedAgain
        case .marked: event.kind == .saved || event.kind == .openedAgain
        case .anyEvent, .asSent: true
        case .topics: event.topic == "app.opened" || event.topic.hasPrefix("app.1.")
        case .otherTopics: !event.topic.hasPrefix("app.opened.") && event.topic != "app.0.x"
        }
    }
}

/// The operations of the random test on either bus. Subscribers are identified by their index.
protocol TestedBus: AnyObject {
    var lastSequence: Int { get }
    var limits: EventBus.Limits { get set }
    func restore(_ events: [(Int, Double, TestEvent)], lastSequence: Int)
    func send(_ event: TestEvent)
    func subscribe(_ interest: Interest, replaying count: Int, _ handler: @escaping (Int) -> Void)
    func disconnect(_ subscriber: Int)
    func replay(_ interest: Interest, count: Int, _ handler: @escaping (Int) -> Void)
    var kept: [Int] { get }
}

final class PlainBus: TestedBus {
    private struct Sent {
        let sequence: Int
        let time: Double
        let event: TestEvent
    }

    private struct Subscriber {
        let interest: Interest
        let next: Int
        let handler: (Int) -> Void
        var isActive = true
        var isReady = false
    }

    private(set) var lastSequence = 0
    var limits = EventBus.Limits() { didSet { trim() } }

    private let now: () -> Double
    private var events: [Sent] = []
    private var waiting: [Sent] = []
    private var subscribers: [Subscriber] = []
    private var isDelivering = false

    init(now: @escaping () -> Double) {
        self.now = now
    }

    var kept: [Int] { events.map(\.sequence) }

    func restore(_ events: [(Int, Double, TestEvent)], lastSequence: Int) {
        self.events = events.map { Sent(sequence: $0.0, time: $0.1, event: $0.2) }
        self.lastSequence = lastSequence
        trim()
    }

    func send(_ event: TestEvent) {
        lastSequence += 1
        let sent = Sent(sequence: lastSequence, time: now(), event: event)
        events.append(sent)
        trim()
        waiting.append(sent)
        deliver()
    }

    func subscribe(
        _ interest: Interest, replaying count: Int, _ handler: @escaping (Int) -> Void
    ) {
        let index = subscribers.count
        subscribers.append(
            Subscriber(interest: interest, next: lastSequence + 1, handler: handler))
        if count > 0 { replay(interest, count: count, handler) }
        subscribers[index].isReady = true
    }

    func disconnect(_ subscriber: Int) {
        guard subscribers.indices.contains(subscriber), subscribers[subscriber].isReady else {
            return
        }
        subscribers[subscriber].isActive = false
    }

    func replay(_ interest: Interest, count: Int, _ handler: @escaping (Int) -> Void) {
        trim()
        let wasDelivering = isDelivering
        isDelivering = true
        for sent in events.filter({ interest.wants($0.event) }).suffix(count) {
            handler(sent.event.value)
        }
        isDelivering = wasDelivering
        deliver()
    }

    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while !waiting.isEmpty {
            let sent = waiting.removeFirst()
            for index in subscribers.indices {
                let subscriber = subscribers[index]
                guard subscriber.isActive, subscriber.next <= sent.sequence,
                    subscriber.interest.wants(sent.event)
                else { continue }
                subscriber.handler(sent.event.value)
            }
        }
        isDelivering = false
    }

    private func trim() {
        events.removeAll { lastSequence - $0.sequence >= limits.count }
        while events.map(\.event.bytes).reduce(0, +) > limits.bytes { events.removeFirst() }
        guard let age = limits.age else { return }
        while let first = events.first, first.time < now() - age { events.removeFirst() }
    }
}
