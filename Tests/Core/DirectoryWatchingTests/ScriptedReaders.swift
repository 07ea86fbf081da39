// Readers of folders without a thread: the test says when each folder is read, and when its answer arrives.

import DirectoryWatching
import SystemInterface
import TestSupport
import Testing

/// Reads real folders, in pieces, when told to.
final class ScriptedReaders: FolderReaders {
    /// The most entries of an answer.
    var pieceSize = Int.max
    private(set) var requests: [FolderRequest] = []
    private(set) var answers: [FolderAnswer] = []
    /// The rest of what was read of a folder, which is kept open: another one would else have its identifier, if its
    /// scan ended.
    private var pieces: [ObjectIdentifier: (folder: DescriptorBox, parts: [FolderPart])] = [:]
    private(set) var isEnded = false
    private(set) var answered = 0
    /// The most folders that were out at a time.
    private(set) var mostOut = 0
    private let limit: Int
    private let take: (FolderAnswer) -> Void

    init(limit: Int, _ take: @escaping (FolderAnswer) -> Void) {
        self.limit = limit
        self.take = take
    }

    func read(_ request: FolderRequest) {
        #expect(!isEnded)
        requests.append(request)
        mostOut = max(mostOut, requests.count + answers.count)
        #expect(requests.count + answers.count <= limit)
    }

    func end() { isEnded = true }

    /// Reads for one request; the answer is delivered later.
    func readOne(_ index: Int = 0) {
        if !requests.indices.contains(index) { return }
        let request = requests.remove(at: index)
        let folder = ObjectIdentifier(request.folder)
        if pieces[folder]?.parts.isEmpty != false {
            var reader = FolderBatchReader()
            let part = reader.read(
                request.folder.descriptor, atLeast: 1, leavingOut: request.filter?.leavesOut)
            let parts = split(part)
            pieces[folder] = (request.folder, parts)
        }
        guard let part = pieces[folder]?.parts.removeFirst() else { return }
        if part.rest != .more { pieces[folder] = nil }
        answers.append(FolderAnswer(number: request.number, part: part))
    }

    private func split(_ part: FolderPart) -> [FolderPart] {
        var parts = [FolderPart(FolderBatch(), rest: .more)]
        for index in 0..<part.batch.count {
            if parts[parts.count - 1].batch.count == pieceSize {
                parts.append(FolderPart(FolderBatch(), rest: .more))
            }
            parts[parts.count - 1].batch.append(
                part.batch.nameSlice(index), part.batch.finding(index))
        }
        parts[parts.count - 1].rest = part.rest
        return parts
    }

    /// Delivers an answer of the test's own.
    func deliver(_ answer: FolderAnswer) {
        answers.removeAll { $0.number == answer.number }
        take(answer)
    }

    /// Delivers one answer.
    func deliverOne(_ index: Int = 0) {
        if isEnded || !answers.indices.contains(index) { return }
        answered += 1
        take(answers.remove(at: index))
    }

    func readAll() {
        while !requests.isEmpty { readOne() }
    }

    func deliverAll() {
        while !isEnded, !answers.isEmpty { deliverOne() }
    }

    /// One random step.
    func step(_ random: inout SeededRandom) {
        if random.chance(0.5) {
            readOne(Int.random(in: 0..<max(1, requests.count), using: &random))
        } else {
            deliverOne(Int.random(in: 0..<max(1, answers.count), using: &random))
        }
    }
}

extension WatchFixture {
    /// Limits at which a scan of some files is long.
    static var smallSlices: WatchLimits {
        var limits = WatchLimits()
        limits.entriesInline = 5
        limits.entriesPerSlice = 5
        return limits
    }

    /// Lets scripted readers read the folders of long scans; the last ones that were started.
    func useScript(_ change: @escaping (ScriptedReaders) -> Void = { _ in }) -> ReadersBox {
        let box = ReadersBox()
        access.readers = { _, limit, take in
            let readers = ScriptedReaders(limit: limit, take)
            change(readers)
            box.readers = readers
            box.started += 1
            return readers
        }
        return box
    }

    /// Runs until nothing is left, with the readers' help.
    func finish(_ box: ReadersBox) {
        watcher.drainNow()
        loop.turn()
        var rounds = 0
        while !watcher.isSettled, rounds < 10_000 {
            rounds += 1
            box.readers?.readAll()
            box.readers?.deliverAll()
            watcher.drainNow()
            loop.turn()
        }
        settle()
    }
}

/// The readers that were started last.
final class ReadersBox {
    var readers: ScriptedReaders?
    var started = 0
}
