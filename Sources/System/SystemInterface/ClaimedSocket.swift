// A listening socket in the file system that one process claims exclusively.
//
// Checking whether a socket's file is stale, removing it and creating another are three steps, between which
// another process may do the same; and a process that ends may find another's file in place of its own. So a
// listener holds a lock on a file beside the socket, from before the first step until its socket's file is
// removed. It removes only the file that it created, identified by its inode.

import Synchronization

/// A socket that listens at a path, and whose file can be removed.
package final class ClaimedSocket: Sendable {
    package let listener: DescriptorBox

    private let path: RawPath
    private let identity: FileStatus?
    /// Nil once it was released.
    private let lock: Mutex<DescriptorBox?>

    /// Listens at `path`, like `UnixSocket.listen`, exclusively.
    /// - Throws: also `.addressInUse` if another process holds the lock, which is the file `path` with the
    ///   suffix `.lock`.
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
            Self.lockPath(of: path).removeFile()
            throw error
        }
        self.path = path
        self.lock = Mutex(lock)
        identity = try? FileStatus.of(path)
    }

    /// Removes the socket's file, if it is still the created one, and releases the lock: another process may
    /// listen there afterwards. Idempotent.
    package func removeFile() {
        lock.withLock { lock in
            guard lock != nil else { return }
            if let identity, let now = try? FileStatus.of(path), now.isSameFile(as: identity) {
                path.removeFile()
            }
            // A remaining file is harmless: nobody locks it or listens there.
            Self.lockPath(of: path).removeFile()
            lock = nil
        }
    }

    private static func lockPath(of path: RawPath) -> RawPath { path.suffixed(".lock") }

    /// The lock; nil if another process holds it.
    private static func takeLock(_ path: RawPath) throws(SystemError) -> DescriptorBox? {
        // The previous holder may have removed the file after it was opened here and before it was locked. The
        // lock is then on a file that nobody else finds, and has no effect.
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
}

extension FileStatus {
    /// Whether both belong to one file, under any names.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }
}
