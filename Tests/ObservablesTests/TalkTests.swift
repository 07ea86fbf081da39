import Observables
import Testing

// Each test is a snippet of the article "The talk, in today's Swift", word for word, and what it
// prints. DocumentationTests sees to it that they stay the same.

/// Collects what is sent, in order.
final class Log<Value> {
    var entries: [Value] = []
    func add(_ value: Value) { entries.append(value) }
}

@Suite struct TalkTests {
    private let log = Log<String>()

    /// In the place of the standard library's.
    private func print(_ item: Any) { log.add("\(item)") }

    // MARK: - The picker

    struct FileMetadata: Hashable {
        var displayName: String
        var modificationDate: Int
    }

    enum SortOrder {
        case byModificationDate
        case byName

        /// Whether one file is to be ordered before another.
        var comparator: (FileMetadata, FileMetadata) -> Bool {
            switch self {
            case .byModificationDate: { $0.modificationDate > $1.modificationDate }
            case .byName: { $0.displayName < $1.displayName }
            }
        }
    }

    enum PickerItem: Hashable {
        case newDocument
        case document(FileMetadata)

        func matches(_ text: String?) -> Bool {
            guard case .document(let file) = self else { return text == nil }
            guard let text else { return true }
            return file.displayName.lowercased().contains(text.lowercased())
        }
    }

    static func generateItems(
        documents: Set<FileMetadata>, searchText: String?, sortOrder: SortOrder
    ) -> [PickerItem] {
        ([.newDocument]
            + documents
            .sorted(by: sortOrder.comparator)
            .map { .document($0) }).filter { $0.matches(searchText) }
    }

    static func observeItems(
        documents: ObservableSet<FileMetadata>, searchText: Observable<String?>,
        sortOrder: Observable<SortOrder>
    ) -> ObservableArray<PickerItem> {
        (ObservableArray.constant([.newDocument])
            + documents
            .sorted(by: sortOrder.map { $0.comparator })
            .map { .document($0) }).filter(where: searchText.map { text in { $0.matches(text) } })
    }

    private func names(_ items: [PickerItem]) -> [String] {
        items.map { if case .document(let file) = $0 { file.displayName } else { "+" } }
    }

    private let files: Set = [
        FileMetadata(displayName: "Lorem", modificationDate: 3),
        FileMetadata(displayName: "Ipsum", modificationDate: 1),
        FileMetadata(displayName: "Dolor", modificationDate: 2),
    ]

