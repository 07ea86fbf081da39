// A watcher on a temporary folder and the fake loop, with a plain walk to compare with.

import DirectoryWatching
import EventLoops
import PickerModel
import SystemInterface
import TestSupport
import Testing

/// A watcher of the folder `root` in a temporary folder.
final class WatchFixture {
    let folder: TemporaryFolder
    let loop = FakeLoop()
    let store = DocumentStore(epoch: "test")
    let access: FaultyAccess
    let watcher: DirectoryWatcher
    let root: Disk
    private(set) var reports: [WatchReport] = []
    private(set) var transactions: [DocumentChange] = []

    private var lastRev = 0

    init(limits: WatchLimits = WatchLimits(), queueFault: SystemError? = nil) throws {
        folder = try TemporaryFolder()
        access = FaultyAccess(LinuxFileAccess())
        access.queueFault = queueFault
        watcher = DirectoryWatcher(loop: loop, store: store, access: access, limits: limits)
        root = Disk(folder.path("root"))
        watcher.onReport = { [unowned self] in reports.append($0) }
        watcher.onChange = { [unowned self] transaction in
            #expect(transaction.rev <= store.rev)
            #expect(transaction.rev == lastRev + 1)
            lastRev = transaction.rev
            transactions.append(transaction)
        }
        root.makeFolder("")
    }

    /// Follows the root, and waits for its scan.
    func start() throws {
        try watcher.setRoots([root.path])
        settle()
        forget()
    }

    /// Drops the recorded reports and changes.
    func forget() {
        reports = []
        transactions = []
    }

    /// Like `sync`: every change so far is in the store.
    func settle() {
        watcher.drainNow()
        loop.turn()
        #expect(watcher.isSettled)
    }

    /// The document of a path below the root.
    func document(_ path: String) -> Document? {
        store[root: root.path, path: FileName(path)]
    }

    func key(_ path: String) -> String? { document(path)?.key }

    var names: [String] { store.documents.map(\.path.text).sorted() }

    var status: RootStatus? { watcher.roots.first }

    /// Compares the store with a plain walk.
    func expectTruth(
        _ roots: [Disk]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var listed: Set<Truth> = []
        for document in store.documents {
            let isNew = listed.insert(Truth(document)).inserted
            #expect(isNew, "\(document) is listed twice", sourceLocation: sourceLocation)
        }
        var found: Set<Truth> = []
        for disk in roots ?? [root] { disk.walk(into: &found) }
        let missing = found.subtracting(listed)
        let surplus = listed.subtracting(found)
        #expect(missing.isEmpty, sourceLocation: sourceLocation)
        #expect(surplus.isEmpty, sourceLocation: sourceLocation)
        let counted = watcher.roots.reduce(0) { $0 + $1.documents }
        #expect(counted == store.documents.count, sourceLocation: sourceLocation)
    }
}

extension WatchLimits {
    /// The same limits with so many changes in each commit of a turn.
    func committing(_ changes: Int) -> WatchLimits {
        var limits = self
        limits.changesAtFirst = changes
        limits.fewestChangesPerTransaction = changes
        limits.changesPerTransaction = changes
        return limits
    }
}

/// The listed properties of a file.
struct Truth: Hashable, CustomStringConvertible {
    let root: String
    let path: FileName
    let size: UInt64
    let seconds: Int64
    let nanoseconds: UInt32

    init(_ document: Document) {
        root = document.root
        path = document.path
        size = document.size
        seconds = document.modified.seconds
        nanoseconds = document.modified.nanoseconds
    }

    init(root: String, path: [UInt8], status: FileStatus) {
        self.root = root
        self.path = FileName(bytes: path)
        size = status.size
        seconds = status.modified.seconds
        nanoseconds = status.modified.nanoseconds
    }

    var description: String { "\(path.text) \(size) \(seconds).\(nanoseconds)" }
}

extension Disk {
    /// Every regular file below, found by a walk.
    func walk(into found: inout Set<Truth>) {
        walk([], into: &found)
    }

    private func walk(_ relative: [UInt8], into found: inout Set<Truth>) {
        let whole = relative.isEmpty ? bytes : bytes + [47] + relative
        guard let raw = RawPath(bytes: whole),
            var reader = try? DirectoryReader(opening: raw, followingLinks: relative.isEmpty)
        else { return }
        var names: [[UInt8]] = []
        while (try? reader.readBatch { names.append($0.name) }) == true {}
        for name in names {
            guard let status = try? FileStatus.of(name, in: reader.folder) else { continue }
            let path = relative.isEmpty ? name : relative + [47] + name
            switch status.kind {
            case .regular: found.insert(Truth(root: self.path, path: path, status: status))
            case .directory: walk(path, into: &found)
            case .symbolicLink, .socket, .other: break
            }
        }
    }
}

extension DirectoryWatcher {
    /// Sets the roots, absolute paths as text.
    func setRoots(_ paths: [String]) throws(WatchError) {
        try setRoots(paths.map { Array($0.utf8) })
    }
}
