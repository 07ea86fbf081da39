// The changes in a window of which one row came or went, beside those that are found by keys.

import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin

@Suite struct WindowEditsTests {
    /// The present rows of documents in a table.
    private static func rows(of store: DocumentStore) -> [ShownRow] {
        store.table.current.map { .item(PickerItem(DocumentRow(UInt32($0)))) }
    }

    private static func document(_ store: DocumentStore, _ name: String) -> Document {
        Document(
            key: store.mintKey(), root: "/r", path: FileName(name), size: 1,
            modified: FileTime(seconds: 1))
    }

    /// The edits of one row, and how many records were made for them.
    private static func edits(
        from old: [ShownRow], to new: [ShownRow], in table: DocumentTable
    ) -> (edits: WindowEdits, records: Int)? {
        var records = 0
        let edits = WindowEdits(ofOneRow: old, new, at: 3, in: table) { (row: ShownRow) in
            records += 1
            return ItemRecord(kind: .document, key: table.key(of: row))
        }
        return edits.map { ($0, records) }
    }

    @Test("one row that comes or goes is told as it is found by the keys of all rows")
    func besideKeys() throws {
        try withSeed { random in
            let store = DocumentStore(epoch: "e")
            let table = store.table
            let documents = (0..<12).map { Self.document(store, "\($0)") }
            store.apply(inserted: documents)
            let before = ShownRows([.item(.newDocument)] + Self.rows(of: store), of: table)
            // Other versions of some documents: rows with equal keys.
            let modified = FileTime(seconds: 2)
            store.apply(inserted: documents.prefix(6).map { $0.with(size: 2, modified: modified) })
            let after = ShownRows(Self.rows(of: store), of: table)
            let known = Array(Set(before.rows + after.rows))
            var told = 0
            for round in 0..<4000 {
                var old: [ShownRow] = []
                for row in known.shuffled(using: &random).prefix(8) {
                    let key = table.key(of: row)
                    if !old.contains(where: { table.key(of: $0) == key }) { old.append(row) }
                }
                var new = old
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let row = try #require(known.randomElement(using: &random))
                    let key = table.key(of: row)
                    new.removeAll { table.key(of: $0) == key }
                    let place =
                        random.chance(0.7) ? 0 : Int.random(in: 0...new.count, using: &random)
                    new.insert(row, at: place)
                }
                if random.chance(0.5), !new.isEmpty { new.removeLast() }
                if random.chance(0.2), !new.isEmpty { new.removeFirst() }
                guard let (edits, records) = Self.edits(from: old, to: new, in: table) else {
                    continue
                }
                told += 1
                let wanted = ArrayBatch(from: old, to: new, identifiedBy: { table.key(of: $0) })
                #expect(wanted.moved.isEmpty && wanted.updated.isEmpty, "round \(round)")
                #expect(edits.moved.isEmpty && edits.updated.isEmpty)
                #expect(edits.deleted == wanted.deleted.map { $0 + 3 }, "round \(round)")
                let places = edits.inserted.map { $0.index - 3 }
                #expect(places == wanted.inserted && records == places.count, "round \(round)")
                let keys = edits.inserted.map { $0.item.key }
                #expect(keys == wanted.inserted.map { table.key(of: new[$0]) }, "round \(round)")
            }
            #expect(told > 400, "of 4000")
        }
    }

    @Test("of rows that have only shifted no record is made")
    func shifted() throws {
        let store = DocumentStore(epoch: "e")
        store.apply(inserted: (0..<60).map { Self.document(store, "\($0)") })
        let rows = Self.rows(of: store)
        let windows: [(Range<Int>, Range<Int>, Int)] = [
            (1..<51, 0..<50, 1), (0..<50, 1..<51, 1), (1..<51, 0..<51, 1), (0..<51, 1..<51, 0),
        ]
        for (old, new, records) in windows {
            let found = Self.edits(
                from: Array(rows[old]), to: Array(rows[new]), in: store.table)
            #expect(found?.records == records, "from \(old) to \(new)")
        }
    }
}
