import Observables
import Testing

// Sinks that cause endless writes.

@Suite struct CascadeScenarioTests {
    @Test("However many writes a sink makes, each is delivered: that is no cycle")
    func flood() {
        let scheduler = ObservableScheduler.current
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        defer { scheduler.onCascade = nil }
        let count = ObservableScheduler.queueLimit + 5
        let trigger = Variable(0)
        let number = Variable(0)
        let echo = Variable(0)
        var told = 0
        let connections = [
            trigger.connect { _ in for _ in 0..<count { number.modify { $0 += 1 } } },
            // One write follows from each of them, and none from that.
            number.connect { echo.value = $0.new },
            echo.connect { _ in told += 1 },
        ]
        trigger.value = 1
        #expect(reports.isEmpty)
        #expect(told == count && number.value == count && echo.value == count)
        for connection in connections { connection.disconnect() }
    }

    @Test(
        "A multiplying cycle is reported before it is deep, and the graph remains usable"
    )
    func multiplication() {
        let scheduler = ObservableScheduler.current
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        defer { scheduler.onCascade = nil }
        let number = Variable(0)
        let circle = number.connect { _ in
            for _ in 0..<1_000 { number.modify { $0 += 1 } }
        }
        number.value = 1
        #expect(reports.count == 1 && reports.first?.kind == .observers)
        #expect((reports.first?.dropped ?? 0) >= ObservableScheduler.queueLimit)
        #expect(number.value < 1_000)
        circle.disconnect()
        let log = Log<Int>()
        let connection = number.connect { log.add($0.new) }
        number.value = -7
        #expect(log.entries == [-7] && reports.count == 1)
        connection.disconnect()
    }

    @Test("A cycle ends at the limit, delivers each step once, and reports dropped writes")
    func circle() {
        let scheduler = ObservableScheduler.current
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        scheduler.cascadeLimit = 20
        defer {
            scheduler.onCascade = nil
            scheduler.cascadeLimit = 1_000
        }
        let a = Variable(0)
        let b = Variable(0)
        let log = Log<Int>()
        let connections = [
            a.connect { b.value = $0.new + 1 }, b.connect { a.value = $0.new + 1 },
            a.connect { log.add($0.new) },
        ]
        a.value = 1
        #expect(reports.count == 1)
        #expect(reports.first?.dropped == 1 && reports.first?.kind == .observers)
        #expect(reports.first.map { "\($0)".contains("more than 20 times") } == true)
        // The first is the program's own; of the twenty that follow, every second one is of `a`.
        #expect(log.entries == Array(stride(from: 1, through: 21, by: 2)))
        for connection in connections { connection.disconnect() }
        a.value = 0
        #expect(a.value == 0 && b.value == 20)
    }

    @Test("The handler of a cycle's report may write")
    func writingInTheReport() {
        let scheduler = ObservableScheduler.current
        scheduler.cascadeLimit = 5
        defer {
            scheduler.onCascade = nil
            scheduler.cascadeLimit = 1_000
        }
        let a = Variable(0)
        let log = Log<String>()
        let state = Variable("well")
        let connection = state.connect { log.add($0.new) }
        var circle: Connection?
        scheduler.onCascade = { _ in
            circle?.disconnect()
            state.value = "stopped"
        }
        circle = a.connect { a.value = $0.new + 1 }
        a.value = 1
        #expect(log.entries == ["stopped"] && a.value == 6)
        connection.disconnect()
    }

    @Test("A chain as long as the limit is no cycle")
    func longChain() {
        let scheduler = ObservableScheduler.current
        var reports = 0
        scheduler.onCascade = { _ in reports += 1 }
        scheduler.cascadeLimit = 30
        defer {
            scheduler.onCascade = nil
            scheduler.cascadeLimit = 1_000
        }
        let a = Variable(0)
        let connection = a.connect { change in
            if change.new < 31 { a.value = change.new + 1 }
        }
        a.value = 1
        #expect(a.value == 31 && reports == 0)
        connection.disconnect()
    }
}
