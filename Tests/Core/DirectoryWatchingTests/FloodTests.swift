import DirectoryWatching
import Foundation
import Observables
import PickerModel
import TestSupport
import Testing

@Suite("Fast changes")
struct FloodTests {
    private func fixture() throws -> WatchFixture {
        var limits = WatchLimits()
        limits.eventsPerTurn = 1
        let fixture = try WatchFixture(limits: limits)
        fixture.access.readsAreFull = true
        return fixture
    }

    @Test("Events that exactly fill a turn's limit are seen without a further event")
    func lastEvent() throws {
        let fixture = try fixture()
        try fixture.start()
        fixture.root.write("a", "1")
        // One read takes all events; the descriptor is not readable any more.
        fixture.loop.turn()
        #expect(fixture.names == ["a"])
        #expect(fixture.watcher.isSettled)
    }

    @Test("The same after a change hold")
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

    /// Changes that a turn cannot check in its time, as each check takes 1 ms.
    private func manyChanges() throws -> WatchFixture {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("sub")
        for number in 0..<100 {
            fixture.root.write("\(number % 2 == 0 ? "" : "sub/")f\(number)", "1")
        }
        try fixture.start()
        fixture.access.onStatus = { _ in fixture.loop.spend(.milliseconds(1)) }
        for number in 0..<100 {
            fixture.root.append("\(number % 2 == 0 ? "" : "sub/")f\(number)", "23")
        }
        for number in 0..<50 { fixture.root.write("n\(number)", "1") }
        fixture.access.resetCounts()
        return fixture
    }

