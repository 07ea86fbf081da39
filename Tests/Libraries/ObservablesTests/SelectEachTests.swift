import Observables
import Testing

private final class Book {
    let title: Variable<String>
    init(_ title: String) { self.title = Variable(title) }
}

@Suite struct SelectEachTests {
    @Test("The talk's bookshelf prints what its comments say")
    func bookshelf() {
        let log = Log<String>()
        let b1 = Book("Anathem")
        let b2 = Book("Cryptonomicon")
        let shelf: ArrayVariable<Book> = [b1, b2]
        let titles = shelf.selectEach { $0.title }
        let c = titles.changes.connect { _ in log.add(titles.value.joined(separator: ", ")) }
        #expect(titles.value == ["Anathem", "Cryptonomicon"])
        b1.title.value = "Seveneves"
        shelf.append(Book("Zodiac"))
        shelf.remove(at: 1)
        b2.title.value = "The Diamond Age"
        c.disconnect()
        #expect(
            log.entries == [
                "Seveneves, Cryptonomicon", "Seveneves, Cryptonomicon, Zodiac",
                "Seveneves, Zodiac",
            ])
    }

    @Test("Every spelling compiles without annotations")
    func spellings() {
        let numbers: ArrayVariable<Int> = [1, 5]
        let set: SetVariable<Int> = [1, 5]
        let items = ArrayVariable([Document(1), Document(2)])
        let members = SetVariable([Document(1), Document(2)])
        items[0].isOpen.value = true
        items[0].key.value = 9
        items[0].rows.value = [7]
        for item in members.value { item.tags.value = [item.id, 9] }
        #expect(numbers.filter { $0 > 3 }.value == [5])
        #expect(numbers.filtered { $0 > 3 }.value == [5])
        #expect(set.filter { $0 > 3 }.value == [5])
        #expect(set.filtered { $0 > 3 }.value == [5])
        #expect(items.filter { $0.isOpen }.count == 1)
        #expect(items.filter { !$0.isOpen }.count == 1)
        #expect(members.filter { $0.isOpen }.count == 0)
        #expect(members.filter { $0.key > $0.isOpen.map { $0 ? 1 : 0 } }.count == 0)
        #expect(items.selectEach { $0.key }.value == [9, 0])
        #expect(items.selectEach { $0.rows }.value == [7])
        #expect(members.selectEach { $0.key }.value == [0])
        #expect(members.selectEach { $0.tags }.value == [1, 2, 9])
        #expect(items.sorted(using: { $0.key }, by: <).map { $0.id }.value == [2, 1])
        #expect(items.sorted(using: { $0.key }, by: { $0 > $1 }).map { $0.id }.value == [1, 2])
        #expect(items.sorted(using: { $0.key }).map { $0.id }.value == [2, 1])
        #expect(members.sorted(using: { $0.key }, by: <).count == 2)
        #expect(members.sorted(using: { $0.key }).count == 2)
    }

    @Test("A flip emits one row; flips of removed elements emit nothing")
    func flips() {
        let items = (0..<4).map(Document.init)
        let array = ArrayVariable(items)
        let mirror = Mirror(array.filter { $0.isOpen }.map { $0.id })
        items[1].isOpen.value = true
        #expect(mirror.takeChanges() == [[.insert(1, at: 0)]])
        items[3].isOpen.value = true
        #expect(mirror.takeChanges() == [[.insert(3, at: 1)]])
        array.remove(at: 1)
        #expect(mirror.takeChanges() == [[.remove(1, at: 0)]])
        items[1].isOpen.value = false
        #expect(mirror.takeChanges().isEmpty)
        transaction {
            // Inserted and flipped at once, in any order.
            items[1].isOpen.value = true
            array.insert(items[1], at: 0)
            array.append(items[2])
            items[2].isOpen.value = true
            items[2].isOpen.value = false
        }
        #expect(mirror.takeChanges() == [[.insert(1, at: 0)]])
        transaction {
            items[3].isOpen.value = false
            array.value = [items[3], items[1], items[1]]
        }
        #expect(mirror.value == [1, 1])
        items[1].isOpen.value = false
        #expect(mirror.value.isEmpty)
    }

    @Test("Arrays are flattened even if one occurs twice, and an element's key moves its row")
    func flattening() {
        let item = Document(0)
        let other = Document(1)
        item.rows.value = [1, 2]
        let array = ArrayVariable([item, other, item])
        let mirror = Mirror(array.selectEach { $0.rows })
        #expect(mirror.value == [1, 2, 1, 2])
        other.rows.append(5)
        item.rows.insert(0, at: 1)
        #expect(mirror.value == [1, 0, 2, 5, 1, 0, 2])
        transaction {
            item.rows.remove(at: 0)
            array.remove(at: 0)
            other.rows[0] = 6
        }
        #expect(mirror.value == [6, 0, 2] && mirror.takeChanges().count == 3)

        let order = Mirror(array.sorted(using: { $0.key }, by: <).map { $0.id })
        item.key.value = -1
        #expect(order.value == [0, 1] && order.takeChanges().count == 1)
        item.key.value = -2
        #expect(order.takeChanges().isEmpty)
        transaction {
            item.key.value = 5
            array.remove(at: 1)
            other.key.value = 9
        }
        #expect(order.value == [1] && order.takeChanges() == [[.remove(0, at: 0)]])
    }

    @Test("An element that depends on the operator's own result has no rows and is reported")
    func circle() {
        let scheduler = ObservableScheduler.current
        var reports: [CascadeReport] = []
        scheduler.onCascade = { reports.append($0) }
        defer { scheduler.onCascade = nil }
        let first = Variable(1)
        let array = ArrayVariable([0])
        var own: Observable<Int>?
        let result = array.selectEach { $0 == 9 ? own ?? .constant(0) : first.observable }
        own = result.observableCount
        let set: SetVariable<Int> = [0]
        var ownSet: Observable<Int>?
        let setResult = set.selectEach { $0 == 9 ? ownSet ?? .constant(0) : first.observable }
        ownSet = setResult.observableCount
        let sorted = array.sorted(using: { $0 == 9 ? own ?? .constant(0) : first.observable })
        let mirror = Mirror(result)
        let setMirror = SetMirror(setResult)
        let sortedMirror = Mirror(sorted)
        array.append(9)
        set.insert(9)
        #expect(reports.map(\.kind) == [.dependencies, .dependencies])
        #expect(mirror.value == [1] && setMirror.value == [1] && sortedMirror.value == [0, 9])
        first.value = 5
        array.append(3)
        #expect(mirror.value == [5, 5] && setMirror.value == [5])
        array.remove(at: 1)
        set.remove(9)
        #expect(mirror.value == [5, 5] && setMirror.value == [5])
        own = nil
        ownSet = nil
    }

    @Test("A changed key costs logarithmic comparisons, and no work of other taps")
    func work() {
        let items = (0..<4096).map(Document.init)
        for item in items { item.key.value = item.id * 2 }
        let array = ArrayVariable(items)
        var comparisons = 0
        let sorted = array.sorted(using: { $0.key }) {
            comparisons += 1
            return $0 < $1
        }
        let c = sorted.connect { _ in }
        let scheduler = ObservableScheduler.current
        comparisons = 0
        let before = scheduler.recomputations
        for item in items.prefix(50) { item.key.value = 5_001 - item.id * 2 }
        // A variable, a tap and the sort, for each.
        #expect(scheduler.recomputations - before == 150)
        // Two searches of 12 steps, with up to two comparisons at each step.
        #expect(comparisons <= 50 * 60)
        c.disconnect()
    }

    @Test("Nothing stays alive after the last connection ends")
    func lifetimes() {
        weak var gone: Document?
        weak var inside: Document?
        do {
            let array = ArrayVariable<Document>()
            let set = SetVariable<Document>()
            do {
                let item = Document(1)
                gone = item
                array.value = [item, Document(2), item]
                set.insert(item)
                let connections = [
                    array.filter { $0.isOpen }.connect { _ in },
                    array.sorted(using: { $0.deepKey }).connect { _ in },
                    set.filter { $0.isOpen }.connect { _ in },
                    set.sorted(using: { $0.deepKey }).connect { _ in },
                ]
                let fields = [array.selectEach { $0.deepKey }.connect { _ in }]
                item.isOpen.value = true
                item.key.value = 3
                array.removeAll()
                set.removeAll()
                let last = Document(4)
                array.append(last)
                inside = last
                for connection in connections + fields { connection.disconnect() }
            }
            #expect(gone == nil && inside != nil)
            array.removeAll()
            #expect(inside == nil)
        }
    }
}
