// Orders that fall behind great changes, and are made again from what they had.

import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite struct OrderFollowingTests {
    private static func document(
        _ store: DocumentStore, _ number: Int, _ random: inout SeededRandom
    ) -> Document {
        Document(
            key: store.mintKey(), root: "/r",
            path: FileName("d\(Int.random(in: 0..<9, using: &random))/\(number % 97) \(number)"),
            size: UInt64.random(in: 0...5, using: &random),
            modified: FileTime(seconds: Int64.random(in: 0...99, using: &random)))
    }

    private static func store(editsAtOnce: Int) -> DocumentStore {
        let store = DocumentStore(epoch: "e")
        store.following.limits.editsAtOnce = editsAtOnce
        store.following.limits.alwaysFollowed = 0
        return store
    }

    /// The keys of an order's documents, and those of a plain sort.
    private static func keys(
        _ order: DocumentOrder, _ store: DocumentStore
    ) -> (order: [String], plain: [String]) {
        let rows = order.items.value.compactMap(\.row)
        // Each name is folded once.
        let plain = store.documents.filter { !$0.isDropped }
            .map { SortedDocument(document: $0, name: $0.foldedName, rank: 0) }
            .sorted { order.sortOrder.compare($0, $1) < 0 }
        return (
            rows.map { store.table.text(of: store.table.key(of: $0)) }, plain.map(\.document.key)
        )
    }

    private static func made(_ orders: DocumentOrders, _ sortOrder: SortOrder) throws
        -> DocumentOrder
    {
        let making = orders.making(by: sortOrder)
        while !making.advance(budget: 1000) {}
        return try #require(making.order)
    }

    @Test("at the limit an order follows a change; beyond, it does nothing for it")
    func limit() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            store.apply(
                inserted: (0..<2000).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            let order = try Self.made(orders, .name)
            store.apply(inserted: (0..<20).map { Self.document(store, 3000 + $0, &random) })
            #expect(!order.isBehind && orders.isAtHand(.name))
            let (followed, plain) = Self.keys(order, store)
            #expect(followed == plain)
            store.apply(inserted: (0..<21).map { Self.document(store, 4000 + $0, &random) })
            #expect(order.isBehind && !orders.isAtHand(.name))
            // Two orders edit twice as many rows.
            let both = [
                try Self.made(orders, .name), try Self.made(orders, try SortOrder(keys: ["size"])),
            ]
            store.apply(inserted: (0..<11).map { Self.document(store, 5000 + $0, &random) })
            #expect(both.allSatisfy { $0.isBehind })
            withExtendedLifetime(order) {}
        }
    }

    @Test("small changes that follow one another use the budget up, and changes one by one do not")
    func budget() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            store.following.limits.edits = 100
            store.following.limits.editsPerChange = 2
            store.apply(inserted: (0..<500).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            let order = try Self.made(orders, .name)
            for number in 0..<300 {
                store.apply(inserted: [Self.document(store, 1000 + number, &random)])
            }
            #expect(!order.isBehind)
            var changes = 0
            while !order.isBehind, changes < 100 {
                store.apply(
                    inserted: (0..<12).map {
                        Self.document(store, 2000 + changes * 12 + $0, &random)
                    })
                changes += 1
            }
            // Each takes ten more than it gives back.
            #expect(changes == 10)
            withExtendedLifetime(order) {}
        }
    }

    @Test("an order is made again with comparisons for what has come, not for all")
    func cost() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            let count = 4000
            store.apply(inserted: (0..<count).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            for (come, most) in [(100, 100 * 16), (40, 40 * 18)] {
                let order = try Self.made(orders, .name)
                let gone = store.documents.sorted { $0.key < $1.key }.prefix(50)
                store.apply(
                    removed: Array(gone),
                    inserted: (0..<come).map { Self.document(store, 10_000 + $0, &random) })
                #expect(order.isBehind)
                store.releaseFreedRows()
                let making = orders.making(by: .name)
                while !making.advance(budget: 500) {}
                let again = try #require(making.order)
                #expect(making.comparisons <= most, "\(making.comparisons) comparisons")
                let (keys, plain) = Self.keys(again, store)
                #expect(keys == plain)
                withExtendedLifetime(order) {}
            }
        }
    }

    @Test("documents that stay where they are in an order are replaced without a comparison")
    func replaced() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            let count = 4000
            store.apply(inserted: (0..<count).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            let order = try Self.made(orders, .name)
            let known = store.documents.sorted { $0.key < $1.key }
            // Some get other facts, some are in another folder.
            let touched = known[..<1000].map {
                $0.with(size: 9, modified: FileTime(seconds: 200))
            }
            let moved = known[1000..<2000].map {
                $0.with(root: "/r", path: FileName("other/" + $0.name.text))
            }
            store.apply(inserted: touched + moved)
            #expect(order.isBehind)
            store.releaseFreedRows()
            let making = orders.making(by: .name)
            while !making.advance(budget: Int.random(in: 1...2000, using: &random)) {}
            #expect(making.comparisons == 0, "\(making.comparisons) comparisons")
            let (keys, plain) = Self.keys(try #require(making.order), store)
            #expect(keys == plain)
            withExtendedLifetime(order) {}
        }
    }

    @Test("while thousands change in each slice, an order is made by edits of a few at a time")
    func steadyFlood() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 0)
            store.apply(inserted: (0..<40_000).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            let making = orders.making(by: .name)
            var number = 20_000
            var slices = 0
            // Half of what a slice can edit changes meanwhile.
            while !making.advance(budget: 60_000), slices < 1000 {
                store.apply(
                    inserted: (0..<300).map { Self.document(store, number + $0, &random) })
                number += 300
                slices += 1
            }
            let (keys, plain) = Self.keys(try #require(making.order), store)
            #expect(keys == plain)
            #expect((1...1000).contains(making.mostEditsAtOnce), "\(making.mostEditsAtOnce) edits")
        }
    }

    @Test("freed rows are released a few at a time")
    func releasedInParts() {
        withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            var requests = 0
            store.whenRowsAreFreed = { requests += 1 }
            store.apply(inserted: (0..<50).map { Self.document(store, $0, &random) })
            store.apply(removed: store.documents)
            #expect(requests == 1 && store.table.rowsInUse == 50)
            #expect(!store.releaseFreedRows(atMost: 20) && store.table.rowsInUse == 30)
            // It is not asked for again while it is under way.
            store.apply(inserted: [Self.document(store, 60, &random)])
            store.apply(removed: store.documents)
            #expect(requests == 1)
            #expect(!store.releaseFreedRows(atMost: 30) && store.table.rowsInUse == 1)
            #expect(store.releaseFreedRows(atMost: 1) && store.table.rowsInUse == 0)
            store.apply(inserted: [Self.document(store, 70, &random)])
            store.apply(removed: store.documents)
            #expect(requests == 2)
            // Held rows are not waited for.
            let hold = store.table.hold()
            store.apply(inserted: [Self.document(store, 80, &random)])
            store.apply(removed: store.documents)
            #expect(store.releaseFreedRows(atMost: 5) && store.table.rowsInUse == 1)
            withExtendedLifetime(hold) {}
        }
    }

    @Test("an order that has fallen behind is made again when the documents are quiet")
    func quiet() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            store.apply(inserted: (0..<3000).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            let order = try Self.made(orders, .name)
            var number = 10_000
            func change() {
                number += 100
                store.apply(
                    inserted: (0..<100).map { Self.document(store, number + $0, &random) })
            }
            change()
            let making = orders.making(by: .name)
            while !making.isWaiting { #expect(!making.advance(budget: 1000)) }
            for _ in 0..<20 {
                change()
                #expect(!making.advance(budget: .max) && making.isWaiting)
            }
            #expect(making.comparisons == 0)
            var slices = 0
            while !making.advance(budget: .max) { slices += 1 }
            #expect(slices == QuietWait.quietSlices - 1)
            let (keys, plain) = Self.keys(try #require(making.order), store)
            #expect(keys == plain)
            withExtendedLifetime(order) {}
        }
    }

    @Test("orders wait while more changes are known to come, however long the pause before them")
    func moreComing() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            store.apply(inserted: (0..<3000).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            let order = try Self.made(orders, .name)
            var areMoreComing = true
            store.areMoreComing = { areMoreComing }
            store.apply(
                inserted: (0..<100).map { Self.document(store, 10_000 + $0, &random) })
            let making = orders.making(by: .name)
            while !making.isWaiting { #expect(!making.advance(budget: 1000)) }
            for _ in 0..<10 * QuietWait.quietSlices {
                #expect(!making.advance(budget: .max) && making.isWaiting && making.isPatient)
            }
            #expect(making.comparisons == 0)
            areMoreComing = false
            #expect(!making.advance(budget: .max) && making.isWaiting && !making.isPatient)
            var slices = 1
            while !making.advance(budget: .max) { slices += 1 }
            #expect(slices == QuietWait.quietSlices - 1)
            let (keys, plain) = Self.keys(try #require(making.order), store)
            #expect(keys == plain)
            withExtendedLifetime(order) {}
        }
    }

    @Test("documents that never stop changing hold no order off for ever")
    func flood() throws {
        try withSeed { random in
            let store = Self.store(editsAtOnce: 20)
            store.apply(inserted: (0..<3000).map { Self.document(store, $0, &random) })
            let orders = DocumentOrders(of: store, in: .listed)
            let order = try Self.made(orders, .name)
            var changed = 0
            func change() {
                changed += 200
                store.apply(
                    inserted: (0..<200).map {
                        Self.document(store, 10_000 + changed + $0, &random)
                    })
            }
            change()
            let making = orders.making(by: .name)
            while !making.advance(budget: .max) { change() }
            #expect((8192...10_000).contains(changed), "\(changed) have changed")
            withExtendedLifetime(order) {}
        }
    }

    @Test("after any changes, cut at any point, orders made again are those of a plain sort")
    func random() throws {
        try withSeed { random in
            for _ in 0..<testRounds(5) {
                let store = Self.store(editsAtOnce: Int.random(in: 0...20, using: &random))
                if random.chance(0.3) { store.following.limits.mostFreed = 0 }
                var number = 0
                // The documents before the change: reading them all from the store takes longer than the test.
                var known: [Document] = []
                func change(_ count: Int) {
                    var removed: [Document] = []
                    var inserted: [Document] = []
                    for _ in 0..<count {
                        number += 1
                        if known.isEmpty || random.chance(0.5) {
                            inserted.append(Self.document(store, number, &random))
                            continue
                        }
                        let old = known.remove(at: Int.random(in: known.indices, using: &random))
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: removed.append(old)
                        case 1:
                            inserted.append(
                                old.with(root: "/r", path: FileName("m/\(number) \(old.key)")))
                        case 2:
                            // In another folder, under the same name.
                            inserted.append(
                                old.with(root: "/r", path: FileName("\(number)/" + old.name.text)))
                        default: inserted.append(old.with(size: 3, modified: FileTime(seconds: 1)))
                        }
                    }
                    store.apply(removed: removed, inserted: inserted)
                    known += inserted
                    if random.chance(0.5) { store.releaseFreedRows() }
                }
                change(Int.random(in: 0...200, using: &random))
                let orders = DocumentOrders(of: store, in: .listed)
                let keys = [["name"], ["-modified"], ["path"], ["size", "-name"]]
                let sorts = try keys.map { try SortOrder(keys: $0) }
                var used: [DocumentOrder] = []
                for step in 0..<25 {
                    let sort = sorts[Int.random(in: sorts.indices, using: &random)]
                    let making = orders.isAtHand(sort) ? nil : orders.making(by: sort)
                    var slices = 0
                    while let making,
                        !making.advance(budget: Int.random(in: 1...60, using: &random))
                    {
                        slices += 1
                        if slices < 40, random.chance(0.3) {
                            change(Int.random(in: 1...40, using: &random))
                        }
                    }
                    let order = orders.order(by: sort)
                    let (rows, plain) = Self.keys(order, store)
                    #expect(rows == plain, "step \(step)")
                    if rows != plain { return }
                    used.append(order)
                    if random.chance(0.3) { used.removeAll() }
                    change(Int.random(in: 1...40, using: &random))
                    for order in used where !order.isBehind {
                        let (rows, plain) = Self.keys(order, store)
                        #expect(rows == plain, "step \(step), after the change")
                    }
                }
                store.releaseFreedRows()
                store.table.forgetLatestFolder()
                store.table.checkInvariants()
            }
        }
    }
}
