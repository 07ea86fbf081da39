import Observables
import Testing

private struct Task: Hashable {
    var id: Int
    var rank: Int
    var isDone = false
}

@Suite struct OperatorScenarioTests {
    private func tasks(_ ranks: [Int]) -> SetVariable<Task> {
        SetVariable(Set(ranks.enumerated().map { Task(id: $0.offset, rank: $0.element) }))
    }

    private func byRank(_ left: Task, _ right: Task) -> Bool {
        (left.rank, left.id) < (right.rank, right.id)
    }

    @Test("A row whose position changes moves down, up, or stays, in one change")
    func moving() {
        let set = tasks([10, 20, 30, 40])
        let mirror = Mirror(set.sorted(by: byRank))
        func rerank(_ id: Int, from old: Int, to new: Int) -> ArrayBatch? {
            transaction {
                set.remove(Task(id: id, rank: old))
                set.insert(Task(id: id, rank: new))
            }
            #expect(mirror.changes.count == 1)
            defer { _ = mirror.takeChanges() }
            return mirror.changes.first?.batched(identifiedBy: \.id)
        }
        let down = rerank(0, from: 10, to: 35)
        #expect(down?.moved.map(\.from) == [0] && down?.moved.map(\.to) == [2])
        let up = rerank(3, from: 40, to: 5)
        #expect(up?.moved.map(\.from) == [3] && up?.moved.map(\.to) == [0])
        let same = rerank(2, from: 30, to: 31)
        #expect(same?.moved.isEmpty == true && same?.updated.map(\.to) == [2])
        #expect(mirror.value.map(\.id) == [3, 1, 2, 0])
    }

    @Test(
        "A row that starts to tie keeps all tied rows, and the next removal finds it")
    func tying() {
        let set = tasks([1, 2, 2, 3])
        let mirror = Mirror(set.sorted { $0.rank < $1.rank })
        transaction {
            set.remove(Task(id: 0, rank: 1))
            set.insert(Task(id: 0, rank: 2))
        }
        #expect(mirror.value.map(\.rank) == [2, 2, 2, 3])
        set.remove(Task(id: 1, rank: 2))
        #expect(mirror.value.map(\.rank) == [2, 2, 3])
        #expect(Set(mirror.value.map(\.id)) == [0, 2, 3])
        set.remove(Task(id: 0, rank: 2))
        set.remove(Task(id: 2, rank: 2))
        #expect(mirror.value.map(\.id) == [3])
    }

    @Test("Insertions at the start, middle and end and removals of each row are single changes")
    func eachPlace() {
        let set = SetVariable<Int>([10, 20])
        let mirror = Mirror(set.sorted())
        for (number, row) in [(5, 0), (15, 2), (25, 4)] {
            set.insert(number)
            #expect(mirror.takeChanges() == [[.insert(number, at: row)]])
        }
        for (number, row) in [(15, 2), (5, 0), (25, 2), (10, 0), (20, 0)] {
            set.remove(number)
            #expect(mirror.takeChanges() == [[.remove(number, at: row)]])
        }
        #expect(mirror.value.isEmpty)
    }

    @Test("Mixed changes of one transaction are one change of the order")
    func mixed() {
        let set = SetVariable(Set(0..<20))
        let mirror = Mirror(set.sorted { $0 > $1 })
        transaction {
            set.remove(3)
            set.insert(50)
            set.formUnion([-1, 7, 60])
            set.subtract([19, 60, 100])
            set.remove(50)
            set.insert(50)
        }
        #expect(mirror.takeChanges().count == 1)
        #expect(mirror.value == [50] + (0...18).reversed().filter { $0 != 3 } + [-1])
    }

    @Test("A row whose position and match change at once gives one net change")
    func placeAndMatch() {
        let set = tasks([1, 2, 3])
        let open = set.sorted(by: byRank).filter { !$0.isDone }
        let mirror = Mirror(open)
        transaction {
            set.remove(Task(id: 0, rank: 1))
            set.insert(Task(id: 0, rank: 9, isDone: true))
        }
        #expect(mirror.takeChanges() == [[.remove(Task(id: 0, rank: 1), at: 0)]])
        transaction {
            set.remove(Task(id: 0, rank: 9, isDone: true))
            set.insert(Task(id: 0, rank: 2))
        }
        #expect(mirror.takeChanges() == [[.insert(Task(id: 0, rank: 2), at: 0)]])
        #expect(mirror.value.map(\.id) == [0, 1, 2])
    }

