// Snapshots and logs: written, read again, cut, damaged, copied.

import DocumentStorage
import StateFolder
import SystemInterface
import TestSupport
import Testing

/// Keeps what it is given.
private struct Received: DocumentReceiver, Equatable {
    var headers: [FileHeader] = []
    var records: [[UInt8]] = []
    var accepts = true

    var decode: @Sendable (ArraySlice<UInt8>) -> [UInt8]? { { Array($0) } }

    mutating func begin(_ header: FileHeader, nameBytes: Int) { headers.append(header) }

    mutating func receive(_ records: [UInt8]) -> Bool {
        self.records.append(records)
        return accepts
    }
}

private func header(_ kind: FileHeader.Kind, _ generation: UInt64) -> FileHeader {
    FileHeader(
        kind: kind, generation: generation, types: [1, 2], count: 3, knownSince: 4, epoch: "e",
        boot: "boot")
}

private func numbers(_ rev: UInt64, isClean: Bool = false) -> Numbers {
    Numbers(
        rev: rev, revLimit: isClean ? rev : rev + 100, nextKey: rev * 2,
        keyLimit: rev * 2 + (isClean ? 0 : 50), isClean: isClean)
}

/// A daemon's run, on a folder in memory.
private final class Run {
    let folder: any StorageFolder
    private let answers = try? Mailbox<SnapshotWorker.Answer>(limit: 64)
    private(set) var worker: SnapshotWorker?
    var log: DocumentLog?

    init(_ folder: any StorageFolder) throws {
        self.folder = folder
        let answers = answers
        worker = try SnapshotWorker(folder) { _ = answers?.post($0) }
    }

    func answer() -> SnapshotWorker.Answer? {
        for _ in 0..<10 {
            if let answer = answers?.next(within: Int32(patienceMilliseconds)) { return answer }
        }
        return nil
    }

