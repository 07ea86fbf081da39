// Folders and files that are removed, renamed or replaced while they are open.

import EventStorage
import Foundation
import Glibc
import StateFolder
import Synchronization
import SystemInterface
import TestSupport
import Testing

@Suite struct PlaceTests {
    /// Changes by another process to the store at `state/events`.
    private static let deeds =
        StateDeed.folders("events")
        + ["events-00000000000000000001.log", "mark", "lock"].map { "state/events/" + $0 }
        .flatMap { [.removed($0), .copied($0)] }

    private let place: TemporaryFolder
    private let answers = Answers()
    private let limits = EventStore.Limits(count: 1000, bytes: 1 << 20)

    init() throws { place = try TemporaryFolder() }

    private final class Answers: Sendable {
        let all = Mutex<[StoreWorker.Answer]>([])
        func next() throws -> StoreWorker.Answer {
            var answer: StoreWorker.Answer?
            _ = waitUntil {
                answer = all.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return answer != nil
            }
            return try #require(answer, "no answer came")
        }
    }

    private func open(newEpoch: String = "new") throws -> EventStore.Opened {
        var opened: EventStore.Opened?
        // A process that another test starts holds a copy of the lock from its fork to its exec.
        _ = waitUntil {
            opened = try? EventStore.reopen(
                DiskFolder(at: place.path("state/events")), limits: limits, newEpoch: newEpoch)
            return opened != nil
        }
        return try #require(opened)
    }

    private func start() throws -> (StoreWorker, NumberMark) {
        let opened = try open(newEpoch: "one")
        let path = place.path("state/events")
        let worker = try StoreWorker(
            opened.store, openFolder: { () throws(StorageError) in try DiskFolder(at: path) },
            answer: { [answers] answer in answers.all.withLock { $0.append(answer) } })
        return (worker, opened.mark)
    }

    private func batch(_ numbers: ClosedRange<Int>) -> StoreWorker.Batch {
        .init(events: events(numbers), oldest: 1, limits: limits)
    }

    private func isMisplaced(_ error: StorageError?) -> Bool {
        error?.code == .misplaced
    }

