import EventLoops
import Observables
import PickerModel
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("What is read, and when")
struct ReadingTests {
    @Test("Nothing is read that nobody asks for")
    func nobody() throws {
        let fixture = try ReadingFixture()
        fixture.add(0..<100)
        fixture.loop.advance(by: .seconds(120))
        #expect(try fixture.reader.batches.isEmpty)
        #expect(fixture.directory.columns.isEmpty)
        // Somebody who only shows it looks at nothing.
        let use = try fixture.use(shown: ["a.width"])
        fixture.loop.advance(by: .seconds(120))
        #expect(try fixture.reader.batches.isEmpty)
        withExtendedLifetime(use) {}
    }

    @Test("A list that needs an attribute reads all that its query keeps, and nothing else")
    func query() throws {
        let condition = DocumentFilter(.suffix([Array("jpg".utf8)]))
        let fixture = try ReadingFixture(condition: condition)
        let small = fixture.add(0..<100)
        fixture.add(1000..<1100)
        fixture.add(0..<100, "t", "txt")
        let query = DocumentQuery(filter: DocumentFilter(.size(.less, 1000)))
        let use = try fixture.need(["a.width"], query)
        try fixture.readAll()
        #expect(try Set(fixture.reader.keys.joined()) == Set(small))
        #expect(try fixture.reader.keys.joined().count == 100, "each once")
        #expect(try fixture.known() == Set(small))
        #expect(use.pending == [try fixture.width: 0] && use.isSettled)
        #expect(try fixture.listed() == ["known": 100, "pending": 0, "failed": 0])
        // Another document that it keeps, and one that it doesn't.
        let more = fixture.add(500..<501) + fixture.add(2000..<2001).filter { _ in false }
        try fixture.readAll()
        #expect(try fixture.reader.keys.last == more)
    }

