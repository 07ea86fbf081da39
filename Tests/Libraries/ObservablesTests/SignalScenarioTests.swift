import Observables
import Testing

@Suite struct SignalScenarioTests {
    @Test("Sinks of a signal are called in the order of connecting, in every process")
    func order() {
        let signal = Signal<Int>()
        let log = Log<Int>()
        var connections = (0..<40).map { index in signal.connect { _ in log.add(index) } }
        signal.send(0)
        #expect(log.entries == Array(0..<40))
        // The remaining sinks keep their order, and a new one is last.
        for index in stride(from: 39, through: 0, by: -3) { connections[index].disconnect() }
        connections.append(signal.connect { _ in log.add(40) })
        log.entries = []
        signal.send(0)
        #expect(log.entries == (0..<40).filter { $0 % 3 != 0 } + [40])
        for connection in connections { connection.disconnect() }
        #expect(!signal.isConnected)
    }

    @Test("Releasing a sink takes a few steps, however many there are", arguments: [0, 1, 2])
    func departures(order: Int) {
        let count = 4_000
        let signal = Signal<Int>()
        var random = Seeded(order)
        var connections = (0..<count).map { _ in signal.connect { _ in } }
        switch order {
        case 0: connections.reverse()
        case 1: connections.shuffle(using: &random)
        default: break
        }
        for connection in connections { connection.disconnect() }
        #expect(!signal.isConnected)
        #expect(signal.departureSteps <= 2 * count)
    }

    @Test("Connecting and disconnecting during a delivery keeps the order of other sinks")
    func departuresWithin() {
        let signal = Signal<Int>()
        let log = Log<Int>()
        var connections: [Connection] = []
        for index in 0..<60 {
            connections.append(
                signal.connect { round in
                    log.add(index)
                    guard round == 0, index % 4 == 0 else { return }
                    // The next one has yet to be called; the previous one has been.
                    connections[index + 1].disconnect()
                    if index > 0 { connections[index - 1].disconnect() }
                })
        }
        signal.send(0)
        let called = (0..<60).filter { $0 % 4 != 1 }
        #expect(log.entries == called)
        log.entries = []
        signal.send(1)
        #expect(log.entries == called.filter { $0 % 4 != 3 || $0 == 59 })
        for connection in connections { connection.disconnect() }
    }

    @Test("Two signals that feed each other send all sinks the same, in the order of sending")
    func twoSignals() {
        let there = Signal<Int>()
        let back = Signal<Int>()
        let log = Log<String>()
        let connections = [
            there.connect { if $0 < 3 { back.send($0 + 1) } },
            back.connect { there.send($0) },
            there.connect { log.add("there \($0)") },
            back.connect { log.add("back \($0)") },
        ]
        there.send(0)
        #expect(
            log.entries.filter { $0.hasPrefix("there") } == [
                "there 0", "there 1", "there 2", "there 3",
            ])
        #expect(log.entries.filter { $0.hasPrefix("back") } == ["back 1", "back 2", "back 3"])
        for connection in connections { connection.disconnect() }
    }

    @Test("Values sent in a delivery go to the sinks connected when they were sent")
    func connectedWhenSent() {
        let signal = Signal<Int>()
        let log = Log<String>()
        var late: [Connection] = []
        let first = signal.connect { value in
            guard value == 0 else { return }
            for round in 1...3 {
                signal.send(round)
                late.append(signal.connect { log.add("\(round) gets \($0)") })
            }
        }
        signal.send(0)
        #expect(log.entries == ["1 gets 2", "1 gets 3", "2 gets 3"])
        first.disconnect()
        for connection in late { connection.disconnect() }
    }

    @Test("A sink that ends itself gets none of its own values")
    func endingItself() {
        let signal = Signal<Int>()
        let log = Log<Int>()
        var own: Connection?
        own = signal.connect { value in
            log.add(value)
            signal.send(value + 1)
            own?.disconnect()
            own?.disconnect()
        }
        signal.send(1)
        signal.send(5)
        #expect(log.entries == [1] && !signal.isConnected)
    }

    @Test("A source of an observable's changes, transformed, ends like any other")
    func sources() {
        let number = Variable(0)
        let isIdle = ObservableScheduler.current
        let doubled = number.map { $0 * 2 }
        let log = Log<Int>()
        let connection = doubled.changes.map(\.new).filter { $0 > 2 }.connect { log.add($0) }
        number.value = 1
        number.value = 2
        #expect(log.entries == [4])
        connection.disconnect()
        let before = isIdle.recomputations
        number.value = 3
        #expect(log.entries == [4] && isIdle.recomputations == before)
    }

    @Test("A signal may be sent to from a sink of an observable, and write to one")
    func signalsAndObservables() {
        let number = Variable(0)
        let copy = Variable(0)
        let signal = Signal<Int>()
        let log = Log<String>()
        let connections = [
            number.connect { signal.send($0.new) },
            signal.connect { value in
                log.add("signal \(value)")
                copy.value = value
                #expect(copy.value != value)
            },
            number.connect { log.add("number \($0.new)") },
            copy.connect { log.add("copy \($0.new)") },
        ]
        number.value = 4
        #expect(log.entries == ["signal 4", "number 4", "copy 4"])
        for connection in connections { connection.disconnect() }
    }
}
