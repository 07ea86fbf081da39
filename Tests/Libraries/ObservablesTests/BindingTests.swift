import Observables
import Testing

@Suite struct BindingTests {
    @Test("Bound variables get one value immediately, and separate when the connection ends")
    func pair() {
        let a = Variable(1)
        let b = Variable(2)
        var connection: Connection? = a.bind(to: b)
        #expect(a.value == 2 && b.value == 2)
        let mirrors = [ScalarMirror(a.observable), ScalarMirror(b.observable)]
        let difference = (a - b).connect { _ in Issue.record("the two were seen to differ") }
        a.value = 3
        #expect(b.value == 3)
        transaction {
            b.value = 4
            #expect(a.value == 4)
            a.value = 5
            #expect(b.value == 5)
        }
        #expect(mirrors.map(\.value) == [5, 5] && mirrors.map(\.changes) == [2, 2])
        difference.disconnect()
        connection?.disconnect()
        connection?.disconnect()
        a.value = 6
        #expect(b.value == 5)
        connection = a.bind(to: b)
        #expect(a.value == 5)
        connection = nil
        a.value = 7
        #expect(b.value == 5)
        withExtendedLifetime(connection) {}
    }

    @Test("Random graphs of bindings have one value per connected component", arguments: 0..<100)
    func graphs(seed: Int) {
        var random = Seeded(seed)
        let variables = (0..<7).map { Variable($0) }
        var bindings: [(connection: Connection, a: Int, b: Int)] = []
        var model = Array(0..<7)
        func part(of start: Int) -> Set<Int> {
            var part: Set<Int> = [start]
            while true {
                let count = part.count
                for (_, a, b) in bindings where part.contains(a) || part.contains(b) {
                    part.formUnion([a, b])
                }
                if part.count == count { return part }
            }
        }
        let mirrors = variables.map { ScalarMirror($0.observable) }
        for _ in 0..<60 {
            transaction {
                for _ in 0..<(1 + random.below(3)) {
                    let a = random.below(7)
                    let b = random.below(7)
                    switch random.below(4) {
                    case 0 where a != b:
                        for index in part(of: a) { model[index] = model[b] }
                        bindings.append((variables[a].bind(to: variables[b]), a, b))
                    case 1 where !bindings.isEmpty:
                        bindings.remove(at: random.below(bindings.count))
                    default:
                        let value = random.below(9)
                        variables[a].value = value
                        for index in part(of: a) { model[index] = value }
                    }
                    #expect(variables.map(\.value) == model, "seed \(seed)")
                }
            }
            #expect(mirrors.map(\.value) == model, "seed \(seed)")
        }
    }

    @Test("A binding with transforms keeps two types of value in sync")
    func transforms() {
        let number = Variable(1)
        let text = Variable("20")
        let other = Variable(0)
        let connections = [
            number.bind(to: text, forward: { "\($0)" }, backward: { Int($0) ?? -1 }),
            other.bind(to: number),
        ]
        #expect(number.value == 20 && text.value == "20" && other.value == 20)
        other.value = 7
        #expect(text.value == "7")
        text.value = "x"
        #expect(number.value == -1 && other.value == -1 && text.value == "x")
        for connection in connections { connection.disconnect() }
    }

    @Test("A cycle of transforming bindings stops the program")
    func circle() async {
        await #expect(processExitsWith: .failure) {
            let a = Variable(1)
            let b = Variable(2)
            let c = Variable(3)
            let connections = [
                a.bind(to: b, forward: { $0 + 1 }, backward: { $0 - 1 }), b.bind(to: c),
                c.bind(to: a),
            ]
            withExtendedLifetime(connections) {}
        }
    }

    @Test(
        "A binding made in a sink starts with the sink's writes; one ended before never does")
    func inSink() {
        let trigger = Variable(0)
        let a = Variable(1)
        let b = Variable(2)
        let d = Variable(3)
        var kept: Connection?
        let c = trigger.connect { _ in
            kept = a.bind(to: b)
            d.bind(to: b).disconnect()
            b.value = 9
        }
        trigger.value = 1
        #expect(a.value == 9 && d.value == 3)
        weak let gone = kept
        kept = nil
        #expect(gone == nil)
        c.disconnect()
    }

    @Test("Several observables are combined in one node, computed once per transaction")
    func combining() {
        let a = Variable(1)
        let b = Variable("b")
        let c = Variable(true)
        let d = Variable(2.5)
        var calls = 0
        let three = a.combined(b, c) { number, text, isOn in
            calls += 1
            return "\(number)\(text)\(isOn)"
        }
        let six = a.combined(b, c, d, a, a) { "\($0)\($1)\($2)\($3)\($4)\($5)" }
        let pair = a.combined(b)
        let four = a.combined(b, c, d)
        let log = Log<(Int, String)>()
        var fours = 0
        let connections = [
            three.connect { _ in }, pair.connect { log.add($0.new) },
            four.connect { _ in fours += 1 },
        ]
        let mirror = ScalarMirror(six)
        calls = 0
        let before = ObservableScheduler.current.recomputations
        transaction {
            a.value = 2
            b.value = "c"
            c.value = false
        }
        // Three variables and four combinations.
        #expect(ObservableScheduler.current.recomputations - before == 7)
        #expect(calls == 1 && three.value == "2cfalse" && mirror.value == "2cfalse2.522")
        #expect(log.entries.count == 1 && pair.value == (2, "c") && fours == 1)
        c.value = true
        #expect(log.entries.count == 1 && fours == 2)
        transaction {
            a.value = 3
            #expect(four.value.0 == 3)
            a.value = 2
        }
        #expect(four.value.3 == 2.5 && a.combined(b, by: { "\($0)\($1)" }).value == "2c")
        for connection in connections { connection.disconnect() }
    }
}