    @Test("Changing the order, reversing it and going back gives the original rows")
    func ordersAndBack() {
        let set = tasks([3, 1, 2, 1])
        let key = Variable(0)
        let orders: [(Task, Task) -> Bool] = [
            { ($0.rank, $0.id) < ($1.rank, $1.id) }, { ($0.rank, $0.id) > ($1.rank, $1.id) },
            { $0.id < $1.id },
        ]
        let mirror = Mirror(set.sorted(by: key.map { orders[$0] }))
        let first = mirror.value
        key.value = 1
        #expect(mirror.value == first.reversed())
        key.value = 2
        #expect(mirror.value.map(\.id) == [0, 1, 2, 3])
        transaction {
            key.value = 1
            key.value = 0
        }
        #expect(mirror.value == first && mirror.takeChanges().count == 3)
        // From one order to another and back within a transaction: a new function is a new order,
        // but the rows are unchanged.
        transaction {
            key.value = 2
            key.value = 0
        }
        #expect(mirror.takeChanges().isEmpty)
    }

    @Test("A predicate that excludes all emits nothing until a row matches")
    func excludingAll() {
        let numbers = ArrayVariable<Int>()
        let wanted = Variable<Set<Int>>([])
        let mirror = Mirror(
            numbers.filter(where: wanted.map { wanted in { wanted.contains($0) } }))
        numbers.append(contentsOf: [1, 2, 3, 2])
        #expect(mirror.takeChanges().isEmpty)
        wanted.value = [2, 9]
        #expect(mirror.value == [2, 2])
        numbers.insert(9, at: 2)
        #expect(mirror.value == [2, 9, 2])
        // Rows that no longer match and rows that never did make no difference.
        wanted.value = []
        #expect(mirror.value.isEmpty)
        _ = mirror.takeChanges()
        numbers.remove(at: 1)
        numbers[0] = 2
        #expect(mirror.takeChanges().isEmpty)
    }

    @Test("A new predicate and new rows in one transaction give one change")
    func predicateAndRows() {
        let numbers = ArrayVariable(Array(0..<10))
        let divisor = Variable(2)
        let multiples = numbers.filter(where: divisor.map { d in { $0 % d == 0 } })
        let mirror = Mirror(multiples + numbers)
        transaction {
            numbers.insert(12, at: 3)
            divisor.value = 3
            numbers.remove(at: 0)
            numbers.append(11)
        }
        #expect(mirror.takeChanges().count == 1)
        #expect(mirror.value == [12, 3, 6, 9] + [1, 2, 12, 3, 4, 5, 6, 7, 8, 9, 11])
    }

    @Test("Parts of a concatenation arrive and leave while they are empty")
    func emptyParts() {
        let a = ArrayVariable<Int>()
        let b = ArrayVariable<Int>()
        let c = ArrayVariable<Int>()
        let mirror = Mirror(a + b + c + ObservableArray.constant([0]))
        b.append(5)
        #expect(mirror.takeChanges() == [[.insert(5, at: 0)]])
        transaction {
            a.append(contentsOf: [1, 2])
            c.append(9)
            b.removeAll()
        }
        #expect(mirror.value == [1, 2, 9, 0])
        transaction {
            a.removeAll()
            c.removeAll()
        }
        #expect(mirror.value == [0])
    }

    @Test("Rows beyond the end are refused")
    func ranges() async {
        await #expect(processExitsWith: .failure) {
            let numbers: ArrayVariable<Int> = [1, 2]
            _ = numbers.filter { $0 > 1 }[1]
        }
        await #expect(processExitsWith: .failure) {
            let numbers: ArrayVariable<Int> = [1, 2]
            _ = (numbers + numbers)[3..<5]
        }
        await #expect(processExitsWith: .failure) {
            let numbers: ArrayVariable<Int> = [1, 2]
            numbers.replaceSubrange(1..<3, with: [])
        }
    }
}
