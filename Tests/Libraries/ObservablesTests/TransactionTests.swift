import Observables
import Testing

private struct Failure: Error {}

private indirect enum ImpossibleStep: Equatable, Simplifiable {
    case write(Int)
    case toggle
    case read
    case transaction([ImpossibleStep])

    var simpler: [ImpossibleStep] {
        switch self {
        case .write(let number): number.simpler.map { .write($0) }
        case .transaction(let steps): steps + steps.simpler.map { .transaction($0) }
        case .toggle, .read: []
        }
    }

    static let generator = StepGenerator<ImpossibleStep> { random in
        func step() -> ImpossibleStep {
            switch random.below(4) {
            case 0, 1: .write(random.below(5))
            case 2: .toggle
            default: .read
            }
        }
        return random.below(3) == 0
            ? step() : .transaction((0..<random.below(5)).map { _ in step() })
    }
}

@Suite struct TransactionTests {
    @Test("A node with several paths from a source is computed once, from final values")
    func diamonds() {
        let a = Variable(1)
        var computed = 0
        let left = a.map { $0 + 1 }
        let right = a.map { $0 * 10 }.map { $0 + 1 }.map { $0 - 1 }
        let join = left.combined(right) {
            computed += 1
            return "\($0) \($1)"
        }
        let tail = join.map { $0 + "!" }
        let jagged = tail.combined(a) { "\($0) \($1)" }
        let log = Log<String>()
        let c = jagged.connect { log.add($0.new) }
        #expect(computed == 1)
        let before = ObservableScheduler.current.recomputations
        a.value = 2
        #expect(computed == 2)
        // The source and seven nodes above it, each once.
        #expect(ObservableScheduler.current.recomputations - before == 8)
        #expect(log.entries == ["3 20! 2"])
        c.disconnect()
    }

    @Test("No observer ever sees an impossible value")
    func impossible() {
        checkScripts(of: ImpossibleStep.generator, from: 0..<200, size: 40) { script in
            let verdict = Verdict()
            let x = Variable(0)
            let p = Variable(false)
            let successor = x.map { $0 + 1 }
            let less = x < successor
            let contradiction = p && !p
            let both = less.combined(contradiction) { $0 && !$1 }
            let connections = [
                less.connect { _ in verdict.expect(false, "x < x + 1 changed") },
                contradiction.connect { _ in verdict.expect(false, "p && !p changed") },
                both.connect { _ in verdict.expect(false, "what holds of both changed") },
                x.connect { change in
                    verdict.expectEqual(x.value, change.new, "x")
                    verdict.expectEqual(successor.value, change.new + 1, "its successor")
                    verdict.expect(less.value && both.value, "impossible when read")
                },
                (x + x).connect {
                    verdict.expect($0.new % 2 == 0 && $0.old % 2 == 0, "x + x is odd")
                },
            ]
            func carryOut(_ step: ImpossibleStep) {
                switch step {
                case .write(let number): x.value = number
                case .toggle: p.value.toggle()
                case .read:
                    verdict.expect(less.value && !contradiction.value, "impossible inside")
                case .transaction(let steps): transaction { steps.forEach(carryOut) }
                }
            }
            script.forEach(carryOut)
            for connection in connections { connection.disconnect() }
            return verdict.failure
        }
    }

    @Test("A change reverted inside one transaction notifies no observer")
    func thereAndBack() {
        let scalar = Variable(1)
        let array: ArrayVariable<Int> = [1, 2, 3]
        let set: SetVariable<Int> = [1]
        let log = Log<String>()
        let connections = [
            scalar.connect { _ in log.add("scalar") },
            scalar.map { $0 + 1 }.connect { _ in log.add("map") },
            array.connect { _ in log.add("array") },
            set.connect { _ in log.add("set") },
            array.map { $0 }.observableCount.connect { _ in log.add("count") },
        ]
        let mapped = scalar.map { $0 * 2 }
        transaction {
            scalar.value = 2
            #expect(mapped.value == 4)
            scalar.value = 1
            array.append(4)
            array[0] = 9
            array.remove(at: 3)
            array[0] = 1
            set.insert(2)
            set.remove(1)
            set.insert(1)
            set.remove(2)
        }
        #expect(log.entries.isEmpty)
        transaction {
            scalar.value = 2
            #expect((scalar + scalar).value == 4)
            // This read settles active nodes, and still no observer is called in the end.
            #expect(array.count == 3)
            scalar.value = 1
        }
        #expect(log.entries.isEmpty)
        scalar.value = 1
        #expect(log.entries.isEmpty)
        for connection in connections { connection.disconnect() }
    }

    @Test("A computed value equal to the old one stops the propagation")
    func cutoff() {
        let a = Variable(1)
        var computed = 0
        let parity = a.map { $0 % 2 }
        let above = parity.map { value in
            computed += 1
            return value + 1
        }
        let c = above.connect { _ in }
        a.value = 3
        a.value = 5
        #expect(computed == 1)
        a.value = 4
        #expect(computed == 2)
        c.disconnect()
    }

    @Test("Nested transactions are one, reads inside see writes, and a throw ends it")
    func nesting() {
        let a = Variable(1)
        let b = Variable(10)
        let sum = a + b
        let log = Log<String>()
        let c = sum.connect { log.add("\($0.old) -> \($0.new)") }
        transaction {
            a.value = 2
            #expect(a.value == 2 && sum.value == 12)
            transaction { b.value = 20 }
            #expect(sum.value == 22)
            #expect(log.entries.isEmpty)
        }
        #expect(log.entries == ["11 -> 22"])
        #expect(throws: Failure.self) {
            try transaction {
                a.value = 3
                try transaction { () throws(Failure) in throw Failure() }
            }
        }
        #expect(log.entries == ["11 -> 22", "22 -> 23"])
        a.value = 4
        #expect(log.entries.count == 3)
        #expect(transaction { 7 } == 7)
        c.disconnect()
    }

    @Test("Connecting and disconnecting during a transaction takes effect from there")
    func connectingInside() {
        let array: ArrayVariable<Int> = [1]
        let doubled = array.map { $0 * 2 }.filter { $0 != 6 }
        var early = doubled.value
        let a = doubled.connect { $0.apply(on: &early) }
        var late: [Int] = []
        var b: Connection?
        var told = 0
        let gone = doubled.connect { _ in told += 1 }
        transaction {
            array.append(2)
            b = doubled.connect {
                told += 10
                $0.apply(on: &late)
            }
            late = doubled.value
            #expect(late == [2, 4])
            array.append(3)
            array.insert(4, at: 0)
            gone.disconnect()
        }
        #expect(told == 10)
        #expect(early == [8, 2, 4] && late == early && doubled.value == early)
        a.disconnect()
        b?.disconnect()
    }
}
