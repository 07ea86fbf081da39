// Marks in real databases with all kinds of damage.

import EventLoops
import FeedStorage
import Foundation
import Glibc
import PickerModel
import StateFolder
import SystemInterface
import TestSupport
import Testing

/// A folder with a store in it.
struct StorePlace {
    let folder: TemporaryFolder
    let store: DiskMarkStore

    init() throws {
        folder = try TemporaryFolder()
        store = DiskMarkStore(at: folder.path("feed"))
    }

    /// The stored marks, and the notes of the opening.
    func read() throws -> (marks: [StoredMark], notes: [String]) {
        let opened = try store.openSoon()
        return (opened.marks, opened.notes)
    }

    func write(_ batch: MarkBatch) throws {
        try store.openSoon().connection.write(batch)
    }

    var database: String { folder.path("feed/marks.sqlite") }

    var names: [String] {
        let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path("feed"))
        return (all ?? []).sorted()
    }

    var aside: [String] { names.filter { $0.hasPrefix("marks-aside-") } }

    /// Runs the shell of SQLite on the database.
    func sqlite(_ sql: String) throws {
        let process = try SpawnedProcess("/usr/bin/sqlite3", [database, sql])
        #expect(process.waitForExit() == .exited(code: 0), "\(process.standardError)")
    }
}

extension DiskMarkStore {
    /// Opens the store as soon as its lock is free: a process that another test starts holds a copy of
    /// it from its fork to its exec.
    func openSoon() throws -> OpenedMarks {
        var opened: OpenedMarks?
        _ = try waitUntil {
            do throws(StorageError) {
                opened = try open(.asFound)
            } catch {
                if error.code != .inUse { throw error }
            }
            return opened != nil
        }
        return try #require(opened, "the store stays locked")
    }
}

extension StoredMark {
    static func sample(
        _ id: Int64, _ path: String = "a", marks: Marks = .liked, gone: Int64? = nil
    ) -> StoredMark {
        StoredMark(
            id: id, marks: marks,
            file: MarkedFile(
                place: DocumentPlace(root: "/r", path: FileName(path)), inode: .max - 5,
                size: .max, modified: FileTime(seconds: -7, nanoseconds: 999_999_999)),
            goneSince: gone)
    }

    static func visited(_ id: Int64, _ marks: Marks, at milliseconds: Int64) -> StoredMark {
        StoredMark(
            id: id, marks: marks, visits: VisitScore(milliseconds: milliseconds),
            file: sample(id).file)
    }
}

@Suite struct DiskMarkStoreTests {
    @Test("Written marks are read back exactly, with any name")
    func roundTrip() throws {
        let place = try StorePlace()
        #expect(place.store.isUnused)
        let bad = FileName(bytes: [0x66, 0xFF, 0x0A, 0x27])
        let marks = [
            StoredMark.sample(1), .sample(2, "é'\"\n", marks: .dropped, gone: 99),
            StoredMark(
                id: 3, marks: [.liked, .dropped],
                file: MarkedFile(
                    place: DocumentPlace(root: "/ü", path: bad), inode: 0, size: 0,
                    modified: FileTime(seconds: .min))),
        ]
        try place.write(MarkBatch(MarkChanges(puts: marks)))
        #expect(!place.store.isUnused)
        #expect(try place.read().marks == marks)
        #expect(try place.read().notes == [])
        try place.write(
            MarkBatch(
                MarkChanges(puts: [.sample(2, "new", marks: .liked)], removals: [1, 77]),
                isDurable: false))
        #expect(try place.read().marks == [.sample(2, "new"), marks[2]])
        try place.write(MarkBatch(MarkChanges(puts: [.sample(9)]), replacesAll: true))
        #expect(try place.read().marks == [.sample(9)])
    }

    @Test("The folder and the file are this user's alone")
    func permissions() throws {
        let place = try StorePlace()
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        let folder = try FileStatus.of(place.folder.rawPath("feed"))
        let file = try FileStatus.of(place.folder.rawPath("feed/marks.sqlite"))
        #expect(folder.permissions == 0o700)
        #expect(file.permissions == 0o600)
    }

