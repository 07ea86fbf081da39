import FeedStorage
import PickerModel
import StateFolder
import Synchronization
import TestSupport
import Testing

/// A store in memory with injected failures.
final class FakeMarkStore: MarkStore {
    struct State {
        var marks: [Int64: StoredMark] = [:]
        var batches: [MarkBatch] = []
        var openings: [MarkOpening] = []
        /// Whether the files are not where they were opened.
        var isMisplaced = false
        var checkpoints = 0
        var isOpen = false
        var openError: StorageError?
        var writeError: StorageError?
    }

    let path = "/memory"
    let state = Mutex(State())

    var isUnused: Bool { false }

    func open(_ opening: MarkOpening) throws(StorageError) -> OpenedMarks {
        let (error, marks) = state.withLock { state in
            state.openings.append(opening)
            state.isMisplaced = false
            if state.openError == nil { state.isOpen = true }
            return (state.openError, state.marks.values.sorted { $0.id < $1.id })
        }
        if let error { throw error }
        return OpenedMarks(
            connection: FakeConnection(self), marks: marks,
            notes: opening == .knownDamaged ? ["aside"] : [])
    }
}

private final class FakeConnection: MarkConnection {
    private let store: FakeMarkStore

    init(_ store: FakeMarkStore) { self.store = store }

    deinit { store.state.withLock { $0.isOpen = false } }

    var identity: FileIdentity? { FileIdentity(device: 1, inode: 7) }

    func requireInPlace() throws(StorageError) {
        if store.state.withLock({ $0.isMisplaced }) { throw StorageError(.misplaced, "gone") }
    }

    func checkpoint() { store.state.withLock { $0.checkpoints += 1 } }

    func write(_ batch: MarkBatch) throws(StorageError) {
        try requireInPlace()
        let error = store.state.withLock { state in
            if let error = state.writeError { return Optional(error) }
            state.batches.append(batch)
            if batch.replacesAll { state.marks = [:] }
            for id in batch.changes.removals { state.marks[id] = nil }
            for mark in batch.changes.puts { state.marks[mark.id] = mark }
            return nil
        }
        if let error { throw error }
    }
}

@Suite struct MarkWorkerTests {
    private let store = FakeMarkStore()
    private let answers = Answers()

    final class Answers: Sendable {
        let all = Mutex<[MarkWorker.Answer]>([])

        /// The next answer.
        func next() throws -> MarkWorker.Answer {
            var answer: MarkWorker.Answer?
            _ = waitUntil {
                answer = all.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return answer != nil
            }
            return try #require(answer, "no answer came")
        }
    }

    private func makeWorker() throws -> MarkWorker {
        try MarkWorker(store) { [answers] answer in answers.all.withLock { $0.append(answer) } }
    }

    private let batch = MarkBatch(MarkChanges(puts: [.sample(1)]))

    @Test("The worker opens, writes and finishes on request")
    func life() throws {
        store.state.withLock { $0.marks[5] = .sample(5) }
        let worker = try makeWorker()
        #expect(store.state.withLock { $0.openings } == [])
        let opened = try #require(worker.openFirst(within: Int32(patienceMilliseconds)))
        #expect(opened.opened == [.sample(5)] && opened.error == nil && opened.isOpen)
        worker.write(batch)
        let answer = try answers.next()
        #expect(answer.error == nil && answer.opened == nil && answer.isOpen)
        #expect(
            worker.finish(
                writing: MarkBatch(MarkChanges(removals: [5])), within: Int32(patienceMilliseconds))
                == .done)
        #expect(store.state.withLock { $0.marks.keys.sorted() } == [1])
        #expect(store.state.withLock { !$0.isOpen })
        #expect(answers.all.withLock { $0.isEmpty }, "the end is not answered")
    }

    @Test("The first batch, which replaces all, opens an unopened store")
    func unopened() throws {
        let worker = try makeWorker()
        worker.write(batch)
        #expect(try answers.next().error?.code == .failed)
        var replacing = batch
        replacing.replacesAll = true
        worker.write(replacing)
        #expect(try answers.next().error == nil)
        #expect(worker.finish(writing: nil, within: Int32(patienceMilliseconds)) == .done)
    }

    @Test("A full disk leaves the store open; another error closes it; damage sets it aside")
    func errors() throws {
        let worker = try makeWorker()
        _ = worker.openFirst(within: Int32(patienceMilliseconds))
        for (code, isOpen) in [
            (StorageError.Code.full, true), (.failed, false), (.damaged, false),
        ] {
            store.state.withLock { $0.writeError = StorageError(code, "as told") }
            var batch = batch
            batch.replacesAll = true
            worker.write(batch)
            let answer = try answers.next()
            #expect(answer.error?.code == code && answer.isOpen == isOpen)
        }
        store.state.withLock {
            $0.writeError = nil
            $0.openings = []
        }
        var replacing = batch
        replacing.replacesAll = true
        worker.write(replacing)
        let answer = try answers.next()
        #expect(answer.error == nil && answer.isOpen && answer.notes == ["aside"])
        #expect(store.state.withLock { $0.openings } == [.knownDamaged])
        #expect(worker.finish(writing: nil, within: Int32(patienceMilliseconds)) == .done)
    }

    @Test("A failed opening is reported, and can be retried")
    func openErrors() throws {
        store.state.withLock { $0.openError = StorageError(.inUse, "another has it") }
        let worker = try makeWorker()
        let first = try #require(worker.openFirst(within: Int32(patienceMilliseconds)))
        #expect(first.error?.code == .inUse && !first.isOpen && first.opened == nil)
        store.state.withLock { $0.openError = nil }
        worker.open()
        #expect(try answers.next().opened == [])
        #expect(worker.finish(writing: nil, within: Int32(patienceMilliseconds)) == .done)
    }
}