    /// Writes a snapshot of some parts, after its log was begun.
    func snapshot(_ generation: UInt64, _ parts: [[UInt8]], former: UInt64 = 0) throws {
        var first = header(.log, generation)
        first.formerLength = former
        log = try DocumentLog(first, in: folder, numbers(0), [])
        worker?.hand(over: .begin(header(.snapshot, generation)))
        for part in parts {
            worker?.hand(over: .records(part))
            #expect(answer()?.error == nil)
        }
        worker?.hand(over: .complete(generation: generation))
        for _ in 0..<2 { #expect(answer()?.error == nil) }
    }

    func end() throws {
        let log = try #require(log)
        #expect(worker?.finish(nil, log, within: Int32(patienceMilliseconds))?.error == nil)
        worker = nil
    }
}

private func load(
    _ folder: any StorageFolder, boot: String = "boot"
) throws -> (ending: DocumentFiles.Ending?, received: Received, files: DocumentFiles) {
    var received = Received()
    var files = try DocumentFiles(folder)
    let ending = try files.load(boot: boot, into: &received)
    return (ending, received, files)
}

@Suite("The files of documents")
struct DocumentFilesTests {
    @Test("A snapshot and its log are read as they were written, after an end and a kill")
    func roundTrip() throws {
        let folder = MemoryFolder()
        #expect(try load(folder).ending == nil && load(folder).received == Received())
        let run = try Run(folder)
        try run.snapshot(1, [[10], [], [11, 12]])
        try run.log?.write(numbers(5), [20])
        let sixth = run.log?.reserve(numbers(6), [21])
        run.worker?.hand(over: .append(try #require(sixth)))
        #expect(run.answer()?.error == nil)
        try run.log?.write(numbers(7), [22])
        let killed = try load(folder)
        #expect(killed.received.records == [[10], [], [11, 12], [20], [21], [22]])
        #expect(killed.ending?.numbers == numbers(7) && killed.ending?.isClean == false)
        #expect(killed.ending?.continues == true && killed.ending?.epoch == "e")
        #expect(killed.ending?.knownSince == 4 && killed.files.notes.isEmpty)
        // After a start of the machine nobody knows what was on the way to the disk.
        #expect(try load(folder, boot: "other").ending?.continues == false)
        let last = run.log?.reserve(numbers(8, isClean: true), [])
        run.worker?.hand(over: .append(try #require(last)))
        #expect(run.answer()?.error == nil)
        try run.end()
        let ended = try load(folder, boot: "other")
        #expect(ended.ending?.continues == true && ended.ending?.isClean == true)
        #expect(ended.ending?.numbers == numbers(8, isClean: true))
    }

    @Test("A new snapshot removes what it replaces; until it is complete the old one counts")
    func replaced() throws {
        let folder = MemoryFolder()
        let run = try Run(folder)
        try run.snapshot(1, [[10]])
        try run.log?.write(numbers(5), [20])
        let length = UInt64(run.log?.length ?? 0)
        var second = header(.log, 2)
        second.formerLength = length
        run.log = try DocumentLog(second, in: folder, numbers(6), [21])
        run.worker?.hand(over: .begin(header(.snapshot, 2)))
        run.worker?.hand(over: .records([30]))
        for _ in 0..<2 { #expect(run.answer()?.error == nil) }
        try run.log?.write(numbers(7), [22])
        #expect(try load(folder).received.records == [[10], [20], [21], [22]])
        run.worker?.hand(over: .complete(generation: 2))
        #expect(run.answer()?.error == nil)
        let loaded = try load(folder)
        #expect(loaded.received.records == [[30], [21], [22]])
        #expect(loaded.files.nextGeneration == 3)
        #expect(Set(folder.files.keys) == ["snapshot-2", "changes-2"])
    }

    @Test("A snapshot that is cut or changed at any byte is set aside with a word")
    func damagedSnapshot() throws {
        let folder = MemoryFolder()
        try Run(folder).snapshot(1, [[10, 11], [12]])
        let whole = folder.files
        let snapshot = try #require(whole["snapshot-1"])
        var others: [[UInt8]] = snapshot.indices.map { Array(snapshot[..<$0]) }
        for index in snapshot.indices {
            var other = snapshot
            other[index] ^= 0x40
            others.append(other)
        }
        others.append(snapshot + [0])
        for other in others {
            var files = whole
            files["snapshot-1"] = other
            let damaged = MemoryFolder(files)
            let loaded = try load(damaged)
            #expect(loaded.ending == nil && loaded.files.notes.count == 1)
            #expect(loaded.files.notes.first?.contains("snapshot.damaged") == true)
            #expect(Array(damaged.files.keys) == ["snapshot.damaged"])
            #expect(loaded.files.nextGeneration > 1)
        }
    }

    @Test("Of a log that is cut at any byte the whole batches before it count")
    func cutLog() throws {
        let folder = MemoryFolder()
        let run = try Run(folder)
        try run.snapshot(1, [[10]])
        var ends = [run.log?.length ?? 0]
        for rev in 1...3 {
            try run.log?.write(numbers(UInt64(rev)), [UInt8(rev)])
            ends.append(run.log?.length ?? 0)
        }
        let log = try #require(folder.files["changes-1"])
        for size in 0..<log.count {
            var files = folder.files
            files["changes-1"] = Array(log[..<size])
            let loaded = try load(MemoryFolder(files))
            guard size >= ends[0] else {
                #expect(loaded.ending == nil && loaded.files.notes.count == 1, "\(size)")
                continue
            }
            let batches = ends.count { $0 <= size } - 1
            #expect(loaded.received.records == [[10]] + (0..<batches).map { [UInt8($0 + 1)] })
            #expect(loaded.ending?.numbers == numbers(UInt64(batches)), "\(size)")
            // Only an end between two batches may be that of a kill.
            #expect(loaded.ending?.isClean == false)
            #expect(loaded.ending?.lastLength == UInt64(ends[batches]))
        }
    }

    @Test("A log that another one has followed is not cut without a word")
    func cutFormerLog() throws {
        let folder = MemoryFolder()
        let run = try Run(folder)
        try run.snapshot(1, [[10]])
        try run.log?.write(numbers(5), [20])
        var second = header(.log, 2)
        second.formerLength = UInt64(run.log?.length ?? 0)
        _ = try DocumentLog(second, in: folder, numbers(6), [21])
        #expect(try load(folder).received.records == [[10], [20], [21]])
        var files = folder.files
        files["changes-1"]?.removeLast()
        let loaded = try load(MemoryFolder(files))
        #expect(loaded.ending == nil && loaded.files.notes.first?.contains("changes-1") == true)
    }

    @Test("With another log, changes are known from where that says")
    func gap() throws {
        for hasGap in [false, true] {
            let folder = MemoryFolder()
            let run = try Run(folder)
            try run.snapshot(1, [[10]])
            try run.log?.write(numbers(5), [20])
            var second = header(.log, 2)
            second.knownSince = 7
            second.formerLength = hasGap ? 0 : UInt64(run.log?.length ?? 0)
            _ = try DocumentLog(second, in: folder, numbers(8), [21])
            let loaded = try load(folder)
            #expect(loaded.received.records == [[10], [20], [21]])
            #expect(loaded.ending?.knownSince == 7)
        }
    }

    @Test("What a full disk has taken of a batch is cut off, and the batches before it count")
    func fullDisk() throws {
        let folder = MemoryFolder()
        let run = try Run(folder)
        try run.snapshot(1, [[10]])
        try run.log?.write(numbers(5), [20])
        let before = folder.files
        for room in 0..<40 {
            folder.change { $0.room = room }
            #expect(throws: StorageError.self) {
                try run.log?.write(numbers(6), [UInt8](repeating: 1, count: 100))
            }
            #expect(folder.files == before)
        }
        #expect(try load(folder).ending?.continues == true)
        folder.change { $0.room = nil }
        try run.log?.write(numbers(7), [22])
        #expect(try load(folder).received.records == [[10], [20], [22]])
    }

    @Test("A copy begins a new epoch, and what the receiver refuses is set aside")
    func copied() throws {
        let folder = MemoryFolder()
        let run = try Run(folder)
        try run.snapshot(1, [[10]])
        try run.log?.write(numbers(5, isClean: true), [])
        #expect(try load(folder).ending?.continues == true)
        let copy = MemoryFolder(folder.files)
        copy.change { _ = $0.replaced.insert("changes-1") }
        let loaded = try load(copy)
        #expect(loaded.ending?.continues == false && loaded.files.notes.count == 1)
        #expect(loaded.ending?.numbers.rev == 5)
        var refusing = Received()
        refusing.accepts = false
        var files = try DocumentFiles(folder)
        #expect(try files.load(boot: "boot", into: &refusing) == nil)
        #expect(files.notes.count == 1)
        #expect(Array(folder.files.keys) == ["snapshot.damaged"])
    }

    @Test("An error of the disk is the answer of each job until the next snapshot")
    func errors() throws {
        let folder = MemoryFolder()
        let run = try Run(folder)
        try run.snapshot(1, [[10]])
        folder.change { $0.failure = .noSpace }
        run.worker?.hand(over: .begin(header(.snapshot, 2)))
        run.worker?.hand(over: .records([1]))
        run.worker?.hand(over: .complete(generation: 2))
        for _ in 0..<3 { #expect(run.answer()?.error?.code == .full) }
        #expect(throws: StorageError.self) { try run.log?.write(numbers(9), []) }
        folder.change { $0.failure = nil }
        #expect(try load(folder).received.records == [[10]])
        try run.snapshot(3, [[11]])
        #expect(try load(folder).received.records == [[11]])
    }
}
