import EventLoops
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("Readers that end while they read")
struct FallTests {
    private let fixture: ReadingFixture
    private let reader: ScriptedReader

    init() throws {
        fixture = try ReadingFixture()
        reader = try fixture.reader
    }

    /// Plays a reader that ends whenever it meets one of the files, until nothing is asked of it.
    /// - Returns: how often it ended.
    private func play(poison: Set<String>, isFault: Bool = true) throws -> Int {
        var falls = 0
        for _ in 0..<10_000 {
            fixture.loop.advance(by: .milliseconds(60))
            guard let work = reader.waiting.first else { return falls }
            if poison.isDisjoint(with: work.keys) {
                reader.answer(0, fixture.honest)
                continue
            }
            falls += 1
            reader.room = 0
            reader.fall(isFault: isFault)
            fixture.loop.advance(by: .milliseconds(500))
            reader.room = 2
        }
        Issue.record("it goes on for ever")
        return falls
    }

    @Test("Of a batch with a file that ends its reader only that one fails, after two falls alone")
    func poison() throws {
        let keys = fixture.add(0..<64)
        let use = try fixture.need()
        let poison = keys[20]
        #expect(try play(poison: [poison]) == 3)
        #expect(try fixture.known() == Set(keys).subtracting([poison]))
        #expect(use.isSettled)
        #expect(try fixture.listed() == ["known": 63, "pending": 0, "failed": 1])
        let alone = reader.batches.dropFirst()
        #expect(alone.allSatisfy { $0.isAlone && $0.files.count == 1 })
        #expect(reader.keys.filter { $0 == [poison] }.count == 2)
        // It is never sent again.
        let count = reader.batches.count
        fixture.loop.advance(by: .seconds(300))
        #expect(reader.batches.count == count)
        // Until it changes.
        try fixture.write(poison, size: 1000)
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys))
    }

    @Test("Of two batches of one file each, none was read alone")
    func twoOfOne() throws {
        let keys = fixture.add(1..<3)
        let use = try fixture.need()
        let viewer = ReadingFixture.Viewer()
        fixture.show([keys[0]], to: viewer, of: use)
        fixture.loop.turn()
        #expect(reader.keys == [[keys[0]], [keys[1]]])
        #expect(try play(poison: [keys[1]]) == 3)
        #expect(reader.keys.filter { $0 == [keys[1]] }.count == 3)
        #expect(try fixture.known() == [keys[0]])
    }

    @Test("Several such files among many are all found, and all others have their values")
    func several() throws {
        let keys = fixture.add(0..<700)
        let poison = Set([3, 4, 5, 300, 301, 699].map { keys[$0] })
        let use = try fixture.need()
        let viewer = ReadingFixture.Viewer()
        fixture.show(Array(keys[290..<310]), to: viewer, of: use)
        #expect(try play(poison: poison) <= 3 * poison.count)
        #expect(try fixture.known() == Set(keys).subtracting(poison))
        #expect(use.isSettled)
        #expect(try fixture.listed()["failed"] == poison.count)
    }

    @Test("A signal from outside condemns no file, however often it comes")
    func fromOutside() throws {
        let keys = fixture.add(0..<200)
        let use = try fixture.need()
        for _ in 0..<10 {
            fixture.loop.advance(by: .milliseconds(60))
            reader.fall(isFault: false)
        }
        #expect(reader.batches.allSatisfy { !$0.isAlone })
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys) && use.isSettled)
        #expect(try fixture.listed()["failed"] == 0)
    }

    @Test(
        "A batch that is refused is read in parts, and those that are refused again are left alone"
    )
    func refused() throws {
        let keys = fixture.add(0..<10)
        let use = try fixture.need()
        fixture.loop.turn()
        reader.answer { _ in .refused("as told") }
        var lone: [[String]] = []
        fixture.loop.turn()
        while let work = reader.waiting.first {
            lone.append(work.keys)
            reader.answer(0) { batch in
                batch.files[0].key == keys[4] ? .refused("as told") : fixture.honest(batch)
            }
            fixture.loop.turn()
        }
        #expect(lone == keys.map { [$0] })
        fixture.loop.advance(by: .milliseconds(60))
        #expect(try fixture.known() == Set(keys).subtracting([keys[4]]))
        // No endless loop: once a minute at last.
        let count = reader.batches.count
        for _ in 0..<600 {
            if !reader.waiting.isEmpty { reader.answer(0) { _ in .refused("as told") } }
            fixture.loop.advance(by: .seconds(1))
        }
        #expect(6...20 ~= reader.batches.count - count)
        try fixture.readAll()
        fixture.loop.advance(by: .seconds(61))
        try fixture.readAll()
        #expect(use.isSettled)
    }

    @Test("A file that changes after its reader fell is read as any other, though alone")
    func changedSuspect() throws {
        let keys = fixture.add(1..<4)
        let use = try fixture.need()
        fixture.loop.turn()
        reader.room = 0
        reader.fall()
        try fixture.write(keys[0], size: 70)
        fixture.documents.apply(removed: [try #require(fixture.documents[key: keys[1]])])
        fixture.loop.turn()
        reader.room = 2
        try fixture.readAll()
        #expect(try fixture.known() == [keys[0], keys[2]])
        #expect(use.isSettled)
    }
}