    @Test("A second daemon gets the error that the store is in use")
    func locked() throws {
        let place = try StorePlace()
        let opened = try place.store.openSoon()
        #expect { try place.store.open(.asFound) } throws: {
            ($0 as? StorageError)?.code == .inUse
        }
        try withExtendedLifetime(opened) {
            try opened.connection.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        }
        _ = consume opened
        #expect(try place.read().marks == [.sample(1)])
    }

    @Test(
        "A damaged database is set aside and reported, and a new one begun",
        arguments: ["text", "torn", "garbled", "pages"])
    func damaged(_ damage: String) throws {
        let place = try StorePlace()
        try place.write(
            MarkBatch(MarkChanges(puts: (1...2000).map { .sample($0, "path \($0)") })))
        let whole = try Data(contentsOf: URL(fileURLWithPath: place.database))
        var bytes = whole
        switch damage {
        case "text": bytes = Data("no database at all, only words".utf8)
        case "torn": bytes = bytes.prefix(bytes.count / 2)
        case "garbled": bytes.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
        default:
            bytes.replaceSubrange(
                8192..<(bytes.count - 100),
                with: Data(repeating: 0xA5, count: bytes.count - 100 - 8192))
        }
        try bytes.write(to: URL(fileURLWithPath: place.database))
        let (marks, notes) = try place.read()
        #expect(marks == [])
        #expect(notes.count == 1 && notes[0].contains("marks-aside-1.damaged"), "\(notes)")
        #expect(place.aside == ["marks-aside-1.damaged"])
        let kept = try Data(
            contentsOf: URL(fileURLWithPath: place.folder.path("feed/marks-aside-1.damaged")))
        #expect(kept == bytes, "it is kept as it was")
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        #expect(try place.read().marks == [.sample(1)])
        #expect(try place.read().notes == [])
    }

    @Test("A newer format, a foreign file and a foreign table are set aside and reported")
    func foreign() throws {
        let place = try StorePlace()
        let puts = MarkBatch(MarkChanges(puts: [.sample(1)]))
        try place.write(puts)
        try place.sqlite("PRAGMA user_version = 3")
        #expect(try place.read().notes.first?.contains("newer pickerd, in form 3") == true)
        #expect(place.aside == ["marks-aside-1.newer"])
        try place.write(puts)
        try place.sqlite("PRAGMA application_id = 5")
        #expect(try place.read().notes.first?.contains("not a file of pickerd") == true)
        try place.write(puts)
        try place.sqlite("ALTER TABLE marks DROP COLUMN gone")
        #expect(try place.read().notes.first?.contains("another one") == true)
        #expect(
            place.aside == [
                "marks-aside-1.newer", "marks-aside-2.foreign", "marks-aside-3.damaged",
            ])
    }

    @Test("Visits are stored, and a database from before there were any gets their column")
    func visits() throws {
        let place = try StorePlace()
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        try place.sqlite("ALTER TABLE marks DROP COLUMN visited; PRAGMA user_version = 1")
        #expect(try place.read().marks == [.sample(1)])
        #expect(try place.read().notes == [])
        let visited = [
            StoredMark.visited(2, .visited, at: 1_763_690_101_250),
            StoredMark.visited(3, [.visited, .liked], at: VisitScore.moments.lowerBound),
        ]
        try place.write(MarkBatch(MarkChanges(puts: visited)))
        #expect(try place.read().marks == [.sample(1)] + visited)
        #expect(place.aside == [])
    }

    @Test("Rows with visits that can't be are not used, and the others are")
    func strangeVisits() throws {
        let place = try StorePlace()
        try place.write(
            MarkBatch(
                MarkChanges(
                    puts: (1...5).map { StoredMark.visited($0, [.visited, .liked], at: $0) })))
        for (id, change) in [
            (1, "visited = NULL"), (2, "visited = 9223372036854775807"), (3, "marks = 1"),
            (4, "marks = 12"),
        ] {
            try place.sqlite("UPDATE marks SET \(change) WHERE id = \(id)")
        }
        let (marks, notes) = try place.read()
        #expect(marks == [.visited(5, [.visited, .liked], at: 5)])
        #expect(notes.count == 1 && notes[0].hasPrefix("4 rows"), "\(notes)")
    }

    @Test("The last four databases set aside are kept, with their companion files")
    func boundedAside() throws {
        let place = try StorePlace()
        for number in 1...7 {
            try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
            try place.folder.write("feed/marks.sqlite", "spoilt \(number), again and again")
            try place.folder.write("feed/marks.sqlite-shm", "log \(number)")
            #expect(try place.read().notes.count == 1)
        }
        let expected = (4...7).flatMap {
            ["marks-aside-\($0).damaged", "marks-aside-\($0).damaged-shm"]
        }
        #expect(place.aside == expected)
    }

    @Test("A folder, link or pipe at the database's path is set aside, unopened")
    func strange() throws {
        let place = try StorePlace()
        try place.folder.makeFolder("feed/marks.sqlite")
        #expect(try place.read().notes.first?.contains("no plain file") == true)
        try FileManager.default.removeItem(atPath: place.database)
        try place.folder.write("precious", "precious")
        try place.folder.makeLink("feed/marks.sqlite", to: place.folder.path("precious"))
        #expect(try place.read().notes.first?.contains("no plain file") == true)
        try FileManager.default.removeItem(atPath: place.database)
        place.folder.makePipe("feed/marks.sqlite")
        #expect(try place.read().notes.first?.contains("no plain file") == true)
        #expect(try place.folder.contents(of: "precious") == "precious")
        #expect(place.aside.count == 3)
    }

    @Test("Invalid rows are skipped and counted")
    func strangeRows() throws {
        let place = try StorePlace()
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1), .sample(2), .sample(3)])))
        try place.sqlite(
            """
            UPDATE marks SET marks = 64 WHERE id = 1; UPDATE marks SET nanoseconds = -1 WHERE id = 2;
            INSERT INTO marks SELECT -4, marks, root, path, inode, size, seconds, 0, gone, visited
            FROM marks WHERE id = 3
            """)
        let (marks, notes) = try place.read()
        #expect(marks == [.sample(3)])
        #expect(notes.count == 1 && notes[0].hasPrefix("3 rows"), "\(notes)")
    }

    @Test("A full disk is an error without changes; with room again writing resumes")
    func full() throws {
        let folder = try TemporaryFolder()
        let store = DiskMarkStore(at: folder.path("feed"), mostBytes: 64 << 10)
        let opened = try store.openSoon()
        let before = (1...50).map { StoredMark.sample($0, "p\($0)") }
        try opened.connection.write(MarkBatch(MarkChanges(puts: before)))
        let long = String(repeating: "x", count: 1000)
        let many = MarkBatch(
            MarkChanges(
                puts: (51...200).map { .sample($0, "\(long)\($0)") }, removals: [1, 2, 3]))
        for _ in 0..<2 {
            #expect { try opened.connection.write(many) } throws: {
                ($0 as? StorageError)?.code == .full
            }
        }
        try opened.connection.write(MarkBatch(MarkChanges(puts: [.sample(60)])))
        _ = consume opened
        #expect(try store.openSoon().marks == before + [.sample(60)])
    }

    @Test("A folder that can't be created is just an error")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "")
        let store = DiskMarkStore(at: folder.path("file/feed"))
        #expect { try store.open(.asFound) } throws: { error in
            guard let error = error as? StorageError else { return false }
            return error.code == .failed && error.description.contains(folder.path("file/feed"))
        }
    }

    @Test("A database known to be damaged is set aside even if it looks valid")
    func setAside() throws {
        let place = try StorePlace()
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        _ = try place.read()
        var opened: OpenedMarks?
        _ = waitUntil {
            opened = try? place.store.open(.knownDamaged)
            return opened != nil
        }
        #expect(opened?.marks == [] && opened?.notes.count == 1)
        #expect(place.aside == ["marks-aside-1.damaged"])
    }
}
