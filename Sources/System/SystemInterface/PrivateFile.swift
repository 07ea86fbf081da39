// Small files that a program keeps for itself: what it remembers from run to run.
//
// A file is replaced as a whole, so that whoever opens it sees the old content or the new, and never
// a part: the new content goes into a file beside it, which is then renamed over it. Only one process
// may do so at a time; the lock of `lock` is for that. Files are readable by their owner alone.

import Glibc

/// Reading, replacing and locking of small files.
package enum PrivateFile {
    /// What the file holds; nil if there is none. Of a longer file, the first `limit` + 1 bytes.
    package static func contents(of path: RawPath, limit: Int) throws(SystemError) -> [UInt8]? {
        guard try requireFile(path) else { return nil }
        // Without waiting: a pipe that has just taken its place would wait for a writer.
        let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while all.count <= limit, case .bytes(let count) = try file.read(into: &buffer) {
            all += buffer[..<count]
        }
        return Array(all.prefix(limit + 1))
    }

    /// Whether there is a file; links are followed.
    /// - Throws: also if there is something else of that name, as a folder or a device.
    @discardableResult
    package static func requireFile(_ path: RawPath) throws(SystemError) -> Bool {
        do {
            if try FileStatus.of(path, followingLinks: true).kind == .regular { return true }
        } catch {
            if error.code == .noSuchFile { return false }
            throw error
        }
        throw SystemError(
            .invalidArgument, operation: "use", subject: path.description,
            advice: "it is not a file with content")
    }

    /// Replaces the file, or makes it, by way of `path` with `.new` behind it. If it fails, the
    /// file is as it was.
    ///
    /// The content is not forced to the disk: after a power failure the file may be an older one.
    package static func replace(_ path: RawPath, with bytes: [UInt8]) throws(SystemError) {
        let draft = path.suffixed(".new")
        do {
            let file = try OwnedDescriptor.open(
                draft, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
            var written = 0
            while written < bytes.count {
                guard case .bytes(let count) = try file.write(bytes, from: written) else { break }
                written += count
            }
            // Both paths are C strings for the length of the call.
            _ = try systemCall("replace", path.description) {
                unsafe draft.withCString { draft in
                    unsafe path.withCString { path in unsafe rename(draft, path) }
                }
            }
        } catch {
            // The path is a C string for the length of the call. A draft that stays is harmless.
            _ = unsafe draft.withCString { unsafe unlink($0) }
            throw error
        }
    }

    /// Takes the lock that the file at `path` stands for, and makes the file if it is missing. The
    /// lock is held until the descriptor is closed, and by no process after its end.
    ///
    /// - Returns: nil if another process holds it.
    package static func lock(_ path: RawPath) throws(SystemError) -> DescriptorBox? {
        let file = try OwnedDescriptor.open(
            path, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
        do {
            guard try file.tryLock() else { return nil }
        } catch {
            throw SystemError(error.code, operation: "lock", subject: path.description)
        }
        return DescriptorBox(file)
    }
}

extension RawPath {
    /// The path with this behind its last name.
    package func suffixed(_ suffix: String) -> RawPath {
        RawPath(trusted: bytes + Array(suffix.utf8.prefix { $0 != 0 }))
    }
}
