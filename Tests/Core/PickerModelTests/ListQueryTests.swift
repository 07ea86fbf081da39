import PickerModel
import Testing

@Suite struct ListQueryTests {
    private let documents = [
        Document("Zebra.md", seconds: 3), Document("alpha 10.txt", seconds: 1),
        Document("Alpha 9.txt", seconds: 2),
    ]

    @Test("the list is the offer of a new document, then the documents in order")
    func everything() throws {
        let items = try generateItems(documents: documents, searchText: nil, sortOrder: .name)
        #expect(items.map(\.key) == ["new", "f-Alpha 9.txt", "f-alpha 10.txt", "f-Zebra.md"])
        let empty = try generateItems(documents: documents, searchText: "", sortOrder: .date)
        #expect(empty.map(\.key) == ["new", "f-Zebra.md", "f-Alpha 9.txt", "f-alpha 10.txt"])
        #expect(
            try generateItems(documents: [], searchText: nil, sortOrder: .name) == [.newDocument])
    }

    @Test("a search leaves the documents that match, and no offer")
    func search() throws {
        let items = try generateItems(documents: documents, searchText: "ALPHÁ", sortOrder: .name)
        #expect(items.map(\.key) == ["f-Alpha 9.txt", "f-alpha 10.txt"])
        #expect(
            try generateItems(documents: documents, searchText: "new", sortOrder: .name).isEmpty)
    }

    @Test("a window is a range of rows, empty beyond the end")
    func windows() throws {
        func keys(_ start: Int, _ count: Int?) throws -> [String] {
            let query = ListQuery(window: try ListWindow(start: start, count: count))
            return query.items(of: documents).map(\.key)
        }
        #expect(try keys(0, nil).count == 4)
        #expect(try keys(1, 2) == ["f-Alpha 9.txt", "f-alpha 10.txt"])
        #expect(try keys(3, 100_000) == ["f-Zebra.md"])
        #expect(try keys(4, 1).isEmpty)
        #expect(try keys(.max, nil).isEmpty)
        #expect(try keys(.max, 100_000).isEmpty)
        #expect(try keys(0, 0).isEmpty)
    }

    @Test("windows out of range are refused")
    func wrongWindows() {
        for (start, count) in [(-1, 5), (0, -1), (0, 100_001), (.min, .max)] {
            #expect(throws: PickerModelError.self) { try ListWindow(start: start, count: count) }
        }
    }
}
