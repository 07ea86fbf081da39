import EventLoops
import Observables
import PickerModel
import SystemInterface
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("Files that change while they are read")
struct ChangedFileTests {
    private let fixture: ReadingFixture
    private let reader: ScriptedReader

    init() throws {
        fixture = try ReadingFixture()
        reader = try fixture.reader
    }

    @Test("Values of another file than the document's are dropped; it is read again after a pause")
    func seenDiffers() throws {
        let key = try #require(fixture.add(0..<1).first)
        let use = try fixture.need()
        fixture.loop.turn()
        let document = try #require(fixture.documents[key: key])
        let honest = ReadingFixture.seen(document)
        let others = [
            ReadingOutcome.Seen(
                inode: honest.inode + 1, size: honest.size, modified: honest.modified),
            ReadingOutcome.Seen(
                inode: honest.inode, size: honest.size + 1, modified: honest.modified),
            ReadingOutcome.Seen(
                inode: honest.inode, size: honest.size, modified: FileTime(seconds: 5)),
            nil,
        ]
        for (index, seen) in others.enumerated() {
            #expect(reader.batches.count == index + 1)
            reader.answer { _ in
                .answers([
                    index % 2 == 0
                        ? .values(["a.width": .integer(9)], seen: seen) : .none(seen: seen)
                ])
            }
            let pause = Duration.seconds(1 << index)
            fixture.loop.advance(by: pause - .milliseconds(10))
            #expect(reader.batches.count == index + 1, "it is left alone for \(pause)")
            #expect(try fixture.width(of: key) == nil && !use.isSettled)
            fixture.loop.advance(by: .milliseconds(20))
        }
        try fixture.readAll()
        #expect(try fixture.width(of: key) == 0 && use.isSettled)
    }

