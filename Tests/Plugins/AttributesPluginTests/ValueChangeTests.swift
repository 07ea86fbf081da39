import AttributeStorage
import EventLoops
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import AttributesPlugin

@Suite("Values that change while their files stay as they are")
struct ValueChangeTests {
    /// What the reader says of all files; not their size, which stays.
    private final class Answers {
        var width: Int64 = 1

        func answer(_ fixture: ReadingFixture) -> (ReadingBatch) -> ReadingOutcome {
            let value = AttributeValue.integer(width)
            return { batch in
                .answers(
                    batch.files.map { file in
                        guard let document = fixture.documents[key: file.key] else {
                            return .failed("it is gone")
                        }
                        return .values(["a.width": value], seen: ReadingFixture.seen(document))
                    })
            }
        }
    }

    private let answers = Answers()

    private func readAll(_ fixture: ReadingFixture) throws {
        let reader = try fixture.reader
        repeat {
            fixture.loop.turn()
            while !reader.waiting.isEmpty {
                reader.answer(0, answers.answer(fixture))
                fixture.loop.turn()
            }
            fixture.loop.advance(by: .milliseconds(50))
        } while !reader.waiting.isEmpty
    }

    private func widths(_ keys: [String], _ fixture: ReadingFixture) throws -> [Int64?] {
        try keys.map { try fixture.width(of: $0) }
    }

