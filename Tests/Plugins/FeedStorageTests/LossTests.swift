// Losses of stored marks that SQLite does not report.

import FeedStorage
import Foundation
import PickerModel
import TestSupport
import Testing

@Suite struct LossTests {
    private let place: StorePlace

    init() throws { place = try StorePlace() }

    private var log: String { place.database + "-wal" }

    /// Four transactions in the log, as after a kill of the daemon.
    private func leaveLog() throws {
        let opened = try place.store.openSoon()
        for id in Int64(1)...4 {
            try opened.connection.write(MarkBatch(MarkChanges(puts: [.sample(id)])))
        }
        for name in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: place.database + name, toPath: place.folder.path("kept" + name))
        }
        try FileManager.default.copyItem(
            atPath: place.folder.path("feed/count"), toPath: place.folder.path("count"))
        // Its end brings the log into the database.
        withExtendedLifetime(opened) {}
    }

    private func putBack() throws {
        for (kept, name) in [
            ("kept", "marks.sqlite"), ("kept-wal", "marks.sqlite-wal"), ("count", "count"),
        ] {
            try? FileManager.default.removeItem(atPath: place.folder.path("feed/" + name))
            try FileManager.default.copyItem(
                atPath: place.folder.path(kept), toPath: place.folder.path("feed/" + name))
        }
    }

    /// These marks are present, and nothing is reported.
    private func expect(_ marks: [StoredMark]) throws {
        let found = try place.read()
        #expect(found.marks == marks)
        #expect(found.notes == [])
    }

    private func ids(_ marks: [StoredMark]) -> [Int64] { marks.map(\.id) }

    @Test("A truncated or lost log is reported; earlier transactions are used")
    func damagedLog() throws {
        try leaveLog()
        try putBack()
        let whole = try Data(contentsOf: URL(fileURLWithPath: log))
        #expect(ids(try place.read().marks) == [1, 2, 3, 4])
        var found: Set<Int> = []
        for byte in stride(from: 0, to: whole.count, by: 997) {
            try putBack()
            var spoilt = whole
            spoilt[byte] ^= 0x04
            try spoilt.write(to: URL(fileURLWithPath: log))
            let (marks, notes) = try place.read()
            let isWhole = marks.count == 4
            #expect(ids(marks) == Array(1..<Int64(marks.count + 1)))
            #expect(notes.count == (isWhole ? 0 : 1), "byte \(byte): \(notes)")
            if !isWhole {
                #expect(notes.first?.contains("last \(4 - marks.count) of 4") == true, "\(notes)")
            }
            found.insert(marks.count)
            // It is reported once.
            #expect(try place.read().notes == [])
        }
        #expect(found.count > 2, "\(found)")
        try putBack()
        try FileManager.default.removeItem(atPath: log)
        #expect(try place.read().notes.first?.contains("4 of 4") == true)
    }

    @Test("An emptied database is set aside with its log, and reported")
    func empty() throws {
        try leaveLog()
        try putBack()
        try Data().write(to: URL(fileURLWithPath: place.database))
        let (marks, notes) = try place.read()
        #expect(marks == [])
        #expect(notes.count == 1 && notes[0].contains("is empty, and 4 changes"), "\(notes)")
        #expect(place.aside == ["marks-aside-1.damaged", "marks-aside-1.damaged-wal"])
        try place.write(MarkBatch(MarkChanges(puts: [.sample(9)])))
        try expect([.sample(9)])
    }

    @Test("An empty or missing file before the first mark is a normal start")
    func beginnings() throws {
        try place.folder.makeFolder("feed")
        try place.folder.write("feed/marks.sqlite")
        try expect([])
        try expect([])
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        // Removed by somebody who wants it forgotten.
        try FileManager.default.removeItem(atPath: place.database)
        #expect(place.store.isUnused)
        try expect([])
        try expect([])
    }

    @Test("Transactions that only track files are not counted")
    func lazily() throws {
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        let whole = try Data(contentsOf: URL(fileURLWithPath: place.database))
        try place.write(MarkBatch(MarkChanges(puts: [.sample(2)]), isDurable: false))
        try whole.write(to: URL(fileURLWithPath: place.database))
        try expect([.sample(1)])
    }

    @Test("A database without a count is used unchanged, and counted from then on")
    func former() throws {
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        try place.sqlite("DROP TABLE progress")
        try FileManager.default.removeItem(atPath: place.folder.path("feed/count"))
        try expect([.sample(1)])
        try leaveLog()
        try putBack()
        try FileManager.default.removeItem(atPath: log)
        #expect(try place.read().notes.count == 1)
    }

    @Test("A damaged count is ignored; a foreign one is replaced")
    func spoiltCount() throws {
        try place.write(MarkBatch(MarkChanges(puts: [.sample(1)])))
        try place.folder.write("feed/count", "words, and more words")
        try expect([.sample(1)])
        try FileManager.default.removeItem(atPath: place.folder.path("feed/count"))
        try place.folder.write("precious", "precious")
        try place.folder.makeLink("feed/count", to: place.folder.path("precious"))
        try expect([.sample(1)])
        #expect(try place.folder.contents(of: "precious") == "precious")
    }
}
