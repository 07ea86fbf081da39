// Small private files: a program's memory between runs.
//
// A file is replaced as a whole, so that readers see the old or the new content, never a part: the new content
// is written to a file beside it, which is then renamed over it. Only one process at a time may do that; `lock`
// provides a lock for it. Only the owner can read the files.

import Glibc

/// Reads, replaces and locks small files.
package enum PrivateFile {
    /// The file's content; nil if there is none. Of a longer file, the first `limit` + 1 bytes.
    package static func contents(of path: RawPath, limit: Int) throws(SystemError) -> [UInt8]? {
        guard try requireFile(path) else { return nil }
        // Non-blocking: a pipe that has just replaced it would wait for a writer.
        let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while all.count <= limit, case .bytes(let count) = try file.read(into: &buffer) {
            all += buffer[..<count]
        }
        return Array(all.prefix(limit + 1))
    }

    /// Whether the file exists; links are followed.
    /// - Throws: also if the name belongs to something else, such as a folder or a device.
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

    /// Replaces or creates the file, by way of `path` with the suffix `.new`. If it fails, the file is
    /// unchanged.
    ///
    /// The content is not synchronized to the disk: after a power failure the file may be an older one.
    package static func replace(_ path: RawPath, with bytes: [UInt8]) throws(SystemError) {
        let draft = path.suffixed(".new")
        do {
            let file = try OwnedDescriptor.open(
                draft, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
            try file.writeAll(bytes)
            // Both paths are C strings for the length of the call.
            _ = try systemCall("replace", path.description) {
                unsafe draft.withCString { draft in
                    unsafe path.withCString { path in unsafe rename(draft, path) }
                }
            }
        } catch {
            // A remaining `.new` file is harmless.
            draft.removeFile()
            throw error
        }
    }

    /// Takes the lock represented by the file at `path`, which is created if it is missing. The lock is held
    /// until the descriptor is closed, at the latest until the process ends.
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
    /// The path with a suffix appended to its last name.
    package func suffixed(_ suffix: String) -> RawPath {
        RawPath(trusted: bytes + Array(suffix.utf8.prefix { $0 != 0 }))
    }

    /// Removes the file at this path, if possible.
    func removeFile() {
        // The path is a C string for the length of the call.
        _ = unsafe withCString { unsafe unlink($0) }
    }
}
