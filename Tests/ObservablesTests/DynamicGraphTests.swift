import Observables
import Testing

@Suite struct DynamicGraphTests {
    /// Collects what is reported while `body` runs.
    private func reports(_ body: () -> Void) -> [CascadeReport] {
        let scheduler = ObservableScheduler.current
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        defer { scheduler.onCascade = nil }
        body()
        return reports
    }

    @Test("A switch that would follow itself is reported and stays with what it had")
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

    @Test("Two switches that choose each other are a circle, whichever comes first")
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

    @Test("Arrays and sets that choose themselves first of all are empty until they choose again")
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

    @Test("A circle stops the program if nobody handles the report")
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

    @Test("Switches that follow each other now one way, now the other, keep in order")
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

    @Test("A chain of 40,000 nodes comes to life, rises, is read and goes without taking stack")
    func deepChain() {
        let length = 40_000
        let source = Variable(0)
        let other = Variable(0)
        var link = source.map { $0 + 1 }
        for _ in 1..<length { link = link.map { $0 + 1 } }
        // A second one on top of a switch, which the first is then put under.
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

    @Test("Reading an idle observable computes each node under it once, also in a transaction")
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
