import Observables
import Testing

private struct Refusal: Error {}

@Suite struct TransactionScenarioTests {
    @Test("Nodes of one height are computed in the order of their creation")
    func orderOfComputing() {
        let source = Variable(0)
        let log = Log<Int>()
        // Connected in another order than created; hashing has its own order in each process.
        let maps = (0..<30).map { index in
            source.map { value in
                log.add(index)
                return value + index
            }
        }
        let connections = maps.reversed().map { $0.connect { _ in } }
        log.entries = []
        source.value = 1
        #expect(log.entries == Array(0..<30))
        for connection in connections { connection.disconnect() }
    }

    @Test("Observers of many kinds are called in the order of connection, not of writes")
    func orderOfTelling() {
        let scalar = Variable(0)
        let array = ArrayVariable<Int>()
        let set = SetVariable<Int>()
        let sorted = set.sorted { $0 > $1 }
        let log = Log<Int>()
        var connections: [Connection] = []
        for index in 0..<40 {
            let connection =
                switch index % 5 {
                case 0: (array + sorted).filter { $0 >= 0 }.connect { _ in log.add(index) }
                case 1: scalar.connect { _ in log.add(index) }
                case 2: set.connect { _ in log.add(index) }
                case 3: array.observableCount.connect { _ in log.add(index) }
                default: sorted.connect { _ in log.add(index) }
                }
            connections.append(connection)
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            log.entries = []
            transaction {
                for kind in order {
                    switch kind {
                    case 0: scalar.value += 1
                    case 1: array.append(1)
                    default: set.insert(set.count)
                    }
                }
            }
            #expect(log.entries == Array(0..<40))
        }
        for connection in connections { connection.disconnect() }
    }

