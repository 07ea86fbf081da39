import Observables
import Testing

/// Collects what is sent, in order.
final class Log<Value> {
    var entries: [Value] = []
    func add(_ value: Value) { entries.append(value) }
}

private struct FileMetadata: Hashable {
    var displayName: String
    var modified: Int
}

private enum SortOrder {
    case byModificationDate, byName

    var comparator: (FileMetadata, FileMetadata) -> Bool {
        switch self {
        case .byModificationDate: return { $0.modified > $1.modified }
        case .byName: return { $0.displayName < $1.displayName }
        }
    }
}

private enum PickerItem: Hashable {
    case newDocument
    case document(FileMetadata)

    func matches(_ text: String?) -> Bool {
        guard case .document(let file) = self else { return text == nil }
        guard let text = text else { return true }
        return file.displayName.lowercased().contains(text)
    }
}

@Suite struct TalkTests {
    @Test("The talk's signal prints what was sent")
    func signal() {
        let log = Log<Int>()
        let s = Signal<Int>()
        let c = s.connect { log.add($0) }
        s.send(42)
        c.disconnect()
        s.send(43)
        #expect(log.entries == [42])
    }

    @Test("The talk's variable says goodbye to Fred")
    func variable() {
        let log = Log<String>()
        let name = Variable<String>("Fred")
        let connection = name.changes.connect { c in log.add("Bye \(c.old), hi \(c.new)!") }
        name.value = "Barney"
        connection.disconnect()
        #expect(log.entries == ["Bye Fred, hi Barney!"])
    }

    @Test("The talk's map is loud")
    func map() {
        let log = Log<String>()
        let quiet = Variable<String>("Fred")
        let loud = quiet.map { "\($0.uppercased())!!!" }
        #expect(loud.value == "FRED!!!")
        let c = loud.connect { log.add($0.new) }
        quiet.value = "Barney"
        c.disconnect()
        #expect(log.entries == ["BARNEY!!!"])
    }

    @Test("The talk's expressions have the values of their parts")
    func expressions() {
        let a = Variable<Int>(23)
        let b = Variable<Int>(42)
        let c = Variable<Int>(60)
        let sum = a + b
        #expect(sum.value == 65)
        a.value = 13
        #expect(sum.value == 55)
        let predicate: Observable<Bool> = !(a > b && a + b < c)
        #expect(predicate.value)
        transaction {
            a.value = 31
            b.value = 28
        }
        #expect(!predicate.value)
    }

    @Test("A sum of a variable with itself goes from 0 to 2 and from 2 to 6")
    func sumWithItself() {
        let log = Log<String>()
        let a = Variable<Int>(0)
        let sum = a + a
        let c = sum.connect { log.add("\($0.old) -> \($0.new)") }
        a.value = 1
        a.value = 3
        c.disconnect()
        #expect(log.entries == ["0 -> 2", "2 -> 6"])
    }

    @Test("The talk's picker compiles as written and follows documents, search and order")
    func picker() {
        let allDocuments = SetVariable<FileMetadata>([
            FileMetadata(displayName: "Lorem", modified: 3),
            FileMetadata(displayName: "Ipsum", modified: 1),
            FileMetadata(displayName: "Dolor", modified: 2),
        ])
        let text = Variable<String?>(nil)
        let order = Variable<SortOrder>(.byModificationDate)
        let documents: ObservableSet<FileMetadata> = allDocuments.observableSet
        let searchText: Observable<String?> = text.observable
        let sortOrder: Observable<SortOrder> = order.observable

        let items: ObservableArray<PickerItem> =
            (ObservableArray.constant([.newDocument])
            + documents
            .sorted(by: sortOrder.map { $0.comparator })
            .map { .document($0) }).filter(where: searchText.map { text in { $0.matches(text) } })

        func names() -> [String] {
            items.value.map { if case .document(let file) = $0 { file.displayName } else { "+" } }
        }
        #expect(names() == ["+", "Lorem", "Dolor", "Ipsum"])

        var shown = items.value
        let c = items.changes.connect { change in
            let batch = change.batched()
            let before = shown
            change.apply(on: &shown)
            var replayed = [PickerItem?](repeating: nil, count: shown.count)
            for (from, to) in batch.moved { replayed[to] = before[from] }
            for index in batch.inserted { replayed[index] = items[index] }
            let leaving = Set(batch.deleted + batch.moved.map(\.from))
            var rest = before.indices.filter { !leaving.contains($0) }.makeIterator()
            for index in replayed.indices where replayed[index] == nil {
                if let kept = rest.next() { replayed[index] = before[kept] }
            }
            #expect(replayed == shown)
        }
        order.value = .byName
        #expect(names() == ["+", "Dolor", "Ipsum", "Lorem"])
        text.value = "lo"
        #expect(names() == ["Dolor", "Lorem"][...].filter { $0.lowercased().contains("lo") })
        allDocuments.insert(FileMetadata(displayName: "Elopement", modified: 9))
        #expect(names() == ["Dolor", "Elopement", "Lorem"])
        transaction {
            text.value = nil
            allDocuments.remove(FileMetadata(displayName: "Lorem", modified: 3))
            order.value = .byModificationDate
        }
        #expect(names() == ["+", "Elopement", "Dolor", "Ipsum"])
        #expect(shown == items.value)
        c.disconnect()
        #expect(names() == ["+", "Elopement", "Dolor", "Ipsum"])
    }
}
