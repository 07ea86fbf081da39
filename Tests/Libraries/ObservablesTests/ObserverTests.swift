import Foundation
import Glibc
import Observables
import Testing

@Suite struct ObserverTests {
    @Test("Observers are called in the order of connection")
    func order() {
        let a = Variable(0)
        let log = Log<Int>()
        let deep = a.map { $0 + 1 }.map { $0 + 1 }
        var connections: [Connection] = []
        for index in 0..<40 {
            let source = index % 3 == 0 ? deep : index % 3 == 1 ? a.observable : a + a
            connections.append(source.connect { _ in log.add(index) })
        }
        a.value = 1
        #expect(log.entries == Array(0..<40))
        connections.removeAll()
        a.value = 2
        #expect(log.entries.count == 40)
    }

    @Test("Writes by observers wait until all have been called, and reach all in the same order")
    func reentrance() {
        let a = Variable(0)
        let double = a.map { $0 * 2 }
        let log = Log<String>()
        var depth = 0
        let first = a.connect { change in
            depth += 1
            #expect(depth == 1)
            log.add("first \(change.new)")
            if change.new < 3 {
                a.value = change.new + 1
                // Still the state being delivered.
                #expect(a.value == change.new && double.value == 2 * change.new)
            }
            depth -= 1
        }
        let second = a.connect { change in
            #expect(a.value == change.new && double.value == 2 * change.new)
            log.add("second \(change.new)")
        }
        a.value = 1
        #expect(
            log.entries == ["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"])
        #expect(a.value == 3)
        first.disconnect()
        second.disconnect()
    }

    @Test("A transaction of an observer is one change; modify builds on the current value")
    func queuedTransaction() {
        let trigger = Variable(0)
        let x = Variable(0)
        let y = Variable(0)
        let log = Log<Int>()
        let sum = (x + y).connect { log.add($0.new) }
        let a = trigger.connect { _ in
            transaction {
                x.value = 1
                transaction { y.value = 1 }
            }
            x.modify { $0 += 10 }
            x.modify { $0 += 10 }
        }
        trigger.value = 1
        #expect(log.entries == [2, 12, 22])
        a.disconnect()
        sum.disconnect()
    }

    @Test("Observers that write in a cycle are reported, and the graph remains usable")
    func cascade() {
        let scheduler = ObservableScheduler.current
        defer {
            scheduler.onCascade = nil
            scheduler.cascadeLimit = 1_000
        }
        scheduler.cascadeLimit = 50
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        let a = Variable(0)
        let b = Variable(0)
        let one = a.connect { b.value = $0.new + 1 }
        let other = b.connect { a.value = $0.new + 1 }
        a.value = 1
        #expect(reports.count == 1)
        #expect(reports.first?.limit == 50 && reports.first?.kind == .observers)
        one.disconnect()
        a.value = -1
        #expect((a + a).value == -2)
        other.disconnect()
    }

    @Test("A cycle of observers without a handler of the report stops the program")
    func unhandledCascade() async {
        await #expect(processExitsWith: .failure) {
            let a = Variable(0)
            let c = a.connect { a.value = $0.new + 1 }
            a.value = 1
            c.disconnect()
        }
    }

    @Test("A transform that writes stops the program")
    func writingTransform() async {
        await #expect(processExitsWith: .failure) {
            let a = Variable(0)
            let b = Variable(0)
            let c = a.map { value in
                b.value = value
                return value
            }.connect { _ in }
            a.value = 1
            c.disconnect()
        }
    }

    @Test("Use on another thread stops the program")
    func otherThread() async {
        await #expect(processExitsWith: .failure) {
            // Deliberately passed to another thread: the check must detect this.
            nonisolated(unsafe) let variable = Variable(0)
            let thread = Thread { unsafe variable.value = 1 }
            thread.start()
            while !thread.isFinished { sched_yield() }
        }
    }

    @Test("An observer disconnected by a peer gets nothing; disconnecting twice is harmless")
    func disconnectingInDelivery() {
        let a = Variable(0)
        var second: Connection?
        let first = a.connect { _ in
            second?.disconnect()
            second?.disconnect()
        }
        second = a.connect { _ in Issue.record("called after it was disconnected") }
        var own: Connection?
        var calls = 0
        own = a.map { $0 + 1 }.connect { _ in
            calls += 1
            own?.disconnect()
            own?.disconnect()
        }
        a.value = 1
        a.value = 2
        #expect(calls == 1)
        first.disconnect()
    }

    @Test("An observer connected in a delivery misses the current change")
    func connectingInDelivery() {
        let a = Variable(0)
        let log = Log<Int>()
        var late: Connection?
        let c = a.connect { _ in
            if late == nil { late = (a + a).connect { log.add($0.new) } }
        }
        a.value = 1
        #expect(log.entries.isEmpty)
        a.value = 2
        #expect(log.entries == [4])
        c.disconnect()
        late?.disconnect()
    }
}
