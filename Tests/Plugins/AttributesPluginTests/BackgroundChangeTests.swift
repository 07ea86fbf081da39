import EventLoops
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("What changes is read again in the background")
struct BackgroundChangeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Documents that are new or written are read after a short while, others are left alone")
    func changes() throws {
        let condition = DocumentFilter(.suffix([Array("jpg".utf8)]))
        let fixture = try BackgroundFixture(in: folder, condition: condition)
        let keys = fixture.base.add(0..<200)
        let texts = fixture.base.add(0..<10, "t", "txt")
        try fixture.runUntilDone()
        let begin = fixture.loop.now
        let count = fixture.asked.count
        let batches = fixture.reader.batches.count
        try fixture.base.write(keys[7], size: 700)
        let new = fixture.base.add(300..<303)
        // Neither is of interest.
        try fixture.base.write(texts[3], size: 9)
        fixture.base.add(20..<30, "t", "txt")
        try fixture.runUntilDone()
        #expect(fixture.asked[count...].sorted() == ([keys[7]] + new).sorted())
        #expect(fixture.reader.batches.count == batches + 1, "together")
        let last = try #require(fixture.times.last)
        #expect(begin.duration(to: last.begin) >= BackgroundReadings.delay)
        // What the plugin does not read sets no timer.
        try fixture.base.write(texts[3], size: 10)
        fixture.loop.turn()
        #expect(fixture.loop.nextTimer == nil)
    }

    @Test("A renamed document is not read again, but one that may have the attributes only now is")
    func renamed() throws {
        let condition = DocumentFilter(.suffix([Array("jpg".utf8)]))
        let fixture = try BackgroundFixture(in: folder, condition: condition)
        let keys = fixture.base.add(0..<10) + fixture.base.add(50..<60, "t", "txt")
        try fixture.runUntilDone()
        #expect(fixture.asked.count == 10)
        for (index, key) in keys.enumerated() {
            let document = try #require(fixture.base.documents[key: key])
            fixture.base.documents.apply(
                inserted: [document.with(root: "/r", path: FileName("renamed\(index).jpg"))])
        }
        try fixture.runUntilDone()
        #expect(fixture.asked[10...].sorted() == keys[10...].sorted())
    }

    @Test("What a plugin says has changed is read again, some or all, also while it is under way")
    func told() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(0..<100)
        try fixture.runUntilDone()
        #expect(try fixture.base.change("g", Array(keys[3...5])) == nil)
        try fixture.runUntilDone()
        #expect(fixture.asked[100...].sorted() == keys[3...5].sorted())
        #expect(try fixture.base.change("g", nil) == nil)
        try fixture.runUntilDone()
        #expect(fixture.asked.count == 203)
        // One of a batch that is being read.
        fixture.answer = nil
        #expect(try fixture.base.change("g", nil) == nil)
        fixture.run { !fixture.reader.waiting.isEmpty }
        let one = fixture.reader.waiting[0].keys[0]
        #expect(try fixture.base.change("g", [one]) == nil)
        fixture.answer = fixture.base.honest
        try fixture.runUntilDone()
        #expect(fixture.asked[203...].count == 101)
        #expect(fixture.asked[203...].count { $0 == one } == 2)
    }

    @Test("A file that changes while it is read is read again, and one that goes is forgotten")
    func underWay() throws {
        let fixture = try BackgroundFixture(in: folder)
        let keys = fixture.base.add(0..<70)
        fixture.answer = nil
        fixture.run { !fixture.reader.waiting.isEmpty }
        try fixture.base.write(keys[0], size: 1000)
        // This one waits.
        try fixture.base.write(keys[69], size: 1000)
        for key in [keys[1], keys[68]] {
            fixture.base.documents.apply(
                removed: [try #require(fixture.base.documents[key: key])])
        }
        fixture.answer = fixture.base.honest
        try fixture.runUntilDone()
        #expect(fixture.asked.count { $0 == keys[0] } == 2)
        #expect(fixture.asked.count { $0 == keys[69] } == 1)
        #expect(fixture.asked.count { $0 == keys[68] } == 0)
        #expect(Set(fixture.asked) == Set(keys).subtracting([keys[68]]))
        let use = try fixture.base.need()
        let count = fixture.asked.count
        fixture.run { use.isSettled }
        #expect(fixture.asked.count == count, "all is in the cache, as it is now")
        #expect(try fixture.base.known() == Set(keys).subtracting([keys[1], keys[68]]))
    }

    @Test("It is switched off and on again at once, and goes on where it was")
    func switched() throws {
        let fixture = try BackgroundFixture(in: folder, isOn: false)
        fixture.base.add(0..<640)
        fixture.run(for: .seconds(60))
        #expect(fixture.asked.isEmpty)
        fixture.base.directory.readInBackground(true, fixture.base.offer)
        fixture.run { fixture.asked.count >= 128 }
        fixture.base.directory.readInBackground(false, fixture.base.offer)
        fixture.run(for: .seconds(60))
        #expect(fixture.asked.count <= 192)
        #expect(fixture.isDone)
        fixture.base.directory.readInBackground(true, fixture.base.offer)
        try fixture.runUntilDone()
        #expect(fixture.asked.count == 640 && Set(fixture.asked).count == 640)
    }

    @Test("Another version of a plugin reads all again, whether or not the old one answers")
    func version() throws {
        let fixture = try BackgroundFixture(in: folder)
        fixture.base.add(0..<200)
        fixture.answer = nil
        fixture.run { !fixture.reader.waiting.isEmpty }
        let new = ReadingFixture.offer(version: "2", isReadInBackground: true)
        fixture.base.replaceOffer(by: new)
        let reader = try fixture.base.reader
        fixture.run {
            while !reader.waiting.isEmpty { reader.answer(0, fixture.base.honest) }
            return reader.keys.joined().count == 200
        }
        #expect(fixture.asked.count == 64)
    }
}
