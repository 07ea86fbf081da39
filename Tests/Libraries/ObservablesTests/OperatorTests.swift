import Observables
import Testing

/// Keeps a copy of an observable array by applying its changes, checking each of them.
final class Mirror<Element: Equatable> {
    private(set) var value: [Element]
    private(set) var changes: [ArrayChange<Element>] = []
    private var connection: Connection?

    init(_ array: ObservableArray<Element>) {
        value = array.value
        connection = array.connect { [unowned self] change in
            var copy = self.value
            for modification in change.modifications {
                #expect(Array(copy[modification.inputRange]) == modification.oldElements)
                copy.apply(modification)
            }
            change.apply(on: &self.value)
            #expect(copy == self.value && !change.isEmpty)
            #expect(array.value == self.value && array.count == self.value.count)
            self.changes.append(change)
        }
    }

    func takeChanges() -> [[ArrayModification<Element>]] {
        defer { changes = [] }
        return changes.map(\.modifications)
    }
}

private struct Item: Hashable {
    var key: Int
    var id: Int
}

@Suite struct OperatorTests {
    @Test("A filter emits insertions, removals and replacements that cross its predicate")
    func filterChanges() {
        let array: ArrayVariable<Int> = [1, 2, 3, 4, 6]
        let mirror = Mirror(array.filter { $0 % 2 == 0 })
        #expect(mirror.value == [2, 4, 6])
        array.insert(5, at: 0)
        #expect(mirror.takeChanges().isEmpty)
        array.insert(8, at: 4)
        #expect(mirror.takeChanges() == [[.insert(8, at: 1)]])
        array[2] = 7
        #expect(mirror.takeChanges() == [[.remove(2, at: 0)]])
        array[0] = 0
        #expect(mirror.takeChanges() == [[.insert(0, at: 0)]])
        array[0] = 2
        #expect(mirror.takeChanges() == [[.replace(0, at: 0, with: 2)]])
        array.remove(at: 1)
        #expect(mirror.takeChanges().isEmpty)
        array.replaceSubrange(0..<4, with: [10, 1, 12, 14])
        #expect(mirror.value == [10, 12, 14, 4, 6])
        array.removeAll()
        #expect(mirror.value.isEmpty)
    }

    @Test("A new predicate emits only the rows that arrive and leave")
    func filterPredicate() {
        let array = ArrayVariable(Array(0..<100))
        let bound = Variable(50)
        let mirror = Mirror(array.filter(where: bound.map { bound in { $0 < bound } }))
        bound.value = 49
        #expect(mirror.takeChanges() == [[.remove(49, at: 49)]])
        bound.value = 51
        #expect(mirror.takeChanges() == [[.replaceRange([], at: 49, with: [49, 50])]])
        transaction {
            bound.value = 2
            array.insert(-1, at: 1)
        }
        #expect(mirror.value == [0, -1, 1] && mirror.takeChanges().count == 1)
    }

    @Test("A predicate that differs in very many places emits one replacement")
    func filterMany() {
        let array = ArrayVariable(Array(0..<5000))
        let rest = Variable(0)
        let mirror = Mirror(
            array.filter(where: rest.map { rest in { $0 % 3 == rest || $0 % 3 == 2 } }))
        rest.value = 1
        #expect(mirror.takeChanges().allSatisfy { $0.count <= 1_000 })
        #expect(mirror.value == (0..<5000).filter { $0 % 3 != 0 })
    }

    @Test("A sorted set inserts elements at its start, middle and end and loses no ties")
    func sorting() {
        let set: SetVariable<Item> = [
            Item(key: 5, id: 0), Item(key: 5, id: 1), Item(key: 1, id: 2),
        ]
        let mirror = Mirror(set.sorted { $0.key < $1.key })
        #expect(mirror.value.map(\.key) == [1, 5, 5])
        set.insert(Item(key: 0, id: 3))
        #expect(mirror.takeChanges() == [[.insert(Item(key: 0, id: 3), at: 0)]])
        set.insert(Item(key: 3, id: 4))
        set.insert(Item(key: 9, id: 5))
        set.insert(Item(key: 5, id: 6))
        #expect(mirror.value.map(\.key) == [0, 1, 3, 5, 5, 5, 9])
        transaction {
            set.remove(Item(key: 5, id: 1))
            set.insert(Item(key: 2, id: 1))
        }
        #expect(mirror.value.map(\.key) == [0, 1, 2, 3, 5, 5, 9])
        for element in set.value { set.remove(element) }
        #expect(mirror.value.isEmpty)
    }

