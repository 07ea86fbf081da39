// Items of sources among the documents, compared with plain dictionaries.

import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite("Items of sources")
struct SourcesTests {
    @Test("After every random step the documents are the items that the sources have given")
    func randomSteps() throws {
        try withSeed { random in
            for _ in 0..<testRounds(10) {
                let bench = try SourcesBench()
                for step in 0..<120 {
                    let what = try bench.step(&random)
                    bench.store.checkInvariants()
                    bench.store.marks.checkInvariants()
                    let fault = bench.fault()
                    #expect(fault == nil, "\(what), step \(step): seed \(random.seed)")
                    if fault != nil { return }
                    if random.chance(0.5) { bench.store.releaseFreedRows() }
                }
                bench.endLists()
            }
        }
    }

    @Test(
        "Likes and drops are found again by the places of items, after a restart in another order")
    func marks() throws {
        var marked = MarkedStore()
        marked.documents.marks.settle()
        let items = [
            SourcedItem(id: "one", name: "same"), SourcedItem(id: "two", name: "same"),
            SourcedItem(id: "three", name: "same"),
            SourcedItem(id: "file", name: "a", uri: "file:///home/a"),
            SourcedItem(id: "other", name: "a", uri: "https://example.org/a"),
        ]
        let first = marked.documents.sources.add("a:x", title: "X")
        try marked.documents.sources.edit(first, putting: items)
        func key(_ id: String, _ collection: SourcedCollection, _ store: DocumentStore) throws
            -> String
        {
            store.table.text(of: try #require(collection.key(of: id)))
        }
        // The first of the name, whichever that was, is at its own place.
        marked.wish(.like(true), try key("one", first, marked.documents))
        marked.wish(.like(true), try key("file", first, marked.documents))
        marked.wish(.drop, try key("other", first, marked.documents))
        marked.wish(.like(true), try key("two", first, marked.documents))
        #expect(marked.stored.count == 4)

        var next = MarkedStore(marked.stored)
        let again = next.documents.sources.add("a:x", title: "X")
        // The folders have been read before the source is opened.
        next.documents.marks.settle()
        try next.documents.sources.edit(again, putting: [items[3], items[4], items[0]])
        try next.documents.sources.edit(again, putting: [items[2], items[1]])
        next.flush()
        func document(_ id: String) throws -> Document {
            try #require(next.documents[key: try key(id, again, next.documents)])
        }
        #expect(try ["one", "two", "file"].allSatisfy { try document($0).isLiked })
        #expect(try !document("three").isLiked && !document("other").isLiked)
        #expect(try document("other").isDropped)
        // Removed and given again.
        try next.documents.sources.edit(again, removing: ["one", "file"])
        try next.documents.sources.edit(again, putting: [items[0], items[3]])
        #expect(try document("one").isLiked && document("file").isLiked)
        next.documents.marks.checkInvariants()
    }

    @Test("An item that is renamed keeps its likes; it is the same document")
    func renamed() throws {
        var marked = MarkedStore()
        marked.documents.marks.settle()
        let sources = marked.documents.sources
        let collection = sources.add("a:x", title: "X")
        try sources.edit(collection, putting: [SourcedItem(id: "i", name: "a")])
        let key = try #require(collection.key(of: "i"))
        marked.wish(.like(true), marked.documents.table.text(of: key))
        try sources.edit(
            collection, putting: [SourcedItem(id: "i", name: "b", uri: "file:///x/b", size: 7)])
        #expect(collection.key(of: "i") == key)
        let document = try #require(marked.documents[key: marked.documents.table.text(of: key)])
        #expect(document.isLiked && document.name.text == "b" && document.path.text == "x/b")
        #expect(document.size == 7 && document.root == "a:x")
    }

    @Test("The type is what the source says, if the daemon knows it; else that of the name")
    func types() throws {
        let store = DocumentStore(epoch: "e")
        let collection = store.sources.add("a:x", title: "X")
        let folder = try #require(MediaType(text: "inode/directory"))
        #expect(MediaType(text: "no/such type") == nil)
        try store.sources.edit(
            collection,
            putting: [
                SourcedItem(id: "1", name: "a.md", type: folder),
                SourcedItem(id: "2", name: "b.md"),
            ])
        func type(_ id: String) throws -> String {
            let key = store.table.text(of: try #require(collection.key(of: id)))
            return try #require(store[key: key]).type.text
        }
        #expect(try type("1") == "inode/directory" && type("2") == "text/markdown")
        let filter = DocumentFilter(.type(MediaTypeSet(["inode/directory"])))
        let range = DocumentRange(.listed, of: CollectionSet(["a:x"]))
        let survey = DocumentSurvey(of: store, in: range, for: DocumentQuery(filter: filter))
        #expect(survey.advance(budget: .max) && survey.known?.map(\.self).count == 1)
        // The type alone changes.
        try store.sources.edit(collection, putting: [SourcedItem(id: "1", name: "a.md")])
        #expect(try type("1") == "text/markdown")
        #expect(survey.known?.map(\.self).count == 0)
    }

    @Test(
        "A collection of other title that is added while the last one is emptied has the new title")
    func title() throws {
        let store = DocumentStore(epoch: "e")
        let first = store.sources.add("a:x", title: "First")
        try store.sources.edit(first, putting: [SourcedItem(id: "i", name: "a")])
        store.sources.withdraw(first)
        #expect(store.sources.all.isEmpty && store.sources.count == 1)
        let second = store.sources.add("a:x", title: "Second")
        #expect(second.title == "Second" && second.count == 1)
        // One that is empty is forgotten with its title.
        store.sources.withdraw(second)
        try store.sources.edit(second, removing: ["i"])
        #expect(store.sources.count == 0 && store.sources.roots.isEmpty)
        #expect(store.collections.known.isEmpty)
        store.checkInvariants()
    }

    @Test("Of so many items with one name that there is no place left, no document is lost")
    func sameNames() throws {
        let store = DocumentStore(epoch: "e")
        let collection = store.sources.add("a:x", title: "X")
        let items = (0..<500).map { SourcedItem(id: "\($0)", name: "same") }
        try store.sources.edit(collection, putting: items)
        #expect(collection.count == 500)
        let names = Set(store.documents.map(\.path.text))
        #expect(names.count == 500 && store.documents.allSatisfy { $0.name.text == "same" })
        store.checkInvariants()
    }
}
