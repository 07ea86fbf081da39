// New documents with prepared names, compared with documents that were put one by one.

import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct PreparedNamesTests {
    private static func prepare(_ names: [[UInt8]]) -> PreparedNames {
        var prepared = PreparedNames()
        var scratch = PreparedNames.Scratch()
        for name in names { prepared.append(name.span, &scratch) }
        return prepared
    }

    private static func path(_ folder: String) -> [UInt8] { Array(folder.utf8) }

    @Test(
        "Documents added in runs equal those put one by one, among removals and documents displaced"
    )
    func random() throws {
        let seed = SeededNumbers.seed()
        var names = TableNames(random: SeededNumbers(seed: seed))
        let added = DocumentStore(epoch: "a")
        let plain = DocumentStore(epoch: "b")
        for step in 0..<300 {
            let folder = Self.path(
                ["", "a/", "a/b/", "c/"].randomElement(using: &names.random) ?? "")
            var given: [[UInt8]] = []
            for _ in 0..<Int.random(in: 0...12, using: &names.random) {
                let name = names.name()
                if !given.contains(name) { given.append(name) }
            }
            let prepared = Self.prepare(given)
            let facts = given.map { _ in names.facts() }
            // A part of the names, in their order.
            let places = given.indices.filter { prepared.hasName($0) }
                .filter { _ in Int.random(in: 0..<5, using: &names.random) > 0 }
            let keys = places.map { _ in added.mintKeyNumber() }
            for _ in places { _ = plain.mintKeyNumber() }
            let isTwice = Bool.random(using: &names.random)
            let change = added.edit { edits in
                guard let number = try? edits.folder(root: "/r", path: folder) else { return }
                if let first = keys.first {
                    edits.add(
                        from: first, in: number, named: prepared, places.map { UInt32($0) }[...]
                    ) { facts[$0] }
                }
                // Another edit of a document that was just added.
                if isTwice, let key = keys.last { edits.remove(key) }
            }
            let wanted = plain.edit { edits in
                guard let number = try? edits.folder(root: "/r", path: folder) else { return }
                for (key, place) in zip(keys, places) {
                    edits.put(key, in: number, named: given[place], facts: facts[place])
                }
                if isTwice, let key = keys.last { edits.remove(key) }
            }
            #expect(
                change?.addedRows.count == wanted?.addedRows.count, "seed \(seed), step \(step)")
            #expect(Set(change?.removed ?? []) == Set(wanted?.removed ?? []), "seed \(seed)")
            if step % 5 == 0 {
                let gone = added.documents.map(\.key).sorted().filter { _ in
                    Int.random(in: 0..<3, using: &names.random) == 0
                }
                for store in [added, plain] {
                    store.edit { edits in
                        for key in gone { if let key = store.table.key(key) { edits.remove(key) } }
                    }
                }
            }
            if step % 3 == 0 {
                added.releaseFreedRows()
                plain.releaseFreedRows()
            }
            added.table.forgetLatestFolder()
            added.table.checkInvariants()
            #expect(Set(added.documents) == Set(plain.documents), "seed \(seed), step \(step)")
            #expect(Set(added.listed.value) == Set(added.table.current.map { DocumentRow($0) }))
            for document in added.documents {
                guard let row = added.row(key: document.key),
                    let other = plain.row(key: document.key)
                else { continue }
                #expect(added.table.type(of: row) == plain.table.type(of: other))
                #expect(
                    added.table.columns.sortWords[row.index]
                        == plain.table.columns.sortWords[other.index])
                let text = added.table.withSearchBytes(of: row) { $0.text }
                #expect(text == plain.table.withSearchBytes(of: other) { $0.text })
            }
        }
    }

    @Test("A key is less than others that have documents, and a full table refuses")
    func keys() throws {
        var limits = DocumentTable.Limits()
        limits.rows = 3
        let store = DocumentStore(epoch: "e", table: DocumentTable(limits: limits))
        var refused: [DocumentTableError] = []
        store.whenRefused = { refused.append($0) }
        let (first, second) = (store.mintKeyNumber(), store.mintKeyNumber())
        let prepared = Self.prepare(["x", "y", "z", "w"].map { Array($0.utf8) })
        let facts = DocumentFacts(size: 1, modified: FileTime(seconds: 0))
        for (key, place) in [(second, 0), (first, 1)] as [(KeyNumber, UInt32)] {
            store.edit { edits in
                guard let number = try? edits.folder(root: "/r", path: []) else { return }
                edits.add(from: key, in: number, named: prepared, [place]) { _ in facts }
            }
        }
        #expect(store.documents.map { "\($0)" }.sorted() == ["f0 /r/y", "f1 /r/x"])
        let third = store.mintKeyNumber()
        let change = store.edit { edits in
            guard let number = try? edits.folder(root: "/r", path: []) else { return }
            edits.add(from: third, in: number, named: prepared, [2, 3]) { _ in facts }
        }
        #expect(change?.added.map(\.key) == ["f2"] && refused.count == 1)
        store.table.forgetLatestFolder()
        store.table.checkInvariants()
    }

    @Test("What can't be a name has none")
    func bad() {
        let names: [[UInt8]] = [
            [], [0x2F], [0x61, 0], Array(repeating: 0x61, count: 5000), [0x61],
        ]
        let prepared = Self.prepare(names)
        #expect((0..<5).map { prepared.hasName($0) } == [false, false, false, false, true])
    }

    @Test("New documents of a folder cost less together than one by one")
    func cost() throws {
        let store = DocumentStore(epoch: "e")
        let names = (0..<1000).map { Array("Straße Name \($0).txt".utf8) }
        let prepared = Self.prepare(names)
        let places = (0..<1000).map { UInt32($0) }
        let facts = DocumentFacts(size: 1, modified: FileTime(seconds: 0), device: 7)
        try store.table.reserve(rows: 4000, nameBytes: 90_000)
        func add(_ folder: String) -> Cost {
            let first = store.mintKeyNumber()
            for _ in 1..<1000 { _ = store.mintKeyNumber() }
            return Cost.of {
                store.edit { edits in
                    guard let number = try? edits.folder(root: "/r", path: Self.path(folder)) else {
                        return
                    }
                    edits.add(from: first, in: number, named: prepared, places[...]) { _ in facts }
                }
            }
        }
        func put(_ folder: String) -> Cost {
            let keys = names.map { _ in store.mintKeyNumber() }
            return Cost.of {
                store.edit { edits in
                    guard let number = try? edits.folder(root: "/r", path: Self.path(folder)) else {
                        return
                    }
                    for (key, name) in zip(keys, names) {
                        edits.put(key, in: number, named: name, facts: facts)
                    }
                }
            }
        }
        _ = add("a/")
        let (together, each) = (add("b/"), put("c/"))
        #expect(
            together.allocations + 1000 < each.allocations
                && together.retains + 10_000 < each.retains,
            "\(together), and \(each)")
        #expect(store.count == 3000)
    }
}

extension Span<UInt8> {
    fileprivate var text: String {
        var bytes: [UInt8] = []
        for index in indices { bytes.append(self[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
