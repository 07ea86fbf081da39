import EventLoops
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("The rows of one-time answers, and those beside windows")
struct AwaitedRowsTests {
    private func rows(_ keys: [String], _ fixture: ReadingFixture) -> ShownRows {
        ShownRows(
            keys.compactMap { fixture.documents.row(key: $0).map { PickerItem($0) } },
            of: fixture.documents.table)
    }

    @Test(
        "The rows of an answer are read, urgently, and no others",
        arguments: [1, 64, AwaitedRows.mostAtOnce, AwaitedRows.mostAtOnce + 1, 2500])
    func awaited(count: Int) throws {
        let condition = DocumentFilter(.suffix([Array("jpg".utf8)]))
        let fixture = try ReadingFixture(condition: condition)
        let all = fixture.add(0..<4000)
        let others = fixture.add(0..<20, "t", "txt")
        let use = try fixture.use(shown: ["a.width"])
        fixture.loop.turn()
        #expect(use.isSettled, "nothing is awaited")
        let wanted = Array(all[500..<500 + count])
        use.awaited = rows(wanted + others, fixture)
        #expect(!use.isSettled && use.pending == nil)
        fixture.loop.turn()
        #expect(use.pending == [try fixture.width: count])
        try fixture.readAll()
        #expect(try Set(fixture.reader.keys.joined()) == Set(wanted))
        #expect(try fixture.reader.keys.joined().count == count, "each once")
        #expect(try fixture.reader.batches.allSatisfy(\.isUrgent))
        #expect(try use.pending == [fixture.width: 0] && use.isSettled)
        // What has been read is not awaited.
        use.awaited = rows(wanted, fixture)
        fixture.loop.turn()
        #expect(use.isSettled)
        #expect(try fixture.reader.keys.joined().count == count)
    }

    @Test("Answers of no rows, or of documents that have gone, wait for nothing")
    func nothing() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<3)
        let use = try fixture.use(shown: ["a.width"])
        use.awaited = rows([], fixture)
        fixture.loop.turn()
        #expect(try use.isSettled && use.pending == [fixture.width: 0])
        use.awaited = rows(keys, fixture)
        fixture.loop.turn()
        #expect(use.pending == [try fixture.width: 3])
        fixture.documents.apply(removed: Array(fixture.documents.documents))
        fixture.loop.advance(by: AttributeReadings.countTime)
        fixture.loop.turn()
        #expect(use.isSettled)
    }

    @Test(
        "Documents that are read later are awaited, and one whose file changes meanwhile is read again"
    )
    func later() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(1..<3)
        let use = try fixture.use(shown: ["a.width"])
        use.awaited = rows(keys, fixture)
        fixture.loop.turn()
        let reader = try fixture.reader
        reader.answer(0) { batch in
            .answers(batch.files.map { $0.key == keys[0] ? .later : fixture.honest($0.key) })
        }
        fixture.loop.advance(by: .milliseconds(60))
        try fixture.write(keys[1], size: 50)
        fixture.loop.advance(by: AttributeReadings.countTime)
        #expect(use.pending == [try fixture.width: 2])
        fixture.loop.advance(by: .seconds(1))
        try fixture.readAll()
        fixture.loop.advance(by: AttributeReadings.countTime)
        #expect(use.isSettled)
        #expect(try fixture.width(of: keys[1]) == 50)
    }

    @Test("What is beside a window is read after what is in one, and before what is only needed")
    func nearby() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<1000)
        let use = try fixture.need()
        let viewer = ReadingFixture.Viewer()
        viewer.nearby = rows(Array(keys[930..<960]) + Array(keys[870..<900]), fixture)
        fixture.show(Array(keys[900..<930]), to: viewer, of: use)
        fixture.loop.turn()
        let reader = try fixture.reader
        #expect(reader.keys.first == Array(keys[900..<930]))
        #expect(reader.keys.last == Array(keys[930..<960]) + Array(keys[870..<900]))
        #expect(reader.batches.map(\.isUrgent) == [true, true])
        try fixture.readAll()
        #expect(reader.keys.joined().count == 1000, "each is read once")
        #expect(viewer.mostAsked <= GroupReading.mostInView)
    }

    @Test("Of what is only shown, what is beside the window is read, too, and nothing else")
    func nearbyShown() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<300)
        let use = try fixture.use(shown: ["a.width"])
        let viewer = ReadingFixture.Viewer()
        viewer.nearby = rows(Array(keys[100..<200]), fixture)
        fixture.show(Array(keys[0..<100]), to: viewer, of: use)
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys[0..<200]))
        #expect(use.isSettled, "a live list waits for nothing")
    }
}
