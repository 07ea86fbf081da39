// Deferred sorting after a list gets an order.

import JSONText
import Observables
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct DeferredSortingTests {
    @Test("rows outside the window are sorted when idle, and then nothing is queued")
    func whenIdle() throws {
        let fixture = try ListFixture()
        fixture.add((0..<3000).map { "file \($0 * 7919 % 3000).md" })
        #expect(fixture.loop.isIdle)
        _ = try fixture.session.call("items.open", ["window": ["count": 20]], id: 1).get()
        _ = fixture.session.read()
        #expect(ObservableScheduler.current.hasDeferredWork)
        #expect(!fixture.loop.isIdle)
        fixture.loop.turn()
        #expect(!ObservableScheduler.current.hasDeferredWork)

        // The same order again puts nothing off.
        let params: JSONValue = ["window": ["count": 20], "search": "1"]
        _ = try fixture.session.call("items.open", params, id: 2).get()
        #expect(fixture.loop.isIdle)
        // Another one does, by whatever way it comes.
        _ = try fixture.session.call("items.update", ["sub": 1, "sort": "date"]).get()
        _ = fixture.session.read()
        #expect(!fixture.loop.isIdle)
        fixture.loop.turn()
        _ = try fixture.session.call("items.get", ["sort": "-size"]).get()
        #expect(!fixture.loop.isIdle)
        fixture.loop.turn()
        #expect(!ObservableScheduler.current.hasDeferredWork)
    }

    @Test("a search in an incomplete order does not sort it at once")
    func searchBefore() throws {
        let fixture = try ListFixture()
        fixture.add((0..<3000).map { "file \($0 * 7919 % 3000).md" })
        _ = try fixture.session.call("items.open", ["window": ["count": 5]], id: 1).get()
        var copy = ListCopy(sub: 1)
        for (gen, text) in ["2", "29", "299", "29", ""].enumerated() {
            for line in fixture.session.read() { try copy.take(line) }
            let params: JSONValue = [
                "sub": 1, "gen": JSONValue(gen + 1), "search": JSONValue(text),
            ]
            _ = try fixture.session.call("items.update", params).get()
            // Had it been sorted, little would be left.
            for _ in 0..<4 { ObservableScheduler.current.performDeferredWork(budget: 1) }
            #expect(ObservableScheduler.current.hasDeferredWork)
            for line in fixture.session.read() { try copy.take(line) }
            let expected = try ExpectedList(
                of: fixture.documents, sort: .name, search: text,
                window: ListWindow(start: 0, count: 5), fields: .all)
            #expect(copy.rows == expected.rows && copy.total == expected.total)
        }
        fixture.loop.turn()
        #expect(!ObservableScheduler.current.hasDeferredWork)
    }

    @Test("no sorting goes on after the plugin has ended")
    func afterTheEnd() throws {
        let fixture = try ListFixture()
        fixture.add((0..<3000).map { "file \($0 * 7919 % 3000).md" })
        _ = try fixture.session.call("items.open", [:], id: 1).get()
        #expect(ObservableScheduler.current.hasDeferredWork)
        fixture.stop()
        fixture.loop.turn()
        #expect(fixture.loop.isIdle)
        #expect(ObservableScheduler.current.hasDeferredWork, "the list is still open")
        fixture.session.close(1)
    }
}
