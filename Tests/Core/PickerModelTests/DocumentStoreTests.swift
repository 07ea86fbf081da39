import Observables
import PickerModel
import Testing

extension DocumentStore {
    /// The documents of rows.
    fileprivate func values(_ rows: Set<DocumentRow>) -> Set<Document> {
        Set(rows.map { table.document(of: $0) })
    }
}

@Suite struct DocumentStoreTests {
    @Test("documents are found by key and by path, which follow each change")
    func lookups() {
        let store = DocumentStore(epoch: "e1")
        let first = Document("a.md", key: store.mintKey())
        let second = Document("b/a.md", key: store.mintKey())
        store.apply(inserted: [first, second])
        #expect(store[key: "f0"] == first)
        #expect(store[root: first.root, path: FileName("b/a.md")] == second)
        #expect(store[root: "/elsewhere", path: FileName("a.md")] == nil)
        #expect(store.token == "e1:1")

        let moved = first.with(root: first.root, path: FileName("c.md"))
        let change = store.apply(removed: [first], inserted: [moved])
        #expect(change?.moved.map(\.old) == [first])
        #expect(change?.moved.map(\.new) == [moved])
        #expect(change?.rev == 2)
        #expect(store[root: first.root, path: FileName("a.md")] == nil)
        #expect(store[key: "f0"] == moved)
    }

    @Test("the last few thousand changes of revisions are remembered")
    func changedKeys() {
        let store = DocumentStore(epoch: "e")
        #expect(store.keysChanged(after: 0) == [])
        let first = Document("a", key: "f0")
        store.apply(inserted: [first, Document("b", key: "f1")])
        store.apply(removed: [first])
        store.apply(inserted: [Document("c", key: "f2")])
        #expect(store.keysChanged(after: 0) == ["f0", "f1", "f2"])
        #expect(store.keysChanged(after: 1) == ["f0", "f2"])
        #expect(store.keysChanged(after: 2) == ["f2"])
        #expect(store.keysChanged(after: 3) == [])
        let rev = store.rev
        for number in 0..<4096 {
            store.apply(inserted: [Document("n\(number)", key: "n\(number)")])
        }
        #expect(store.keysChanged(after: rev)?.count == 4096)
        #expect(store.keysChanged(after: rev - 1) == nil)
        // A replacement is one change.
        let renewed = store.rev
        for size in 1...4096 {
            guard let old = store[key: "f2"] else { break }
            store.apply(
                removed: [old],
                inserted: [old.with(size: UInt64(size) + 1, modified: FileTime(seconds: 9))])
        }
        #expect(store.rev == renewed + 4096)
        #expect(store.keysChanged(after: renewed) == ["f2"])
        // More in one revision than the limit: changes before it are unknown, and all after it known.
        store.apply(inserted: (0..<5000).map { Document("m\($0)", key: "m\($0)") })
        #expect(store.keysChanged(after: store.rev - 1) == nil)
        #expect(store.keysChanged(after: store.rev) == [])
    }

    @Test("names that differ only in the composition of letters are two paths")
    func composedNames() {
        let store = DocumentStore(epoch: "e")
        store.apply(inserted: [Document("é", key: "f0"), Document("e\u{301}", key: "f1")])
        #expect(store.count == 2)
    }

    @Test("an edit without effect creates no revision")
    func nothing() {
        var told = 0
        let store = DocumentStore(epoch: "e")
        let connection = store.all.changes.connect { _ in told += 1 }
        defer { connection.disconnect() }
        let document = Document("a", key: "f0")
        #expect(store.apply() == nil)
        #expect(store.apply(removed: [document]) == nil)
        store.apply(inserted: [document])
        #expect(told == 1)
        #expect(store.apply(inserted: [Document("a", key: "f0")]) == nil)
        #expect(store.apply(removed: [document], inserted: [document]) == nil)
        #expect(store.rev == 1)
        #expect(store.documents == [document])
        #expect(store.keysChanged(after: 1) == [])
    }

    @Test("observers are not told of a document that is inserted again as it is")
    func insertedAgain() {
        var told = 0
        let store = DocumentStore(epoch: "e")
        let document = Document("a/b", key: "f0")
        store.apply(inserted: [document])
        let row = store.row(key: "f0")
        let connection = store.all.changes.connect { _ in told += 1 }
        defer { connection.disconnect() }
        store.apply(inserted: [document])
        store.apply(removed: [document], inserted: [document])
        #expect(told == 0 && store.row(key: "f0") == row)
    }