    @Test("A file that has changed since it was asked for is read again")
    func factsDiffer() throws {
        let keys = fixture.add(1..<4)
        let use = try fixture.need()
        fixture.loop.turn()
        let old = try keys.map { try #require(fixture.documents[key: $0]) }
        try fixture.write(keys[0], size: 50)
        // One changes when its values have come, and one goes.
        reader.answer { _ in
            .answers(
                old.map {
                    .values(
                        ["a.width": .integer(Int64($0.size))], seen: ReadingFixture.seen($0))
                })
        }
        try fixture.write(keys[1], size: 60)
        fixture.documents.apply(removed: [old[2]])
        fixture.loop.advance(by: .milliseconds(50))
        #expect(try keys.map { try fixture.width(of: $0) } == [nil, nil, nil])
        try fixture.readAll()
        #expect(try keys.map { try fixture.width(of: $0) } == [50, 60, nil])
        #expect(use.isSettled)
    }

    @Test("A changed file keeps its values until new ones are there, five seconds at most")
    func stale() throws {
        let keys = fixture.add(1..<3)
        let use = try fixture.need()
        try fixture.readAll()
        var told: [Int64?] = []
        let connection = fixture.documents.documents(in: .listed).changes.connect {
            [unowned fixture] change in
            guard !change.inserted.isEmpty else { return }
            told.append(try? fixture.width(of: keys[0]))
        }
        try fixture.write(keys[0], size: 10)
        fixture.loop.advance(by: .seconds(4))
        #expect(try fixture.width(of: keys[0]) == 1)
        try fixture.readAll()
        #expect(told == [1, 10], "it goes from one value to the next")
        // Nobody answers.
        try fixture.write(keys[0], size: 20)
        fixture.loop.advance(by: .milliseconds(4900))
        #expect(try fixture.width(of: keys[0]) == 10)
        // Another change gives it no more time.
        try fixture.write(keys[0], size: 30)
        fixture.loop.advance(by: .milliseconds(200))
        #expect(try fixture.width(of: keys[0]) == nil)
        #expect(try fixture.width(of: keys[1]) == 2)
        // What was asked before the second change is answered now, and asked again.
        try fixture.readAll()
        #expect(try fixture.width(of: keys[0]) == nil)
        fixture.loop.advance(by: .seconds(2))
        try fixture.readAll()
        #expect(try fixture.width(of: keys[0]) == 30 && use.isSettled)
        withExtendedLifetime(connection) {}
    }

    @Test("A file that changed just before another version of its reader came has five seconds")
    func staleBeforeUpgrade() throws {
        let keys = fixture.add(1..<3)
        let use = try fixture.need()
        try fixture.readAll()
        try fixture.write(keys[0], size: 10)
        fixture.loop.advance(by: .seconds(2))
        // Neither version answers.
        fixture.replaceOffer(by: ReadingFixture.offer(version: "2"))
        fixture.loop.advance(by: .milliseconds(2900))
        #expect(try keys.map { try fixture.width(of: $0) } == [1, 2])
        fixture.loop.advance(by: .milliseconds(200))
        #expect(try keys.map { try fixture.width(of: $0) } == [nil, 2])
        try fixture.readAll()
        #expect(try keys.map { try fixture.width(of: $0) } == [10, 2])
        withExtendedLifetime(use) {}
    }

    @Test("A file that changes every second, and is read each time, has a value at all times")
    func busyFile() throws {
        let key = try #require(fixture.add(1..<2).first)
        let use = try fixture.need()
        try fixture.readAll()
        for size in 2..<20 as Range<UInt64> {
            try fixture.write(key, size: size)
            fixture.loop.advance(by: .milliseconds(900))
            #expect(try fixture.width(of: key) != nil, "after \(size) writes")
            try fixture.readAll()
            #expect(try fixture.width(of: key) == Int64(size))
        }
        withExtendedLifetime(use) {}
    }

    @Test("New values that come when the old ones are taken away stay")
    func readInTheNickOfTime() throws {
        let key = try #require(fixture.add(1..<2).first)
        let use = try fixture.need()
        try fixture.readAll()
        try fixture.write(key, size: 7)
        fixture.loop.advance(by: .milliseconds(4990))
        reader.answer(0, fixture.honest)
        fixture.loop.advance(by: .milliseconds(200))
        #expect(try fixture.width(of: key) == 7)
        fixture.loop.advance(by: .seconds(20))
        #expect(try fixture.width(of: key) == 7 && use.isSettled)
    }

    @Test("A file that gets another name keeps its value while it is asked for again")
    func renamed() throws {
        let key = try #require(fixture.add(1..<2).first)
        let use = try fixture.need()
        try fixture.readAll()
        let old = try #require(fixture.documents[key: key])
        fixture.documents.apply(inserted: [old.with(root: "/r", path: FileName("x/b.jpg"))])
        fixture.loop.advance(by: .seconds(10))
        #expect(reader.batches.count == 2 && !use.isSettled)
        #expect(try fixture.width(of: key) == 1)
        try fixture.readAll()
        #expect(try fixture.width(of: key) == 1 && use.isSettled)
    }

    @Test("A file that gets a name of which nobody reads attributes loses its values")
    func otherType() throws {
        let condition = DocumentFilter(.suffix([Array("jpg".utf8)]))
        let fixture = try ReadingFixture(condition: condition)
        let key = try #require(fixture.add(1..<2).first)
        let use = try fixture.need()
        try fixture.readAll()
        let old = try #require(fixture.documents[key: key])
        fixture.documents.apply(inserted: [old.with(root: "/r", path: FileName("b.txt"))])
        fixture.loop.advance(by: .seconds(6))
        #expect(try fixture.width(of: key) == nil && use.isSettled)
    }

    @Test("What is asked again though its file is the same keeps its values meanwhile")
    func askedAgain() throws {
        let key = try #require(fixture.add(1..<2).first)
        let use = try fixture.need()
        try fixture.readAll()
        // Another version of the reader, which does not answer; and the document is touched.
        fixture.replaceOffer(by: ReadingFixture.offer(version: "2"))
        fixture.loop.turn()
        let old = try #require(fixture.documents[key: key])
        fixture.documents.apply(inserted: [old.with(isLiked: true)])
        fixture.loop.advance(by: .seconds(20))
        #expect(try fixture.width(of: key) == 1 && !use.isSettled)
    }

    @Test("A file that can't be read now is left alone, twice as long each time, up to a minute")
    func later() throws {
        let keys = fixture.add(0..<3)
        let use = try fixture.need()
        fixture.loop.turn()
        reader.answer { batch in
            .answers(batch.files.map { $0.key == keys[1] ? .later : fixture.honest($0.key) })
        }
        var times: [Double] = []
        var last = fixture.loop.now
        for _ in 0..<9 {
            while reader.waiting.isEmpty { fixture.loop.advance(by: .milliseconds(50)) }
            times.append(last.duration(to: fixture.loop.now).inSeconds.rounded())
            last = fixture.loop.now
            #expect(reader.keys.last == [keys[1]])
            reader.answer { _ in .answers([.later]) }
        }
        #expect(times == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(use.pending?.values.first == 1)
        // Meanwhile the loop sleeps, but for the count twice a second.
        let before = fixture.loop.handlersRun
        fixture.loop.advance(by: .seconds(50))
        #expect(fixture.loop.handlersRun - before < 300)
        fixture.loop.advance(by: .seconds(20))
        try fixture.readAll()
        #expect(use.isSettled)
    }

    @Test("While a document that was left alone waits for its reader, or is gone, the loop sleeps")
    func pauseIsOver() throws {
        let keys = fixture.add(0..<2)
        let use = try fixture.need()
        fixture.loop.turn()
        reader.answer { _ in .answers([.later, .later]) }
        reader.room = 0
        fixture.documents.apply(removed: [try #require(fixture.documents[key: keys[0]])])
        fixture.loop.advance(by: .seconds(2))
        let before = fixture.loop.handlersRun
        fixture.loop.advance(by: .seconds(60))
        #expect(fixture.loop.handlersRun - before < 400)
        reader.room = 2
        try fixture.readAll()
        #expect(use.isSettled)
    }

    @Test("A file that can't be read has failed, and is not read again until it changes")
    func failed() throws {
        let keys = fixture.add(1..<3)
        let use = try fixture.need()
        fixture.loop.turn()
        reader.answer { _ in .answers([.failed("truncated"), fixture.honest(keys[1])]) }
        fixture.loop.advance(by: .seconds(300))
        #expect(reader.batches.count == 1 && use.isSettled)
        #expect(try fixture.listed() == ["known": 1, "pending": 0, "failed": 1])
        try fixture.write(keys[0], size: 9)
        try fixture.readAll()
        #expect(reader.batches.count == 2)
        #expect(try fixture.listed() == ["known": 2, "pending": 0, "failed": 0])
    }

    @Test(
        "A new document in the place of one that has gone is not forgotten by the search behind it")
    func inFormerPlace() throws {
        let keys = fixture.add(0..<6000)
        let use = try fixture.need()
        fixture.loop.turn()
        fixture.documents.apply(removed: [try #require(fixture.documents[key: keys[3]])])
        fixture.loop.turn()
        let new = try #require(fixture.add(9000..<9001).first)
        let (row, first) = (fixture.documents.row(key: new), fixture.documents.row(key: keys[99]))
        #expect(try #require(row).index < #require(first).index, "it has the room of the other")
        try fixture.readAll()
        #expect(try fixture.width(of: new) == 9000 && use.isSettled)
    }

    @Test("A document is not forgotten that changes while a thousand others wait")
    func behindTheSearch() throws {
        let keys = fixture.add(0..<6000)
        let use = try fixture.need()
        fixture.loop.turn()
        let old = try #require(fixture.documents[key: keys[5]])
        try fixture.write(keys[5], size: 7000)
        // The search passes it while it is being read.
        for _ in 0..<30 {
            reader.answer(1, fixture.honest)
            fixture.loop.turn()
        }
        reader.answer { batch in
            .answers(
                batch.files.map { file in
                    file.key == keys[5]
                        ? .none(seen: ReadingFixture.seen(old)) : fixture.honest(file.key)
                })
        }
        try fixture.readAll()
        #expect(use.isSettled)
        #expect(try fixture.known() == Set(keys))
    }
}
