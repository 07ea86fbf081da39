import Observables
import Testing

// The talk's picker, word for word as in the article "The talk, in today's Swift".

@Suite struct TalkPickerTests {
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

    @Test("The talk's picker equals its pure function after every change")
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

    @Test("The talk's controller keeps a collection view up to date by batches alone")
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
        // The cell was moved, not created again.
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
