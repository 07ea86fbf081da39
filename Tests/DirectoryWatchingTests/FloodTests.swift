import DirectoryWatching
import PickerModel
import TestSupport
import Testing

@Suite("Files that change fast")
struct FloodTests {
    private func fixture() throws -> WatchFixture {
        var limits = WatchLimits()
        limits.eventsPerTurn = 1
        return try WatchFixture(limits: limits)
    }

    @Test("What fills a turn's part of the queue to the last event is seen without a further one")
    func lastEvent() throws {
        let fixture = try fixture()
        try fixture.start()
        fixture.root.write("a", "1")
        // One reading takes all its events; the descriptor is not readable any more.
        fixture.loop.turn()
        #expect(fixture.names == ["a"])
        #expect(fixture.watcher.isSettled)
    }

    @Test("So it is after the documents were held as they were")
    func lastEventHeld() throws {
        let fixture = try fixture()
        try fixture.start()
        fixture.root.write("a", "1")
        #expect(fixture.loop.runOne())
        fixture.store.hold.begin()
        fixture.loop.turn()
        #expect(fixture.names == [])
        fixture.store.hold.end()
        fixture.loop.turn()
        #expect(fixture.names == ["a"])
    }
}
