import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite("Limits and costs of sources")
struct SourceCostTests {
    private func items(_ numbers: Range<Int>, size: UInt64 = 1) -> [SourcedItem] {
        numbers.map { SourcedItem(id: "i\($0)", name: "n\($0)", size: size) }
    }

    private func store(items: Int, bytes: Int = .max) -> (
        DocumentStore, SourcedCollection, SourcedCollection
    ) {
        let store = DocumentStore(epoch: "e")
        var limits = DocumentSources.Limits()
        limits.items = items
        limits.bytes = bytes
        store.sources.limit(to: limits)
        return (
            store, store.sources.add("a:x", title: "X"), store.sources.add("b:y", title: "Y")
        )
    }

    @Test("All sources together have as many items as the limit says, and no more")
    func mostItems() throws {
        let (store, first, second) = store(items: 10)
        try store.sources.edit(first, putting: items(0..<6))
        try store.sources.edit(second, putting: items(0..<4))
        #expect(store.sources.count == 10)
        let revision = store.rev
        #expect(throws: SourceLimit.items(10)) {
            try store.sources.edit(second, removing: ["i0"], putting: items(10..<12))
        }
        #expect(store.rev == revision && second.count == 4 && second.has("i0"), "nothing changed")
        // Those that there are may change, be named twice, and be replaced by as many others.
        try store.sources.edit(first, putting: items(0..<6, size: 2) + items(0..<6, size: 3))
        try store.sources.edit(second, removing: ["i0", "i0", "no"], putting: items(10..<11))
        #expect(store.sources.count == 10)
        #expect(throws: SourceLimit.items(10)) {
            try store.sources.edit(second, removing: ["i1", "i1", "no"], putting: items(20..<22))
        }
        try store.sources.edit(second, removing: ["i10", "i1"])
        try store.sources.edit(first, putting: items(6..<8) + items(6..<8))
        #expect(store.sources.count == 10)
        store.checkInvariants()
    }

    @Test("All sources together keep as many bytes as the limit says, and no more")
    func mostBytes() throws {
        let one = SourcedItem(id: "i", name: "n", uri: String(repeating: "u", count: 1000))
        let weight = one.weight
        #expect(weight > 1000 && weight < 1300)
        func item(_ number: Int) -> SourcedItem {
            SourcedItem(id: "\(number)", name: "n", uri: String(repeating: "u", count: 1000))
        }
        let (store, first, second) = store(items: 100, bytes: 3 * weight)
        try store.sources.edit(first, putting: [item(1), item(2)])
        try store.sources.edit(second, putting: [item(3)])
        #expect(throws: SourceLimit.bytes(3 * weight)) {
            try store.sources.edit(second, putting: [SourcedItem(id: "4", name: "n")])
        }
        // What is the same, or takes the place of another, adds nothing.
        try store.sources.edit(first, putting: [item(1)])
        try store.sources.edit(first, removing: ["1"], putting: [item(5)])
        try store.sources.edit(
            first,
            putting: [SourcedItem(id: "5", name: "m", uri: String(repeating: "v", count: 1000))])
        #expect(store.sources.count == 3 && first.weight == 2 * weight)
        try store.sources.edit(second, removing: ["3"])
        #expect(second.weight == 0)
        try store.sources.edit(first, putting: [item(6)])
        store.checkInvariants()
    }

    @Test("The same count for the values of attributes and the length of identifiers")
    func weights() {
        let plain = SourcedItem(id: "i", name: "n").weight
        #expect(
            SourcedItem(id: String(repeating: "i", count: 101), name: "n").weight == plain + 100)
        let text = SourcedItem(
            id: "i", name: "n", values: ["a": .text(String(repeating: "t", count: 100))])
        #expect(text.weight >= plain + 100)
        #expect(SourcedItem(id: "i", name: "n", values: ["a": .integer(1)]).weight > plain)
    }

    @Test("An edit of some items costs the same among few and among many")
    func edits() throws {
        func cost(_ count: Int) throws -> (put: Cost, change: Cost, remove: Cost) {
            let store = DocumentStore(epoch: "e")
            let sources = store.sources
            let collection = sources.add("a:x", title: "X")
            try sources.edit(collection, putting: items(0..<count))
            store.releaseFreedRows()
            // What was made at first is let go, and arrays have grown.
            try sources.edit(collection, putting: items(count..<count + 64))
            store.releaseFreedRows()
            let put = try Cost.of {
                try sources.edit(collection, putting: items(count + 64..<count + 128))
            }
            let change = try Cost.of {
                try sources.edit(collection, putting: items(count + 64..<count + 128, size: 9))
            }
            let remove = try Cost.of {
                try sources.edit(collection, removing: (count + 64..<count + 128).map { "i\($0)" })
            }
            #expect(collection.count == count + 64)
            return (put, change, remove)
        }
        let few = try cost(1000)
        let many = try cost(16_000)
        #expect(many.put.isAbout(few.put), "\(few.put), \(many.put)")
        #expect(many.change.isAbout(few.change), "\(few.change), \(many.change)")
        #expect(many.remove.isAbout(few.remove), "\(few.remove), \(many.remove)")
    }

    @Test("To look for items that a reset lacks costs what the slots do that are looked at")
    func sweeps() throws {
        func cost(_ count: Int) throws -> Cost {
            let store = DocumentStore(epoch: "e")
            let collection = store.sources.add("a:x", title: "X")
            try store.sources.edit(collection, putting: items(0..<count))
            collection.beginReset()
            try store.sources.edit(collection, putting: items(0..<10))
            return Cost.of { #expect(collection.unnamed(inSlots: 0..<100).count == 90) }
        }
        let (few, many) = (try cost(1000), try cost(16_000))
        #expect(many.isAbout(few), "\(few), \(many)")
    }
}
