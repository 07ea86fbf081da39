import Observables
import Testing

/// The reaction of a sink to its first value.
private enum SinkAction: Equatable, Simplifiable {
    case nothing
    case send(Int)
    case connect
    case disconnect(Int)

    var simpler: [SinkAction] {
        switch self {
        case .nothing: []
        case .send(let value): [.nothing] + value.simpler.map { .send($0) }
        case .connect: [.nothing]
        case .disconnect(let index): [.nothing] + index.simpler.map { .disconnect($0) }
        }
    }
}

private enum SignalStep: Equatable, Simplifiable {
    case connect([SinkAction])
    case disconnect(Int)
    case send(Int)

    var simpler: [SignalStep] {
        switch self {
        case .connect(let actions): actions.simpler.map { .connect($0) }
        case .disconnect(let index): index.simpler.map { .disconnect($0) }
        case .send(let value): value.simpler.map { .send($0) }
        }
    }

    static let generator = StepGenerator<SignalStep> { random in
        func action() -> SinkAction {
            switch random.below(5) {
            case 0: .nothing
            case 1, 2: .send(random.below(10))
            case 3: .connect
            default: .disconnect(random.below(6))
            }
        }
        return switch random.below(5) {
        case 0, 1: .connect((0..<random.below(4)).map { _ in action() })
        case 2: .disconnect(random.below(6))
        default: .send(random.below(10))
        }
    }
}

/// A received value and its sink.
private struct Reception: Equatable {
    var sink: Int
    var value: Int
}

/// The operations on a signal; each sink has the number of its connection.
private protocol SignalUnderTest: AnyObject {
    func send(_ value: Int)
    /// Connects a sink that calls `receive` with its number and the value.
    func connect(_ receive: @escaping (Int, Int) -> Void)
    /// Ends the connection of a number.
    func disconnect(_ number: Int)
    /// The number of sinks ever connected.
    var connected: Int { get }
}

private final class RealSignal: SignalUnderTest {
    private let signal = Signal<Int>()
    private var connections: [Connection] = []

    var connected: Int { connections.count }

    func send(_ value: Int) { signal.send(value) }

    func connect(_ receive: @escaping (Int, Int) -> Void) {
        let number = connections.count
        connections.append(signal.connect { receive(number, $0) })
    }

    func disconnect(_ number: Int) { connections[number].disconnect() }
}

/// The rules in their simplest form: sent values are queued, with the sinks connected at that time.
private final class PlainSignal: SignalUnderTest {
    private var sinks: [((Int, Int) -> Void)?] = []
    private var line: [(value: Int, count: Int)] = []
    private var isSending = false

    var connected: Int { sinks.count }

    func send(_ value: Int) {
        line.append((value, sinks.count))
        guard !isSending else { return }
        isSending = true
        while !line.isEmpty {
            let (value, count) = line.removeFirst()
            for number in 0..<count { sinks[number]?(number, value) }
        }
        isSending = false
    }

    func connect(_ receive: @escaping (Int, Int) -> Void) { sinks.append(receive) }

    func disconnect(_ number: Int) { sinks[number] = nil }
}

private func receptions(of script: [SignalStep], on signal: some SignalUnderTest) -> [Reception] {
    var receptions: [Reception] = []
    func connect(_ actions: [SinkAction]) {
        var remaining = actions
        signal.connect { number, value in
            receptions.append(Reception(sink: number, value: value))
            let actions = remaining
            remaining = []
            for action in actions {
                switch action {
                case .nothing: break
                case .send(let value): signal.send(value)
                case .connect: connect([])
                case .disconnect(let index): signal.disconnect(index % signal.connected)
                }
            }
        }
    }
    for step in script {
        switch step {
        case .connect(let actions): connect(actions)
        case .disconnect(let index):
            if signal.connected > 0 { signal.disconnect(index % signal.connected) }
        case .send(let value): signal.send(value)
        }
    }
    // Sinks capture the signal, which holds them.
    for number in 0..<signal.connected { signal.disconnect(number) }
    return receptions
}

@Suite struct SignalScriptTests {
    @Test("The receivers, the values and their order follow from the rules alone")
    func rules() {
        checkScripts(of: SignalStep.generator, from: 0..<2000, size: 20) { script in
            let verdict = Verdict()
            verdict.expectEqual(
                receptions(of: script, on: RealSignal()),
                receptions(of: script, on: PlainSignal()), "received")
            return verdict.failure
        }
    }
}
