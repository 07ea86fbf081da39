import Database
import PickerModel
import TestSupport
import Testing

@testable import AttributeStorage

@Suite("The table of readings")
struct ReadingTableTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(mostBytes: Int = 1 << 30, today: Int64 = 20_000) throws -> ReadingTable {
        try .open(at: folder.path("a.sqlite"), mostBytes: mostBytes, today: today)
    }

    private static let reader = Extractor(plugin: "image", version: "1.2.0", group: "header")

    private static func file(
        _ inode: UInt64, root: String = "/r", size: UInt64 = 7, seconds: Int64 = -5,
        nanoseconds: UInt32 = 9
    ) -> FileVersion {
        FileVersion(
            root: Array(root.utf8), inode: inode, size: size,
            modified: FileTime(seconds: seconds, nanoseconds: nanoseconds))
    }

    private static let everyKind: [String: AttributeValue] = [
        "a.yes": .boolean(true), "a.no": .boolean(false), "a.least": .integer(.min),
        "a.most": .integer(.max), "a.zero": .integer(0), "a.real": .number(-1.5e300),
        "a.small": .number(.leastNonzeroMagnitude), "a.when": .time(1_763_690_000.25),
        "a.before": .time(-1), "a.empty": .text(""), "a.text": .text("Grüße\n\u{0}🙂"),
        "a.long": .text(String(repeating: "é", count: AttributeValue.longestText / 2)),
    ]

    @Test("Values of all kinds, no values and failures are found as they were stored, also later")
    func roundTrip() throws {
        let readings: [CachedReading] = [.values(Self.everyKind), .values([:]), .failed]
        let files = (0..<3).map { Self.file($0) }
        do {
            let table = try open()
            try table.put(zip(files, readings).map { (file: $0, reading: $1) }, by: Self.reader)
            #expect(try table.readings(by: Self.reader, of: files) == readings)
        }
        let again = try open(today: 20_001)
        let found = try again.readings(by: Self.reader, of: files.reversed() + [Self.file(9)])
        #expect(found == [.failed, .values([:]), .values(Self.everyKind), nil])
    }

    @Test(
        "A file of another root, inode, size or time, and another reader, is another one",
        arguments: [
            Self.file(1, root: "/s"), Self.file(2), Self.file(1, size: 8),
            Self.file(1, seconds: -4), Self.file(1, nanoseconds: 8),
        ])
    func misses(_ other: FileVersion) throws {
        let table = try open()
        try table.put([(Self.file(1), .failed)], by: Self.reader)
        #expect(try table.readings(by: Self.reader, of: [other, Self.file(1)]) == [nil, .failed])
        for reader in [
            Extractor(plugin: "images", version: "1.2.0", group: "header"),
            Extractor(plugin: "image", version: "1.2.1", group: "header"),
            Extractor(plugin: "image", version: "1.2.0", group: "all"),
        ] {
            #expect(try table.readings(by: reader, of: [Self.file(1)]) == [nil])
        }
    }

    @Test("Sizes and inodes beyond 63 bits, and roots that are not UTF-8, are kept")
    func extremes() throws {
        let table = try open()
        let file = FileVersion(
            root: [0x2F, 0xFF, 0x00], inode: .max, size: .max - 1,
            modified: FileTime(seconds: .min, nanoseconds: 999_999_999))
        try table.put([(file, .values(["a": .integer(1)]))], by: Self.reader)
        #expect(
            try table.readings(by: Self.reader, of: [file]) == [.values(["a": .integer(1)])])
    }

    @Test("Bytes that nobody has stored are no reading", arguments: [0, 1, 2, 3, 9, 10])
    func cut(_ count: Int) throws {
        let whole = try #require(CachedReading.values(["a": .integer(5)]).stored)
        func read(_ bytes: [UInt8]) -> CachedReading? {
            var found = FoundReadings(files: 2, attributes: plainAttributes.count)
            found.take(bytes.span, of: 1, WantedAttributes(plainAttributes))
            let plain = found.plain(plainAttributes)
            #expect(plain[0] == nil)
            return plain[1]
        }
        #expect(read(Array(whole.prefix(count))) == (count == 0 ? .values([:]) : nil))
        #expect(read(whole) == .values(["a": .integer(5)]))
        #expect(read([1, 0x61, 5] + [0, 0, 0, 0, 0, 0, 0, 0]) == nil, "a kind")
        #expect(read([1, 0x61, 4, 0, 1, 0xFF]) == nil, "no UTF-8")
        #expect(read([1, 0x61, 4, 0xFF, 0xFF, 0x61]) == nil, "too short a text")
        #expect(read(whole + [1, 0x61]) == nil, "a rest")
        #expect(read([200, 0x61]) == nil, "too short a name")
    }

    private static func many(_ range: Range<UInt64>, step: UInt64 = 1) -> [FileVersion] {
        range.map { file($0 * step) }
    }

    private static let text = CachedReading.values([
        "a.text": .text(String(repeating: "x", count: 900))
    ])

    private func put(_ files: [FileVersion], in table: ReadingTable) throws {
        for start in stride(from: 0, to: files.count, by: 64) {
            let part = files[start..<min(start + 64, files.count)]
            try table.put(part.map { (file: $0, reading: Self.text) }, by: Self.reader)
        }
    }

    private func known(_ files: [FileVersion], in table: ReadingTable) throws -> Int {
        try table.readings(by: Self.reader, of: files).count { $0 != nil }
    }

    @Test("Beyond the limit what was asked for the longest time ago goes, a day at a time")
    func oldest() throws {
        let table = try open(mostBytes: 600_000, today: 100)
        let (first, second) = (Self.many(0..<200), Self.many(200..<400))
        try put(first, in: table)
        table.today = 107
        try put(second, in: table)
        // It is asked for again, and is of today now.
        let used = Array(first.prefix(20))
        #expect(try known(used, in: table) == 20)
        table.today = 108
        try put(Self.many(400..<600), in: table)
        #expect(try known(used, in: table) == 20)
        #expect(try known(first, in: table) == 20, "the rest of the first day has gone")
        #expect(try known(second, in: table) == 200)
    }

    @Test("Beyond the limit on the first day, any half goes, and what is stored last is there")
    func oneDay() throws {
        let table = try open(mostBytes: 400_000, today: 101)
        // As of file systems that number by twos.
        for start in 0..<20 {
            let files = Self.many(UInt64(start) * 64..<UInt64(start + 1) * 64, step: 2)
            try put(files, in: table)
            #expect(try known(files, in: table) == 64)
        }
        let all = try known(Self.many(0..<1280, step: 2), in: table)
        #expect(64..<600 ~= all, "\(all) of about 400 that there is room for")
    }

    @Test("A connection that is busy neither loses what is known nor stays in a transaction")
    func busy() throws {
        let table = try open(today: 1)
        try table.put([(Self.file(1), .failed)], by: Self.reader)
        table.today = 8
        do {
            let other = try SQLiteConnection(opening: folder.path("a.sqlite"))
            try other.execute("BEGIN IMMEDIATE")
            #expect(try table.readings(by: Self.reader, of: [Self.file(1)]) == [.failed])
            #expect(throws: SQLiteError.self) {
                try table.put([(Self.file(2, root: "/new"), .failed)], by: Self.reader)
            }
            try other.execute("ROLLBACK")
        }
        try table.put([(Self.file(2), .failed)], by: Self.reader)
        #expect(
            try table.readings(by: Self.reader, of: [Self.file(1), Self.file(2)])
                == [.failed, .failed])
    }

    @Test("A root that was first met in a transaction that failed is not taken for another")
    func rolledBack() throws {
        let table = try open()
        do {
            let other = try SQLiteConnection(opening: folder.path("a.sqlite"))
            // The third put fails, when two roots have been added.
            try other.execute(
                """
                CREATE TRIGGER t BEFORE INSERT ON entry WHEN new.inode = 3
                BEGIN SELECT raise(ABORT, 'as told'); END
                """)
            #expect(throws: SQLiteError.self) {
                try table.put(
                    [
                        (Self.file(1, root: "/one"), .failed),
                        (Self.file(2, root: "/two"), .failed),
                        (Self.file(3, root: "/three"), .failed),
                    ], by: Self.reader)
            }
            try other.execute("DROP TRIGGER t")
        }
        try table.put([(Self.file(1, root: "/four"), .failed)], by: Self.reader)
        try table.put([(Self.file(1, root: "/two"), .values([:]))], by: Self.reader)
        #expect(
            try table.readings(
                by: Self.reader, of: ["/one", "/two", "/four"].map { Self.file(1, root: $0) })
                == [nil, .values([:]), .failed])
    }

    @Test("Random puts and questions are answered as by a dictionary")
    func random() throws {
        try withSeed { random in
            var table = try open()
            var known: [Extractor: [FileVersion: CachedReading]] = [:]
            let readers = ["1", "2"].map { Extractor(plugin: "p", version: $0, group: "g") }
            var spread: UInt64 = 1
            func file() -> FileVersion {
                Self.file(
                    UInt64.random(in: 0..<spread, using: &random),
                    root: ["/r", "/s"].randomElement(using: &random) ?? "",
                    size: UInt64.random(in: 0..<2, using: &random))
            }
            for _ in 0..<testRounds(300) {
                // Some have inodes in a row, so that all entries between them are read.
                spread = Bool.random(using: &random) ? 30 : 1 << 62
                let reader = readers[Int.random(in: 0..<2, using: &random)]
                let files = (0..<Int.random(in: 0..<60, using: &random)).map { _ in file() }
                switch Int.random(in: 0..<10, using: &random) {
                case 0: table = try open(today: Int64.random(in: 0..<20, using: &random))
                case 1..<6:
                    let readings = files.map { file in
                        let value = Int64.random(in: 0..<5, using: &random)
                        let reading: CachedReading =
                            value == 0 ? .failed : .values(["n": .integer(value)])
                        return (file: file, reading: reading)
                    }
                    try table.put(readings, by: reader)
                    for (file, reading) in readings { known[reader, default: [:]][file] = reading }
                default:
                    let found = try table.readings(by: reader, of: files)
                    #expect(found == files.map { known[reader]?[$0] })
                }
            }
        }
    }
}
