import EventLoops
import Observables
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("What is read although nobody asks")
struct BackgroundTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("All that may have the attributes are read once, 64 at a time, and no column begins")
    func all() throws {
        let condition = DocumentFilter(.suffix([Array("jpg".utf8)]))
        let fixture = try BackgroundFixture(in: folder, condition: condition)
        let keys = fixture.base.add(0..<700)
        fixture.base.add(0..<100, "t", "txt")
        let revision = fixture.base.documents.rev
        try fixture.runUntilDone()
        #expect(fixture.asked.sorted() == keys.sorted())
        #expect(fixture.mostAtOnce == 1)
        #expect(fixture.reader.batches.map(\.files.count).max() == 64)
        #expect(fixture.reader.batches.count == 11)
        #expect(fixture.reader.batches.allSatisfy { $0.isBackground && !$0.isUrgent })
        #expect(fixture.base.directory.columns.isEmpty)
        #expect(fixture.base.documents.rev == revision)
        #expect(try fixture.base.listed() == ["known": 0, "pending": 0, "failed": 0])
    }

    @Test("When all has been read nothing wakes the loop")
    func silence() throws {
        let fixture = try BackgroundFixture(in: folder)
        fixture.base.add(0..<100)
        try fixture.runUntilDone()
        let count = fixture.loop.handlersRun
        fixture.loop.advance(by: .seconds(24 * 3600))
        #expect(fixture.loop.handlersRun == count)
        #expect(fixture.reader.batches.count == 2)
        fixture.base.stop()
        #expect(fixture.loop.liveSourceCount == 0)
    }

    @Test(
        "What was read is in the cache: nothing is read after a restart, nor for those who ask then"
    )
    func cached() throws {
        let first = try BackgroundFixture(in: folder)
        first.base.add(0..<300)
        try first.runUntilDone()
        #expect(first.asked.count == 300)
        first.base.stop()
        let second = try BackgroundFixture(in: folder)
        let keys = second.base.add(0..<301, "other")
        try second.runUntilDone()
        #expect(second.asked == [keys[300]], "the one that is new")
        let use = try second.base.need()
        second.run { use.isSettled }
        #expect(try second.base.known() == Set(keys))
        #expect(second.asked.count == 1)
    }

    @Test(
        "After a batch it rests three times as long as that took, and for a while at least",
        arguments: [0, 10, 100, 1500])
    func duty(milliseconds: Int) throws {
        let fixture = try BackgroundFixture(in: folder)
        fixture.readingTime = .milliseconds(milliseconds)
        fixture.base.add(0..<640)
        let begin = fixture.loop.now
        try fixture.runUntilDone()
        #expect(fixture.times.count == 10)
        let least = max(fixture.readingTime * 3, BackgroundReadings.leastRest)
        for (one, next) in zip(fixture.times, fixture.times.dropFirst()) {
            let rest = one.end.duration(to: next.begin)
            // There may be a question between.
            #expect(least...least + .milliseconds(150) ~= rest)
        }
        #expect(begin.duration(to: fixture.times[0].begin) >= BackgroundReadings.delay)
    }

    @Test("While a plugin reads for somebody nothing else is read by it, and nothing twice")
    func others() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(0..<1000)
        fixture.run { fixture.asked.count >= 128 }
        fixture.answer = nil
        fixture.run { !fixture.reader.waiting.isEmpty }
        // One batch of it is waited for at most.
        let query = DocumentQuery(filter: DocumentFilter(.size(.less, 600)))
        let use = try fixture.base.need(["a.width"], query)
        fixture.run { fixture.reader.waiting.count == 3 }
        #expect(fixture.reader.waiting.map(\.batch.isBackground) == [true, false, false])
        let before = fixture.reader.batches.count
        fixture.answer = fixture.base.honest
        fixture.run { use.isSettled }
        let between = fixture.reader.batches[before...].prefix { !$0.isBackground }
        #expect(between.flatMap(\.files).count >= 600 - 256)
        try fixture.runUntilDone()
        let counts = Dictionary(grouping: fixture.asked, by: { $0 }).mapValues(\.count)
        #expect(counts.count == 1000)
        #expect(counts.values.count { $0 > 1 } <= 64, "the batch that was under way")
        #expect(try fixture.base.known() == Set(keys[..<600]))
    }

    @Test(
        "Groups take turns, one batch at a time, and one that reads for somebody holds no other up")
    func turns() throws {
        let fixture = try BackgroundFixture(in: folder)
        let other = ReadingFixture.offer("b", [("b.x", .integer)], isReadInBackground: true)
        fixture.base.directory.add(other)
        fixture.base.add(0..<640)
        let readers = try [fixture.reader, #require(other.reader as? ScriptedReader)]
        fixture.answer = nil
        var order: [Int] = []
        fixture.run {
            #expect(readers.reduce(0) { $0 + $1.waiting.count } <= 1)
            for (index, reader) in readers.enumerated() where !reader.waiting.isEmpty {
                order.append(index)
                reader.answer(0, fixture.base.honest)
            }
            return fixture.isDone
        }
        #expect(order.count == 20)
        #expect(zip(order, order.dropFirst()).count { $0 == $1 } <= 2)
        // One has nobody who answers it.
        let use = try fixture.base.need()
        #expect(try fixture.base.change("g", nil) == nil)
        #expect(try fixture.base.change("g", nil, by: "b") == nil)
        fixture.run {
            while !readers[1].waiting.isEmpty { readers[1].answer(0, fixture.base.honest) }
            return readers[1].keys.joined().count == 2 * 640
        }
        #expect(readers[0].waiting.allSatisfy { !$0.batch.isBackground })
        withExtendedLifetime(use) {}
    }

    @Test("Nothing is read before all documents are known")
    func firstScan() throws {
        let fixture = try BackgroundFixture(in: folder)
        fixture.base.documents.isComplete.value = false
        fixture.base.add(0..<100)
        fixture.run(for: .seconds(60))
        #expect(fixture.asked.isEmpty && fixture.loop.nextTimer == nil)
        fixture.base.documents.isComplete.value = true
        try fixture.runUntilDone()
        #expect(fixture.asked.count == 100)
    }
}
