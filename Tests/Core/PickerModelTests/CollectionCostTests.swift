import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite("Costs of collections")
struct CollectionCostTests {
    private static let range = DocumentRange(.listed, of: CollectionSet(["a:x"]))

    /// A source with items, beside as many documents of the roots, and a leased folder with some.
    private func store(_ count: Int) throws -> DocumentStore {
        let store = DocumentStore(epoch: "e")
        store.setCollections(
            ["c1": .init([DocumentArea(root: "/l")], isWhole: true)], roots: ["/r"],
            leased: ["/l"])
        let collection = store.sources.add("a:x", title: "X")
        for start in stride(from: 0, to: count, by: 1000) {
            let numbers = start..<start + 1000
            try store.sources.edit(
                collection, putting: numbers.map { SourcedItem(id: "\($0)", name: "n\($0)") })
            store.apply(
                inserted: numbers.map {
                    Document(
                        key: store.mintKey(), root: $0 % 2 == 0 ? "/r" : "/l",
                        path: FileName("\($0)"), size: 1, modified: FileTime(seconds: 1))
                })
        }
        return store
    }

    @Test(
        "To find the rows of a source, of a leased folder, or of either with the roots takes no step for each",
        arguments: [["a:x"], ["c1"], ["a:x", "c1", "documents"]])
    func finding(names: [String]) throws {
        let store = try store(8000)
        for part in [DocumentRange.Part.listed, .all, .dropped] {
            let range = DocumentRange(part, of: CollectionSet(names))
            var subset: DocumentSubset?
            let cost = Cost.of { subset = store.subset(of: range) }
            let count = names.count == 3 ? 16_000 : names == ["c1"] ? 4000 : 8000
            #expect(subset?.count == (part == .dropped ? 0 : count))
            #expect(cost.retains < 2000 && cost.allocations < 2000, "\(part): \(cost)")
        }
        store.checkInvariants()
    }

    @Test("The first order of a source's items begins without a step for each of them")
    func firstOrder() throws {
        let store = try store(8000)
        var orders: DocumentOrders?
        let cost = Cost.of { orders = DocumentOrders(of: store, in: Self.range) }
        #expect(orders?.documentCount == 8000)
        #expect(cost.retains < 2000 && cost.allocations < 2000, "\(cost)")
    }

    @Test("That rows of sources are kept costs a change of other documents nothing")
    func others() throws {
        func cost(isBesideSource: Bool) throws -> Cost {
            let store = isBesideSource ? try store(2000) : DocumentStore(epoch: "e")
            if !isBesideSource { store.setCollections([:], roots: ["/r"], leased: ["/l"]) }
            func change(_ number: Int) {
                store.apply(inserted: [
                    Document(
                        key: "f9\(number % 10)", root: "/r", path: FileName("x\(number % 10)"),
                        size: UInt64(number), modified: FileTime(seconds: 1))
                ])
                store.releaseFreedRows()
            }
            for number in 0..<100 { change(number) }
            return Cost.of { for number in 100..<200 { change(number) } }
        }
        let (plain, beside) = (try cost(isBesideSource: false), try cost(isBesideSource: true))
        #expect(beside.allocations <= plain.allocations + 1000, "\(beside), \(plain)")
    }
}
