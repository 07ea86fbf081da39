import Observables
import Testing

private final class Token {}

@Suite struct SignalTests {
    @Test("A sink that sends to its own signal is not nested, and all sinks get the same order")
    func reentrance() {
        let signal = Signal<Int>()
        let log = Log<String>()
        var depth = 0
        let a = signal.connect { value in
            depth += 1
            #expect(depth == 1)
            log.add("a\(value)")
            if value < 3 { signal.send(value + 1) }
            depth -= 1
        }
        let b = signal.connect { log.add("b\($0)") }
        signal.send(1)
        #expect(log.entries == ["a1", "b1", "a2", "b2", "a3", "b3"])
        a.disconnect()
        b.disconnect()
    }

    @Test("A sink connected in a delivery misses the current value and earlier ones")
    func connectingInDelivery() {
        let signal = Signal<Int>()
        let log = Log<String>()
        var late: Connection?
        let first = signal.connect { value in
            if value == 1 {
                signal.send(2)
                late = signal.connect { log.add("late\($0)") }
                signal.send(3)
            }
        }
        signal.send(1)
        #expect(log.entries == ["late3"])
        first.disconnect()
        late?.disconnect()
    }

    @Test("A sink disconnected by a peer in the same round gets nothing more")
    func disconnectingInDelivery() {
        let signal = Signal<Int>()
        let log = Log<Int>()
        var second: Connection?
        let first = signal.connect { _ in
            second?.disconnect()
            second?.disconnect()
        }
        second = signal.connect { log.add($0) }
        signal.send(1)
        #expect(log.entries.isEmpty)
        first.disconnect()
        first.disconnect()
        #expect(!signal.isConnected)
    }

    @Test("Two sinks that replace each other get every other value each")
    func alternating() {
        let signal = Signal<Int>()
        let log = Log<String>()
        var current: Connection?
        func connect(_ name: String, other: String) {
            current?.disconnect()
            current = signal.connect { value in
                log.add("\(name)\(value)")
                connect(other, other: name)
            }
        }
        connect("a", other: "b")
        for value in 1...4 { signal.send(value) }
        #expect(log.entries == ["a1", "b2", "a3", "b4"])
        current?.disconnect()
    }

    @Test("Releasing the connection releases the sink and its captures")
    func lifetime() {
        let signal = Signal<Int>()
        weak var held: Token?
        do {
            let token = Token()
            held = token
            let connection = signal.source.map { $0 + 1 }.filter { $0 > 0 }
                .connect { _ in withExtendedLifetime(token) {} }
            signal.send(1)
            #expect(held != nil)
            withExtendedLifetime(connection) {}
        }
        #expect(held == nil)
        #expect(!signal.isConnected)
    }

    @Test("Sinks that feed their signal endlessly are reported, and the signal remains usable")
    func cascade() {
        let signal = Signal<Int>()
        let scheduler = ObservableScheduler.current
        defer { scheduler.onCascade = nil }
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        let endless = signal.connect { signal.send($0 + 1) }
        signal.send(0)
        #expect(reports.count == 1 && reports[0].kind == .signal)
        endless.disconnect()
        let log = Log<Int>()
        let connection = signal.connect { log.add($0) }
        signal.send(5)
        #expect(log.entries == [5])
        connection.disconnect()
    }
}
