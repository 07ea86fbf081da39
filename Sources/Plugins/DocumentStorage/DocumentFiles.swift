// The files in which documents outlive a restart, in a folder of their own.
//
//     snapshot-N   all documents: header, records, end
//     changes-N    what changed since: header, then a batch at least every time before a client is told of a change
//
// A snapshot is written beside, as `snapshot.new`, while changes go on: what changes from its first byte on is in the log
// of the same number, or a later one. So the newest snapshot and the logs from its number on, in their order, have all
// documents. Each run of the daemon begins a log, whose header says how much of the one before was valid: if less of that
// is valid later, it has been damaged.
//
// A log whose header says that nothing of another was before it follows a time in which nothing could be stored.
//
// A log ends with a batch that says so, if the daemon ended; else it was killed, and may have given out numbers up to the
// limits of the last batch. After a loss of power, or in a copy of the files, not even that is known.

package import StateFolder
internal import SystemInterface

/// Receives what was stored.
package protocol DocumentReceiver {
    /// Records that were read.
    associatedtype Records: Sendable
    /// Reads records, on another thread; nil if they can't be used.
    var decode: @Sendable (ArraySlice<UInt8>) -> Records? { get }
    /// A snapshot or a log begins. `count` documents follow, or about so many, whose names have about `nameBytes`;
    /// `types` identifies their media types.
    mutating func begin(_ header: FileHeader, nameBytes: Int)
    /// - Returns: false if the records can't be used.
    mutating func receive(_ records: Records) -> Bool
}