    @Test("What is in view is read first, in a batch of its own, also when others wait")
    func inView() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<1000)
        let use = try fixture.need()
        let viewer = ReadingFixture.Viewer()
        fixture.show(Array(keys[900..<930]), to: viewer, of: use)
        fixture.loop.turn()
        let reader = try fixture.reader
        #expect(reader.keys.first == Array(keys[900..<930]))
        #expect(reader.batches.map(\.isUrgent) == [true, false])
        #expect(reader.batches.map(\.files.count) == [30, 64])
        // It looks elsewhere: one batch is waited for at most.
        fixture.show(Array(keys[700..<720]), to: viewer, of: use)
        fixture.loop.turn()
        #expect(reader.batches.count == 2, "two are under way")
        reader.answer(0, fixture.honest)
        fixture.loop.turn()
        #expect(reader.keys.last == Array(keys[700..<720]))
        #expect(reader.batches.last?.isUrgent == true)
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys))
        #expect(reader.keys.joined().count == 1000, "each is read once")
    }

    @Test("Of what is only shown, documents in view are read, also those that come into view later")
    func shown() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<300)
        let use = try fixture.use(shown: ["a.width"])
        let viewer = ReadingFixture.Viewer()
        fixture.loop.turn()
        fixture.show(Array(keys[0..<100]), to: viewer, of: use)
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys[0..<100]))
        fixture.show(Array(keys[50..<150]), to: viewer, of: use)
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys[0..<150]))
        #expect(try fixture.reader.keys.joined().count == 150)
    }

    @Test("At most 512 values or those of 50 ms become one revision")
    func commits() throws {
        let fixture = try ReadingFixture()
        fixture.add(0..<2000)
        let reader = try fixture.reader
        let use = try fixture.use(shown: ["a.title"], needed: ["a.width"])
        var sizes: [Int] = []
        let connection = fixture.documents.documents(in: .listed).changes.connect {
            sizes.append($0.inserted.count)
        }
        fixture.loop.turn()
        let rev = fixture.documents.rev
        // Twenty batches come at once.
        for _ in 0..<20 {
            reader.answer(0, fixture.honest)
            fixture.loop.turn()
        }
        // The first values wait for no others. Each document has two.
        #expect(sizes == [64, 256, 256, 256, 256])
        fixture.loop.advance(by: .milliseconds(49))
        #expect(sizes.count == 5)
        fixture.loop.advance(by: .milliseconds(2))
        #expect(sizes == [64, 256, 256, 256, 256, 20 * 64 - 64 - 4 * 256])
        #expect(fixture.documents.rev == rev + 6)
        try fixture.readAll()
        #expect(sizes.allSatisfy { $0 <= 256 } && sizes.reduce(0, +) == 2000)
        withExtendedLifetime((use, connection)) {}
    }

    @Test("The first values of a new list wait for no others")
    func firstOfAnother() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<1000)
        let reader = try fixture.reader
        let first = try fixture.need()
        fixture.loop.turn()
        for _ in 0..<2 {
            reader.answer(0, fixture.honest)
            fixture.loop.turn()
        }
        #expect(try fixture.known().count == 64, "the second batch waits")
        let second = try fixture.use(shown: ["a.width"])
        fixture.loop.turn()
        reader.answer(0, fixture.honest)
        fixture.loop.turn()
        #expect(try fixture.known() == Set(keys[0..<192]))
        withExtendedLifetime((first, second)) {}
    }

    @Test("Attributes that nobody wants do not count for what becomes one revision")
    func commitsOfOne() throws {
        let fixture = try ReadingFixture()
        fixture.add(0..<2000)
        let reader = try fixture.reader
        let use = try fixture.need()
        var sizes: [Int] = []
        let connection = fixture.documents.documents(in: .listed).changes.connect {
            sizes.append($0.inserted.count)
        }
        fixture.loop.turn()
        for _ in 0..<17 {
            reader.answer(0, fixture.honest)
            fixture.loop.turn()
        }
        #expect(sizes == [64, 512, 512])
        withExtendedLifetime((use, connection)) {}
    }

    @Test("Nothing is committed while the documents must not change")
    func hold() throws {
        let fixture = try ReadingFixture()
        fixture.add(0..<10)
        let use = try fixture.need()
        fixture.loop.turn()
        fixture.documents.hold.begin()
        try fixture.reader.answer(0, fixture.honest)
        fixture.loop.advance(by: .seconds(1))
        #expect(try fixture.known().isEmpty)
        fixture.documents.hold.end()
        fixture.loop.advance(by: .milliseconds(50))
        #expect(try fixture.known().count == 10)
        withExtendedLifetime(use) {}
    }

    @Test("How many are to be read is told twice a second at most, and that there are none at once")
    func pending() throws {
        let fixture = try ReadingFixture()
        fixture.add(0..<640)
        let width = try fixture.width
        let use = try fixture.need()
        var told: [(at: MonotonicInstant, count: Int?)] = []
        use.whenPendingChanges = { [unowned use, loop = fixture.loop] in
            told.append((loop.now, use.pending?[width]))
        }
        fixture.loop.turn()
        #expect(told.map(\.count) == [640])
        // One batch every 100 ms.
        let reader = try fixture.reader
        while !reader.waiting.isEmpty {
            fixture.loop.advance(by: .milliseconds(50))
            reader.answer(0, fixture.honest)
            fixture.loop.advance(by: .milliseconds(50))
        }
        let last = try #require(told.last)
        #expect(last.count == 0 && last.at.duration(to: fixture.loop.now) <= .milliseconds(50))
        #expect(3...4 ~= told.count, "\(told)")
        for (one, next) in zip(told, told.dropFirst()) where next.count != 0 {
            #expect(one.at.duration(to: next.at) >= .milliseconds(499))
        }
        // And nothing is done any more, after the timer that was set before.
        fixture.loop.advance(by: .seconds(1))
        let before = fixture.loop.handlersRun
        fixture.loop.advance(by: .seconds(30))
        #expect(fixture.loop.handlersRun == before)
    }

    @Test("A group is read as a whole, and again when another of its attributes is wanted later")
    func laterColumn() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<70)
        let first = try fixture.need()
        try fixture.readAll()
        #expect(try fixture.reader.batches.allSatisfy { $0.wanted == ["a.title", "a.width"] })
        let count = try fixture.reader.batches.count
        let second = try fixture.need(["a.title"])
        fixture.loop.turn()
        #expect(second.pending?.values.first == 70)
        try fixture.readAll()
        // Without a cache it is read again.
        #expect(try fixture.reader.batches.count == 2 * count)
        #expect(second.isSettled && first.isSettled)
        #expect(try fixture.known() == Set(keys))
    }

    @Test("A column ends a minute after the last who wanted it, and begins anew then")
    func unused() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<5)
        var use: AttributeUse? = try fixture.need()
        try fixture.readAll()
        use = nil
        fixture.loop.advance(by: .seconds(59))
        #expect(fixture.directory.columns.count == 1)
        use = try fixture.need()
        try fixture.readAll()
        #expect(try fixture.reader.batches.count == 1, "the values are still there")
        use = nil
        fixture.loop.advance(by: .seconds(61))
        #expect(fixture.directory.columns.isEmpty)
        #expect(try fixture.known().isEmpty)
        use = try fixture.need()
        try fixture.readAll()
        #expect(try fixture.known() == Set(keys))
        #expect(use?.isSettled == true)
    }
}
