// The writer thread.

import EventStorage
import StateFolder
import Synchronization
import SystemInterface
import TestSupport
import Testing

@Suite struct StoreWorkerTests {
    private let folder = MemoryFolder()
    private let answers = Answers()
    private let limits = EventStore.Limits(count: 1000, bytes: 1 << 20)

    /// The worker's answers so far.
    private final class Answers: Sendable {
        private let all = Mutex<[StoreWorker.Answer]>([])
        func append(_ answer: StoreWorker.Answer) { all.withLock { $0.append(answer) } }
        func wait(for count: Int) -> StoreWorker.Answer? {
            _ = waitUntil { all.withLock { $0.count >= count } }
            return all.withLock { $0.count == count ? $0.last : nil }
        }
    }

    private func start() throws -> (StoreWorker, NumberMark) {
        let opened = try EventStore.reopen(folder, limits: limits)
        let worker = try StoreWorker(
            opened.store, openFolder: { [folder] () throws(StorageError) in folder },
            answer: { [answers] in answers.append($0) })
        return (worker, opened.mark)
    }

    private func batch(_ numbers: ClosedRange<Int>, oldest: Int = 1) -> StoreWorker.Batch {
        .init(events: events(numbers), oldest: oldest, limits: limits)
    }

    @Test("batches are written, answered, and flushed soon after")
    func batches() throws {
        let (worker, mark) = try start()
        worker.write(batch(1...10))
        let first = try #require(answers.wait(for: 1))
        #expect(first.storedThrough == 10 && first.error == nil && first.bytes > 0)
        worker.write(batch(11...20))
        #expect(answers.wait(for: 2)?.storedThrough == 20)
        // The second batch may have been by then, if this thread was late with it.
        let segment = try #require(folder.segments.last)
        #expect(waitUntil { folder.change { !$0.unsynchronized.contains(segment) } })
        #expect(
            worker.finish(
                writing: batch(15...25), marking: mark, within: Int32(patienceMilliseconds))
                == .done)
        let again = try EventStore.reopen(folder, limits: limits)
        #expect(again.events == events(1...25))
    }

    @Test("after an error nothing is written until a retry")
    func failure() throws {
        let (worker, mark) = try start()
        folder.change { $0.room = 100 }
        worker.write(batch(1...10))
        #expect(answers.wait(for: 1)?.error != nil)
        folder.change { $0.room = nil }
        worker.write(batch(1...20))
        let second = try #require(answers.wait(for: 2))
        #expect(second.error != nil && second.storedThrough == 0 && !second.isUnasked)
        worker.retry(
            batch(1...20), marking: .init(file: mark.identity, content: mark.content))
        let third = try #require(answers.wait(for: 3))
        #expect(third.error == nil && third.storedThrough == 20)
        #expect(
            worker.finish(writing: nil, marking: mark, within: Int32(patienceMilliseconds))
                == .done)
        #expect(try EventStore.reopen(folder, limits: limits).events == events(1...20))
    }

    @Test("the end closes the mark, so that the epoch survives a restart of the machine")
    func end() throws {
        var (worker, mark) = try start()
        try mark.store(12)
        #expect(
            worker.finish(
                writing: batch(1...12), marking: mark, within: Int32(patienceMilliseconds))
                == .done)
        let again = try EventStore.reopen(folder, limits: limits, boot: "other", newEpoch: "later")
        #expect(again.continues)
        #expect(again.mark.content.lastNumber == 12)
    }
}
