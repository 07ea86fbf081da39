import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct RowComparisonTests {
    /// A row with its key: several rows are versions of one document.
    private static func key(_ row: ShownRow) -> Int {
        row.item.map { item in item.row.map { $0.index / 4 } ?? -1 } ?? -2
    }

    private static func row(_ index: Int) -> ShownRow {
        .item(PickerItem(DocumentRow(UInt32(index))))
    }

    private func compare(
        _ old: [ShownRow], _ new: [ShownRow], mostDiffering: Int = .max, budget: () -> Int
    ) throws -> RowDifference? {
        let rows = (old + new).compactMap { $0.item?.row?.index }
        // The last row is the last that there may be.
        let comparison = RowComparison(
            from: old, to: new, rowEnd: (rows.max() ?? -1) + 1, mostDiffering: mostDiffering)
        var slices = 0
        while !comparison.advance(budget: budget()) {
            slices += 1
            try #require(slices < 10_000)
        }
        return comparison.difference
    }

    /// The rows after the operations, as a client makes them.
    private func apply(
        _ operations: RowOperations, to old: [ShownRow], from new: [ShownRow]
    ) -> [ShownRow] {
        let gone = Set(operations.deleted + operations.moved.map(\.from))
        var result = old.indices.filter { !gone.contains($0) }.map { old[$0] }
        var arriving = operations.inserted.map { (to: $0, row: new[$0]) }
        arriving += operations.moved.map { (to: $0.to, row: old[$0.from]) }
        for (to, row) in arriving.sorted(by: { $0.to < $1.to }) { result.insert(row, at: to) }
        for update in operations.updated {
            #expect(Self.key(result[update.to]) == Self.key(new[update.to]))
            #expect(result[update.to] == old[update.from])
            result[update.to] = new[update.to]
        }
        return result
    }

    @Test("The operations make the old rows the new ones, with no more of them than a batch has")
    func random() throws {
        try withSeed { random in
            for round in 0..<2000 {
                let documents = Int.random(in: 0...30, using: &random)
                var old = (0..<documents).shuffled(using: &random).map { Self.row($0 * 4) }
                if Bool.random(using: &random) { old.insert(.item(.newDocument), at: 0) }
                var new = old
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    let place = Int.random(in: 0...new.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0:
                        new.insert(Self.row((100 + new.count) * 4), at: place)
                        if Set(new).count < new.count { new.remove(at: place) }
                    case 1: if place < new.count { new.remove(at: place) }
                    case 2:  // another version in its place, or elsewhere
                        guard place < new.count, let row = new[place].item?.row else { continue }
                        new.remove(at: place)
                        let next = Self.row(row.index / 4 * 4 + (row.index + 1) % 4)
                        let target =
                            Bool.random(using: &random)
                            ? place : Int.random(in: 0...new.count, using: &random)
                        new.insert(next, at: target)
                    default: break
                    }
                }
                let found = try compare(old, new) { Int.random(in: 1...4, using: &random) }
                let difference = try #require(found, "round \(round)")
                let operations = difference.operations(from: old, to: new, identifiedBy: Self.key)
                #expect(apply(operations, to: old, from: new) == new, "round \(round)")
                let batch = ArrayBatch(from: old, to: new, identifiedBy: Self.key)
                #expect(operations.deleted == batch.deleted, "round \(round)")
                #expect(operations.inserted == batch.inserted, "round \(round)")
                #expect(operations.updated.map(\.to) == batch.updated.map(\.to), "round \(round)")
                #expect(operations.moved.count == batch.moved.count, "round \(round)")
            }
        }
    }

    @Test("Rows that have changed places are no difference of a few rows")
    func reordered() throws {
        let old = (0..<20).map { Self.row($0) }
        #expect(try compare(old, old.reversed()) { .max } == nil)
        #expect(try compare(old, old) { .max }?.common == 20)
    }

    @Test("No more rows are listed than may differ")
    func limit() throws {
        let old = (0..<20).map { Self.row($0) }
        let new = (10..<30).map { Self.row($0) }
        #expect(try compare(old, new, mostDiffering: 20) { 1 } != nil)
        #expect(try compare(old, new, mostDiffering: 19) { 1 } == nil)
    }

    @Test(
        "A shown row takes four bytes; one of which only the key is known equals no other, and its key goes with it"
    )
    func unknownRows() throws {
        #expect(MemoryLayout<ShownRow>.stride == 4)
        let table = DocumentTable()
        do {
            let rows = ShownRows([ShownRow](), of: table)
            rows.append(.newDocument)
            for key in ["a", "", "a"] { rows.append(unknown: key) }
            #expect(rows.rows.map { table.key(of: $0) } == ["new", "a", "", "a"])
            #expect(Set(rows.rows).count == 4)
            #expect(rows.rows.map { $0.item?.row } == [nil, nil, nil, nil])
            #expect(rows.rows.map { $0.item == nil } == [false, true, true, true])
            // Another has one of them, too, and keeps it.
            let other = ShownRows([rows.rows[3]], of: table)
            rows.replaceSubrange(1..<4, with: [])
            #expect(table.unknownKeys.count == 1 && table.key(of: other.rows[0]) == "a")
            // The numbers of those that have gone are not used again soon, and those of the others never.
            for _ in 0..<3 { rows.append(unknown: "b") }
            #expect(Set(rows.rows + other.rows).count == 5)
            // The last row that a table may have is no unknown one.
            let last = PickerItem(DocumentRow(UInt32(1 << 31) - 1))
            #expect(ShownRow.item(last).item == last)
        }
        #expect(table.unknownKeys.count == 0)
    }

    @Test(
        "The numbers of rows of unknown documents begin anew after the last, and pass over those in use"
    )
    func unknownNumbers() {
        let last = UInt32(1 << 31) - 2
        var keys = UnknownKeys()
        let first = keys.add("a")
        keys.next = last
        #expect(Set([first, keys.add("b"), keys.add("c")]).count == 3)
        #expect(keys.count == 3 && keys.next == 2)
    }

    @Test("Rows that are given up late are released in slices, and can be used again")
    func releasedLater() throws {
        let store = DocumentStore(epoch: "e")
        let documents = (0..<3000).map {
            Document(
                key: store.mintKey(), root: "/r", path: FileName("\($0)"), size: 1,
                modified: FileTime(seconds: 1))
        }
        store.apply(inserted: documents)
        store.releaseFreedRows()
        var asked = 0
        store.whenRowsAreFreed = { asked += 1 }
        do {
            let items = store.table.current.map { PickerItem(DocumentRow(UInt32($0))) }
            let rows = ShownRows(items, of: store.table)
            store.apply(removed: documents)
            #expect(rows.count == 3000)
        }
        #expect(asked == 1)
        var slices = 0
        while !store.releaseFreedRows(atMost: 100) { slices += 1 }
        #expect(slices >= 30)
        // Those that were still retained have their turn now.
        store.releaseFreedRows()
        #expect(store.table.rowsInUse == 0)
    }
}