    @Test("a document displaces those with its key or path, and observers are notified")
    func displaced() {
        var changes: [(removed: Set<Document>, inserted: Set<Document>)] = []
        let store = DocumentStore(epoch: "e")
        let connection = store.all.changes.connect { change in
            changes.append((store.values(change.removed), store.values(change.inserted)))
        }
        defer { connection.disconnect() }
        let first = Document("a", key: "f0")
        let second = Document("b", key: "f1")
        store.apply(inserted: [first, second])
        let third = Document("a", key: "f1")
        store.apply(inserted: [third])
        #expect(Array(store.documents) == [third])
        #expect(changes.count == 2)
        #expect(changes.last?.removed == [first, second])
        #expect(changes.last?.inserted == [third])
        #expect(store.apply(inserted: [first, second, third]) == nil)
        #expect(Array(store.documents) == [third])
        #expect(store.rev == 2)
        // It may have another row, but is the same.
        for change in changes.dropFirst(2) { #expect(change.removed == change.inserted) }
    }

    @Test("rows of former versions remain readable until they are released, and are used again")
    func formerRows() throws {
        var due = 0
        let store = DocumentStore(epoch: "e")
        store.whenRowsAreFreed = { due += 1 }
        var document = Document("a", key: "f0")
        store.apply(inserted: [document])
        #expect(due == 0)
        let first = try #require(store.row(key: "f0"))
        for size in 1...3 {
            document = document.with(size: UInt64(size), modified: document.modified)
            store.apply(inserted: [document])
        }
        #expect(due == 1, "once for all of them")
        #expect(store.table.document(of: first) == Document("a", key: "f0"))
        #expect(store.table.rowsInUse == 4 && store.count == 1)
        store.releaseFreedRows()
        #expect(store.table.rowsInUse == 1 && store.documents == [document])
        for size in 4...60 {
            document = document.with(size: UInt64(size), modified: document.modified)
            store.apply(inserted: [document])
            store.releaseFreedRows()
        }
        #expect(store.table.rowEnd == 4 && due == 58)
        #expect(store.documents == [document])
    }

    @Test("a document without room is in no list, and the reason is told")
    func refused() {
        var limits = DocumentTable.Limits()
        limits.rows = 8
        let store = DocumentStore(epoch: "e", table: DocumentTable(limits: limits))
        var refused: [DocumentTableError] = []
        store.whenRefused = { refused.append($0) }
        store.apply(inserted: (0..<10).map { Document("\($0)", key: "f\($0)") })
        #expect(store.count == 8 && store.listed.value.count == 8)
        #expect(refused.map(\.code) == [.full, .full])
        #expect(store[key: "f9"] == nil)
    }

    @Test("observers see the complete set")
    func completeness() {
        var seen: [Int] = []
        let store = DocumentStore(epoch: "e")
        let connection = store.all.changes.connect { change in
            seen = [store.rev, store.count, change.inserted.count]
        }
        store.apply(inserted: [Document("a", key: "f0"), Document("b", key: "f1")])
        #expect(seen == [1, 2, 2])
        connection.disconnect()
    }

    @Test("keys are never repeated")
    func keys() {
        let store = DocumentStore(epoch: "e")
        let keys = (0..<5000).map { _ in store.mintKey() }
        #expect(Set(keys).count == 5000)
        #expect(keys[35...36] == ["fz", "f10"])
    }

    @Test("random changes equal a plain list of documents, and their replay")
    func random() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        var plain: [Document] = []
        var former: [Document] = []
        var rows: Set<DocumentRow> = []
        var replayed: Set<Document> = []
        var rev = 0
        let store = DocumentStore(epoch: "e")
        let connection = store.all.changes.connect { change in
            #expect(change.removed.isSubset(of: rows), "seed \(seed)")
            rows.subtract(change.removed)
            #expect(change.inserted.isDisjoint(with: rows), "seed \(seed)")
            rows.formUnion(change.inserted)
            let (removed, inserted) = (store.values(change.removed), store.values(change.inserted))
            #expect(removed.isSubset(of: replayed), "seed \(seed)")
            replayed.subtract(removed)
            #expect(inserted.isDisjoint(with: replayed), "seed \(seed)")
            replayed.formUnion(inserted)
            // Without a new revision, documents have other rows, but are the same.
            #expect(store.rev == rev + 1 || store.rev == rev && removed == inserted)
            rev = store.rev
        }
        defer { connection.disconnect() }
        func document() -> Document {
            Document(
                "n\(Int.random(in: 0..<12, using: &random))",
                key: "f\(Int.random(in: 0..<12, using: &random))",
                size: UInt64.random(in: 0..<2, using: &random))
        }
        for _ in 0..<4000 {
            let removed = (0..<Int.random(in: 0...2, using: &random)).map { _ in document() }
            let inserted = (0..<Int.random(in: 0...3, using: &random)).map { _ in document() }
            for gone in removed { plain.removeAll { $0.key == gone.key } }
            for new in inserted {
                plain.removeAll { $0.key == new.key || $0.path == new.path }
                plain.append(new)
            }
            let change = store.apply(removed: removed, inserted: inserted)
            expectDifference(change, from: former, to: plain, "seed \(seed)")
            former = plain
            #expect(Set(store.documents) == Set(plain), "seed \(seed)")
            #expect(replayed == Set(plain), "seed \(seed)")
            #expect(store.values(rows) == Set(plain), "seed \(seed)")
            #expect(store.bits(in: .all).sorted() == rows.map(\.index).sorted(), "seed \(seed)")
            for held in plain {
                #expect(store[key: held.key] == held, "seed \(seed)")
                #expect(store[root: held.root, path: held.path] == held, "seed \(seed)")
            }
            if Bool.random(using: &random) { store.releaseFreedRows() }
        }
        #expect(store.rev == rev)
    }

    /// Compares a change with the two plain lists before and after it.
    private func expectDifference(
        _ change: DocumentChange?, from former: [Document], to plain: [Document],
        _ comment: Comment
    ) {
        let before = Dictionary(uniqueKeysWithValues: former.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: plain.map { ($0.key, $0) })
        #expect((change == nil) == (before == after), comment)
        #expect(Set(change?.added ?? []) == Set(plain.filter { before[$0.key] == nil }), comment)
        #expect(Set(change?.removed ?? []) == Set(former.filter { after[$0.key] == nil }), comment)
        let kept = former.compactMap { old in after[old.key].map { (old: old, new: $0) } }
        let changed = kept.filter { $0.old != $0.new && $0.old.path == $0.new.path }
        #expect(Set(change?.changed.map(\.new) ?? []) == Set(changed.map(\.new)), comment)
        #expect(Set(change?.changed.map(\.old) ?? []) == Set(changed.map(\.old)), comment)
        let moved = kept.filter { $0.old.path != $0.new.path }
        #expect(Set(change?.moved.map(\.new) ?? []) == Set(moved.map(\.new)), comment)
        #expect(Set(change?.moved.map(\.old) ?? []) == Set(moved.map(\.old)), comment)
    }
}
