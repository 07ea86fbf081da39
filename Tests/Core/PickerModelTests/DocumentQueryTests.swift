// Searches and filters of documents and of their rows, which have the same answers.

import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct DocumentQueryTests {
    /// Some documents in a few folders, in every form in which the table stores names.
    private static func makeStore(_ texts: inout SeededTexts) -> DocumentStore {
        let store = DocumentStore(epoch: "e")
        var names = TableNames(random: texts.random)
        let folders = ["", "notes/", "Notes/Älter/", "d1/", "d1/d2/", "日本/"]
        var documents: [Document] = []
        for number in 0..<120 {
            let folder = folders.randomElement(using: &names.random) ?? ""
            let name = number % 3 == 0 ? Array(texts.knownName().utf8) : names.name()
            if name.isEmpty || name.contains(0) || name.contains(UInt8(ascii: "/")) { continue }
            let facts = names.facts()
            documents.append(
                Document(
                    key: store.mintKey(), root: "/r",
                    path: FileName(bytes: Array(folder.utf8) + name), size: facts.size % 5,
                    modified: facts.modified, device: facts.device, inode: facts.inode
                ).with(isLiked: number % 2 == 0))
        }
        texts.random = names.random
        store.apply(inserted: documents)
        return store
    }

    @Test("a row becomes the document that was put in")
    func values() {
        let seed = SeededNumbers.seed()
        for round in 0..<30 {
            var texts = SeededTexts(seed: seed &+ UInt64(round))
            let store = Self.makeStore(&texts)
            for row in store.listed.value {
                let document = store.table.document(of: row)
                let plain = Document(
                    key: document.key, root: document.root, path: document.path,
                    size: document.size, modified: document.modified, device: document.device,
                    inode: document.inode
                ).with(isLiked: document.isLiked)
                #expect(document == plain && document.name == document.path.lastComponent)
                #expect(store[key: document.key] == document, "seed \(seed)")
                #expect(store[root: "/r", path: document.path] == document, "seed \(seed)")
                #expect(store.table.type(of: row) == document.type, "seed \(seed)")
                #expect(store.table.row(root: "/r", path: document.path) == row)
                #expect(store.table.row(root: "/q", path: document.path) == nil)
            }
        }
    }

    @Test("a search finds a document if and only if it finds its row, with the same rank")
    func searches() throws {
        let seed = SeededNumbers.seed()
        var found = 0
        for round in 0..<40 {
            var texts = SeededTexts(seed: seed &+ UInt64(round))
            let store = Self.makeStore(&texts)
            let rows = store.listed.value.sorted { $0.index < $1.index }
            for match in DocumentSearch.Match.allCases {
                for _ in 0..<4 {
                    let row = rows.randomElement(using: &texts.random)
                    let name = row.map { store.table.document(of: $0).name.text } ?? ""
                    let text = texts.part(of: name)
                    guard text.utf8.count < 200,
                        let search = try DocumentSearch.parse(text, match: match)
                    else { continue }
                    for row in rows {
                        let document = store.table.document(of: row)
                        let isMatch = search.matches(document)
                        if isMatch { found += 1 }
                        #expect(
                            search.matches(row, of: store.table) == isMatch,
                            "seed \(seed), \(match) '\(text)' in \(document)")
                        if case .fuzzy(let fuzzy) = search {
                            let rank = fuzzy.rank(of: document)
                            #expect(
                                fuzzy.rank(of: row, in: store.table)?.order == rank?.order,
                                "seed \(seed), '\(text)' in \(document)")
                        }
                    }
                }
            }
        }
        #expect(found > 500)
    }

    @Test("a ranking search reads a folder's new path after it was renamed")
    func renamedFolder() throws {
        let store = DocumentStore(epoch: "e")
        store.apply(inserted: [
            Document("old/name", key: "f0"), Document("old/other", key: "f1"),
        ])
        let table = store.table
        let row = try #require(store.row(key: "f0"))
        let search = try #require(try DocumentSearch.parse("new", match: .fuzzy))
        #expect(!search.matches(row, of: table))
        let folder = table.folder(of: row)
        let root = try #require(table.folders.parent(of: folder))
        let name = Array("new".utf8)
        try table.folders.move(folder, to: root, named: name.span)
        #expect(search.matches(row, of: table))
        #expect(table.document(of: row).path.text == "new/name")
        #expect(store[key: "f1"]?.path.text == "new/other")
    }

    @Test("a filter keeps a document if and only if it keeps its row, at the same cost")
    func filters() throws {
        try withSeed { random in
            let store = DocumentStore(epoch: "e")
            var kept = 0
            for _ in 0..<150 {
                let documents = (0..<8).map { number in
                    let document = RandomFilters.document(&random)
                    return Document(
                        key: "f\(number)", root: "/r", path: document.path, size: document.size,
                        modified: document.modified
                    ).with(isLiked: document.isLiked)
                }
                store.apply(removed: store.documents, inserted: documents)
                if random.chance(0.5) { store.releaseFreedRows() }
                for _ in 0..<10 {
                    let expression = try RandomFilters.expression(&random)
                    let filter = DocumentFilter(expression)
                    let query = DocumentQuery(filter: filter)
                    for row in store.listed.value {
                        let document = store.table.document(of: row)
                        var (steps, rowSteps) = (0, 0)
                        let isMatch = filter.matches(document, steps: &steps)
                        if isMatch { kept += 1 }
                        #expect(isMatch == expression.holds(document))
                        #expect(
                            filter.matches(row, of: store.table, steps: &rowSteps) == isMatch,
                            "\(expression) \(document): seed \(random.seed)")
                        #expect(steps == rowSteps, "\(expression) \(document): seed \(random.seed)")
                        #expect(query.matches(row, of: store.table) == isMatch)
                        #expect(query.matches(document) == isMatch)
                    }
                }
            }
            #expect(kept > 2000)
        }
    }
}
