// What a watcher asks of the kernel, in one place, so that tests can make it fail.
//
// Paths are absolute and may be longer than the kernel takes in one call: such a path is walked
// in pieces. No symbolic link is followed at the end of a path; the watcher's own roots are
// resolved before they come here.

import Glibc
package import SystemInterface

/// The file system and the inotify queue, as a watcher uses them.
package protocol FileAccess: AnyObject {
    /// The inotify descriptor, lent for watching.
    var queueNumber: Int32 { get }
    func addWatch(_ path: [UInt8], _ mask: InotifyMask) throws(Inotify.AddError) -> Int32
    func removeWatch(_ watch: Int32)
    /// As `Inotify.readEvents`.
    func readEvents(_ body: (InotifyEvent) -> Void) throws(SystemError) -> Bool
    func openFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor
    /// The status of the file at `path`, of a link itself unless it is to be followed.
    func status(_ path: [UInt8], followingLinks: Bool) throws(SystemError) -> FileStatus
    /// The status of `name` in an open folder, which `path` is the way to; of a link itself.
    func status(
        _ name: [UInt8], in folder: borrowing OwnedDescriptor, at path: [UInt8]
    ) throws(SystemError) -> FileStatus
}

/// The real file system.
package final class LinuxFileAccess: FileAccess {
    private var queue: Inotify

    package init() throws(SystemError) {
        queue = try Inotify()
    }

    package var queueNumber: Int32 { queue.number }

    package func addWatch(
        _ path: [UInt8], _ mask: InotifyMask
    ) throws(Inotify.AddError) -> Int32 {
        if path.count < Self.longestPath {
            return try queue.add(Self.raw(path), mask)
        }
        // There is no call that adds a watch relative to a folder; /proc names an open one. Its
        // entry is a link, which has to be followed; the folder itself was opened without.
        let folder: OwnedDescriptor
        do { folder = try openFolder(path) } catch { throw .system(error) }
        return try queue.add(
            RawPath("/proc/self/fd/\(folder.number)"), mask.subtracting(.doNotFollowLinks))
    }

    package func removeWatch(_ watch: Int32) {
        queue.remove(watch)
    }

    package func readEvents(_ body: (InotifyEvent) -> Void) throws(SystemError) -> Bool {
        try queue.readEvents(body)
    }

    package func openFolder(_ path: [UInt8]) throws(SystemError) -> OwnedDescriptor {
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

    /// PATH_MAX, which counts the closing NUL.
    private static let longestPath = 4096

    /// Paths are made of names that the kernel gave and of checked roots: they hold no NUL.
    private static func raw(_ path: [UInt8]) -> RawPath {
        RawPath(bytes: path) ?? RawPath("/")
    }
}

/// "/"
let slash = UInt8(ascii: "/")

/// `path` with its links resolved, or `nil` if it is not there.
func resolved(_ path: [UInt8]) -> [UInt8]? {
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    // The argument is NUL-terminated; the result is a C string of our own, freed here.
    return unsafe terminated.withUnsafeBufferPointer { buffer -> [UInt8]? in
        guard let start = buffer.baseAddress, let real = unsafe realpath(start, nil) else {
            return nil
        }
        defer { unsafe free(real) }
        let length = unsafe strlen(real)
        return (0..<length).map { unsafe UInt8(bitPattern: real[$0]) }
    }
}