    @Test("The talk's picker gives what its pure function gives, whatever changes")
    func picker() {
        let documents = SetVariable(files)
        let searchText = Variable<String?>(nil)
        let sortOrder = Variable(SortOrder.byModificationDate)
        let items = Self.observeItems(
            documents: documents.observableSet, searchText: searchText.observable,
            sortOrder: sortOrder.observable)
        func expect(_ expected: [String]) {
            #expect(names(items.value) == expected)
            #expect(
                items.value
                    == Self.generateItems(
                        documents: documents.value, searchText: searchText.value,
                        sortOrder: sortOrder.value))
        }
        let connection = items.connect { _ in }
        expect(["+", "Lorem", "Dolor", "Ipsum"])
        sortOrder.value = .byName
        expect(["+", "Dolor", "Ipsum", "Lorem"])
        searchText.value = "lo"
        expect(["Dolor", "Lorem"])
        documents.insert(FileMetadata(displayName: "Elopement", modificationDate: 9))
        expect(["Dolor", "Elopement", "Lorem"])
        transaction {
            searchText.value = nil
            documents.remove(FileMetadata(displayName: "Lorem", modificationDate: 3))
            sortOrder.value = .byModificationDate
        }
        expect(["+", "Elopement", "Dolor", "Ipsum"])
        connection.disconnect()
        expect(["+", "Elopement", "Dolor", "Ipsum"])
    }

    // MARK: - Signals and scalars

    @Test("The talk's signal prints what was sent")
    func signal() {
        let s = Signal<Int>()
        let c = s.connect { print($0) }
        s.send(42)  // Prints "42"
        c.disconnect()
        s.send(43)
        #expect(log.entries == ["42"])
    }

    @Test("The talk's variable says goodbye to Fred")
    func variable() {
        let name = Variable<String>("Fred")
        let connection = name.changes.connect { c in print("Bye \(c.old), hi \(c.new)!") }
        name.value = "Barney"  // Prints "Bye Fred, hi Barney!"
        connection.disconnect()
        #expect(log.entries == ["Bye Fred, hi Barney!"])
    }

    @Test("The talk's map is loud")
    func map() {
        let quiet = Variable<String>("Fred")
        let loud = quiet.map { "\($0.uppercased())!!!" }

        print(loud.value)  // Prints "FRED!!!"
        let c = loud.connect { print($0.new) }
        quiet.value = "Barney"  // Prints "BARNEY!!!"
        c.disconnect()
        #expect(log.entries == ["FRED!!!", "BARNEY!!!"])
    }

    @Test("The talk's sum has the value of its parts")
    func sum() {
        let a = Variable<Int>(23)
        let b = Variable<Int>(42)

        let sum = a + b  // Type is Observable<Int>
        print(sum.value)  // Prints "65"
        a.value = 13
        print(sum.value)  // Prints "55"
        #expect(log.entries == ["65", "55"])
        #expect(type(of: sum) == Observable<Int>.self)
    }

    @Test("The talk's predicate is an expression of observables")
    func expressions() {
        let a = Variable<Int>(13)
        let b = Variable<Int>(42)
        let c = Variable<Int>(60)
        let predicate: Observable<Bool> = !(a > b && a + b < c)
        print(predicate.value)  // Prints "true"
        transaction {
            a.value = 31
            b.value = 28
        }
        print(predicate.value)  // Prints "false"
        #expect(log.entries == ["true", "false"])
    }

    @Test("A sum of a variable with itself goes from 0 to 2 and from 2 to 6")
    func sumWithItself() {
        let a = Variable<Int>(0)
        let sum = a + a
        let c = sum.connect { print("\($0.old) -> \($0.new)") }
        a.value = 1  // Prints "0 -> 2"
        a.value = 3  // Prints "2 -> 6"
        c.disconnect()
        #expect(log.entries == ["0 -> 2", "2 -> 6"])
    }

    // MARK: - Arrays and sets

    @Test("The talk's array changes are made of modifications and apply in one go")
    func arrayChanges() {
        var change = ArrayChange<String>(initialCount: 3)
        change.add(.insert("Amet", at: 3))
        change.add(.remove("Lorem", at: 0))
        change.add(.replace("Sit", at: 1, with: "Elit"))

        var words = ["Lorem", "Dolor", "Sit"]
        change.apply(on: &words)
        print(words)  // Prints "["Dolor", "Elit", "Amet"]"
        change.reversed().apply(on: &words)
        print(words)  // Prints "["Lorem", "Dolor", "Sit"]"
        #expect(
            log.entries == [
                #"["Dolor", "Elit", "Amet"]"#, #"["Lorem", "Dolor", "Sit"]"#,
            ])
    }

    @Test("The talk's transformations of arrays follow them")
    func arrays() {
        let numbers: ArrayVariable<Int> = [1, 2, 3, 4]
        let divisor = Variable(2)
        let squares = numbers.map { $0 * $0 }
        let large = numbers.filtered(test: { $0 > 2 })
        let multiples = numbers.filtered(test: divisor.map { d in { $0 % d == 0 } })
        let all = large + multiples

        numbers.append(6)
        print(squares.value)  // Prints "[1, 4, 9, 16, 36]"
        print(all.value)  // Prints "[3, 4, 6, 2, 4, 6]"
        divisor.value = 3
        print(all.value)  // Prints "[3, 4, 6, 3, 6]"
        #expect(
            log.entries == ["[1, 4, 9, 16, 36]", "[3, 4, 6, 2, 4, 6]", "[3, 4, 6, 3, 6]"])
    }

    @Test("The talk's operations on sets filter and sort them")
    func sets() {
        let words: SetVariable<String> = ["pear", "fig", "apple"]
        let isShort = words.filtered { $0.count < 5 }
        let direction = Variable(true)
        let sorted = isShort.sorted(
            by: direction.map { isUp in { isUp ? $0 < $1 : $0 > $1 } })

        print(sorted.value)  // Prints "["fig", "pear"]"
        words.insert("kiwi")
        direction.value = false
        print(sorted.value)  // Prints "["pear", "kiwi", "fig"]"
        #expect(log.entries == [#"["fig", "pear"]"#, #"["pear", "kiwi", "fig"]"#])
    }

    // MARK: - The controller

    final class DocumentPickerController {
        let collectionView: CollectionView<PickerItem>
        let items: ObservableArray<PickerItem>
        private var itemConnection: Connection?

        init(items: ObservableArray<PickerItem>, collectionView: CollectionView<PickerItem>) {
            self.items = items
            self.collectionView = collectionView
            collectionView.numberOfItems = { items.count }
            collectionView.itemAt = { items[$0] }
        }

        func viewWillAppear() {
            let view = collectionView
            view.reloadData()
            itemConnection = items.changes.connect { [items] change in
                let batch = change.batched()
                view.performBatchUpdates {
                    view.deleteItems(at: batch.deleted)
                    view.insertItems(at: batch.inserted)
                    for (from, to) in batch.moved {
                        view.moveItem(at: from, to: to)
                        view.cellForItem(at: from)?.item = items[to]
                    }
                }
            }
        }

        func viewDidDisappear() {
            itemConnection?.disconnect()
        }
    }

    @Test("The talk's controller keeps a collection view in step by batches alone")
    func controller() {
        let documents = SetVariable(files)
        let searchText = Variable<String?>(nil)
        let sortOrder = Variable(SortOrder.byModificationDate)
        let items = Self.observeItems(
            documents: documents.observableSet, searchText: searchText.observable,
            sortOrder: sortOrder.observable)
        let view = CollectionView<PickerItem>()
        let controller = DocumentPickerController(items: items, collectionView: view)
        controller.viewWillAppear()
        #expect(view.shown == items.value && view.batches == 0)
        let lorem = view.cells.first { names([$0.item]) == ["Lorem"] }
        sortOrder.value = .byName
        #expect(names(view.shown) == ["+", "Dolor", "Ipsum", "Lorem"])
        // The cell went along: it was moved, not made again.
        #expect(view.cells.last === lorem)
        searchText.value = "m"
        #expect(view.shown == items.value && view.batches == 2)
        transaction {
            documents.insert(FileMetadata(displayName: "Amet", modificationDate: 7))
            documents.remove(FileMetadata(displayName: "Ipsum", modificationDate: 1))
            searchText.value = nil
            sortOrder.value = .byModificationDate
        }
        #expect(names(view.shown) == ["+", "Amet", "Lorem", "Dolor"] && view.batches == 3)
        controller.viewDidDisappear()
        documents.removeAll()
        #expect(view.batches == 3 && view.shown.count == 4)
    }
}
