import Observables
import Testing

/// Calls a function when it is released.
private final class Ending {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
}

/// Objects whose deinit uses the observables that release them.
@Suite struct ReleaseTests {
    @Test("Captures of a sink may write the observed variable when the connection ends")
    func disconnecting() {
        let isOpen = Variable(true)
        let items: ArrayVariable<Int> = [1]
        let signal = Signal<Int>()
        var received: [Int] = []
        var connections: [Connection] = []
        do {
            let panel = Ending {
                isOpen.value = false
                items.append(2)
                signal.send(3)
            }
            connections = [
                isOpen.connect { _ in withExtendedLifetime(panel) { received.append(1) } },
                items.connect { _ in withExtendedLifetime(panel) { received.append(2) } },
                items.extents.connect { _ in withExtendedLifetime(panel) {} },
                signal.connect { received.append($0) },
            ]
        }
        connections.removeLast(1)
        for _ in 0..<3 { connections.removeLast() }
        #expect(!isOpen.value && items.value == [1, 2] && received.isEmpty)
        // The last connection of each kind.
        for kind in 0..<4 {
            isOpen.value = true
            do {
                let panel = Ending {
                    isOpen.value = false
                    items.append(kind)
                    signal.send(kind)
                }
                connections = [
                    kind == 0
                        ? isOpen.connect { _ in withExtendedLifetime(panel) {} }
                        : kind == 1
                            ? items.connect { _ in withExtendedLifetime(panel) {} }
                            : kind == 2
                                ? items.extents.connect { _ in withExtendedLifetime(panel) {} }
                                : signal.connect { _ in withExtendedLifetime(panel) {} }
                ]
            }
            connections = []
            #expect(!isOpen.value && items.value.last == kind)
        }
    }

    @Test("A value released by a variable may read and write it", arguments: [false, true])
    func variable(isObserved: Bool) {
        let live = Variable(0)
        let current = Variable<Ending?>(nil)
        var found: [Bool] = []
        let connection = isObserved ? current.map { $0 != nil }.connect { _ in } : nil
        current.value = Ending {
            found.append(current.value == nil)
            live.value += 1
        }
        current.value = nil
        #expect(found == [true] && live.value == 1)
        current.value = Ending { current.value = nil }
        current.value = Ending { live.value += 1 }
        #expect(current.value == nil && live.value == 2)
        connection?.disconnect()
    }

    @Test("Elements of discarded changes may write when they are released")
    func elements() {
        let live = Variable(0)
        var told: [Int] = []
        let connection = live.connect { told.append($0.new) }
        let array = ArrayVariable<Ending>()
        let count = array.observableCount.connect { _ in }
        for _ in 0..<3 { array.append(Ending { live.value += 1 }) }
        array.remove(at: 1)
        #expect(live.value == 1)
        transaction {
            array.removeAll()
            #expect(array.count == 0)
        }
        #expect(live.value == 3 && told.last == 3)
        withExtendedLifetime((connection, count)) {}
    }

    @Test("Values written in sinks may write when they are replaced")
    func queued() {
        let trigger = Variable(0)
        let live = Variable(0)
        let current = Variable<Ending?>(nil)
        let connection = trigger.connect { _ in
            current.value = Ending { live.value += 1 }
            current.value = Ending { live.value += 1 }
            current.value = nil
        }
        trigger.value = 1
        #expect(live.value == 2)
        withExtendedLifetime(connection) {}
    }

    @Test("A transform may end other observers' connections while changes are merged")
    func endingOthers() {
        let key = Variable(1)
        let set = SetVariable(Set(0..<20))
        var connections: [Connection] = []
        var isArmed = false
        let rows = set.sorted(
            by: key.map { key in { left, right in left * key < right * key } }
        ).map { element in
            if isArmed {
                isArmed = false
                connections.removeLast(connections.count - 1)
            }
            return element
        }
        var told: [Int] = []
        func connect(_ number: Int) {
            connections.append(rows.connect { _ in told.append(number) })
        }
        connect(0)
        transaction {
            key.value = -1
            #expect(rows.count == 20)
            for number in 1..<6 { connect(number) }
            isArmed = true
            // The first observer merges, which computes the order and calls the transform.
            key.value = 2
        }
        #expect(told.allSatisfy { $0 == 0 } && connections.count == 1)
        told = []
        key.value = -1
        #expect(told == [0])
    }

    @Test("A function that ends the last connection leaves no state behind")
    func endingItself() {
        let source = Variable(1)
        let array: ArrayVariable<Int> = [1]
        var connections: [Connection] = []
        let product = source.map { value in
            if value == 2 { connections = [] }
            return value * 10
        }
        let total = array.reduce(
            0,
            add: { sum, element in
                if element == 2 { connections = [] }
                return sum + element
            }, remove: -)
        connections = [product.connect { _ in }]
        source.value = 2
        #expect(connections.isEmpty && product.value == 20)
        source.value = 3
        #expect(product.value == 30)
        connections = [total.connect { _ in }]
        array.append(2)
        #expect(connections.isEmpty && total.value == 3)
        array.append(3)
        #expect(total.value == 6)
    }

    @Test("A predicate may finish deferred work while the filter is activated")
    func finishingWork() {
        let set = SetVariable(Set(0..<20))
        let order = Variable(1)
        let rows = set.sorted(by: order.map { order in { $0 * order < $1 * order } })
        let sorted = rows.extents.connect { _ in }
        var isEager = true
        let matching = rows.filter { number in
            if isEager {
                isEager = false
                while ObservableScheduler.current.performDeferredWork() {}
            }
            return number < 10
        }
        let connection = matching.extents.connect { _ in }
        #expect(matching.value == Array(0..<10))
        order.value = -1
        #expect(matching.value == (0..<10).reversed())
        withExtendedLifetime((sorted, connection)) {}
    }
}
