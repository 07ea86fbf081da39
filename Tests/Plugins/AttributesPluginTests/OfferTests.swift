import EventLoops
import JSONText
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("Offers of attributes that come and go")
struct OfferTests {
    @Test("A reader that takes nothing is asked for nothing, and for all when it takes something")
    func room() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<10)
        let reader = try fixture.reader
        reader.room = 0
        let use = try fixture.need()
        fixture.loop.advance(by: .seconds(20))
        #expect(reader.batches.isEmpty && !use.isSettled)
        reader.room = 2
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys))
        #expect(use.isSettled)
    }

    @Test("Another version asks again; old values stay meanwhile, and late answers count no more")
    func version() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(1..<101)
        let use = try fixture.need()
        let old = try fixture.reader
        try fixture.readAll()
        try fixture.write(keys[0], size: 500)
        fixture.loop.turn()
        #expect(old.waiting.count == 1)
        fixture.replaceOffer(by: ReadingFixture.offer(version: "2"))
        fixture.loop.turn()
        #expect(try fixture.known().count == 99)
        old.answer { _ in .answers([.values(["a.width": .integer(1)], seen: nil)]) }
        let new = try fixture.reader
        #expect(new.batches.map(\.files.count) == [64, 36])
        try fixture.readAll()
        #expect(new.keys.joined().count == 100)
        #expect(try fixture.known() == Set(keys))
        #expect(use.isSettled)
    }

    @Test("An attribute that nobody offers is settled, and is asked again when it comes back")
    func gone() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<10)
        let use = try fixture.need()
        fixture.loop.turn()
        fixture.directory.remove(fixture.offer)
        fixture.loop.turn()
        #expect(use.isSettled)
        // That of visits is always there.
        #expect(try fixture.list().arrayValue?.compactMap { $0["name"] } == ["frecency", "uri"])
        try fixture.reader.answer(0, fixture.honest)
        fixture.loop.advance(by: .seconds(1))
        fixture.directory.add(fixture.offer)
        fixture.loop.turn()
        #expect(use.pending?.values.first == 10)
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys))
    }

    @Test("When the first who offers a name has gone, the next one reads it")
    func second() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<10)
        let second = ReadingFixture.offer("b", [("a.width", .integer), ("b.own", .integer)])
        fixture.directory.add(second)
        let own = try fixture.need(["b.own"])
        let use = try fixture.need()
        try fixture.readAll()
        let reader = try #require(second.reader as? ScriptedReader)
        #expect(reader.batches.map(\.wanted) == [["b.own"]])
        reader.answer(0) { .answers($0.files.map { _ in .none(seen: nil) }) }
        #expect(try fixture.known() == Set(keys))
        for key in keys { try fixture.write(key, size: 3) }
        fixture.directory.remove(fixture.offer)
        fixture.loop.turn()
        #expect(reader.batches.last?.wanted == ["a.width", "b.own"])
        fixture.loop.advance(by: .milliseconds(500))
        #expect(!use.isSettled)
        while !reader.waiting.isEmpty {
            reader.answer(0, fixture.honest)
            fixture.loop.advance(by: .milliseconds(60))
        }
        #expect(try fixture.known() == Set(keys))
        #expect(use.isSettled && own.isSettled)
    }
}
