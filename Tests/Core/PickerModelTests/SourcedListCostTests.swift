import Observables
import TestSupport
import Testing

@testable import PickerModel

@Suite("Costs of lists of items of sources")
struct SourcedListCostTests {
    /// A list of items of a source that is sorted by an attribute, made as the daemon makes long ones.
    private final class Scene {
        static let edited = 64

        let store = DocumentStore(epoch: "e")
        let collection: SourcedCollection
        private let use: AttributeUse
        private let orders: DocumentOrders
        private let list: PickerList
        private var connection: Connection?
        private var changes = 0
        private var told = 0

        init(count: Int) throws {
            store.attributes.add(
                AttributeOffer(
                    plugin: "a", version: "1", group: "g", attributes: [("a.count", .integer)],
                    condition: nil))
            let attribute = try #require(store.attributes.attribute(named: "a.count"))
            let range = DocumentRange(.listed, of: CollectionSet(["a:x"]))
            use = try store.attributes.use(
                AttributeWish(
                    shown: [], needed: [attribute], query: DocumentQuery(), range: range))
            collection = store.sources.add("a:x", title: "X")
            for start in stride(from: 0, to: count, by: 1000) {
                try store.sources.edit(
                    collection, putting: (start..<start + 1000).map { Self.item($0, value: $0) })
                store.releaseFreedRows()
            }
            orders = DocumentOrders(of: store, in: range)
            let order = SortOrder(first: .init(.attribute(attribute)), .init(.name))
            let making = ListMaking(in: orders, sortedBy: order, query: DocumentQuery()) {
                [store] in DocumentSurvey(of: store, in: range, for: $0)
            }
            while !making.advance(budget: 10_000) {}
            list = try #require(making.list)
            #expect(list.items.count == count + 1)
            connection = list.items.extents.connect { [unowned self] _ in told += 1 }
        }

        private static func item(_ number: Int, value: Int) -> SourcedItem {
            SourcedItem(
                id: "i\(number)", name: "n\(number)",
                values: ["a.count": .integer(Int64(value &* 7919 % 1_000_003))])
        }

        /// The cost of an edit of some items, which get other places in the list.
        func edit() throws -> Cost {
            changes += 1
            let items = (0..<Self.edited).map { Self.item($0 * 15, value: $0 * 15 + changes) }
            let cost = try Cost.of { try store.sources.edit(collection, putting: items) }
            store.releaseFreedRows()
            #expect(told == changes && list.isSound)
            return cost
        }
    }

    @Test(
        "An edit of items costs as much whether a list that is sorted by their values is long or not"
    )
    func edits() throws {
        let short = try Scene(count: 1000)
        let long = try Scene(count: 16_000)
        for _ in 0..<4 {
            let (one, other) = (try short.edit(), try long.edit())
            #expect(other.retains < one.retains * 3 / 2, "\(one), \(other)")
            // Rows move within the chunks of 256 that are edited; without optimization that allocates for each.
            #expect(
                other.allocations < one.allocations * 3 / 2 + Scene.edited * 256,
                "\(one), \(other)")
        }
    }
}
