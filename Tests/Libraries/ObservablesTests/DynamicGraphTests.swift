import Observables
import Testing

@Suite struct DynamicGraphTests {
    /// Collects the reports while `body` runs.
    private func reports(_ body: () -> Void) -> [CascadeReport] {
        let scheduler = ObservableScheduler.current
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        defer { scheduler.onCascade = nil }
        body()
        return reports
    }

    @Test("A switch that would follow itself is reported and keeps its input")
    func circle() {
        let isCircular = Variable(false)
        let base = Variable(1)
        var successor: Observable<Int>?
        let result = isCircular.flatMap { isCircular in
            isCircular ? successor ?? .constant(0) : base.observable
        }
        successor = result.map { $0 + 1 }.map { $0 + 1 }
        let mirror = ScalarMirror(result)
        var reported = reports { isCircular.value = true }
        #expect(reported.map(\.kind) == [.dependencies] && reported.first?.dropped == 1)
        #expect(mirror.value == 1 && mirror.changes == 0)
        base.value = 5
        #expect(mirror.value == 5)
        reported = reports {
            transaction {
                isCircular.value = false
                #expect(result.value == 5)
                isCircular.value = true
            }
        }
        #expect(reported.count == 1)
        isCircular.value = false
        base.value = 6
        #expect(mirror.value == 6 && mirror.changes == 2)
        successor = nil
    }

    @Test("Two switches that choose each other are a cycle, whichever comes first")
    func mutualCircle() {
        let trigger = Variable(0)
        let base = Variable(1)
        var first: Observable<Int>?
        var second: Observable<Int>?
        let spare = base.map { $0 * 100 }
        first = trigger.flatMap { ($0 > 0 ? second : nil) ?? base.observable }.map { $0 + 1 }
        second = trigger.map { $0 }.flatMap { ($0 > 0 ? first : nil) ?? spare }.map { $0 + 1 }
        guard let one = first, let two = second else { return }
        let mirrors = [ScalarMirror(one), ScalarMirror(two)]
        let reported = reports { trigger.value = 1 }
        #expect(reported.map(\.kind) == [.dependencies])
        #expect(one.value == two.value + 1 || two.value == one.value + 1)
        base.value = 2
        #expect(one.value == two.value + 1 || two.value == one.value + 1)
        trigger.value = 0
        #expect(mirrors.map(\.value) == [3, 201])
        first = nil
        second = nil
    }

    @Test("Arrays and sets that first choose themselves are empty until they choose again")
    func emptyCircle() {
        let isCircular = Variable(true)
        let base: ArrayVariable<Int> = [1, 2]
        let elements: SetVariable<Int> = [3]
        var rows: ObservableArray<Int>?
        var set: ObservableSet<Int>?
        let array = isCircular.flatMap { ($0 ? rows : nil) ?? base.observableArray }
        let choice = isCircular.flatMap { ($0 ? set : nil) ?? elements.observableSet }
        rows = array.map { $0 + 1 }
        set = choice.map { $0 + 1 }
        var mirror: Mirror<Int>?
        var other: SetMirror<Int>?
        let reported = reports {
            mirror = Mirror(array)
            other = SetMirror(choice)
        }
        #expect(!reported.isEmpty && reported.allSatisfy { $0.kind == .dependencies })
        #expect(mirror?.value == [] && other?.value == [])
        isCircular.value = false
        #expect(mirror?.value == [1, 2] && other?.value == [3])
        rows = nil
        set = nil
    }

