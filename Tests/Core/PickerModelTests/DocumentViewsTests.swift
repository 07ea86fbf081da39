// Who shows documents, and in which folders these are.

import Testing

@testable import PickerModel

private final class Viewer: DocumentViewer {
    let shownRows: [ShownRow]

    init(_ rows: [DocumentRow]) { shownRows = rows.map { .item(PickerItem($0)) } }
}

@Suite struct DocumentViewsTests {
    private let store = DocumentStore(epoch: "e")
    private let rows: [DocumentRow]

    init() throws {
        let paths = ["a/1", "a/2", "b/1", "c/d/1", "2"]
        let made = paths.map {
            Document(
                key: $0, root: "/r", path: FileName($0), size: 1, modified: FileTime(seconds: 1))
        }
        store.apply(inserted: made)
        let store = store
        rows = try made.map { try #require(store.row(key: $0.key)) }
    }

    private func paths(_ limit: Int = 10, of most: Int = 10, rows: Int = 10) -> [String] {
        store.views.folders(atMost: limit, of: most, rows: rows, in: store.table)
            .map { String(decoding: store.table.folders.path(of: $0), as: UTF8.self) }
    }

    @Test("Each folder of what is shown is found once, within the limits")
    func folders() {
        let viewer = Viewer(rows + rows)
        #expect(paths() == [])
        store.views.add(viewer)
        // One may have the place in memory of another that has ended without a word.
        store.views.add(viewer)
        #expect(store.views.count == 1)
        #expect(paths() == ["a/", "b/", "c/d/", ""])
        #expect(paths(2) == ["a/", "b/"] && paths(rows: 2) == ["a/"] && paths(of: 0) == [])
        store.views.remove(viewer)
        store.views.remove(viewer)
        #expect(paths() == [] && store.views.count == 0)
    }

    @Test("Viewers are asked in turn, and one that has ended is passed over")
    func turns() {
        var viewers = rows.map { Viewer([$0]) }
        for viewer in viewers { store.views.add(viewer) }
        #expect(paths(of: 2) == ["a/"] && paths(of: 2) == ["b/", "c/d/"])
        #expect(paths(of: 2) == ["", "a/"] && paths() == ["a/", "b/", "c/d/", ""])
        store.views.remove(viewers[0])
        store.views.remove(viewers[4])
        #expect(store.views.count == 3 && Set(paths()) == ["a/", "b/", "c/d/"])
        viewers = []
        #expect(paths() == [])
    }
}
