// A file system that fails on request, and counts the calls.

import DirectoryWatching
import EventLoops
import SystemInterface

final class FaultyAccess: FileAccess {
    private let real: any FileAccess
    /// Called before each call; its result is thrown.
    var watchFault: (([UInt8]) -> SystemError?)?
    /// The result of opening an inotify queue.
    var queueFault: SystemError?
    /// Another folder to watch in place of one.
    var watchElsewhere: (([UInt8]) -> [UInt8]?)?
    /// Inodes whose birth time has changed, as after a copy-up in an overlay file system.
    var copiedUp: [UInt64: Int64] = [:]
    private(set) var queueTries = 0
    /// Called before each check of a scan.
    var scanFault: (([UInt8]) -> SystemError?)?
    /// Called before each check of a name in a folder.
    var lookFault: (([UInt8]) -> SystemError?)?
    var openFault: (([UInt8]) -> SystemError?)?
    /// The next read of the queue loses all events and returns an overflow instead.
    var loseQueue = false
    /// Each read that returns events is as one that fills its buffer: it does not tell whether others wait.
    var readsAreFull = false
    /// Called before each check of a file.
    var onStatus: (([UInt8]) -> Void)?
    private(set) var reads = 0
    private(set) var looks = 0
    private(set) var watchCount = 0
    /// The most watches, as of a limit in the kernel, which counts a watch until its last event is read.
    var watchLimit: Int?
    /// The watches that are there.
    private(set) var watches: Set<Int32> = []
    /// The most of them at any time.
    private(set) var mostWatches = 0
    /// Called before and after a watch is removed.
    var onRemoval: ((Int32, _ isOver: Bool) -> Void)?

    init(_ real: any FileAccess) {
        self.real = real
    }

    var queueNumber: Int32? { real.queueNumber }

    func openQueue() throws(SystemError) {
        queueTries += 1
        if let queueFault { throw queueFault }
        try real.openQueue()
    }

    /// The simulated mount table.
    var mountsText: [UInt8]? {
        didSet { isMountTold = mountsText == nil }
    }
    private var isMountTold = true

    /// The fake loop cannot watch plain files, as it sees those of /proc.
    var mountsNumber: Int32? { nil }

    func haveMountsChanged() -> Bool {
        defer { isMountTold = true }
        return !isMountTold
    }

    func readMounts() -> [UInt8]? { mountsText ?? [] }

    func keepReserve() { real.keepReserve() }

    func addWatch(_ path: [UInt8], _ mask: InotifyMask) throws(SystemError) -> Int32 {
        if let fault = watchFault?(path) { throw fault }
        watchCount += 1
        let watch = try real.addWatch(watchElsewhere?(path) ?? path, mask)
        if let watchLimit, watches.count >= watchLimit, !watches.contains(watch) {
            real.removeWatch(watch)
            throw SystemError(.noSpace, operation: "watch")
        }
        watches.insert(watch)
        mostWatches = max(mostWatches, watches.count)
        return watch
    }

    func removeWatch(_ watch: Int32) {
        onRemoval?(watch, false)
        real.removeWatch(watch)
        watches.remove(watch)
        onRemoval?(watch, true)
    }

    private func note(_ event: InotifyEvent) {
        if event.mask.contains(.ignored) { watches.remove(event.watch) }
    }

    func readEvents(_ body: (InotifyEvent) -> Void) throws(SystemError) -> Bool {
        reads += 1
        if loseQueue {
            loseQueue = false
            while try real.readEvents({ self.note($0) }) {}
            body(InotifyEvent(watch: -1, mask: .queueOverflow, cookie: 0, name: []))
            return true
        }
        var count = 0
        let mayHaveMore = try real.readEvents { event in
            count += 1
            note(event)
            body(event)
        }
        return mayHaveMore || readsAreFull && count > 0
    }

    func gatherEvents() throws(SystemError) -> Bool { try real.gatherEvents() }

    var handledBytes: Int { real.handledBytes }
    var endOfQueue: Int { real.endOfQueue }

    func openFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor {
        if let fault = openFault?(path) { throw fault }
        return try real.openFolder(path)
    }

    func findFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor {
        if let fault = openFault?(path) { throw fault }
        return try real.findFolder(path)
    }

    func status(_ path: [UInt8], followingLinks: Bool) throws(SystemError) -> FileStatus {
        looks += 1
        onStatus?(path)
        return asCopiedUp(try real.status(path, followingLinks: followingLinks))
    }

    func status(
        _ name: [UInt8], in folder: borrowing OwnedDescriptor, at path: [UInt8]
    ) throws(SystemError) -> FileStatus {
        looks += 1
        let whole = path + [UInt8(ascii: "/")] + name
        onStatus?(whole)
        if let fault = lookFault?(whole) { throw fault }
        return asCopiedUp(try real.status(name, in: folder, at: path))
    }

    func target(
        of name: [UInt8], in folder: borrowing OwnedDescriptor, at path: [UInt8]
    ) throws(SystemError) -> FileStatus {
        looks += 1
        return asCopiedUp(try real.target(of: name, in: folder, at: path))
    }

    func status(
        _ name: [UInt8], in reader: borrowing DirectoryReader
    ) throws(SystemError) -> FileStatus {
        if let fault = scanFault?(name) { throw fault }
        return try real.status(name, in: reader)
    }

    func status(_ folder: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus {
        asCopiedUp(try real.status(folder))
    }

    /// Starts what reads the folders of long scans; without it the loop reads them.
    var readers: ((any EventLoop, Int, @escaping (FolderAnswer) -> Void) -> (any FolderReaders)?)?

    /// Lets threads read the folders of long scans, as in the daemon.
    func useThreads() {
        readers = { [real] in real.startReaders(on: $0, limit: $1, $2) }
    }

    func content(
        of name: [UInt8], in folder: borrowing OwnedDescriptor, atMost limit: Int
    ) throws(SystemError) -> [UInt8]? {
        try real.content(of: name, in: folder, atMost: limit)
    }

    func startReaders(
        on loop: any EventLoop, limit: Int, _ take: @escaping (FolderAnswer) -> Void
    ) -> (any FolderReaders)? {
        readers?(loop, limit, take)
    }

    private func asCopiedUp(_ status: FileStatus) -> FileStatus {
        guard let moment = copiedUp[status.inode] else { return status }
        var status = status
        status.born = FileTime(seconds: moment, nanoseconds: 0)
        return status
    }

    func resetCounts() {
        reads = 0
        looks = 0
    }
}
