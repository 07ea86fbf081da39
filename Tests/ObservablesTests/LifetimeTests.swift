import Observables
import Testing

private final class Census {
    var live = 0
}

/// Something whose instances are counted.
private final class Counted: Hashable {
    let number: Int
    private let census: Census

    init(_ number: Int, _ census: Census) {
        self.number = number
        self.census = census
        census.live += 1
    }

    deinit { census.live -= 1 }

    static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The operators, each with functions that hold a counted object.
private enum Operator: String, CaseIterable {
    case scalarMap, combined, distinct, sum
    case arrayMap, arrayFilter, arrayFilterWhere, arraySorted, arraySortedBy, concatenation
    case doubled, arrayCount
    case setMap, setFilter, setFilterWhere, setSorted, setSortedBy, setCount
    case sourceMap

    func connect(
        _ scalar: Variable<Int>, _ array: ArrayVariable<Counted>, _ set: SetVariable<Counted>,
        holding token: Counted, _ census: Census, keep: (Any) -> Void = { _ in },
        told: @escaping () -> Void
    ) -> Connection {
        let isEven: (Counted) -> Bool = { $0.number % 2 == 0 && token.number < 0 }
        let precedes: (Counted, Counted) -> Bool = {
            $0.number < $1.number && token.number < 0
        }
        let parity: Observable<(Counted) -> Bool> = scalar.map { scalar in
            { ($0.number + scalar) % 2 == 0 && token.number < 0 }
        }
        let direction: Observable<(Counted, Counted) -> Bool> = scalar.map { scalar in
            {
                (scalar % 2 == 0 ? $0.number < $1.number : $0.number > $1.number)
                    && token.number < 0
            }
        }
        func observe(_ observable: some ObservableType) -> Connection {
            keep(observable)
            return observable.connect { [token] _ in withExtendedLifetime(token) { told() } }
        }
        return switch self {
        case .scalarMap: observe(scalar.map { Counted($0 - token.number, census) })
        case .combined:
            observe(scalar.combined(array.observableCount) { $0 + $1 - token.number })
        case .distinct: observe(scalar.distinct { $0 == $1 && token.number < 0 })
        case .sum: observe(scalar + scalar.map { $0 - token.number })
        case .arrayMap: observe(array.map { Counted($0.number - token.number, census) })
        case .arrayFilter: observe(array.filter(isEven))
        case .arrayFilterWhere: observe(array.filter(where: parity))
        case .arraySorted: observe(array.sorted(by: precedes))
        case .arraySortedBy: observe(array.sorted(by: direction))
        case .concatenation: observe(array + set.sorted(by: precedes))
        case .doubled: observe(array + array)
        case .arrayCount: observe(array.filter(isEven).observableCount)
        case .setMap: observe(set.map { Counted($0.number / 2 - token.number, census) })
        case .setFilter: observe(set.filter(isEven))
        case .setFilterWhere: observe(set.filter(where: parity))
        case .setSorted: observe(set.sorted(by: precedes))
        case .setSortedBy: observe(set.sorted(by: direction))
        case .setCount: observe(set.map { $0.number - token.number }.observableCount)
        case .sourceMap:
            array.changes.map { ($0, token) }.filter { $0.1.number < 0 }.connect { _ in told() }
        }
    }
}

@Suite struct LifetimeTests {
    @Test("After the last connection nothing is held, by any operator", arguments: 0..<19)
    func operators(index: Int) {
        let operation = Operator.allCases[index]
        let census = Census()
        do {
            let scalar = Variable(0)
            let array = ArrayVariable((0..<10).map { Counted($0, census) })
            let set = SetVariable(Set((0..<10).map { Counted($0, census) }))
            func elements() -> Int { array.count + set.count }
            #expect(census.live == 20)
            var told = 0
            for _ in 0..<2 {
                var connections: [Connection] = []
                for _ in 0..<3 {
                    connections.append(
                        operation.connect(
                            scalar, array, set, holding: Counted(-1, census), census
                        ) { told += 1 })
                }
                for step in 0..<4 {
                    transaction {
                        scalar.value += 1
                        array.append(Counted(20 + step, census))
                        set.insert(Counted(20 + step, census))
                        if step > 0 { array.remove(at: 0) }
                        // Not `first`, which may be the one just put in: a set's order depends on
                        // where it lies in memory.
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

    @Test("An operator's result that nobody observes any more holds no elements", arguments: 0..<19)
    func idle(index: Int) {
        let operation = Operator.allCases[index]
        let elements = Census()
        let tokens = Census()
        do {
            let scalar = Variable(0)
            let array = ArrayVariable((0..<10).map { Counted($0, elements) })
            let set = SetVariable(Set((0..<10).map { Counted($0, elements) }))
            var kept: [Any] = []
            var told = 0
            do {
                let connection = operation.connect(
                    scalar, array, set, holding: Counted(-1, tokens), elements,
                    keep: { kept.append($0) }
                ) { told += 1 }
                scalar.value += 1
                array.append(Counted(20, elements))
                set.insert(Counted(20, elements))
                connection.disconnect()
            }
            array.removeAll()
            set.removeAll()
            #expect(elements.live == 0, "\(operation)")
            #expect(told > 0, "\(operation)")
            #expect(kept.count == 1 || operation == .sourceMap)
        }
        #expect(tokens.live == 0, "\(operation)")
    }

    @Test("A connection alone keeps all that it needs, and lets go of it in mid-transaction")
    func connectionKeeps() {
        let census = Census()
        let array: ArrayVariable<Int> = [1, 2, 3]
        var told = 0
        var connection: Connection?
        do {
            let token = Counted(-1, census)
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

    @Test("A sink that ends its own connection is let go of when it returns")
    func endingItself() {
        let census = Census()
        let number = Variable(0)
        var connection: Connection?
        do {
            let token = Counted(1, census)
            connection = number.connect { _ in
                connection = nil
                #expect(token.number == 1)
            }
        }
        #expect(census.live == 1)
        number.value = 1
        #expect(census.live == 0 && connection == nil)
    }

    @Test("What a transaction takes out is let go of when it has been told")
    func removedElements() {
        let census = Census()
        let array = ArrayVariable((0..<5).map { Counted($0, census) })
        let set = SetVariable(Set((0..<5).map { Counted($0, census) }))
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
