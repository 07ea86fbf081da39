// A file system that fails where a test wants it to, and counts what is asked of it.

import DirectoryWatching
import SystemInterface

final class FaultyAccess: FileAccess {
    private let real: any FileAccess
    /// Asked before each call; what it gives is thrown.
    var watchFault: (([UInt8]) -> SystemError?)?
    /// What comes of asking for an inotify queue.
    var queueFault: SystemError?
    /// Another folder to watch in the place of one.
    var watchElsewhere: (([UInt8]) -> [UInt8]?)?
    /// Inodes whose time of birth is another by now, as when an overlay file system has copied them up.
    var copiedUp: [UInt64: Int64] = [:]
    private(set) var queueTries = 0
    /// Asked before each look of a scan.
    var scanFault: (([UInt8]) -> SystemError?)?
    /// Asked before each look at a name in a folder.
    var lookFault: (([UInt8]) -> SystemError?)?
    var openFault: (([UInt8]) -> SystemError?)?
    /// The next reading of the queue finds everything lost and an overflow in its place.
    var loseQueue = false
    /// Called before each look at a file.
    var onStatus: (([UInt8]) -> Void)?
    private(set) var reads = 0
    private(set) var looks = 0
    private(set) var watchCount = 0

    init(_ real: any FileAccess) {
        self.real = real
    }

    var queueNumber: Int32? { real.queueNumber }

    func openQueue() throws(SystemError) {
        queueTries += 1
        if let queueFault { throw queueFault }
        try real.openQueue()
    }

    /// What the table of mounts is said to be.
    var mountsText: [UInt8]? {
        didSet { isMountTold = mountsText == nil }
    }
    private var isMountTold = true

    /// The fake loop watches no plain files, which those of /proc are to it.
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
        return try real.addWatch(watchElsewhere?(path) ?? path, mask)
    }

    func removeWatch(_ watch: Int32) {
        real.removeWatch(watch)
    }

    func readEvents(_ body: (InotifyEvent) -> Void) throws(SystemError) -> Bool {
        reads += 1
        if loseQueue {
            loseQueue = false
            while try real.readEvents({ _ in }) {}
            body(InotifyEvent(watch: -1, mask: .queueOverflow, cookie: 0, name: []))
            return true
        }
        return try real.readEvents(body)
    }

    func openFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor {
        if let fault = openFault?(path) { throw fault }
        return try real.openFolder(path)
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

    func status(
        _ name: [UInt8], in reader: borrowing DirectoryReader
    ) throws(SystemError) -> FileStatus {
        if let fault = scanFault?(name) { throw fault }
        return try real.status(name, in: reader)
    }

    func status(_ folder: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus {
        asCopiedUp(try real.status(folder))
    }

    private func asCopiedUp(_ status: FileStatus) -> FileStatus {
        guard let moment = copiedUp[status.inode] else { return status }
        return status.reborn(FileTime(seconds: moment, nanoseconds: 0))
    }

    func resetCounts() {
        reads = 0
        looks = 0
    }
}
