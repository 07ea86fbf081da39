import EventLoops
import FeedStorage
import JSONText
import PickerModel
import StateFolder
import Synchronization
import TestSupport
import Testing
import WireProtocol

@Suite struct FeedVisitTests {
    @Test("A visit is answered once stored, and a restarted daemon has it")
    func stored() throws {
        let store = FakeMarkStore()
        let run = try FeedRun(store)
        let key = run.add("a", inode: 5)[0].key
        store.state.withLock { $0.isHeld = true }
        let later = run.session.begin("items.visited", ["key": JSONValue(key)])
        #expect(later.value == nil && run.documents.visits.score(of: key) == nil)
        store.state.withLock { $0.isHeld = false }
        #expect(try run.answer(later).get() == [:])
        #expect(run.documents.visits.score(of: key)?.seconds == run.loop.wallSeconds)
        #expect(run.batches.last?.isDurable == true)
        #expect(run.info["visited"] == 1 && run.info["marked"] == 0)
        run.end()

        let next = try FeedRun(store, epoch: "f")
        let again = next.add("renamed", inode: 5)[0].key
        #expect(next.documents.visits.score(of: again)?.seconds == run.loop.wallSeconds)
        #expect(try next.list() == ["renamed"], "a visit shows in no list")
    }

    @Test("A visit that can't be stored is refused, and not counted")
    func failed() throws {
        let store = FakeMarkStore()
        let run = try FeedRun(store)
        let key = run.add("a")[0].key
        store.state.withLock { $0.writeError = StorageError(.full, "no room") }
        let refusal = try run.refusal("items.visited", ["key": JSONValue(key)])
        #expect(refusal?.kind == .overloaded)
        #expect(run.documents.visits.score(of: key) == nil)
    }

    @Test("A visit names a document that is there")
    func named() throws {
        let run = try FeedRun()
        #expect(try run.refusal("items.visited", ["key": "none"])?.kind == .noSuchItem)
        #expect(try run.refusal("items.visited", ["key": "new"])?.kind == .invalidParams)
        #expect(try run.refusal("items.visited", [:])?.kind == .invalidParams)
    }

    @Test(
        "Another part of the daemon can tell of a visit; one of a missing document is passed over")
    func told() throws {
        let run = try FeedRun()
        let key = run.add("a")[0].key
        run.documents.visits.record?(key)
        run.documents.visits.record?("none")
        #expect(run.loop.run { run.documents.visits.score(of: key) != nil })
        #expect(run.documents.visits.count == 1)
    }
}
