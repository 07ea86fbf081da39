// Rows that leave an order and those that take their places, compared with a search for each.

import TestSupport
import Testing

@testable import PickerModel

@Suite struct LeavingRowsTests {
    private static func document(_ store: DocumentStore, _ number: Int) -> Document {
        Document(
            key: store.mintKey(), root: "/r", path: FileName("d/\(number)"), size: 1,
            modified: FileTime(seconds: 0))
    }

    @Test("a row is replaced by the version of its document that arrives, if that sorts like it")
    func random() throws {
        try withSeed { random in
            for round in 0..<40 {
                let store = DocumentStore(epoch: "e")
                let count = Int.random(in: 1...300, using: &random)
                store.apply(inserted: (0..<count).map { Self.document(store, $0) })
                if random.chance(0.5) {
                    // The rows that are free have no order.
                    store.apply(removed: store.documents.shuffled(using: &random))
                    store.releaseFreedRows()
                    store.apply(inserted: (0..<count).map { Self.document(store, $0) })
                }
                let hold = store.table.hold()
                let before = store.table.current
                var known = store.documents.sorted { $0.key < $1.key }
                if random.chance(0.5) { known.shuffle(using: &random) }
                var removed: [Document] = []
                var inserted = (0..<Int.random(in: 0...20, using: &random))
                    .map { Self.document(store, 1000 + $0) }
                for old in known {
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: removed.append(old)
                    case 1: inserted.append(old.with(size: 2, modified: old.modified))
                    case 2:
                        inserted.append(old.with(root: "/r", path: FileName("m/" + old.name.text)))
                    case 3:
                        inserted.append(old.with(root: "/r", path: FileName("x" + old.name.text)))
                    default: break
                    }
                }
                store.apply(removed: removed, inserted: inserted)
                var leaving = before
                leaving.subtract(store.table.current)
                var arriving = store.table.current
                arriving.subtract(before)
                let keys = ["name", "size", "path"][round % 3]
                let order = try SortOrder(keys: [keys])
                let later = store.table.hold()
                let search = SubstituteSearch(
                    for: leaving, among: arriving, in: store.table, by: order)
                var steps = 0
                while !search.advance(
                    &steps, budget: steps + Int.random(in: 1...40, using: &random))
                {}
                #expect(search.leaving.rows == leaving)
                for index in leaving {
                    let row = DocumentRow(UInt32(index))
                    let wanted = arriving.map { DocumentRow(UInt32($0)) }.first {
                        store.table.key(of: $0) == store.table.key(of: row)
                            && order.compare(
                                store.table.document(of: $0), store.table.document(of: row)) == 0
                    }
                    #expect(search.leaving.substitute(for: row) == wanted, "round \(round)")
                    if let wanted { arriving.remove(wanted.index) }
                }
                search.arriving.checkInvariants()
                #expect(search.arriving == arriving, "round \(round)")
                withExtendedLifetime((hold, later)) {}
            }
        }
    }
}