    @Test("The order of computation and delivery is the same in every process")
    func orderInEachProcess() async {
        let expected =
            (0..<24).map { "computed \($0)" } + (0..<24).map { "told \($0)" }
        for _ in 0..<3 {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardOutputContent]
            ) {
                // Words, because the hash of a string differs from process to process.
                let words = SetVariable<String>(["a", "b", "c"])
                let number = Variable(0)
                var connections: [Connection] = []
                for index in 0..<24 {
                    let count = words.map { "\(index) \($0)" }.sorted().observableCount
                    let sum = count.combined(number) { count, number in
                        if number == 1 { print("computed \(index)") }
                        return count + number
                    }
                    connections.append(sum.connect { _ in print("told \(index)") })
                }
                transaction {
                    words.formUnion(["d", "e", "f", "g"])
                    number.value = 1
                }
                connections.removeAll()
            }
            let output = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
            let lines = (output ?? "").split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix("computed") || $0.hasPrefix("told") }
            #expect(lines == expected)
        }
    }

    @Test("The writes of several sinks are performed in order, each delivered to all")
    func queueOrder() {
        let trigger = Variable(0)
        let text = Variable("")
        let log = Log<String>()
        let connections = [
            trigger.connect { _ in
                text.modify { $0 += "a" }
                text.modify { $0 += "b" }
            },
            text.connect { change in
                if change.new == "a" { text.modify { $0 += "d" } }
            },
            trigger.connect { _ in text.modify { $0 += "c" } },
            text.connect { log.add($0.new) },
        ]
        trigger.value = 1
        #expect(log.entries == ["a", "ab", "abc", "abcd"])
        for connection in connections { connection.disconnect() }
    }

    @Test("A transaction of a sink that throws is queued with its writes so far")
    func throwingInASink() {
        let trigger = Variable(0)
        let a = Variable(0)
        let b = Variable(0)
        let log = Log<Int>()
        var errors = 0
        let connections = [
            trigger.connect { _ in
                do {
                    try transaction { () throws(Refusal) in
                        a.value = 1
                        b.value = 1
                        throw Refusal()
                    }
                } catch {
                    errors += 1
                }
            },
            (a + b).connect { log.add($0.new) },
        ]
        trigger.value = 1
        #expect(errors == 1 && log.entries == [2])
        for connection in connections { connection.disconnect() }
    }

    @Test("A throw deep in nested transactions ends only the ones it exits")
    func nestedThrow() {
        let a = Variable(0)
        let log = Log<Int>()
        let connection = a.connect { log.add($0.new) }
        transaction {
            a.value = 1
            #expect(throws: Refusal.self) {
                try transaction {
                    a.value = 2
                    throw Refusal()
                }
            }
            #expect(log.entries.isEmpty && a.value == 2)
            a.value = 3
        }
        #expect(log.entries == [3])
        connection.disconnect()
    }

    @Test("A variable may be released while its change is delivered")
    func releasingInADelivery() {
        var variable: Variable<Int>? = Variable(0)
        let log = Log<Int>()
        let connections = [
            variable?.connect { _ in variable = nil },
            variable?.connect { log.add($0.new) },
        ]
        variable?.value = 5
        #expect(variable == nil && log.entries == [5])
        for connection in connections { connection?.disconnect() }
    }

    @Test("All connections may end during a delivery; later readers read the same")
    func endingAllInADelivery() {
        let documents = SetVariable(Set(0..<20))
        let items = documents.sorted { $0 > $1 }.filter { $0 % 2 == 0 }
        let trigger = Variable(0)
        var connections: [Connection] = []
        let log = Log<Int>()
        connections.append(
            items.connect { _ in
                connections.removeAll()
                // `items` has no state any more, but still its value.
                #expect(items.value == [98, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0])
                log.add(items.count)
            })
        connections.append(items.connect { _ in log.add(-1) })
        connections.append(trigger.connect { _ in log.add(-2) })
        transaction {
            documents.formUnion([98, 99])
            trigger.value = 1
        }
        #expect(log.entries == [11])
        documents.insert(100)
        #expect(items.count == 12 && log.entries == [11])
    }

    @Test("A sink may connect to an unobserved observable, and follows it from there")
    func connectingToIdleInADelivery() {
        let numbers: ArrayVariable<Int> = [3, 1, 2]
        let sorted = numbers.sorted()
        var copy: [Int] = []
        var late: Connection?
        let connection = numbers.connect { _ in
            guard late == nil else { return }
            copy = sorted.value
            late = sorted.connect { $0.apply(on: &copy) }
            // Queued, and therefore after the read.
            numbers.append(0)
        }
        numbers.append(9)
        #expect(copy == [0, 1, 2, 3, 9] && sorted.value == copy)
        connection.disconnect()
        late?.disconnect()
    }

    @Test("A transaction whose writes are read in between emits their sum")
    func readingInBetween() {
        let array: ArrayVariable<Int> = [5, 1]
        let sorted = array.sorted()
        var told: [ArrayChange<Int>] = []
        let connection = sorted.connect { told.append($0) }
        transaction {
            array.append(3)
            #expect(sorted.value == [1, 3, 5])
            array.append(2)
            #expect(sorted.value == [1, 2, 3, 5])
            array.remove(at: 0)
            #expect(sorted.count == 3 && told.isEmpty)
        }
        #expect(told.count == 1)
        var copy = [1, 5]
        told.first?.apply(on: &copy)
        #expect(copy == [1, 2, 3])
        connection.disconnect()
    }

    @Test("An unchanged query starts nothing, an empty one cancels, all in order")
    func effects() {
        let typed = Variable<String?>(nil)
        let query = typed.map { text in text.flatMap { $0.isEmpty ? nil : $0 } }
        let log = Log<String>()
        let results = ArrayVariable<String>()
        let effects = [
            query.connect { log.add($0.new.map { "first \($0)" } ?? "first cancelled") },
            query.connect { change in
                log.add(change.new.map { "second \($0)" } ?? "second cancelled")
                // The answer returns as an event; it waits until all have received the query.
                results.append(change.new ?? "-")
            },
            results.connect { _ in log.add("results \(results.count)") },
            query.connect { log.add($0.new.map { "third \($0)" } ?? "third cancelled") },
        ]
        typed.value = "ab"
        typed.value = "ab"
        transaction {
            typed.value = "abc"
            typed.value = "ab"
        }
        #expect(log.entries == ["first ab", "second ab", "third ab", "results 1"])
        log.entries = []
        typed.value = ""
        typed.value = nil
        #expect(
            log.entries == [
                "first cancelled", "second cancelled", "third cancelled", "results 2",
            ])
        for effect in effects { effect.disconnect() }
    }
}
