import Observables
import Testing

/// Keeps a copy of an observable scalar by its changes, and checks that none is missed or repeated.
final class ScalarMirror<Value: Equatable> {
    private(set) var value: Value
    private(set) var changes = 0
    private var connection: Connection?

    init(_ scalar: Observable<Value>) {
        value = scalar.value
        connection = scalar.connect { [unowned self] change in
            #expect(change.old == self.value && change.new != change.old)
            #expect(change.new == scalar.value)
            self.value = change.new
            self.changes += 1
        }
    }
}

/// Keeps a copy of an observable set by its changes.
final class SetMirror<Element: Hashable> {
    private(set) var value: Set<Element>
    private(set) var changes = 0
    private var connection: Connection?

    init(_ set: ObservableSet<Element>) {
        value = set.value
        connection = set.connect { [unowned self] change in
            #expect(!change.isEmpty)
            change.apply(on: &self.value)
            #expect(set.value == self.value && set.count == self.value.count)
            self.changes += 1
        }
    }
}

@Suite struct SwitchTests {
    @Test("A scalar switch follows the chosen inner observable, and ignores the old one")
    func scalars() {
        let first = Variable(1)
        let second = Variable(10)
        let outer = Variable(first)
        let mirror = ScalarMirror(outer.unpacked())
        first.value = 2
        #expect(mirror.value == 2 && mirror.changes == 1)
        outer.value = second
        #expect(mirror.value == 10)
        first.value = 3
        #expect(mirror.changes == 2)
        outer.value = second
        #expect(mirror.changes == 2)
        transaction {
            second.value = 20
            outer.value = first
            first.value = 4
        }
        #expect(mirror.value == 4 && mirror.changes == 3)
        transaction {
            outer.value = second
            second.value = 4
        }
        #expect(mirror.changes == 3)
    }

    @Test("An inner observable that a switch has left is not computed any more")
    func dropped() {
        let useLeft = Variable(true)
        let source = Variable(1)
        var left = 0
        var right = 0
        let lefts = source.map { value in
            left += 1
            return value
        }
        let rights = source.map { value in
            right += 1
            return -value
        }
        let c = useLeft.flatMap { $0 ? lefts : rights }.connect { _ in }
        #expect(left == 1 && right == 0)
        useLeft.value = false
        source.value = 2
        #expect(left == 1 && right == 2)
        useLeft.value = true
        source.value = 3
        #expect(left == 3 && right == 2)
        c.disconnect()
        source.value = 4
        #expect(left == 3 && right == 2)
    }

    @Test("A switch between arrays emits the change from the old content to the new")
    func arrays() {
        let first: ArrayVariable<Int> = [1, 2, 3, 4]
        let second: ArrayVariable<Int> = [1, 5, 4]
        let outer = Variable(first)
        let mirror = Mirror(outer.unpacked())
        outer.value = second
        #expect(mirror.takeChanges() == [[.replaceRange([2, 3], at: 1, with: [5])]])
        first.append(9)
        #expect(mirror.takeChanges().isEmpty)
        transaction {
            // The old content is the last delivered one, without later writes.
            second.insert(7, at: 0)
            outer.value = first
            first.remove(at: 0)
        }
        #expect(mirror.value == [2, 3, 4, 9] && mirror.takeChanges().count == 1)
        outer.value = first
        #expect(mirror.takeChanges().isEmpty)
        let flat = Mirror(outer.flatMap { $0.map { $0 * 2 } })
        outer.value = second
        #expect(flat.value == [14, 2, 10, 8])
    }

    @Test("A switch between sets emits the difference")
    func sets() {
        let first: SetVariable<Int> = [1, 2]
        let second: SetVariable<Int> = [2, 3]
        let which = Variable(0)
        let mirror = SetMirror(which.flatMap { $0 == 0 ? first : second })
        which.value = 1
        #expect(mirror.value == [2, 3])
        first.insert(9)
        which.value = 2
        #expect(mirror.changes == 1)
        transaction {
            second.remove(3)
            which.value = 0
        }
        #expect(mirror.value == [1, 2, 9] && mirror.changes == 2)
        transaction {
            second.value = [1, 2, 9]
            which.value = 1
        }
        #expect(mirror.changes == 2)
    }

    @Test("An inner observable higher than the switch is read only when settled")
    func higher() {
        let source = Variable(1)
        var deep = source.map { $0 + 1 }
        for _ in 0..<20 { deep = deep.map { $0 + 1 } }
        let isDeep = source.map { $0 % 2 == 0 }
        let result = isDeep.flatMap { $0 ? deep : source.observable }
        let both = result.combined(source) { "\($0) \($1)" }
        // One active from the start, one activated during the settling.
        let keep = deep.connect { _ in }
        let log = Log<String>()
        let c = both.connect { log.add($0.new) }
        source.value = 2
        source.value = 3
        keep.disconnect()
        source.value = 4
        #expect(log.entries == ["23 2", "3 3", "25 4"])
        let before = ObservableScheduler.current.recomputations
        source.value = 6
        // The source, the parity, 21 of the chain, the switch and the pair.
        #expect(ObservableScheduler.current.recomputations - before == 25)
        c.disconnect()
    }

