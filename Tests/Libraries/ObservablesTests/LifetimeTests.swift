import Observables
import Testing

@Suite struct LifetimeTests {
    @Test(
        "After the last connection nothing is held, by any operator", arguments: Operator.allCases)
    func operators(operation: Operator) {
        let census = LiveCount()
        do {
            let scalar = Variable(0)
            let array = ArrayVariable((0..<10).map { Tracked($0, census) })
            let set = SetVariable(Set((0..<10).map { Tracked($0, census) }))
            func elements() -> Int { array.count + set.count }
            #expect(census.live == 20)
            var told = 0
            for _ in 0..<2 {
                var connections: [Connection] = []
                for _ in 0..<3 {
                    connections.append(
                        operation.connect(
                            OperatorInputs(
                                scalar: scalar, array: array, set: set,
                                token: Tracked(-1, census), census: census)
                        ) { told += 1 })
                }
                for step in 0..<4 {
                    transaction {
                        scalar.value += 1
                        array.append(Tracked(20 + step, census))
                        set.insert(Tracked(20 + step, census))
                        if step > 0 { array.remove(at: 0) }
                        // Not `first`, which may be the one just inserted: a set's order depends on
                        // its address.
                        if let least = set.value.min(by: { $0.number < $1.number }) {
                            set.remove(least)
                        }
                    }
                    scalar.value += 1
                }
                #expect(census.live >= elements() + 3, "\(operation)")
                connections[1].disconnect()
                connections.removeLast()
                scalar.value += 1
                connections.removeAll()
                #expect(census.live == elements(), "\(operation)")
            }
            #expect(told > 0, "\(operation)")
            array.removeAll()
            set.removeAll()
            #expect(census.live == 0, "\(operation)")
        }
        #expect(census.live == 0, "\(operation)")
    }

    @Test(
        "An operator's result without observers holds no elements",
        arguments: Operator.allCases)
    func idle(operation: Operator) {
        let elements = LiveCount()
        let tokens = LiveCount()
        do {
            let scalar = Variable(0)
            let array = ArrayVariable((0..<10).map { Tracked($0, elements) })
            let set = SetVariable(Set((0..<10).map { Tracked($0, elements) }))
            var kept: [Any] = []
            var told = 0
            do {
                let connection = operation.connect(
                    OperatorInputs(
                        scalar: scalar, array: array, set: set, token: Tracked(-1, tokens),
                        census: elements),
                    keep: { kept.append($0) }
                ) { told += 1 }
                scalar.value += 1
                array.append(Tracked(20, elements))
                set.insert(Tracked(20, elements))
                connection.disconnect()
            }
            array.removeAll()
            set.removeAll()
            #expect(elements.live == 0, "\(operation)")
            #expect(told > 0, "\(operation)")
            #expect(kept.count == 1 || !operation.givesObservable)
        }
        #expect(tokens.live == 0, "\(operation)")
    }

    @Test("A connection alone keeps its pipeline alive, and releases it during a transaction")
    func connectionKeeps() {
        let census = LiveCount()
        let array: ArrayVariable<Int> = [1, 2, 3]
        var told = 0
        var connection: Connection?
        do {
            let token = Tracked(-1, census)
            connection = array.map { $0 - token.number }.filter { $0 > token.number }
                .observableCount.connect { _ in told += 1 }
        }
        #expect(census.live == 1)
        array.append(4)
        #expect(told == 1)
        transaction {
            array.append(5)
            connection?.disconnect()
            #expect(census.live == 0)
            array.append(6)
        }
        #expect(told == 1)
        connection = nil
    }

    @Test("A sink that ends its own connection is released when it returns")
    func endingItself() {
        let census = LiveCount()
        let number = Variable(0)
        var connection: Connection?
        do {
            let token = Tracked(1, census)
            connection = number.connect { _ in
                connection = nil
                #expect(token.number == 1)
            }
        }
        #expect(census.live == 1)
        number.value = 1
        #expect(census.live == 0 && connection == nil)
    }

    @Test("Elements that a transaction removes are released after the delivery")
    func removedElements() {
        let census = LiveCount()
        let array = ArrayVariable((0..<5).map { Tracked($0, census) })
        let set = SetVariable(Set((0..<5).map { Tracked($0, census) }))
        let items = array.sorted { $0.number > $1.number }.filter { $0.number != 2 }
        let members = set.filter { $0.number != 2 }.sorted { $0.number < $1.number }
        let connections = [items.connect { _ in }, members.connect { _ in }]
        transaction {
            array.removeAll()
            set.removeAll()
        }
        #expect(census.live == 0)
        for connection in connections { connection.disconnect() }
    }
}
