import Database
import Foundation
import PickerModel
import StateFolder
import Synchronization
import TestSupport
import Testing

@testable import AttributeStorage

@Suite("The cache of attributes")
struct AttributeCacheTests {
    private let folder: TemporaryFolder
    private let answers = Answers()

    init() throws { folder = try TemporaryFolder() }

    private final class Answers: Sendable {
        private let all = Mutex<[AttributeCache.Answer]>([])

        func add(_ answer: AttributeCache.Answer) { all.withLock { $0.append(answer) } }

        func next() throws -> AttributeCache.Answer {
            var answer: AttributeCache.Answer?
            _ = waitUntil {
                answer = all.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return answer != nil
            }
            return try #require(answer, "no answer came")
        }
    }

    private var path: String { folder.path("cache/pickerd") }

    private func open() throws -> AttributeCache {
        try AttributeCache(at: path) { [answers] in answers.add($0) }
    }

    private static let reader = Extractor(plugin: "p", version: "1", group: "g")
    private static let file = FileVersion(
        root: [0x2F], inode: 1, size: 2, modified: FileTime(seconds: 3))
    private static let reading = CachedReading.values(["a": .integer(4)])

    private func find(
        _ cache: AttributeCache, question: Int, _ files: [FileVersion] = [Self.file],
        today: Int64 = 1
    ) throws -> [CachedReading?] {
        #expect(cache.find(question: question, Self.reader, files, plainAttributes, today: today))
        guard case .found(let answered, let readings) = try answers.next() else {
            Issue.record("it was told something else")
            return []
        }
        #expect(answered == question)
        return readings.plain(plainAttributes)
    }

    private func fault() throws -> (message: String, isOver: Bool) {
        guard case .fault(let message, let isOver) = try answers.next() else {
            Issue.record("it was told something else")
            return ("", false)
        }
        return (message, isOver)
    }

    @Test("What is put is found, and found again after the end")
    func life() throws {
        let cache = try open()
        #expect(try find(cache, question: 5) == [nil])
        cache.put(Self.reader, [(Self.file, Self.reading)], today: 1)
        #expect(try find(cache, question: 6) == [Self.reading])
        cache.put(Self.reader, [(Self.file, .failed)], today: 1)
        cache.finish(within: Int32(patienceMilliseconds))
        #expect(!cache.find(question: 7, Self.reader, [Self.file], [], today: 1), "it has ended")
        let again = try open()
        #expect(try find(again, question: 8) == [.failed])
        again.finish(within: Int32(patienceMilliseconds))
    }

    @Test("A file that is no database, or one of others, is set aside, and another begun")
    func foreign() throws {
        try folder.makeFolder("cache")
        try folder.makeFolder("cache/pickerd")
        let name = "cache/pickerd/attributes.sqlite"
        let text = String(repeating: "This is no database. ", count: 300)
        try folder.write(name, text)
        let cache = try open()
        let told = try fault()
        #expect(!told.isOver && told.message.contains("begun anew"))
        #expect(try folder.contents(of: name + ".damaged") == text)
        cache.put(Self.reader, [(Self.file, Self.reading)], today: 1)
        #expect(try find(cache, question: 1) == [Self.reading])
        cache.finish(within: Int32(patienceMilliseconds))
    }

    @Test("A database that is damaged inside is set aside when that is met, and another begun")
    func damaged() throws {
        do {
            let cache = try open()
            for start in 0..<40 {
                cache.put(
                    Self.reader,
                    (0..<64).map { (number: Int) in
                        let file = FileVersion(
                            root: [0x2F], inode: UInt64(start * 64 + number), size: 1,
                            modified: FileTime(seconds: 0))
                        return (file, .values(["t": .text(String(repeating: "x", count: 200))]))
                    }, today: 1)
                // Not more than may wait.
                _ = try find(cache, question: Int(start), [])
            }
            cache.finish(within: Int32(patienceMilliseconds))
        }
        let url = URL(fileURLWithPath: path + "/attributes.sqlite")
        var bytes = try Data(contentsOf: url)
        try #require(bytes.count > 200_000)
        bytes.replaceSubrange(8192..., with: Data(repeating: 0xA5, count: bytes.count - 8192))
        try bytes.write(to: url)
        let cache = try open()
        var told: String?
        for question in 0..<40 where told == nil {
            let files = (0..<64 as Range<UInt64>).map {
                FileVersion(
                    root: [0x2F], inode: UInt64(question) * 64 + $0, size: 1,
                    modified: FileTime(seconds: 0))
            }
            #expect(
                cache.find(question: question, Self.reader, files, plainAttributes, today: 1))
            if case .fault(let message, let isOver) = try answers.next() {
                told = message
                #expect(!isOver)
                // The question is answered nevertheless.
                guard case .found(question, let found) = try answers.next() else {
                    Issue.record("the question was not answered")
                    return
                }
                #expect(found.states == files.map { _ in .unknown })
            }
        }
        #expect(told?.contains("damaged") == true)
        cache.put(Self.reader, [(Self.file, Self.reading)], today: 1)
        #expect(try find(cache, question: 99) == [Self.reading])
        cache.finish(within: Int32(patienceMilliseconds))
    }

    @Test("What is found again on a later day is of that day, while it is open and after")
    func days() throws {
        let cache = try open()
        cache.put(Self.reader, [(Self.file, Self.reading)], today: 100)
        #expect(try find(cache, question: 1, today: 100) == [Self.reading])
        #expect(try find(cache, question: 2, today: 120) == [Self.reading])
        cache.finish(within: Int32(patienceMilliseconds))
        let stored = try SQLiteConnection(opening: path + "/attributes.sqlite")
        #expect(try stored.number("SELECT seen_day FROM entry") == 120)
    }

    @Test("Without a folder nothing is stored, which is told once, and all questions are answered")
    func noFolder() throws {
        try folder.write("cache", "a file")
        let cache = try open()
        let told = try fault()
        #expect(told.isOver && told.message.contains("read from files each time"))
        cache.put(Self.reader, [(Self.file, Self.reading)], today: 1)
        #expect(try find(cache, question: 1) == [nil])
        #expect(try find(cache, question: 2, [Self.file, Self.file]) == [nil, nil])
        cache.finish(within: Int32(patienceMilliseconds))
    }

    @Test("A folder that another daemon has is left alone")
    func locked() throws {
        let first = try open()
        #expect(try find(first, question: 1) == [nil])
        let second = try open()
        #expect(try fault().isOver)
        second.put(Self.reader, [(Self.file, Self.reading)], today: 1)
        #expect(try find(second, question: 2) == [nil])
        #expect(try find(first, question: 3) == [nil])
        second.finish(within: Int32(patienceMilliseconds))
        first.finish(within: Int32(patienceMilliseconds))
    }
}
