import AttributeStorage
import EventLoops
import PickerModel
import PluginInterface
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("What the cache knows is not read")
struct CachedReadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Lets the reader answer what it gets until nothing is to be read.
    private func settle(_ fixture: ReadingFixture, _ use: AttributeUse) throws {
        let reader = try fixture.reader
        #expect(
            fixture.loop.run {
                while !reader.waiting.isEmpty {
                    reader.answer(0) { batch in
                        .answers(
                            batch.files.map {
                                fixture.documents[key: $0.key]?.size == 5
                                    ? .failed("broken") : fixture.honest($0.key)
                            })
                    }
                }
                // The commit, and the count.
                if fixture.loop.isIdle { fixture.loop.spend(.milliseconds(10)) }
                return use.isSettled
            })
    }

    @Test("Nothing is read twice, over a restart and over renames; another version reads all")
    func restart() throws {
        for (round, version) in ["1", "1", "2", "1"].enumerated() {
            let fixture = try ReadingFixture(cacheFolder: folder.path("cache"))
            fixture.replaceOffer(by: ReadingFixture.offer(version: version))
            // The names differ from round to round; the files are the same.
            let keys = fixture.add(0..<200, "name\(round)-")
            let use = try fixture.need()
            try settle(fixture, use)
            let expected = Set(keys).subtracting([keys[5]])
            #expect(try fixture.known() == expected)
            #expect(try fixture.listed() == ["known": 199, "pending": 0, "failed": 1])
            let count = try fixture.reader.keys.joined().count
            let told = fixture.reports.map(\.message)
            #expect(count == (round == 0 || round == 2 ? 200 : 0), "round \(round): \(told)")
            fixture.stop()
        }
    }

    @Test("A file that has changed meanwhile is read")
    func changed() throws {
        for round in 0..<2 {
            let fixture = try ReadingFixture(cacheFolder: folder.path("cache"))
            let keys = fixture.add(100..<110)
            if round == 1 { try fixture.write(keys[3], size: 99) }
            let use = try fixture.need()
            try settle(fixture, use)
            #expect(try fixture.known() == Set(keys))
            #expect(try fixture.reader.keys == (round == 0 ? [keys] : [[keys[3]]]))
            fixture.stop()
        }
    }

    @Test("A file that ends its reader is not tried again after a restart")
    func poison() throws {
        for round in 0..<2 {
            let fixture = try ReadingFixture(cacheFolder: folder.path("cache"))
            fixture.add(100..<101)
            let use = try fixture.need()
            let reader = try fixture.reader
            for _ in 0..<(round == 0 ? 3 : 0) {
                #expect(fixture.loop.run { !reader.waiting.isEmpty })
                reader.fall()
            }
            try settle(fixture, use)
            #expect(reader.batches.count == (round == 0 ? 3 : 0))
            #expect(try fixture.listed() == ["known": 0, "pending": 0, "failed": 1])
            fixture.stop()
        }
    }

    @Test("A cache that can't be used is told, and all is read")
    func unusable() throws {
        try folder.write("cache", "a file")
        let fixture = try ReadingFixture(cacheFolder: folder.path("cache"))
        let keys = fixture.add(100..<110)
        let use = try fixture.need()
        try settle(fixture, use)
        #expect(try fixture.known() == Set(keys))
        #expect(fixture.reports.map(\.level) == [.warning])
    }
}