    @Test("Sorting the other way and back gives the same rows, with the changes in between")
    func comparators() {
        let set = SetVariable<Int>(Set(0..<50))
        let ascending = Variable(true)
        let sorted = set.sorted(
            by: ascending.map { $0 ? { $0 < $1 } : { $0 > $1 } } as Observable<(Int, Int) -> Bool>)
        let mirror = Mirror(sorted)
        ascending.value = false
        #expect(mirror.value == (0..<50).reversed())
        #expect(mirror.takeChanges().map(\.count) == [1])
        set.insert(100)
        transaction {
            set.remove(7)
            ascending.value = true
            set.insert(-1)
        }
        #expect(mirror.value == [-1] + (0..<50).filter { $0 != 7 } + [100])
    }

    @Test("Arrays are sorted with all their duplicates")
    func sortedArray() {
        let array: ArrayVariable<Int> = [3, 1, 3, 2]
        let mirror = Mirror(array.sorted())
        array.append(3)
        array.remove(at: 0)
        array[0] = 9
        #expect(mirror.value == [2, 3, 3, 9])
        array.value = Array(0..<100).reversed()
        #expect(mirror.value == Array(0..<100))
    }

    @Test("Both parts of a concatenation change in one transaction, even if they are the same")
    func concatenation() {
        let a: ArrayVariable<Int> = [1]
        let b: ArrayVariable<Int> = []
        let ab = Mirror(a + b)
        let aa = Mirror(a + a)
        transaction {
            b.append(9)
            a.append(2)
            b.insert(8, at: 0)
            a[0] = 0
        }
        #expect(ab.value == [0, 2, 8, 9] && aa.value == [0, 2, 0, 2])
        #expect(ab.takeChanges().count == 1 && aa.takeChanges().count == 1)
        a.removeAll()
        #expect(ab.value == [8, 9] && aa.value.isEmpty)
    }

    @Test("A set's results stay until the last element that gives them has left")
    func setOperators() {
        let set: SetVariable<Int> = [1, 2, 3]
        let parities = set.map { $0 % 2 }
        let limit = Variable(3)
        let small = set.filter(where: limit.map { limit in { $0 < limit } })
        let log = Log<SetChange<Int>>()
        let c = parities.connect { log.add($0) }
        var mirror = small.value
        let d = small.connect { $0.apply(on: &mirror) }
        set.remove(1)
        #expect(log.entries.isEmpty)
        set.remove(3)
        #expect(log.entries == [SetChange(removed: [1])])
        transaction {
            set.remove(2)
            set.insert(4)
        }
        #expect(log.entries.count == 1)
        limit.value = 9
        #expect(mirror == [4] && small.value == [4] && small.contains(4) && !small.contains(2))
        c.disconnect()
        d.disconnect()
        #expect(parities.value == [0] && parities.count == 1 && small.count == 1)
    }

    @Test("Distinct suppresses values equal by its function, and counts follow")
    func distinctAndCount() {
        let a = Variable(1)
        let log = Log<Int>()
        let c = a.distinct { abs($0 - $1) < 3 }.connect { log.add($0.new) }
        a.value = 2
        a.value = 3
        a.value = 4
        a.value = 6
        a.value = 7
        #expect(log.entries == [4, 7])
        c.disconnect()
        let array: ArrayVariable<Int> = []
        let counts = Log<Int>()
        let d = array.filter { $0 > 0 }.observableCount.connect { counts.add($0.new) }
        array.append(1)
        array.append(-1)
        array[1] = 5
        #expect(counts.entries == [1, 2])
        d.disconnect()
    }
}

@Suite struct ArrayAssignmentTests {
    @Test("Setting a whole array emits only the elements that left and arrived", arguments: 0..<500)
    func assignment(seed: Int) {
        var random = Seeded(seed)
        let array = ArrayVariable(random.array(limit: 12))
        var folded = array.value
        let connection = array.connect { change in
            #expect(!change.isEmpty)
            change.apply(on: &folded)
        }
        for _ in 0..<5 {
            let new = random.array(limit: 12)
            array.value = new
            #expect(folded == new && array.value == new, "seed \(seed)")
        }
        withExtendedLifetime(connection) {}
    }

    @Test("A row inserted into a long array is emitted alone, even if the whole array is set")
    func single() {
        let array = ArrayVariable(Array(0..<1000))
        var told: [ArrayModification<Int>] = []
        let connection = array.connect { told = $0.modifications }
        var new = array.value
        new.insert(-1, at: 300)
        new.remove(at: 700)
        array.value = new
        #expect(told == [.insert(-1, at: 300), .remove(699, at: 700)])
        withExtendedLifetime(connection) {}
    }
}
