// A database after its process ends at any moment: copies of its files at that moment.

import FeedStorage
import Foundation
import PickerModel
import TestSupport
import Testing

@Suite struct KillTests {
    /// A copy of the store's files as they are now, as a killed process leaves them.
    private func killed(_ place: StorePlace) throws -> StorePlace {
        let copy = try StorePlace()
        try copy.folder.makeFolder("feed")
        for name in place.names where name != "lock" {
            try FileManager.default.copyItem(
                atPath: place.folder.path("feed/" + name),
                toPath: copy.folder.path("feed/" + name))
        }
        return copy
    }

    @Test(
        "After kills, restarts, full disks and torn logs written marks are there")
    func lives() throws {
        for _ in 0..<4 { try withSeed { random in try live(&random) } }
    }

    private func live(_ random: inout SeededRandom) throws {
        var place = try StorePlace()
        var connection = try place.store.openSoon().connection
        var model: [Int64: StoredMark] = [:]
        func expect(_ found: (marks: [StoredMark], notes: [String]), _ comment: Comment) {
            #expect(found.marks == model.values.sorted { $0.id < $1.id }, comment)
            #expect(found.notes == [], comment)
        }
        for step in 0..<60 {
            let comment: Comment = "seed \(random.seed), step \(step)"
            if random.chance(0.1) {
                // Killed here: the next life goes on from the files as they are.
                place = try killed(place)
                let opened = try place.store.openSoon()
                expect((opened.marks, opened.notes), comment)
                connection = opened.connection
                continue
            }
            var changes = MarkChanges()
            var ids = Set<Int64>()
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                let id = Int64.random(in: 1...60, using: &random)
                guard ids.insert(id).inserted else { continue }
                if random.chance(0.3) {
                    changes.removals.append(id)
                } else {
                    let mark = StoredMark.sample(
                        id, "path \(random.next())", marks: random.chance(0.5) ? .liked : .dropped,
                        gone: random.chance(0.2) ? 5 : nil)
                    changes.puts.append(mark)
                }
            }
            let replaces = random.chance(0.1)
            try connection.write(
                MarkBatch(changes, replacesAll: replaces, isDurable: random.chance(0.5)))
            if replaces { model = [:] }
            for id in changes.removals { model[id] = nil }
            for mark in changes.puts { model[mark.id] = mark }
            if random.chance(0.3) { expect(try killed(place).read(), comment) }
        }
    }

    @Test(
        "A log torn at any byte loses only whole transactions at its end")
    func torn() throws {
        let place = try StorePlace()
        let opened = try place.store.openSoon()
        var states: [[StoredMark]] = [[]]
        for number in Int64(1)...6 {
            let marks = (0..<20).map { StoredMark.sample(number * 100 + $0, "p\(number)") }
            try opened.connection.write(MarkBatch(MarkChanges(puts: marks), replacesAll: true))
            states.append(marks)
        }
        let log = try #require(place.names.first { $0.hasSuffix("-wal") })
        let whole = try killed(place)
        withExtendedLifetime(opened) {}
        let path = whole.folder.path("feed/" + log)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var seen = Set<Int>()
        for cut in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 40)) {
            let copy = try killed(whole)
            try bytes.prefix(cut).write(to: URL(fileURLWithPath: copy.folder.path("feed/" + log)))
            let found = try copy.read()
            // Before the first transaction there is the one that makes the table.
            let state = try #require(states.firstIndex(of: found.marks), "cut at \(cut)")
            let missing = states.count - 1 - state
            #expect(found.notes.count == (missing == 0 ? 0 : 1), "cut at \(cut)")
            if missing > 0 {
                #expect(
                    found.notes.first?.contains("last \(missing) of 6") == true, "cut at \(cut)")
            }
            seen.insert(state)
        }
        #expect(seen.count >= 4)
        #expect(try whole.read().marks == states.last)
    }
}
