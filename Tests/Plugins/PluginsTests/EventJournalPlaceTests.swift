// A folder of events that is not in its place any more.

import DataBus
import JSONText
import TestSupport
import Testing
import WireProtocol

@Suite struct EventJournalPlaceTests {
    @Test("a misplaced folder is reported at once, and recreated with everything kept")
    func misplaced() throws {
        let run = try EventRun()
        _ = try run.subscribe(["topics": ["daemon.*"]])
        try run.publish("a", 10)
        #expect(run.store())
        run.folder.change { $0.isMisplaced = true }
        try run.publish("a", 5)
        run.loop.advance(by: .milliseconds(300))
        #expect(run.loop.run { run.info["degraded"] != nil })
        #expect(run.info["stored"] == 0, "nobody finds them")
        run.loop.turn()
        let told = try #require(run.session.read().first?["params"])
        #expect(told["topic"] == "daemon.degraded" && told["data"]?["what"] == "events-store")
        #expect(
            told["data"]?["reason"]?.stringValue?.contains("removed, renamed or replaced") == true)
        // Events go on, with numbers of their own; each try that fails is followed by another.
        #expect(try run.publish("a") == 17)
        for _ in 0..<3 {
            run.loop.advance(by: .seconds(11))
            #expect(run.loop.run { run.loop.nextTimer != nil && run.loop.isIdle })
        }
        #expect(run.reports.count == 1, "\(run.reports)")
        run.folder.change { state in
            state.isMisplaced = false
            state.files = [:]
        }
        run.loop.advance(by: .seconds(11))
        #expect(run.loop.run { run.info["degraded"] == nil })
        let restored = try #require(run.session.read().first?["params"])
        #expect(restored["topic"] == "daemon.restored")
        #expect(run.store())
        #expect(run.loop.nextTimer == nil)
        let again = try EventRun(run.end())
        #expect(again.epoch == "e" && again.bus.lastSequence == 18 && again.bus.keptCount == 18)
    }

    @Test("a misplaced mark is recreated; numbers continue after all assigned ones")
    func misplacedMark() throws {
        let run = try EventRun()
        try run.publish("a", 3)
        #expect(run.store())
        run.folder.change { _ = $0.replaced.insert("mark") }
        try run.publish("a", 2)
        run.loop.advance(by: .milliseconds(300))
        #expect(run.loop.run { run.info["degraded"] != nil })
        run.folder.change { $0.replaced = [] }
        run.folder.files["mark"] = nil
        run.loop.advance(by: .seconds(2))
        #expect(run.loop.run { run.info["degraded"] == nil })
        let last = run.bus.lastSequence
        let again = try EventRun(run.killed())
        #expect(again.epoch == "e" && again.bus.lastSequence == last)
        #expect(try again.publish("a") == last + 1)
    }

    @Test("at the end a misplaced folder is recreated, or the failure is reported")
    func misplacedEnd() throws {
        let run = try EventRun()
        try run.publish("a", 3)
        #expect(run.store())
        run.folder.change { $0.isMisplaced = true }
        let folder = run.end()
        #expect(run.reports.count == 1, "\(run.reports)")
        folder.change { $0.isMisplaced = false }
        #expect(try EventRun(folder).bus.lastSequence == 3)
    }
}
