import EventLoops
import PickerModel
import PluginInterface
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("What goes wrong in the background")
struct BackgroundFaultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Plays a reader that ends whenever it meets one of the files, and is started again half a second later.
    private func play(_ fixture: BackgroundFixture, poison: Set<String>) throws -> Int {
        var falls = 0
        fixture.answer = nil
        let reader = fixture.reader
        #expect(
            fixture.run {
                guard let work = reader.waiting.first else { return fixture.isDone }
                if poison.isDisjoint(with: work.keys) {
                    reader.answer(0, fixture.base.honest)
                } else {
                    falls += 1
                    reader.room = 0
                    reader.fall()
                    fixture.loop.spend(.milliseconds(500))
                    reader.room = 2
                }
                return false
            })
        return falls
    }

    @Test("A file that ends its reader is found out alone, twice, and is not read again by anybody")
    func poison() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(0..<100)
        let poison = keys[30]
        #expect(try play(fixture, poison: [poison]) == 3)
        #expect(fixture.reader.batches.filter { $0.isAlone }.count == 63 + 2)
        #expect(Set(fixture.asked) == Set(keys))
        let count = fixture.asked.count
        let use = try fixture.base.need()
        fixture.run { use.isSettled }
        #expect(fixture.asked.count == count)
        #expect(try fixture.base.listed() == ["known": 99, "pending": 0, "failed": 1])
        fixture.base.stop()
        let second = try BackgroundFixture(in: folder)
        second.base.add(0..<100)
        try second.runUntilDone()
        #expect(second.asked.isEmpty)
    }

    @Test("A file is condemned by two falls alone, one of them while somebody has it read")
    func shared() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(100..<101)
        fixture.answer = nil
        let reader = fixture.reader
        for isAlone in [false, true] {
            reader.room = 2
            try #require(fixture.run { !reader.waiting.isEmpty })
            #expect(reader.waiting[0].batch.isAlone == isAlone)
            #expect(reader.waiting[0].batch.isBackground)
            reader.room = 0
            reader.fall()
        }
        let use = try fixture.base.need()
        reader.room = 2
        try #require(fixture.run { !reader.waiting.isEmpty })
        #expect(reader.waiting[0].batch.isAlone && !reader.waiting[0].batch.isBackground)
        reader.fall()
        fixture.run { use.isSettled }
        try fixture.runUntilDone()
        #expect(reader.keys == [keys, keys, keys])
        #expect(try fixture.base.listed()["failed"] == 1)
    }

    @Test("While its reader takes nothing no time is spent, and nothing is lost")
    func noRoom() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(0..<300)
        fixture.run { fixture.asked.count >= 64 }
        fixture.reader.room = 0
        fixture.run(for: .seconds(3600))
        #expect(fixture.asked.count <= 128)
        #expect(fixture.loop.nextTimer == nil)
        fixture.reader.room = 2
        try fixture.runUntilDone()
        #expect(fixture.asked.sorted() == keys.sorted())
    }

    @Test(
        "A file of which the reader says 'later' is tried again after growing pauses, not for ever")
    func later() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(0..<10)
        fixture.answer = { [base = fixture.base] batch in
            .answers(batch.files.map { $0.key == keys[4] ? .later : base.honest($0.key) })
        }
        let begin = fixture.loop.now
        try fixture.runUntilDone()
        #expect(fixture.asked.count { $0 == keys[4] } == 6)
        #expect(fixture.asked.count == 15)
        #expect(.seconds(31)..<(.seconds(40)) ~= begin.duration(to: fixture.loop.now))
        // Until it changes.
        try fixture.base.write(keys[4], size: 99)
        fixture.answer = fixture.base.honest
        try fixture.runUntilDone()
        #expect(fixture.asked.count == 16)
    }

    @Test("A batch that is refused is read in parts, and a file that is refused alone not for ever")
    func refused() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(0..<5)
        fixture.answer = { [base = fixture.base] batch in
            batch.files.contains { $0.key == keys[2] } ? .refused("as told") : base.honest(batch)
        }
        try fixture.runUntilDone()
        #expect(Array(fixture.reader.keys.prefix(6)) == [keys] + keys.map { [$0] })
        #expect(fixture.asked.count { $0 == keys[2] } == 7)
        #expect(fixture.asked.count == 5 + 4 + 6)
    }

    @Test("Without a cache nothing is read: it would be lost")
    func noCache() throws {
        try folder.write("cache", "a file")
        let fixture = try BackgroundFixture(in: folder)
        fixture.base.add(0..<100)
        fixture.run(for: .seconds(60))
        #expect(fixture.asked.isEmpty)
        #expect(fixture.base.reports.map(\.level) == [.warning])
        #expect(fixture.loop.nextTimer == nil)
    }
}