/// The stored documents in an open folder.
package struct DocumentFiles {
    private static let leastDocumentBytes = 54
    static let newName = "snapshot.new"
    private static let asideName = "snapshot.damaged"

    static func snapshotName(_ generation: UInt64) -> String { "snapshot-\(generation)" }
    static func logName(_ generation: UInt64) -> String { "changes-\(generation)" }

    package let folder: any StorageFolder
    /// Messages for the log.
    package private(set) var notes: [String] = []
    /// The files that are there.
    private var snapshots: [UInt64] = []
    private var logs: [UInt64] = []

    /// What the files say of the numbers.
    package struct Ending: Equatable, Sendable {
        /// The epoch of the last run.
        package var epoch: String
        /// Whether revisions go on in it. Otherwise clients may have seen others.
        package var continues: Bool
        /// Whether the last daemon ended by itself.
        package var isClean: Bool
        package var numbers: Numbers
        /// All changes after this revision were received.
        package var knownSince: UInt64
        /// The length of the last log, as far as it is valid.
        package var lastLength: UInt64
    }

    package init(_ folder: any StorageFolder) throws(StorageError) {
        self.folder = folder
        let names: [String]
        do throws(SystemError) { names = try folder.names() } catch {
            throw .system(error.naming(folder.path))
        }
        for name in names {
            if let number = Self.number(of: name, after: "snapshot-") { snapshots.append(number) }
            if let number = Self.number(of: name, after: "changes-") { logs.append(number) }
        }
        snapshots.sort()
        logs.sort()
    }

    private static func number(of name: String, after prefix: String) -> UInt64? {
        guard name.hasPrefix(prefix), let number = UInt64(name.dropFirst(prefix.count)),
            prefix + String(number) == name
        else { return nil }
        return number
    }

    /// The number of the next snapshot or log, greater than those of all files.
    package var nextGeneration: UInt64 { max(snapshots.last ?? 0, logs.last ?? 0) + 1 }

    /// The length of the newest snapshot and its logs in bytes.
    package private(set) var snapshotBytes = 0
    package private(set) var logBytes = 0

    /// Passes on all that is stored, in order.
    /// - Parameters:
    ///   - boot: identifies this run of the machine.
    ///   - receiver: what it is passed to.
    /// - Returns: nil if there is nothing that can be used: then nothing of what was received is to be kept. `notes` says
    ///   why, unless nothing was stored.
    /// - Throws: the error of a disk that fails, without a change.
    /// - Complexity: O(bytes). A thread reads ahead.
    package mutating func load(
        boot: String, into receiver: inout some DocumentReceiver
    ) throws(StorageError) -> Ending? {
        guard let newest = snapshots.last else {
            if !logs.isEmpty { removeAll() }
            return nil
        }
        do throws(SystemError) {
            do throws(Unusable) {
                return try load(newest, boot: boot, into: &receiver)
            } catch {
                if let cause = error.cause { throw cause }
                setAside(newest, because: error.reason)
                return nil
            }
        } catch { throw .system(error.naming(folder.path)) }
    }

    private struct Unusable: Error {
        var reason: String
        var cause: SystemError?
    }

    private mutating func load<Receiver: DocumentReceiver>(
        _ newest: UInt64, boot: String, into receiver: inout Receiver
    ) throws(Unusable) -> Ending {
        let snapshot = Self.snapshotName(newest)
        let (_, length, isEnded) = try read(
            snapshot, .snapshot, newest, into: &receiver, batches: { _ in })
        guard isEnded else { throw Unusable(reason: "'\(snapshot)' is damaged at byte \(length)") }
        snapshotBytes = length
        var ending: Ending?
        var last: (name: String, length: Int)?
        for generation in logs where generation >= newest {
            let name = Self.logName(generation)
            var numbers: Numbers?
            let (header, length, isWhole) = try read(
                name, .log, generation, into: &receiver, batches: { numbers = $0 })
            if let last, header.formerLength > UInt64(last.length) {
                throw Unusable(reason: "'\(last.name)' is damaged at byte \(last.length)")
            }
            last = (name, length)
            logBytes += length
            guard let numbers else { throw Unusable(reason: "'\(name)' has no numbers") }
            let isOwn = header.inode == (try? folder.identity(of: name))?.inode
            if !isOwn {
                notes.append(
                    "'\(folder.path)/\(name)' is a copy, and others may go on from it: revisions begin a new "
                        + "epoch")
            }
            ending = Ending(
                epoch: header.epoch,
                continues: isWhole && isOwn && (numbers.isClean || header.boot == boot),
                isClean: isWhole && numbers.isClean, numbers: numbers,
                knownSince: max(ending?.knownSince ?? 0, header.knownSince),
                lastLength: UInt64(length))
        }
        guard let ending else {
            throw Unusable(reason: "'\(Self.logName(newest))' is missing")
        }
        return ending
    }

    /// - Returns: the header, the number of valid bytes, and whether these are all: a snapshot has an end.
    private func read<Receiver: DocumentReceiver>(
        _ name: String, _ kind: FileHeader.Kind, _ generation: UInt64,
        into receiver: inout Receiver, batches: (Numbers) -> Void
    ) throws(Unusable) -> (FileHeader, length: Int, isWhole: Bool) {
        let source: ReadAhead<Receiver.Records>
        let size: Int
        do throws(SystemError) {
            let file = try folder.open(name)
            size = try file.size()
            source = try ReadAhead(file, decode: receiver.decode)
        } catch {
            // What is no file is as bad as a damaged one.
            throw Unusable(reason: "'\(name)' can't be read (\(error))")
        }
        var header: FileHeader?
        var isEnded = false
        while true {
            let step = source.next()
            switch step {
            case .failed(let error): throw Unusable(reason: "'\(name)' can't be read (\(error))")
            case .end(let length, let isWhole):
                guard let header else {
                    throw Unusable(reason: "'\(name)' has no header of a file of documents")
                }
                return (header, length, kind == .snapshot ? isEnded && isWhole : isWhole)
            case .header, .records, .mark, .batch: break
            }
            if header == nil {
                guard case .header(let first) = step, first.kind == kind,
                    first.generation == generation
                else { throw Unusable(reason: "'\(name)' is no file of documents, or another one") }
                header = first
                // No document takes fewer bytes.
                var checked = first
                checked.count = min(first.count, UInt64(size / Self.leastDocumentBytes))
                // The rest is names, and what few of them and the folders have.
                let rest = size - Int(checked.count) * Self.leastDocumentBytes
                receiver.begin(checked, nameBytes: rest / 4 * 3)
                continue
            }
            var isUsed = true
            switch step {
            case .records(let records?):
                isUsed = kind == .snapshot && !isEnded && receiver.receive(records)
            case .mark:
                isUsed = kind == .snapshot && !isEnded
                isEnded = true
            case .batch(let numbers, let records, let isUsable):
                isUsed =
                    kind == .log && isUsable && (records.map { receiver.receive($0) } ?? true)
                batches(numbers)
            default: isUsed = false
            }
            if !isUsed {
                throw Unusable(reason: "'\(name)' has what no daemon of this version writes")
            }
        }
    }

    /// Keeps a damaged snapshot for whoever wants to look at it, instead of the last one, and removes all others.
    private mutating func setAside(_ generation: UInt64, because reason: String) {
        let kept = folder.path + "/" + Self.asideName
        do throws(SystemError) {
            try folder.rename(Self.snapshotName(generation), to: Self.asideName)
            notes.append(
                "in '\(folder.path)', \(reason): all folders are read anew, and documents get new keys. The "
                    + "snapshot was set aside as '\(kept)'")
        } catch {
            notes.append(
                "in '\(folder.path)', \(reason): all folders are read anew, and documents get new keys"
            )
        }
        removeAll()
    }

    /// Removes all snapshots and logs, as far as possible.
    package mutating func removeAll() {
        for generation in snapshots { try? folder.remove(Self.snapshotName(generation)) }
        for generation in logs { try? folder.remove(Self.logName(generation)) }
        try? folder.remove(Self.newName)
        // Numbers are not used again, even if a file could not be removed.
        let next = nextGeneration
        snapshots = []
        logs = [next]
        (snapshotBytes, logBytes) = (0, 0)
    }
}

extension DocumentFiles {
    /// Removes what a snapshot has replaced.
    func removeFiles(before generation: UInt64) throws(StorageError) {
        do throws(SystemError) {
            for old in snapshots where old < generation {
                try folder.remove(Self.snapshotName(old))
            }
            for old in logs where old < generation { try folder.remove(Self.logName(old)) }
        } catch { throw .system(error.naming(folder.path)) }
    }
}