    @Test(
        "A turn looks at no more than its time allows, and none is forgotten or told before the others"
    )
    func cutLooks() throws {
        let fixture = try manyChanges()
        var turns = 0
        var most = 0
        while fixture.transactions.isEmpty, turns < 100 {
            fixture.access.resetCounts()
            #expect(fixture.loop.runOne())
            most = max(most, fixture.access.looks)
            turns += 1
        }
        #expect(most <= 20)
        #expect(turns > 5)
        fixture.loop.turn()
        #expect(fixture.watcher.isSettled)
        fixture.expectTruth()
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.first?.changed.count == 100)
        #expect(fixture.transactions.first?.added.count == 50)
    }

    @Test(
        "While checks take several turns, more events come than the kernel keeps, and none is lost")
    func gatheredEvents() throws {
        let text = try String(
            contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let most = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        // Where the kernel keeps more, this is only a test of many events.
        let count = min(most, 32_768) * 6 / 10
        let fixture = try manyChanges()
        #expect(fixture.loop.runOne())
        for round in 1...3 {
            // The kernel merges an event with the last one if they are equal.
            for index in 0..<count {
                fixture.root.setMode("f\(index % 2 * 2)", index < 2 ? 0o600 : 0o644)
            }
            #expect(!fixture.watcher.isSettled, "round \(round)")
            #expect(fixture.loop.runOne())
        }
        fixture.loop.turn()
        #expect(fixture.watcher.isSettled && fixture.reports.isEmpty)
        fixture.expectTruth()
    }

    @Test("Callers that wait for their changes do not wait for those that come later")
    func barrier() throws {
        var limits = WatchLimits()
        limits.eventsPerTurn = 20
        let fixture = try WatchFixture(limits: limits)
        try fixture.start()
        // Whenever the watcher looks at a file, others have come: its queue is never empty.
        var written = 0
        var isFlood = true
        fixture.access.onStatus = { _ in
            if !isFlood || written > 60_000 { return }
            for _ in 0..<3 {
                written += 1
                fixture.root.write("w\(written % 100)", "\(written)")
            }
        }
        fixture.root.write("w0")
        fixture.loop.runOne()
        for round in 0..<10 {
            let name = "mine\(round)"
            fixture.root.write(name, "1")
            let before = written
            var found: UInt64?
            let wait = fixture.watcher.drain { found = fixture.document(name)?.size }
            for _ in 0..<1000 where found == nil { fixture.loop.runOne() }
            #expect(found == 1)
            #expect(written - before < 3000, "\(written - before) changes were waited for")
            wait.cancel()
        }
        #expect(written < 60_000, "the flood has ended")
        isFlood = false
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("drainNow returns every change at once, however long it takes")
    func drainIsWhole() throws {
        let fixture = try manyChanges()
        #expect(fixture.loop.runOne())
        #expect(fixture.transactions.isEmpty)
        #expect(!fixture.watcher.isSettled)
        fixture.watcher.drainNow()
        #expect(fixture.watcher.isSettled)
        fixture.expectTruth()
    }

    @Test("Checks over several turns include new folders before the commit")
    func cutBeforeNewFolder() throws {
        let fixture = try WatchFixture()
        for number in 0..<40 { fixture.root.write("f\(number)", "1") }
        fixture.root.write("a", "1")
        try fixture.start()
        let key = fixture.key("a")
        fixture.access.onStatus = { _ in fixture.loop.spend(.milliseconds(1)) }
        for number in 0..<40 { fixture.root.append("f\(number)", "23") }
        fixture.root.makeFolders("Anew/deep")
        fixture.root.move("a", "Anew/deep/a")
        // The path that the file has left must not get its key.
        fixture.root.write("a", "another")
        fixture.loop.turn()
        fixture.settle()
        #expect(fixture.key("Anew/deep/a") == key)
        #expect(fixture.key("a") != key)
        fixture.expectTruth()
    }

    @Test("With a new file at each check, a turn checks few, and the next ones continue")
    func slowLooks() throws {
        var limits = WatchLimits()
        limits.eventsPerTurn = 1
        limits.changesPerTransaction = 1
        let fixture = try WatchFixture(limits: limits)
        fixture.access.readsAreFull = true
        try fixture.start()
        var made = 0
        fixture.access.onStatus = { path in
            guard path.count > fixture.root.bytes.count, made < 40 else { return }
            made += 1
            fixture.root.write("n\(made)", "1")
            fixture.loop.spend(.milliseconds(3))
        }
        fixture.root.write("n0", "1")
        var most = 0
        var turns = 0
        while made < 40, turns < 1000 {
            fixture.access.resetCounts()
            #expect(fixture.loop.runOne())
            most = max(most, fixture.access.looks)
            turns += 1
        }
        #expect(made == 40)
        #expect(most <= 3)
        // The store does not wait until it is quiet.
        #expect(fixture.store.documents.count >= 20)
        fixture.loop.turn()
        #expect(fixture.store.documents.count == 41)
        fixture.expectTruth()
        #expect(Set(fixture.transactions.flatMap(\.added).map(\.key)).count == 41)
    }

    @Test("Slow commits have fewer changes, and more again when they are fast")
    func slowCommits() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        var cost = Duration.microseconds(100)
        let follower = fixture.store.all.changes.connect { change in
            fixture.loop.spend(cost * (change.inserted.count + change.removed.count))
        }
        for number in 0..<3000 { fixture.root.write("f\(number)", "1") }
        fixture.settle()
        func append() -> Int {
            fixture.forget()
            for number in 0..<3000 { fixture.root.append("f\(number)", "more") }
            fixture.loop.turn()
            fixture.expectTruth()
            return fixture.transactions.map(\.changed.count).max() ?? 0
        }
        for _ in 0..<2 { _ = append() }
        #expect(append() == WatchLimits().fewestChangesPerTransaction)
        cost = .zero
        for _ in 0..<2 { _ = append() }
        #expect(append() == WatchLimits().changesPerTransaction)
        withExtendedLifetime(follower) {}
    }

    @Test("A commit in parts never has two documents at one path, and keeps all keys")
    func partsOfRotation() throws {
        var limits = WatchLimits()
        limits.changesPerTransaction = 1
        let fixture = try WatchFixture(limits: limits)
        for number in 0..<10 { fixture.root.write("f\(number)", "\(number)") }
        for number in 0..<10 { fixture.root.write("g\(number)", "\(number)") }
        try fixture.start()
        let keys = (0..<10).map { fixture.key("f\($0)") }
        fixture.forget()
        // Each file takes the path of the one before it; the others change by themselves.
        fixture.root.move("f0", "last")
        for number in 1..<10 { fixture.root.move("f\(number)", "f\(number - 1)") }
        fixture.root.move("last", "f9")
        for number in 0..<10 { fixture.root.append("g\(number)", "more") }
        var most = 0
        let follower = fixture.store.all.changes.connect { change in
            most = max(most, change.inserted.count)
            let table = fixture.store.table
            let places = fixture.store.all.value.map {
                table.root(of: $0).text + "/" + table.path(of: $0).text
            }
            #expect(Set(places).count == 20 && places.count == 20)
        }
        fixture.loop.turn()
        fixture.expectTruth()
        #expect((0..<10).map { fixture.key("f\(($0 + 9) % 10)") } == keys)
        // The ring of ten is committed at once, and each of the others separately.
        #expect(most == 10)
        #expect(fixture.transactions.count == 11)
        withExtendedLifetime(follower) {}
    }
}