    @Test("A cycle without a handler of the report stops the program")
    func unhandledCircle() async {
        await #expect(processExitsWith: .failure) {
            let isCircular = Variable(false)
            var own: Observable<Int>?
            let result = isCircular.flatMap { ($0 ? own : nil) ?? .constant(1) }
            own = result.map { $0 + 1 }
            let c = result.connect { _ in }
            isCircular.value = true
            c.disconnect()
        }
    }

    @Test("Switches that follow each other in alternating directions stay in order")
    func takingTurns() {
        let base = Variable(0)
        let way = Variable(0)
        var first: Observable<Int>?
        var second: Observable<Int>?
        first = way.flatMap { ($0 == 1 ? second : nil) ?? base.observable }.map { $0 + 1 }
        second = way.flatMap { ($0 == 2 ? first : nil) ?? base.observable }.map { $0 + 10 }
        guard let one = first, let two = second else { return }
        let mirrors = [ScalarMirror(one), ScalarMirror(two)]
        for round in 1..<20 {
            transaction {
                way.value = 1
                base.value = round
            }
            #expect(mirrors.map(\.value) == [round + 11, round + 10])
            way.value = 0
            transaction {
                way.value = 2
                base.value = -round
            }
            #expect(mirrors.map(\.value) == [1 - round, 11 - round])
            way.value = 0
        }
        first = nil
        second = nil
    }

    @Test("Switches that exchange their inputs in one transaction are no cycle", arguments: 0..<100)
    func changingPlaces(seed: Int) {
        var random = Seeded(seed)
        let reported = reports {
            let base = ArrayVariable([1])
            let count = 5
            // Each switch follows the previous one of a shuffled order.
            let order = Variable(Array(0..<count))
            var scalars: [Observable<Int>] = []
            var arrays: [ObservableArray<Int>] = []
            let size = base.observableCount
            for index in 0..<count {
                let place = order.map { $0.firstIndex(of: index) ?? 0 }
                let before = order.combined(place) { $1 == 0 ? -1 : $0[$1 - 1] }
                scalars.append(before.flatMap { $0 < 0 ? size : scalars[$0].map { $0 + 1 } })
                arrays.append(
                    before.flatMap { $0 < 0 ? base.observableArray : arrays[$0].map { $0 + 1 } })
            }
            let mirrors = scalars.map { ScalarMirror($0) }
            let rows = arrays.map { Mirror($0) }
            for _ in 0..<8 {
                transaction {
                    if random.below(2) == 0 { base.append(random.below(3)) }
                    order.value = (0..<count).shuffled(using: &random)
                }
                for (place, index) in order.value.enumerated() {
                    #expect(mirrors[index].value == base.count + place, "seed \(seed)")
                    #expect(rows[index].value == base.value.map { $0 + place }, "seed \(seed)")
                }
            }
            scalars = []
            arrays = []
        }
        #expect(reported.isEmpty, "seed \(seed)")
    }

    @Test("Whatever cycles are requested, the graph recovers", arguments: 0..<100)
    func recovery(seed: Int) {
        var random = Seeded(seed)
        let base = Variable(0)
        let choices = (0..<6).map { _ in Variable(-1) }
        var nodes: [Observable<Int>] = []
        for index in 0..<6 {
            let choice = choices[index]
            let chosen = choice.flatMap { $0 < 0 ? base.observable : nodes[$0] }
            nodes.append(chosen.map { $0 + 1 })
        }
        var mirrors = nodes.map { ScalarMirror($0) }
        var count = 0
        for _ in 0..<20 {
            count +=
                reports {
                    transaction {
                        for _ in 0..<(1 + random.below(4)) {
                            choices[random.below(6)].value = random.below(7) - 1
                            base.value = random.below(9)
                        }
                    }
                }.count
            transaction {
                base.value += 1
                for choice in choices { choice.value = -1 }
            }
            #expect(
                nodes.map(\.value) == Array(repeating: base.value + 1, count: 6), "seed \(seed)")
        }
        #expect(count > 0 && mirrors.map(\.value) == nodes.map(\.value), "seed \(seed)")
        mirrors = []
        nodes = []
    }

    @Test("A chain of 40,000 nodes is activated, raised, read and released without recursion")
    func deepChain() {
        let length = 40_000
        let source = Variable(0)
        let other = Variable(0)
        var link = source.map { $0 + 1 }
        for _ in 1..<length { link = link.map { $0 + 1 } }
        // A second chain above a switch, which then switches to the first.
        let isOnTop = Variable(false)
        let first = link
        let bottom = isOnTop.flatMap { $0 ? first : other.observable }
        link = bottom.map { $0 + 1 }
        for _ in 1..<length { link = link.map { $0 + 1 } }
        #expect(link.value == length)
        var mirror: ScalarMirror<Int>? = ScalarMirror(link)
        #expect(mirror?.value == length)
        isOnTop.value = true
        #expect(mirror?.value == 2 * length && mirror?.changes == 1)
        source.value = 1
        #expect(mirror?.value == 2 * length + 1)
        mirror = nil
        link = .constant(0)
    }

    @Test("Reading an idle observable computes each node below it once, even in a transaction")
    func idleReads() {
        var calls = 0
        let source = Variable(1)
        var sum = source.map { value in
            calls += 1
            return value
        }
        for _ in 0..<40 {
            sum = sum.combined(sum) { left, right in
                calls += 1
                return left &+ right
            }
        }
        #expect(sum.value == 1 << 40)
        #expect(calls == 41)
        transaction {
            source.value = 3
            #expect(sum.value == 3 << 40)
        }
        #expect(calls == 82)
        let chosen = source.flatMap { _ in sum }
        #expect(chosen.value == 3 << 40)
        #expect(calls == 123)
    }
}
