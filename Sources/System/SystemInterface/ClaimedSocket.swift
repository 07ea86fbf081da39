// A listening socket in the file system that one process has to itself.
//
// Looking whether a socket's file is stale, removing it and making another are three steps, between which
// another process may do the same; and one that ends may find another's file where its own was. So
// whoever listens holds a lock on a file beside the socket from before the first step until its socket's
// file is gone. What is removed is the file that was made, known by its inode, and no other.

import Glibc
import Synchronization

/// A socket that listens at a path, and whose file goes when this is told to.
package final class ClaimedSocket: Sendable {
    package let listener: DescriptorBox

    private let path: RawPath
    private let identity: FileStatus?
    /// Nil once it was let go of.
    private let lock: Mutex<DescriptorBox?>

    /// Listens at `path`, as `UnixSocket.listen` does, as the only one to do so.
    /// - Throws: also `.addressInUse` if another process holds the lock, which is the file `path` with
    ///   `.lock` behind it.
    package init(_ path: RawPath, backlog: Int32) throws(SystemError) {
        try UnixSocket.checkLength(path, operation: "listen at")
        try UnixSocket.preparePrivateFolder(path.folder)
        guard let lock = try Self.takeLock(Self.lockPath(of: path)) else {
            throw SystemError(
                .addressInUse, operation: "listen at", subject: path.description,
                advice: "another daemon serves there")
        }
        do {
            listener = DescriptorBox(try UnixSocket.listen(at: path, backlog: backlog))
        } catch {
            Self.unlink(Self.lockPath(of: path))
            throw error
        }
        self.path = path
        self.lock = Mutex(lock)
        identity = try? FileStatus.of(path)
    }

    /// Removes the socket's file, if it is still the one that was made here, and lets go of the lock: from
    /// now on another process may listen there. Once; again it does nothing.
    package func removeFile() {
        lock.withLock { lock in
            guard lock != nil else { return }
            if let identity, let now = try? FileStatus.of(path), now.isSameFile(as: identity) {
                Self.unlink(path)
            }
            Self.unlink(Self.lockPath(of: path))
            lock = nil
        }
    }

    private static func lockPath(of path: RawPath) -> RawPath { path.suffixed(".lock") }

    /// The lock; nil if another process has it.
    private static func takeLock(_ path: RawPath) throws(SystemError) -> DescriptorBox? {
        // The one before may have removed the file after it was opened here and before it was locked. Then
        // the lock is on a file that nobody else will find, and counts for nothing.
        for _ in 0..<16 {
            guard let lock = try PrivateFile.lock(path) else { return nil }
            if let there = try? FileStatus.of(path), let mine = try? FileStatus.of(lock.descriptor),
                there.isSameFile(as: mine)
            {
                return lock
            }
        }
        return nil
    }

    private static func unlink(_ path: RawPath) {
        // The path is a C string for the length of the call. A file that stays is harmless: it is locked
        // by nobody, and nobody listens.
        _ = unsafe path.withCString { unsafe Glibc.unlink($0) }
    }
}

extension FileStatus {
    /// Whether both are of one file, under whatever names.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }
}
