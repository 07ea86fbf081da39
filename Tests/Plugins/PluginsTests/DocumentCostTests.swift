// What one like costs, and what one change costs the statistics that are kept up to date.

import DataBus
import JSONText
import Observables
import PickerModel
import PluginInterface
import StatisticsPlugin
import TestSupport
import Testing
import WireProtocol

@Suite struct DocumentCostTests {
    /// All numbers here are what was measured when this was written, in a debug build of Swift 6.3. Retains are
    /// fewer or more by a fifth, by where things lie in a hash.
    @Test(
        "a like costs as much among 20,000 documents as among 1,000", arguments: [1000, 20_000])
    func like(count: Int) throws {
        let run = try FeedRun()
        run.session.looksAtLines = false
        let keys = run.addMany(count).map { JSONValue.string($0.key) }
        _ = try run.session.call("items.open", ["window": ["start": 0, "count": 50]]).get()
        var costs: [Cost] = []
        for key in keys[..<20] {
            let stored = run.batches.count
            let start = run.loop.handlerCost
            var request = Cost()
            try SelfChecks.$areMade.withValue(false) {
                var answer: FakeSession.LaterAnswer?
                request = Cost.of {
                    answer = run.session.begin("items.like", ["key": key, "liked": true])
                }
                _ = try run.answer(#require(answer)).get()
            }
            #expect(run.batches.count == stored + 1)
            costs.append(request + (run.loop.handlerCost - start))
            _ = run.session.read()
        }
        // Tables are made larger once in a while.
        let least = try #require(costs.suffix(10).min { $0.allocations < $1.allocations })
        #expect(
            least.isWithinHalfMore(of: Cost(allocations: 150, bytes: 12_316, retains: 2400)),
            "\(least)")
        run.end()
    }

    /// So many documents, and the plugin that keeps statistics of them.
    private final class Tallies {
        private let documents = DocumentStore(epoch: "e")
        private let registry = MethodRegistry()
        private let loop = FakeLoop()
        private let session: FakeSession
        private let plugin = StatisticsPlugin()
        private var made: [Document]

        init(_ count: Int) throws {
            session = FakeSession(registry: registry)
            try plugin.activate(
                in: PluginContext(
                    plugin: plugin.manifest, loop: loop, bus: EventBus(), documents: documents,
                    settings: PluginSettings(roots: []), registry: registry, report: { _ in }))
            made = (0..<count).map { [documents] in
                Document(
                    key: documents.mintKey(), root: "/r", path: FileName("file \($0)"),
                    size: UInt64($0), modified: FileTime(seconds: Int64($0)))
            }
            documents.apply(inserted: made)
        }

        func ask(_ search: String) throws {
            let later = session.begin("documents.stats", ["search": .string(search)])
            loop.turn()
            _ = try #require(later.value).get()
        }

        /// The least of some saves of one document, none of which is the greatest or the least.
        func costOfSave() -> Cost {
            let middle = made.count / 2
            var least: Cost?
            for step in 0..<20 {
                let old = made[middle]
                let number = middle + step
                made[middle] = old.with(
                    size: UInt64(number), modified: FileTime(seconds: Int64(number)))
                let cost = SelfChecks.$areMade.withValue(false) {
                    Cost.of { documents.apply(removed: [old], inserted: [made[middle]]) }
                }
                // Of those that take the same steps, one in which no storage happens to grow.
                if step >= 10,
                    (cost.retains, cost.bytes) < (least?.retains ?? .max, least?.bytes ?? .max)
                {
                    least = cost
                }
            }
            return least ?? Cost()
        }
    }

    @Test(
        "a change costs the statistics of a query as much among 20,000 documents as among 1,000",
        arguments: [1000, 20_000])
    func statistics(count: Int) throws {
        let tallies = try Tallies(count)
        let without = tallies.costOfSave()
        try tallies.ask("")
        let all = tallies.costOfSave()
        #expect(
            (all - without).isWithinHalfMore(
                of: Cost(allocations: 9, bytes: 481, retains: 132)), "\(all), not \(without)")
        for search in ["f", "i", "l", "e"] { try tallies.ask(search) }
        let each = (tallies.costOfSave() - all) / 4
        #expect(
            each.isWithinHalfMore(of: Cost(allocations: 10, bytes: 368, retains: 96)), "\(each)")
    }
}
