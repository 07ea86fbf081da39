import Database
import PickerModel
import Synchronization
import TestSupport
import Testing

@testable import AttributeStorage

@Suite("What the cache of attributes forgets")
struct ForgettingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let readers = ["1", "2"].map { Extractor(plugin: "p", version: $0, group: "g") }

    private static func file(_ inode: Int, size: UInt64 = 7, root: String = "/r") -> FileVersion {
        FileVersion(
            root: Array(root.utf8), inode: UInt64(inode), size: size,
            modified: FileTime(seconds: 1))
    }

    private func open() throws -> ReadingTable {
        try .open(at: folder.path("a.sqlite"), today: 1)
    }

    private static func values(in path: String) throws -> Int {
        let stored = try SQLiteConnection(opening: path)
        return Int(try stored.number("SELECT count(*) FROM entry WHERE value IS NOT NULL"))
    }

    @Test("All values of a reader go in pieces of so many entries; meanwhile none of them is known")
    func pieces() throws {
        let table = try open()
        let files = (0..<1000).map { Self.file($0 / 2, size: UInt64($0 % 2)) }
        let readings = files.enumerated().map { (index, file) -> (FileVersion, CachedReading) in
            (file, index % 10 == 3 ? .failed : .values(["n": .integer(Int64(index))]))
        }
        for reader in Self.readers { try table.put(readings, by: reader) }
        try table.forget(nil, by: Self.readers[0])
        let failures = readings.map { $0.1 == .failed ? CachedReading.failed : nil }
        var left = try Self.values(in: folder.path("a.sqlite"))
        #expect(left == 1800, "nothing is removed at once")
        var pieces = 0
        while table.isForgetting {
            #expect(try table.readings(by: Self.readers[0], of: files) == failures)
            try table.forgetSome(atMost: 64)
            pieces += 1
            let now = try Self.values(in: folder.path("a.sqlite"))
            #expect((0...64).contains(left - now), "\(left - now) values by one piece")
            left = now
        }
        #expect(pieces == 16 && left == 900)
        #expect(try table.readings(by: Self.readers[0], of: files) == failures)
        #expect(try table.readings(by: Self.readers[1], of: files) == readings.map { $0.1 })
    }

    @Test("Nothing that was to be forgotten is known after an end in the midst of it")
    func interrupted() throws {
        let files = (0..<200).map { Self.file($0) }
        do {
            let table = try open()
            try table.put(files.map { ($0, .values(["n": .integer(1)])) }, by: Self.readers[0])
            try table.forget(nil, by: Self.readers[0])
        }
        do {
            let table = try open()
            #expect(try table.readings(by: Self.readers[0], of: files) == files.map { _ in nil })
            try table.forgetSome(atMost: 30)
        }
        let table = try open()
        #expect(table.isForgetting)
        #expect(try Self.values(in: folder.path("a.sqlite")) == 170)
        #expect(try table.readings(by: Self.readers[0], of: files) == files.map { _ in nil })
        while table.isForgetting { try table.forgetSome(atMost: 30) }
        #expect(try Self.values(in: folder.path("a.sqlite")) == 0)
        #expect(try !open().isForgetting)
    }

    @Test("Random puts, questions and pieces between them are answered as by a dictionary")
    func random() throws {
        try withSeed { random in
            var table = try open()
            var known: [Extractor: [FileVersion: CachedReading]] = [:]
            func isLeaving(_ reader: Extractor) throws -> Bool {
                try table.leaving[table.number(of: reader)] != nil
            }
            for step in 0..<testRounds(600) {
                let reader = Self.readers[Int.random(in: 0..<2, using: &random)]
                let files = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                    Self.file(
                        Int.random(in: 0..<60, using: &random),
                        size: UInt64.random(in: 0..<2, using: &random),
                        root: random.chance(0.5) ? "/r" : "/s")
                }
                switch Int.random(in: 0..<14, using: &random) {
                case 0: table = try open()
                case 1:
                    try table.forget(nil, by: reader)
                    known[reader] = known[reader]?.filter { $0.value == .failed }
                case 2:
                    try table.forget(files, by: reader)
                    for file in files { known[reader]?[file] = nil }
                case 3..<6: try table.forgetSome(atMost: Int.random(in: 1...20, using: &random))
                case 6..<10:
                    let isLeaving = try isLeaving(reader)
                    for file in files {
                        let value = Int64.random(in: 0..<5, using: &random)
                        let reading: CachedReading =
                            value == 0 ? .failed : .values(["n": .integer(value)])
                        try table.put([(file, reading)], by: reader)
                        known[reader, default: [:]][file] =
                            isLeaving && reading != .failed ? nil : reading
                    }
                default: break
                }
                let found = try table.readings(by: reader, of: files)
                #expect(
                    found == files.map { known[reader]?[$0] }, "step \(step): seed \(random.seed)")
            }
        }
    }

    /// The values that were there when each question was answered.
    private final class Answered: Sendable {
        private let values = Mutex<[Int: Int]>([:])

        subscript(question: Int) -> Int? {
            get { values.withLock { $0[question] } }
            set { values.withLock { $0[question] = newValue } }
        }
    }

    @Test("What the cache is asked while it forgets is answered between two pieces")
    func questions() throws {
        let path = folder.path("cache/pickerd")
        let count = ReadingTable.mostForgotten * 8
        let stored = path + "/" + AttributeCache.fileName
        let answered = Answered()
        let cache = try AttributeCache(at: path) { answer in
            guard case .found(let question, _) = answer else { return }
            answered[question] = try? Self.values(in: stored)
        }
        func wait(for question: Int) { #expect(waitUntil { answered[question] != nil }) }
        for start in stride(from: 0, to: count, by: 4096) {
            let part = (start..<start + 4096).map { Self.file($0) }
            cache.put(
                Self.readers[0], part.map { ($0, .values(["n": .integer(1)])) }, today: 1)
        }
        func ask(_ question: Int) -> Bool {
            cache.find(
                question: question, Self.readers[1], [Self.file(question)], plainAttributes,
                today: 1)
        }
        #expect(ask(0))
        wait(for: 0)
        #expect(answered[0] == count)
        #expect(cache.forget(Self.readers[0], nil))
        let questions = 1...3
        for question in questions { #expect(ask(question)) }
        wait(for: questions.upperBound)
        for question in questions {
            let now = try #require(answered[question])
            #expect(now > 0, "question \(question) is answered before all has gone")
            #expect(now < count, "question \(question) does not stop the pieces")
        }
        #expect(
            waitUntil { (try? Self.values(in: stored)) == 0 }, "the rest goes by itself")
        cache.finish(within: Int32(patienceMilliseconds))
    }
}