    @Test(
        "a misplaced file is found before the answer to a batch, and recreated",
        arguments: deeds)
    func batches(_ deed: StateDeed) throws {
        do {
            var (worker, mark) = try start()
            try mark.store(10)
            worker.write(batch(1...10))
            #expect(try answers.next().error == nil)
            try deed.do(in: place)
            worker.write(batch(11...20))
            let refused = try answers.next()
            #expect(isMisplaced(refused.error) && !refused.isUnasked, "\(refused)")
            try mark.store(20)
            worker.retry(batch(1...20), marking: .init(file: mark.identity, content: mark.content))
            let again = try answers.next()
            #expect(again.error == nil && again.storedThrough == 20)
            var new = try #require(again.mark)
            // Until the new mark is stored, no mark is valid at a start.
            try mark.invalidate()
            try new.store(23)
            worker.write(batch(21...22))
            #expect(try answers.next().error == nil)
            #expect(
                worker.finish(
                    writing: batch(21...23), marking: new, within: Int32(patienceMilliseconds))
                    == .done)
        }
        let reopened = try open()
        #expect(reopened.events == events(1...23))
        #expect(reopened.continues && reopened.mark.content.epoch == "one")
        #expect(reopened.mark.content.lastNumber == 23)
    }

    @Test("without a batch it is seen when it is looked for", arguments: deeds)
    func check(_ deed: StateDeed) throws {
        do {
            var (worker, mark) = try start()
            try mark.store(10)
            worker.write(batch(1...10))
            #expect(try answers.next().error == nil)
            worker.check()
            try deed.do(in: place)
            worker.check()
            let told = try answers.next()
            #expect(isMisplaced(told.error) && told.isUnasked)
            #expect(
                worker.finish(
                    writing: batch(1...10), marking: mark, isAgain: true,
                    within: Int32(patienceMilliseconds)) == .done)
        }
        let reopened = try open()
        #expect(reopened.events == events(1...10) && reopened.mark.content.epoch == "one")
    }

    @Test("a misplaced file found only at the end is recreated then", arguments: deeds)
    func end(_ deed: StateDeed) throws {
        do {
            var (worker, mark) = try start()
            worker.write(batch(1...10))
            #expect(try answers.next().error == nil)
            try deed.do(in: place)
            try mark.store(12)
            let limit = Int32(patienceMilliseconds)
            #expect(
                worker.finish(writing: batch(11...12), marking: mark, within: limit) == .misplaced)
            #expect(
                worker.finish(writing: batch(1...12), marking: mark, isAgain: true, within: limit)
                    == .done)
        }
        let reopened = try open()
        #expect(reopened.events == events(1...12))
        #expect(reopened.mark.content.epoch == "one" && reopened.mark.content.lastNumber == 12)
    }

    @Test("a file that returns unchanged is used again")
    func back() throws {
        do {
            var (worker, mark) = try start()
            worker.write(batch(1...10))
            #expect(try answers.next().error == nil)
            try place.move("state", to: "away")
            worker.write(batch(11...20))
            #expect(isMisplaced(try answers.next().error))
            try mark.store(20)
            try place.move("away", to: "state")
            worker.retry(batch(1...20), marking: .init(file: mark.identity, content: mark.content))
            let again = try answers.next()
            #expect(again.error == nil && again.mark == nil && again.storedThrough == 20)
            #expect(
                worker.finish(writing: nil, marking: mark, within: Int32(patienceMilliseconds))
                    == .done)
        }
        let reopened = try open()
        #expect(reopened.events == events(1...20) && reopened.mark.content.lastNumber == 20)
    }

    @Test("a folder that returns after a recreation does not count as another daemon's")
    func backLater() throws {
        do {
            var (worker, mark) = try start()
            worker.write(batch(1...10))
            #expect(try answers.next().error == nil)
            func makeAnew() throws {
                // Other tests' processes may have the lock for a moment, too.
                var made: NumberMark?
                _ = try waitUntil {
                    worker.retry(
                        batch(1...10), marking: .init(file: mark.identity, content: mark.content))
                    made = try answers.next().mark
                    return made != nil
                }
                mark = try #require(made, "the folder is locked")
                try mark.store(10)
            }
            try place.move("state", to: "away")
            try makeAnew()
            try place.move("state", to: "other")
            try place.move("away", to: "state")
            try makeAnew()
            #expect(
                worker.finish(writing: nil, marking: mark, within: Int32(patienceMilliseconds))
                    == .done)
        }
        #expect(try open().events == events(1...10))
    }

    @Test("a failed recreation is an error; another daemon's folder is left alone")
    func stuck() throws {
        let (worker, mark) = try start()
        worker.write(batch(1...10))
        #expect(try answers.next().error == nil)
        let marking = StoreWorker.Marking(file: mark.identity, content: mark.content)
        try place.move("state", to: "away")
        try place.write("state", "a file")
        worker.retry(batch(1...10), marking: marking)
        let refused = try answers.next()
        #expect(refused.error != nil && refused.mark == nil)
        try place.remove("state")
        let other = try DiskFolder(at: place.path("state/events"))
        worker.retry(batch(1...10), marking: marking)
        #expect(try answers.next().error == .inUse(path: place.path("state/events")))
        _ = consume other
        var isMade = false
        _ = try waitUntil {
            worker.retry(batch(1...10), marking: marking)
            isMade = try answers.next().error == nil
            return isMade
        }
        #expect(isMade)
        #expect(
            worker.finish(writing: nil, marking: nil, within: Int32(patienceMilliseconds)) == .done)
    }

    @Test("a recreated folder keeps the epoch only after its mark is stored")
    func unmarked() throws {
        do {
            let (worker, mark) = try start()
            worker.write(batch(1...10))
            #expect(try answers.next().error == nil)
            try place.remove("state")
            worker.retry(batch(1...10), marking: .init(file: mark.identity, content: mark.content))
            #expect(try answers.next().mark != nil)
            #expect(
                worker.finish(writing: nil, marking: nil, within: Int32(patienceMilliseconds))
                    == .done)
        }
        #expect(try open().mark.content.epoch == "new")
    }

    @Test("a copy of the folder with an older mark is not valid")
    func copiedMark() throws {
        func run(to last: Int) throws -> (continues: Bool, epoch: String, notes: [String]) {
            var opened = try open(newEpoch: "e\(last)")
            try opened.store.append(events(last - 4...last))
            try opened.mark.store(last)
            return (opened.continues, opened.mark.content.epoch, opened.notes)
        }
        _ = try run(to: 5)
        try place.copy("state", to: "copy")
        #expect(try run(to: 12).epoch == "e5")
        try place.move("state", to: "old")
        try place.move("copy", to: "state")
        let copied = try run(to: 17)
        #expect(!copied.continues && copied.epoch == "e17")
        #expect(copied.notes.count == 1 && copied.notes[0].contains("is a copy"))
        // From then on the new mark is valid, and so is the first at its own path.
        let second = try run(to: 22)
        #expect(second.continues && second.epoch == "e17" && second.notes == [])
        try place.remove("state")
        try place.move("old", to: "state")
        let first = try run(to: 22)
        #expect(first.continues && first.epoch == "e5" && first.notes == [])
    }

    @Test("foreign files put there meanwhile are set aside, and a few are kept")
    func foreign() throws {
        do {
            let (worker, mark) = try start()
            worker.write(batch(1...10))
            #expect(try answers.next().error == nil)
            try place.remove("state")
            for number in 10..<20 {
                try place.makeFolder("state/events")
                try place.write("state/events/events-000000000000000000\(number).log", "words")
            }
            try place.makeFolder("state/events/mark")
            worker.retry(batch(1...10), marking: .init(file: mark.identity, content: mark.content))
            let again = try answers.next()
            #expect(again.error == nil && again.notes.count == 1)
            #expect(again.notes.first?.contains("10 files") == true)
            let names = try FileManager.default.contentsOfDirectory(
                atPath: place.path("state/events"))
            #expect(names.count { $0.hasSuffix(".log.bad") } == 4, "\(names)")
            #expect(
                worker.finish(
                    writing: nil, marking: again.mark, within: Int32(patienceMilliseconds))
                    == .done)
        }
        #expect(try open().events == events(1...10))
    }
}
