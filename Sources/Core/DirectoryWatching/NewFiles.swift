// New files that a scan found and nothing else has touched since.
//
// A first scan finds nothing but new files, one folder after the other. Of each only the place in what a thread has
// read is kept here, and keys are numbered on, so that a file is found by its key without an index.
//
// Invariants: the keys are `firstKey` and the next numbers, one for each place; each run has at least one place that is not
// taken.

import PickerModel
import SystemInterface

/// The names of a batch of entries, as documents store them.
extension PreparedNames {
    /// Prepares the names of the files with a status.
    init(of batch: FolderBatch, _ scratch: inout Scratch) {
        self.init()
        reserve(batch.count, bytes: batch.nameBytes)
        for index in 0..<batch.count {
            if batch.status(index)?.kind == .regular {
                append(batch.nameSlice(index).span, &scratch)
            } else {
                appendNothing()
            }
        }
    }
}

/// Some files of one folder, in what was read of it.
struct NewFileRun {
    let folder: WatchedFolder
    /// Their statuses and names, with those of others.
    let batch: FolderBatch
    let names: PreparedNames
    /// The key of the first; the others have the next numbers.
    let firstKey: DocumentKey
    /// Their places in the batch.
    let places: ArraySlice<UInt32>

    func facts(_ place: Int) -> FileFacts {
        guard let status = batch.status(place) else { preconditionFailure("it has no status") }
        return FileFacts(status)
    }
}

/// New files that have no document yet, in the order of their keys.
struct NewFiles {
    private struct Run {
        let folder: WatchedFolder
        let batch: FolderBatch
        let names: PreparedNames
        /// The number of the part of the folder: batches are not compared.
        let part: Int
        /// The index of its first place.
        let start: Int
    }

    private var runs: [Run] = []
    /// Of these the first `taken` are not counted any more.
    private var places: [UInt32] = []
    private var taken = 0
    /// The entries of the batches of all runs: what was read is kept with the files, also where few of them are new.
    private(set) var entriesHeld = 0
    /// The number of the key of the first place, taken or not.
    private var firstKey: UInt64 = 0

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count - taken }
    /// Whether much is kept for few files, so that they are to become changes like others.
    var isWasteful: Bool { entriesHeld > Self.entriesForOne * count + Self.entriesForNone }
    /// The entries that are kept for a file, on average, beside those kept for none.
    static let entriesForOne = 4
    static let entriesForNone = 8192
    /// Whether all are in folders that have a path.
    var areAttached: Bool { runs.allSatisfy { $0.folder.attachedRoot != nil } }
    var hasAttached: Bool { runs.contains { $0.folder.attachedRoot != nil } }

    /// Adds the file at a place of the batch that a scan is at.
    /// - Returns: false, without effect, if the key is not the next one.
    mutating func add(_ key: DocumentKey, at place: Int, of scan: RunningScan) -> Bool {
        guard let names = scan.names else { return false }
        if places.isEmpty {
            firstKey = key.packed
        } else if key.packed != firstKey + UInt64(places.count) {
            return false
        }
        if runs.last?.part != scan.part || runs.last?.folder !== scan.folder {
            runs.append(
                Run(
                    folder: scan.folder, batch: scan.batch, names: names, part: scan.part,
                    start: places.count))
            entriesHeld += scan.batch.count
        }
        places.append(UInt32(place))
        return true
    }

    /// The change of a key, if it is that of one of the files.
    /// - Complexity: O(log r) for r runs.
    subscript(key: DocumentKey) -> PendingChange? {
        if places.isEmpty || key.packed < firstKey + UInt64(taken) { return nil }
        let index = key.packed - firstKey
        guard index < places.count else { return nil }
        // The last run that starts no later.
        var low = 0
        var high = runs.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if runs[middle].start <= index { low = middle } else { high = middle }
        }
        return change(Int(index), in: runs[low])
    }

    private func change(_ index: Int, in run: Run) -> PendingChange {
        let place = Int(places[index])
        guard let status = run.batch.status(place) else {
            preconditionFailure("it has no status")
        }
        return .present(run.folder, run.batch.name(place), FileFacts(status))
    }

    private func end(ofRun number: Int) -> Int {
        number + 1 < runs.count ? runs[number + 1].start : places.count
    }

    private func key(of index: Int) -> DocumentKey {
        DocumentKey(packed: firstKey + UInt64(index))
    }

    /// Removes all, or the first ones, as changes in the order of their keys.
    /// - Complexity: O(n) for n files that are removed, and O(r) for r runs.
    mutating func takeChanges(
        atMost limit: Int
    ) -> [(key: DocumentKey, change: PendingChange)] {
        var changes: [(key: DocumentKey, change: PendingChange)] = []
        changes.reserveCapacity(min(limit, count))
        var key = key(of: taken).packed
        for run in take(atMost: limit) {
            for place in run.places {
                let place = Int(place)
                let change = PendingChange.present(
                    run.folder, run.batch.name(place), run.facts(place))
                changes.append((DocumentKey(packed: key), change))
                key += 1
            }
        }
        return changes
    }

    /// Removes the first ones.
    /// - Complexity: O(n) for n files that are removed, and O(r) for r runs.
    mutating func take(atMost limit: Int) -> [NewFileRun] {
        let end = taken + min(limit, count)
        var result: [NewFileRun] = []
        var ended = 0
        for (number, run) in runs.enumerated() where run.start < end {
            let start = max(run.start, taken)
            let endOfRun = self.end(ofRun: number)
            result.append(
                NewFileRun(
                    folder: run.folder, batch: run.batch, names: run.names,
                    firstKey: key(of: start), places: places[start..<min(endOfRun, end)]))
            if endOfRun <= end {
                ended += 1
                entriesHeld -= run.batch.count
            }
        }
        runs.removeFirst(ended)
        taken = end
        if count == 0 { self = NewFiles() }
        checkInvariants()
        return result
    }

    /// In debug builds, traps if a run is empty, or a file is not at its name.
    func checkInvariants() {
        #if DEBUG
        precondition(runs.isEmpty == places.isEmpty && runs.first?.start ?? 0 <= taken)
        precondition(entriesHeld == runs.reduce(0) { $0 + $1.batch.count })
        for (number, run) in runs.enumerated() {
            precondition(max(run.start, taken) < end(ofRun: number), "a run is empty")
        }
        // Only small states are checked, as most tests have.
        guard count <= 64 else { return }
        for index in taken..<places.count {
            let key = key(of: index)
            guard case .present(let folder, let name, _)? = self[key] else {
                preconditionFailure("\(key) is not found")
            }
            precondition(folder.files[name]?.key == key, "\(key) is not at its name")
        }
        #endif
    }
}
