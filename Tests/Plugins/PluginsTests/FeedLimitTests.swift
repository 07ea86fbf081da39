// When a store of likes that failed is tried again.

import EventLoops
import FeedStorage
import JSONText
import StateFolder
import Synchronization
import TestSupport
import Testing

@Suite struct FeedLimitTests {
    @Test("a store that fails to open is retried every 10 s")
    func pace() throws {
        let store = FakeMarkStore()
        store.state.withLock { $0.openError = StorageError(.inUse, "another daemon has it") }
        let run = try FeedRun(store)
        for _ in 0..<2 {
            #expect(run.loop.run { run.loop.nextTimer != nil })
            #expect(run.loop.nextTimer == run.loop.now.advanced(by: .seconds(10)))
            run.loop.advance(by: .seconds(10))
        }
        #expect(run.loop.run { run.loop.nextTimer != nil })
        store.state.withLock { $0.openError = nil }
        run.loop.advance(by: .milliseconds(9999))
        #expect(run.info["degraded"] == "another daemon has it")
        run.loop.advance(by: .milliseconds(1))
        #expect(run.loop.run { run.info["degraded"] == nil })
        #expect(run.loop.nextTimer == nil)
        run.end()
    }
}
