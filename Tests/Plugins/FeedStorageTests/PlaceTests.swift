// Databases that are removed, renamed or replaced while they are open.

import FeedStorage
import Foundation
import PickerModel
import StateFolder
import Synchronization
import TestSupport
import Testing

@Suite struct PlaceTests {
    private static let database = "state/feed/marks.sqlite"

    /// Changes by another process to the store at `state/feed`.
    private static let deeds =
        StateDeed.folders("feed")
        + [database, database + "-wal", "state/feed/lock"]
        .flatMap { [.removed($0), .copied($0)] }
        + [.emptied(database), .removed("state/feed/count")]

    /// Those after which another database is found in the place of the one that was open.
    private static let leavingAnother: Set<StateDeed> = [
        .copied("state"), .copied("state/feed"), .copied(database), .emptied(database),
    ]

    private let place: TemporaryFolder
    private let store: DiskMarkStore
    private let answers = MarkWorkerTests.Answers()
    private let limit = Int32(patienceMilliseconds)

    init() throws {
        place = try TemporaryFolder()
        store = DiskMarkStore(at: place.path("state/feed"))
    }

    private func makeWorker() throws -> MarkWorker {
        try MarkWorker(store) { [answers] answer in answers.all.withLock { $0.append(answer) } }
    }

    private func batch(_ ids: ClosedRange<Int64>, replacesAll: Bool = false) -> MarkBatch {
        MarkBatch(MarkChanges(puts: ids.map { .sample($0, "p\($0)") }), replacesAll: replacesAll)
    }

    private func marks(_ ids: ClosedRange<Int64>) -> [StoredMark] {
        ids.map { .sample($0, "p\($0)") }
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: store.path)) ?? []).sorted()
    }

    @Test(
        "a misplaced database is an error, and recreated by a batch that replaces all",
        arguments: deeds)
    func batches(_ deed: StateDeed) throws {
        let worker = try makeWorker()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error == nil)
        try deed.do(in: place)
        worker.write(batch(6...6))
        let refused = try answers.next()
        #expect(refused.error?.code == .misplaced && !refused.isOpen && !refused.isUnasked)
        worker.write(batch(1...6, replacesAll: true))
        let again = try answers.next()
        #expect(again.error == nil && again.isOpen)
        #expect(again.notes.count == (Self.leavingAnother.contains(deed) ? 1 : 0), "\(again.notes)")
        worker.write(batch(7...7))
        #expect(try answers.next().error == nil)
        #expect(worker.finish(writing: nil, within: limit) == .done)
        let opened = try store.openSoon()
        #expect(opened.marks == marks(1...7) && opened.notes == [])
    }

    @Test("without a batch it is seen when it is looked for", arguments: deeds)
    func check(_ deed: StateDeed) throws {
        let worker = try makeWorker()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error == nil)
        worker.check()
        try deed.do(in: place)
        worker.check()
        let told = try answers.next()
        #expect(told.error?.code == .misplaced && told.isUnasked && !told.isOpen)
        worker.write(batch(6...6))
        #expect(try answers.next().error != nil, "what is stored is not what is known")
        #expect(worker.finish(writing: batch(1...5, replacesAll: true), within: limit) == .done)
        #expect(try store.openSoon().marks == marks(1...5))
    }

    @Test("a misplaced database found only at the end requires all marks", arguments: deeds)
    func end(_ deed: StateDeed) throws {
        let worker = try makeWorker()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error == nil)
        try deed.do(in: place)
        #expect(worker.finish(writing: nil, within: limit) == .misplaced)
        #expect(worker.finish(writing: batch(1...5, replacesAll: true), within: limit) == .done)
        #expect(try store.openSoon().marks == marks(1...5))
    }

    @Test("a foreign database at the path is set aside unchanged, with its log")
    func aside() throws {
        let worker = try makeWorker()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error == nil)
        try place.copy("state/feed", to: "copy")
        worker.write(batch(6...9))
        #expect(try answers.next().error == nil)
        try place.move("state/feed", to: "old")
        try place.move("copy", to: "state/feed")
        worker.check()
        #expect(try answers.next().error?.code == .misplaced)
        worker.write(batch(1...9, replacesAll: true))
        let note = try #require(try answers.next().notes.first)
        #expect(note.contains("marks-aside-1.replaced"), "\(note)")
        #expect(worker.finish(writing: nil, within: limit) == .done)
        #expect(try store.openSoon().marks == marks(1...9))
        // The replacement is intact: its log was not used for the open database.
        try place.makeFolder("found")
        for suffix in ["", "-wal"] {
            try place.copy(
                "state/feed/marks-aside-1.replaced" + suffix, to: "found/marks.sqlite" + suffix)
        }
        let found = try DiskMarkStore(at: place.path("found")).openSoon()
        #expect(found.marks == marks(1...5))
        // The open database is intact, too.
        #expect(try DiskMarkStore(at: place.path("old")).openSoon().marks == marks(1...9))
    }

    @Test("a database that returns unchanged is used again")
    func back() throws {
        let worker = try makeWorker()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error == nil)
        try place.move("state", to: "away")
        worker.check()
        #expect(try answers.next().error?.code == .misplaced)
        try place.move("away", to: "state")
        worker.write(batch(1...6, replacesAll: true))
        let again = try answers.next()
        #expect(again.error == nil && again.notes == [])
        #expect(worker.finish(writing: nil, within: limit) == .done)
        #expect(try store.openSoon().marks == marks(1...6))
        #expect(!names.contains { $0.hasPrefix("marks-aside") })
    }

    @Test("a failed recreation is an error; another daemon's database is left alone")
    func stuck() throws {
        let worker = try makeWorker()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error == nil)
        try place.move("state", to: "away")
        try place.write("state", "a file")
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error != nil)
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error?.code == .failed)
        try place.remove("state")
        let other = try store.openSoon()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error?.code == .inUse)
        withExtendedLifetime(other) {}
        #expect(worker.finish(writing: nil, within: limit) == .done)
    }

    @Test("an idle worker checkpoints the log once")
    func checkpoint() throws {
        let worker = try makeWorker()
        worker.write(batch(1...5, replacesAll: true))
        #expect(try answers.next().error == nil)
        let log = store.path + "/marks.sqlite-wal"
        func size() -> Int? {
            (try? FileManager.default.attributesOfItem(atPath: log)[.size] as? NSNumber)?.intValue
        }
        #expect(size() ?? 0 > 0)
        #expect(waitUntil { size() == 0 })
        worker.write(batch(6...6))
        #expect(try answers.next().error == nil)
        #expect(worker.finish(writing: nil, within: limit) == .done)
        #expect(try store.openSoon().marks == marks(1...6))
    }
}
