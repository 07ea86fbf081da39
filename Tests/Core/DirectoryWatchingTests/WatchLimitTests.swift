// The limits of the watcher's memory and of its commits, at and beyond the limit.

import PickerModel
import SystemdEventLoop
import TestSupport
import Testing

@testable import DirectoryWatching

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