    @Test("Random graphs of scalars with switches equal recomputation", arguments: 0..<150)
    func randomScalars(seed: Int) {
        var random = Seeded(seed)
        let sources = (0..<4).map { _ in Variable(random.below(4)) }
        var nodes: [Observable<Int>] = sources.map(\.observable)
        var models: [() -> Int] = sources.map { source in { source.value } }
        for index in 4..<20 {
            let a = random.below(index)
            let b = random.below(index)
            let (modelA, modelB) = (models[a], models[b])
            switch random.below(4) {
            case 0:
                nodes.append(nodes[a].map { ($0 + 1) % 5 })
                models.append { (modelA() + 1) % 5 }
            case 1:
                nodes.append(nodes[a].combined(nodes[b]) { ($0 + $1) % 5 })
                models.append { (modelA() + modelB()) % 5 }
            default:
                let choices = (0..<4).map { _ in random.below(index) }
                let offers = choices.map { nodes[$0] }
                let offered = choices.map { models[$0] }
                if random.below(2) == 0 {
                    nodes.append(nodes[a].flatMap { offers[$0 % 4] })
                } else {
                    // Created each time: the chosen node is activated during a settling.
                    nodes.append(nodes[a].flatMap { offers[$0 % 4].map { $0 } })
                }
                models.append { offered[modelA() % 4]() }
            }
        }
        var mirrors: [(mirror: ScalarMirror<Int>, index: Int)] = []
        func check() {
            for (mirror, index) in mirrors {
                #expect(mirror.value == models[index](), "seed \(seed)")
            }
            let index = random.below(nodes.count)
            #expect(nodes[index].value == models[index](), "seed \(seed)")
        }
        for _ in 0..<60 {
            switch random.below(4) {
            case 0 where mirrors.count < 5:
                let index = random.below(nodes.count)
                mirrors.append((ScalarMirror(nodes[index]), index))
            case 1 where !mirrors.isEmpty: mirrors.remove(at: random.below(mirrors.count))
            default:
                transaction {
                    for _ in 0..<(1 + random.below(3)) {
                        sources[random.below(4)].value = random.below(4)
                        if random.below(3) == 0 {
                            let index = random.below(nodes.count)
                            #expect(nodes[index].value == models[index](), "seed \(seed)")
                        }
                    }
                }
            }
            check()
        }
    }

    @Test("Random graphs of arrays with switches equal recomputation", arguments: 0..<150)
    func randomArrays(seed: Int) {
        var random = Seeded(seed)
        let sources = (0..<3).map { _ in ArrayVariable(random.array(limit: 4)) }
        let selector = Variable(0)
        var nodes: [ObservableArray<Int>] = sources.map(\.observableArray)
        var models: [() -> [Int]] = sources.map { source in { source.value } }
        for index in 3..<12 {
            let a = random.below(index)
            let b = random.below(index)
            let (modelA, modelB) = (models[a], models[b])
            switch random.below(6) {
            case 0:
                nodes.append(nodes[a].map { ($0 + 1) % 4 })
                models.append { modelA().map { ($0 + 1) % 4 } }
            case 1 where index < 8:
                nodes.append(nodes[a] + nodes[b])
                models.append { modelA() + modelB() }
            case 2:
                nodes.append(nodes[a].filter { $0 != 1 })
                models.append { modelA().filter { $0 != 1 } }
            default:
                let choices = (0..<3).map { _ in random.below(index) }
                let offers = choices.map { nodes[$0] }
                let offered = choices.map { models[$0] }
                let isFresh = random.below(2) == 0
                let choose: (Int) -> ObservableArray<Int> = {
                    isFresh ? offers[$0 % 3].map { $0 } : offers[$0 % 3]
                }
                if random.below(2) == 0 {
                    nodes.append(selector.flatMap(choose))
                    models.append { offered[selector.value % 3]() }
                } else {
                    nodes.append(nodes[a].observableCount.flatMap(choose))
                    models.append { offered[modelA().count % 3]() }
                }
            }
        }
        var mirrors: [(mirror: Mirror<Int>, index: Int)] = []
        for _ in 0..<60 {
            switch random.below(4) {
            case 0 where mirrors.count < 5:
                let index = random.below(nodes.count)
                mirrors.append((Mirror(nodes[index]), index))
            case 1 where !mirrors.isEmpty: mirrors.remove(at: random.below(mirrors.count))
            default:
                transaction {
                    for _ in 0..<(1 + random.below(3)) {
                        if random.below(3) == 0 {
                            selector.value = random.below(3)
                        } else {
                            let source = sources[random.below(3)]
                            let modification = random.modification(of: source.value)
                            source.replaceSubrange(
                                modification.inputRange, with: modification.newElements)
                        }
                        if random.below(3) == 0 {
                            let index = random.below(nodes.count)
                            #expect(nodes[index].value == models[index](), "seed \(seed)")
                        }
                    }
                }
            }
            for (mirror, index) in mirrors {
                #expect(mirror.value == models[index](), "seed \(seed)")
            }
            let index = random.below(nodes.count)
            #expect(nodes[index].value == models[index](), "seed \(seed)")
        }
    }
}