    @Test("The documents that are named are read again, and keep their values until then")
    func named() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<5)
        let use = try fixture.need()
        try readAll(fixture)
        #expect(try fixture.change("g", Array(keys[1...2]) + ["f999", "what"]) == nil)
        answers.width = 2
        fixture.loop.advance(by: .seconds(10))
        #expect(try widths(keys, fixture) == [1, 1, 1, 1, 1], "however long that takes")
        #expect(use.pending == [try fixture.width: 2])
        try readAll(fixture)
        #expect(try widths(keys, fixture) == [1, 2, 2, 1, 1])
        #expect(try fixture.reader.keys.map(\.count) == [5, 2])
        #expect(try fixture.change("g", []) == nil)
        fixture.loop.advance(by: .seconds(1))
        #expect(try fixture.reader.batches.count == 2)
    }

    @Test("Without keys all are read again but those that can't be")
    func all() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<100)
        let use = try fixture.need()
        let reader = try fixture.reader
        fixture.loop.turn()
        reader.answer(0) { batch in .answers(batch.files.map { _ in .failed("no") }) }
        try readAll(fixture)
        answers.width = 2
        #expect(try fixture.change("g", nil) == nil)
        try readAll(fixture)
        #expect(reader.keys.joined().count == 100 + 36)
        #expect(try widths(keys, fixture).count { $0 == 2 } == 36)
        // One that can't be read is tried again if it is named.
        #expect(try fixture.change("g", [keys[0]]) == nil)
        try readAll(fixture)
        #expect(try fixture.width(of: keys[0]) == 2)
        withExtendedLifetime(use) {}
    }

    @Test("What was under way when it changed is read once more")
    func underWay() throws {
        let fixture = try ReadingFixture()
        let keys = fixture.add(0..<3)
        let use = try fixture.need()
        let reader = try fixture.reader
        fixture.loop.turn()
        #expect(reader.waiting.count == 1)
        #expect(try fixture.change("g", [keys[0]]) == nil)
        reader.answer(0, answers.answer(fixture))
        answers.width = 2
        fixture.loop.turn()
        // Its value has come, and is not in the documents.
        #expect(try fixture.change("g", [keys[2]]) == nil)
        fixture.loop.advance(by: .milliseconds(60))
        #expect(try widths(keys, fixture) == [1, 1, 1])
        try readAll(fixture)
        #expect(try widths(keys, fixture) == [2, 1, 2])
        #expect(use.isSettled)
        withExtendedLifetime(use) {}
    }

    @Test("Nobody has it read: then nothing is, and the cache forgets it all the same")
    func cached() throws {
        let folder = try TemporaryFolder()
        func fixture() throws -> ReadingFixture {
            try ReadingFixture(cacheFolder: folder.path("cache"))
        }
        func readings(_ fixture: ReadingFixture, until count: Int) throws -> Int {
            let use = try fixture.need()
            let reader = try fixture.reader
            fixture.loop.run {
                while !reader.waiting.isEmpty { reader.answer(0, answers.answer(fixture)) }
                // The commit, and the count.
                if fixture.loop.isIdle { fixture.loop.spend(.milliseconds(10)) }
                return use.isSettled
            }
            #expect(try fixture.listed()["known"] == count)
            return reader.keys.joined().count
        }
        var one = try fixture()
        _ = one.add(0..<10)
        #expect(try readings(one, until: 10) == 10)
        one.stop()
        one = try fixture()
        let keys = one.add(0..<10)
        #expect(try one.change("g", [keys[3]]) == nil)
        #expect(try one.reader.batches.isEmpty)
        #expect(try readings(one, until: 10) == 1, "of the others the cache knows")
        one.stop()
        one = try fixture()
        one.add(0..<10)
        #expect(try one.change("g", nil) == nil)
        #expect(try readings(one, until: 10) == 10)
        one.stop()
        one = try fixture()
        one.add(0..<10)
        #expect(try readings(one, until: 10) == 0)
        one.stop()
    }

    @Test("What was read before a change, and is not in the documents, is not kept in the cache")
    func cachedMeanwhile() throws {
        let folder = try TemporaryFolder()
        let fixture = try ReadingFixture(cacheFolder: folder.path("cache"))
        let keys = fixture.add(0..<3)
        let use = try fixture.need()
        let reader = try fixture.reader
        #expect(fixture.loop.run { !reader.waiting.isEmpty })
        reader.answer(0, answers.answer(fixture))
        #expect(try fixture.change("g", [keys[2]]) == nil)
        answers.width = 2
        fixture.loop.run {
            while !reader.waiting.isEmpty { reader.answer(0, answers.answer(fixture)) }
            if fixture.loop.isIdle { fixture.loop.spend(.milliseconds(10)) }
            return use.isSettled
        }
        #expect(try widths(keys, fixture) == [1, 1, 2])
        #expect(reader.keys == [keys, [keys[2]]])
    }

    @Test("Only the process of a plugin may say it, of a group of its own manifest")
    func refused() throws {
        let fixture = try ReadingFixture()
        fixture.add(0..<3)
        let other = try #require(try fixture.change("h", nil))
        #expect(other.kind == .invalidParams)
        #expect(other.message.contains("the manifest of 'a' has no group 'h'"))
        #expect(other.message.contains("it has 'g'"), "\(other.message)")
        let stranger = try #require(try fixture.change("g", nil, by: "b"))
        #expect(stranger.message.contains("it has none now"), "\(stranger.message)")
        #expect(try fixture.change("g", nil, by: nil)?.kind == .permissionDenied)
    }

    @Test(
        "At most 1000 documents are named at once",
        arguments: [0, 1, AttributeReadings.mostChanged, AttributeReadings.mostChanged + 1])
    func limit(count: Int) throws {
        let fixture = try ReadingFixture()
        let error = try fixture.change("g", (0..<count).map { "f\($0)" })
        #expect((error == nil) == (count <= 1000))
        if let error { #expect(error.message.contains("1000"), "\(error.message)") }
    }

    private static func extractor(_ group: String) -> Extractor {
        Extractor(plugin: "a", version: "1", group: group)
    }

    private static func files(_ count: Int) -> [FileVersion] {
        (0..<count).map {
            FileVersion(
                root: [], inode: UInt64($0), size: 1, modified: FileTime(seconds: 0))
        }
    }

    @Test("What the cache has no room to forget is not asked of it, and forgotten later")
    func room() throws {
        let loop = FakeLoop()
        let forgotten = ForgottenReadings(on: loop)
        var hasRoom = false
        var told: [String] = []
        func forget(_ group: String, _ count: Int?) {
            forgotten.add(Self.extractor(group), count.map { Self.files($0) }) { extractor, files in
                if hasRoom {
                    told.append("\(extractor.group) \(files.map { "\($0.count)" } ?? "all")")
                }
                return hasRoom
            }
        }
        forget("a", 1)
        forget("b", 2)
        #expect(forgotten.contains(Self.extractor("a")) && !forgotten.contains(Self.extractor("c")))
        loop.advance(by: ForgottenReadings.retryTime)
        hasRoom = true
        #expect(told.isEmpty)
        loop.advance(by: ForgottenReadings.retryTime)
        #expect(told == ["a 1", "b 2"] && !forgotten.contains(Self.extractor("a")))
        hasRoom = false
        for _ in 0..<ForgottenReadings.most { forget("a", 1) }
        forget("b", 1)
        forget("b", 1)
        forget("a", nil)
        forget("a", 1)
        hasRoom = true
        told = []
        loop.advance(by: ForgottenReadings.retryTime)
        #expect(told == ["b all", "a all"])
    }
}
