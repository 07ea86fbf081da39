// The system calls of a watcher, in one place, so that tests can make them fail.
//
// Paths are absolute and may exceed the limit of one system call: such a path is walked in pieces. A symbolic
// link at the end of a path is not followed; the watcher resolves its roots before it passes them.

package import EventLoops
import Glibc
package import SystemInterface

/// The file system and the inotify queue, as a watcher uses them.
package protocol FileAccess: AnyObject {
    /// The inotify descriptor, for watching only; `nil` before `openQueue` has succeeded.
    var queueNumber: Int32? { get }
    /// Creates the inotify queue if there is none. Before that, `readEvents` finds nothing and `addWatch`
    /// fails.
    func openQueue() throws(SystemError)
    /// As `Inotify.add`.
    func addWatch(_ path: [UInt8], _ mask: InotifyMask) throws(SystemError) -> Int32
    func removeWatch(_ watch: Int32)
    /// As `Inotify.readEvents`.
    func readEvents(_ body: (InotifyEvent) -> Void) throws(SystemError) -> Bool
    /// As `Inotify.gather`.
    func gatherEvents() throws(SystemError) -> Bool
    /// As in `Inotify`.
    var handledBytes: Int { get }
    /// As in `Inotify`.
    var endOfQueue: Int { get }
    /// A descriptor that becomes urgent once after each change of the mount table, for watching only; `nil` if
    /// there is none.
    var mountsNumber: Int32? { get }
    /// Whether the mount table has changed since the last call. Independent of `mountsNumber`.
    func haveMountsChanged() -> Bool
    /// The mount table as the kernel writes it; `nil` if it can't be read.
    func readMounts() -> [UInt8]?
    /// Opens the folder at `path`, using the reserve if no descriptor is left.
    func openFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor
    /// The same for a folder that is not read: only the status of it and of names in it is wanted.
    func findFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor
    /// Refills the reserve of one descriptor, if possible.
    func keepReserve()
    /// The status of the file at `path`: of a link itself, unless links are followed.
    func status(_ path: [UInt8], followingLinks: Bool) throws(SystemError) -> FileStatus
    /// The status of an open folder.
    func status(_ folder: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus
    /// The status of an entry of a folder that is being read.
    func status(_ name: [UInt8], in reader: borrowing DirectoryReader) throws(SystemError)
        -> FileStatus
    /// The status of `name`, of a link itself, in an open folder at `path`.
    func status(
        _ name: [UInt8], in folder: borrowing OwnedDescriptor, at path: [UInt8]
    ) throws(SystemError) -> FileStatus
    /// The status of what the symbolic link `name` in an open folder at `path` leads to. That is not opened.
    func target(
        of name: [UInt8], in folder: borrowing OwnedDescriptor, at path: [UInt8]
    ) throws(SystemError) -> FileStatus
    /// The content of the regular file `name` in an open folder, at most `limit` bytes of it; `nil` if there is none.
    func content(
        of name: [UInt8], in folder: borrowing OwnedDescriptor, atMost limit: Int
    ) throws(SystemError) -> [UInt8]?
    /// Starts what reads the folders of long scans elsewhere than on the loop, for at most `limit` requests at a time;
    /// `take` is called on the loop with each answer. `nil` if there is none, so that the loop reads them.
    func startReaders(
        on loop: any EventLoop, limit: Int, _ take: @escaping (FolderAnswer) -> Void
    ) -> (any FolderReaders)?
}

/// The real file system.
package final class LinuxFileAccess: FileAccess {
    private var queue: InotifyQueue?
    /// Closed when descriptors run out, so that the folder can be opened.
    private var reserve: DescriptorBox?

    /// One for the loop, one for queries and reads: the kernel reports a change once per descriptor.
    private let mounts: (watched: DescriptorBox, asked: DescriptorBox)?

    package init() {
        // Without /proc, mounts go unnoticed.
        mounts = try? (
            watched: DescriptorBox(OwnedDescriptor.open(Self.mountsPath, flags: O_RDONLY)),
            asked: DescriptorBox(OwnedDescriptor.open(Self.mountsPath, flags: O_RDONLY))
        )
        keepReserve()
    }

    private static let mountsPath = RawPath("/proc/self/mountinfo")
    /// The limit for the text of the mount table; mounts beyond it are unknown.
    private static let mountBytes = 4 << 20

    package var mountsNumber: Int32? { mounts?.watched.number }

    package func haveMountsChanged() -> Bool {
        guard let mounts else { return false }
        return mounts.asked.descriptor.isUrgent
    }

    package func readMounts() -> [UInt8]? {
        // The open descriptor is reused, as there may be none left.
        guard let mounts else { return nil }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var count = 0
        repeat {
            let read = try? mounts.asked.descriptor.read(into: &buffer, at: text.count)
            guard let read else { return nil }
            count = read
            text += buffer[..<count]
        } while count == buffer.count && text.count < Self.mountBytes
        return text
    }

    package var queueNumber: Int32? { queue?.inotify.number }

    package func openQueue() throws(SystemError) {
        if queue == nil { queue = InotifyQueue(try Inotify()) }
    }

    package func keepReserve() {
        if reserve != nil { return }
        // If none is available, the end of the next piece of work tries again.
        reserve = try? DescriptorBox(OwnedDescriptor.openFolder(RawPath("/")))
    }

    package func addWatch(_ path: [UInt8], _ mask: InotifyMask) throws(SystemError) -> Int32 {
        guard let queue else { throw SystemError(.badDescriptor, operation: "watch") }
        if path.count < Self.longestPath {
            return try queue.inotify.add(Self.raw(path), mask)
        }
        // No system call adds a watch relative to a folder; /proc names an open one. Its entry is a link that
        // has to be followed; the folder itself was opened without following links.
        let folder = try openFolder(path)
        return try queue.inotify.add(
            RawPath("/proc/self/fd/\(folder.number)"), mask.subtracting(.doNotFollowLinks))
    }

    package func removeWatch(_ watch: Int32) {
        queue?.inotify.remove(watch)
    }

    package func readEvents(_ body: (InotifyEvent) -> Void) throws(SystemError) -> Bool {
        guard let queue else { return false }
        return try queue.inotify.readEvents(body)
    }

    package func gatherEvents() throws(SystemError) -> Bool {
        guard let queue else { return false }
        return try queue.inotify.gather()
    }

    package var handledBytes: Int { queue?.inotify.handledBytes ?? 0 }
    package var endOfQueue: Int { queue?.inotify.endOfQueue ?? 0 }

    package func openFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor {
        try withReserve { () throws(SystemError) in try open(path) }
    }

    package func findFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor {
        // A path that is walked in pieces is rare, and opened as any.
        if path.count >= Self.longestPath { return try openFolder(path) }
        return try withReserve { () throws(SystemError) in
            try OwnedDescriptor.findFolder(Self.raw(path))
        }
    }

    /// Opens a folder, if need be with the descriptor of the reserve.
    private func withReserve(
        _ open: () throws(SystemError) -> OwnedDescriptor
    ) throws(SystemError) -> OwnedDescriptor {
        do {
            return try open()
        } catch {
            guard error.code.isShortage, reserve != nil else { throw error }
            reserve = nil
            return try open()
        }
    }

    private func open(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor {
        if path.count < Self.longestPath {
            return try OwnedDescriptor.openFolder(Self.raw(path), followingLinks: false)
        }
        let parts = path.split(separator: slash)
        var folder = try OwnedDescriptor.openFolder(RawPath("/"))
        for part in parts {
            folder = try folder.openFolder(Array(part))
        }
        return folder
    }

    package func status(
        _ path: [UInt8], followingLinks: Bool
    ) throws(SystemError) -> FileStatus {
        if path.count < Self.longestPath {
            return try FileStatus.of(Self.raw(path), followingLinks: followingLinks)
        }
        let cut = path.lastIndex(of: slash) ?? 0
        let folder = try openFolder(Array(path[..<cut]))
        return try FileStatus.of(
            Array(path[(cut + 1)...]), in: folder, followingLinks: followingLinks)
    }

    package func status(
        _ name: [UInt8], in folder: borrowing OwnedDescriptor, at path: [UInt8]
    ) throws(SystemError) -> FileStatus {
        try FileStatus.of(name, in: folder)
    }

    package func target(
        of name: [UInt8], in folder: borrowing OwnedDescriptor, at path: [UInt8]
    ) throws(SystemError) -> FileStatus {
        try FileStatus.of(name, in: folder, followingLinks: true)
    }

    package func status(
        _ folder: borrowing OwnedDescriptor
    ) throws(SystemError) -> FileStatus {
        try FileStatus.of(folder)
    }

    package func status(
        _ name: [UInt8], in reader: borrowing DirectoryReader
    ) throws(SystemError) -> FileStatus {
        try FileStatus.of(name, in: reader.folder)
    }

    package func content(
        of name: [UInt8], in folder: borrowing OwnedDescriptor, atMost limit: Int
    ) throws(SystemError) -> [UInt8]? {
        let file: OwnedDescriptor
        do {
            file = try folder.openToRead(name)
        } catch {
            // A link, or nothing.
            if error.code.isAbsence { return nil }
            throw error
        }
        guard try FileStatus.of(file).kind == .regular else { return nil }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while all.count < limit {
            let count = try file.read(into: &buffer, at: all.count)
            if count == 0 { break }
            all += buffer[..<min(count, limit - all.count)]
        }
        return all
    }

    package func startReaders(
        on loop: any EventLoop, limit: Int, _ take: @escaping (FolderAnswer) -> Void
    ) -> (any FolderReaders)? {
        try? ReaderThreads(on: loop, limit: limit, take)
    }

    /// PATH_MAX, which counts the closing NUL.
    private static let longestPath = 4096

    /// Paths consist of names from the kernel and of validated roots: they contain no NUL.
    private static func raw(_ path: [UInt8]) -> RawPath {
        RawPath(bytes: path) ?? RawPath("/")
    }
}

/// A box, so that the non-copyable `Inotify` can be optional.
private final class InotifyQueue {
    var inotify: Inotify

    init(_ inotify: consuming Inotify) {
        self.inotify = inotify
    }
}

/// "/"
let slash = UInt8(ascii: "/")
