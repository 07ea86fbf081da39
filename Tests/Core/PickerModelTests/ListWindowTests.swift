import PickerModel
import Testing

@Suite struct ListWindowTests {
    private let documents = [
        Document("Zebra.md", seconds: 3), Document("alpha 10.txt", seconds: 1),
        Document("Alpha 9.txt", seconds: 2),
    ]

    @Test("the list is the offer of a new document, then the documents in order")
    func everything() throws {
        let items = generateItems(documents: documents, search: nil, sortOrder: .name)
        #expect(items.map(\.key) == ["new", "f-Alpha 9.txt", "f-alpha 10.txt", "f-Zebra.md"])
        let empty = try DocumentSearch.parse("")
        let newest = generateItems(documents: documents, search: empty, sortOrder: .date)
        #expect(newest.map(\.key) == ["new", "f-Zebra.md", "f-Alpha 9.txt", "f-alpha 10.txt"])
        #expect(generateItems(documents: [], search: nil, sortOrder: .name) == [.newDocument])
    }

    @Test("a search leaves the documents that match, and no offer")
    func search() throws {
        func keys(_ text: String) throws -> [String] {
            let search = try DocumentSearch.parse(text)
            return generateItems(documents: documents, search: search, sortOrder: .name)
                .map(\.key)
        }
        #expect(try keys("ALPHÁ") == ["f-Alpha 9.txt", "f-alpha 10.txt"])
        #expect(try keys("new").isEmpty)
    }

    @Test("a window is a range of rows, empty beyond the end")
    func windows() {
        func keys(_ start: Int, _ count: Int?) -> [String] {
            let items = generateItems(documents: documents, search: nil, sortOrder: .name)
            let window = ListWindow(start: start, count: count)
            return items[window.range(in: items.count)].map(\.key)
        }
        #expect(keys(0, nil).count == 4)
        #expect(keys(1, 2) == ["f-Alpha 9.txt", "f-alpha 10.txt"])
        #expect(keys(3, 100_000) == ["f-Zebra.md"])
        #expect(keys(4, 1).isEmpty)
        #expect(keys(.max, nil).isEmpty)
        #expect(keys(.max, 100_000).isEmpty)
        #expect(keys(0, 0).isEmpty)
    }
}
