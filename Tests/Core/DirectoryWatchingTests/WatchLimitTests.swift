// The limits of the watcher's memory and of its commits, at and beyond the limit.

import EventLoops
import PickerModel
import SystemInterface
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("The pace of polls")
struct PollPaceTests {
    private func at(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    @Test("It slows down to 30 s, and starts over with a change; long polls are rare")
    func pace() {
        var pace = PollPace(WatchLimits())
        func poll(_ found: Bool, took milliseconds: Int = 0) -> Duration {
            pace.begin(at(0))
            pace.end(foundChange: found, at(milliseconds))
            return pace.next
        }
        #expect(pace.next == .seconds(1))
        #expect((0..<7).map { _ in poll(false) } == [2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        #expect(poll(true) == .seconds(1) && poll(true) == .seconds(1))
        // A twentieth of the time at most.
        #expect(poll(true, took: 50) == .seconds(1) && poll(true, took: 51) == .milliseconds(1020))
        #expect(poll(true, took: 10_000) == .seconds(30))
        pace.startOver()
        #expect(pace.next == .seconds(1))
    }

    @Test("A folder without a watch is read seldom while nothing happens, and soon after a change")
    func polled() throws {
        let fixture = try WatchFixture()
        fixture.access.watchFault = { _ in SystemError(.noSpace, operation: "watch") }
        var opened = 0
        fixture.access.openFault = { _ in
            opened += 1
            return nil
        }
        fixture.root.write("a", "1")
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        opened = 0
        fixture.loop.advance(by: .seconds(600))
        // After 1, 3, 7, 15 and 31 s, and then every 30 s.
        #expect(opened >= 20 && opened <= 2 * 25, "\(opened)")
        fixture.root.write("b", "1")
        for _ in 0..<30 where fixture.document("b") == nil {
            fixture.loop.advance(by: .seconds(1))
        }
        #expect(fixture.names == ["a", "b"])
        fixture.root.write("c", "1")
        fixture.loop.advance(by: .seconds(1))
        #expect(fixture.names == ["a", "b", "c"])
    }
}

@Suite struct WatchLimitTests {
    @Test(
        "vanished files up to the limit return with their keys; beyond, the oldest gets a new one",
        arguments: [3, 4])
    func keysRemembered(count: Int) throws {
        var limits = WatchLimits()
        limits.rememberedKeys = 3
        let fixture = try WatchFixture(limits: limits)
        let names = (0..<count).map { "f\($0)" }
        for name in names { fixture.root.write(name) }
        try fixture.start()
        let keys = names.map { fixture.key($0) }
        for name in names {
            fixture.root.move(name, outTo: fixture.folder.path(name))
            fixture.settle()
            fixture.loop.advance(by: .milliseconds(10))
        }
        #expect(fixture.store.documents.isEmpty)
        for name in names { fixture.root.move(from: fixture.folder.path(name), name) }
        fixture.settle()
        let after = names.map { fixture.key($0) }
        #expect(after.suffix(3) == keys.suffix(3))
        #expect((after.first == keys.first) == (count == 3))
        fixture.expectTruth()
    }

    @Test("the memory of keys has its limit's number of keys, and forgets the oldest first")
    func keyMemory() {
        let limit = WatchLimits().rememberedKeys
        #expect(limit == 65_536)
        let now = MonotonicInstant(nanoseconds: 0)
        for extra in [0, 1, 2] {
            var memory = KeyMemory(limit: limit, span: .seconds(1))
            for number in 1...limit + extra {
                memory.remember(
                    DocumentKey(minted: UInt64(number)), identity: UInt64(number), now: now)
            }
            #expect(memory.count == limit)
            let forgotten = memory.takeKey(of: UInt64(extra), now: now)
            #expect(forgotten == nil)
            let oldest = memory.takeKey(of: UInt64(extra + 1), now: now)
            #expect(oldest == DocumentKey(minted: UInt64(extra + 1)))
        }
    }

    @Test("however many keys are remembered, one more moves no others")
    func keyMemoryGrowth() {
        let limit = WatchLimits().rememberedKeys
        let now = MonotonicInstant(nanoseconds: 0)
        /// The most bytes that one more key allocates.
        func most() -> Int {
            var memory = KeyMemory(limit: limit, span: .seconds(1))
            var allocated = 0
            for number in 1...3 * limit {
                let cost = Cost.of {
                    memory.remember(
                        DocumentKey(minted: UInt64(number)), identity: UInt64(number), now: now)
                }
                if number > KeyMemory.many + 1 { allocated = max(allocated, cost.bytes) }
            }
            #expect(memory.count == limit)
            return allocated
        }
        // The first time, the runtime may add types to its tables.
        _ = most()
        #expect(most() < 1024)
    }

    @Test("expired keys are not given away, and are forgotten a limited number at a time")
    func expiredKeys() {
        let count = 3 * KeyMemory.forgottenAtOnce
        var memory = KeyMemory(limit: 65_536, span: .seconds(1))
        let start = MonotonicInstant(nanoseconds: 0)
        for number in 1...count {
            memory.remember(
                DocumentKey(minted: UInt64(number)), identity: UInt64(number), now: start)
        }
        let late = start.advanced(by: .seconds(1))
        memory.forgetOld(start.advanced(by: .milliseconds(999)))
        #expect(memory.count == count)
        memory.forgetOld(late)
        #expect(memory.count == count - KeyMemory.forgottenAtOnce)
        #expect(memory.takeKey(of: UInt64(count), now: late) == nil)
        // The same file, vanished once more.
        memory.remember(DocumentKey(minted: 7), identity: UInt64(count - 1), now: late)
        for _ in 0..<3 { memory.forgetOld(late) }
        #expect(memory.count == 1)
        #expect(memory.takeKey(of: UInt64(count - 1), now: late) == DocumentKey(minted: 7))
        #expect(memory.isEmpty)
    }

    @Test(
        "changes of a rescan wait until its end; at the limit it commits earlier",
        arguments: [3, 4])
    func changesPerRescan(count: Int) throws {
        var limits = WatchLimits()
        limits.changesPerRescan = 4
        limits.changesPerTransaction = 1
        limits.entriesInline = 1
        limits.entriesPerSlice = 1
        let fixture = try WatchFixture(limits: limits)
        for number in 0..<6 {
            fixture.root.write("f\(number)", "1")
            fixture.root.makeFolder("d\(number)")
            fixture.root.write("d\(number)/g", "1")
        }
        try fixture.start()
        for number in 0..<count { fixture.root.append("f\(number)", "2") }
        fixture.access.loseQueue = true
        var changesBefore = 0
        while fixture.loop.runOne() {
            if fixture.watcher.scans.isIdle { continue }
            changesBefore = fixture.transactions.reduce(0) { $0 + $1.changed.count }
        }
        fixture.settle()
        // One commit is enough to be below the limit again.
        #expect(changesBefore == (count == 4 ? 1 : 0))
        #expect(fixture.transactions.count == count)
        #expect(fixture.reports.last == .rescanned(added: 0, removed: 0, changed: count))
        fixture.expectTruth()
    }
}
