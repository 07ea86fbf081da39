// What a program needs that keeps files of its own: reading and writing at a place, cutting off,
// making durable, locking, renaming.
//
// Names are those of files in a folder that is open. None of these follows a symbolic link, and
// none waits for the other end of a pipe that somebody put there.

import CLinux
import Glibc

extension OwnedDescriptor {
    /// Opens the file `name` of this folder for reading and writing, made with `mode` if it is
    /// not there and `creates` says so.
    /// - Throws: `.tooManySymbolicLinks` for a symbolic link, `.isADirectory` for a folder.
    package func openFile(
        _ name: [UInt8], creates: Bool = false, mode: UInt32 = 0o600
    ) throws(SystemError) -> OwnedDescriptor {
        try requireNoNUL(name, operation: "open")
        let folder = number
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | (creates ? O_CREAT : 0)
        let opened = try systemCall("open", String(decoding: name, as: UTF8.self)) {
            // The name is a C string for the length of the call.
            unsafe withNameAsCString(name) { unsafe clinux_openat(folder, $0, flags, mode) }
        }
        return OwnedDescriptor(adopting: opened)
    }

    /// Renames the file `name` of this folder, replacing what has the new name.
    package func renameFile(_ name: [UInt8], to new: [UInt8]) throws(SystemError) {
        try requireNoNUL(name, operation: "rename")
        try requireNoNUL(new, operation: "rename")
        let folder = number
        _ = try systemCall("rename", String(decoding: name, as: UTF8.self)) {
            // Both names are C strings for the length of the call.
            unsafe withNameAsCString(name) { name in
                unsafe withNameAsCString(new) { unsafe renameat(folder, name, folder, $0) }
            }
        }
    }

    /// Makes the folder at `path`, and those on the way to it, for this user alone; one that is
    /// there stays as it is.
    package static func makeFolders(_ path: RawPath) throws(SystemError) {
        var code = makeFolder(path)
        if code == .noSuchFile, path.folder != path, path.folder != RawPath(".") {
            try makeFolders(path.folder)
            code = makeFolder(path)
        }
        if let code, code != .alreadyExists {
            throw SystemError(code, operation: "make the folder", subject: path.description)
        }
    }

    private static func makeFolder(_ path: RawPath) -> ErrorNumber? {
        // The path is a C string for the length of the call.
        switch outcome(of: { unsafe path.withCString { unsafe mkdir($0, 0o700) } }) {
        case .success: nil
        case .failure(let code): code
        }
    }

    /// Reads from byte `offset` of the file into the front of `buffer`.
    /// - Returns: how many bytes; less than the buffer holds only at the end of the file.
    package func read(
        into buffer: inout [UInt8], at offset: Int
    ) throws(SystemError) -> Int {
        let number = number
        var filled = 0
        while filled < buffer.count {
            let start = filled
            // The pointer is used within the closure, and within the array's bounds.
            let count = try systemCall("read") {
                unsafe buffer.withUnsafeMutableBytes {
                    unsafe pread(
                        number, $0.baseAddress.map { unsafe $0 + start }, $0.count - start,
                        off_t(offset + start))
                }
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Writes all of `bytes` at byte `offset` of the file. After an error, some may be written.
    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let number = number
        var written = 0
        while written < bytes.count {
            let start = written
            // The pointer is used within the closure, and within the array's bounds.
            let count = try systemCall("write") {
                unsafe bytes.withUnsafeBytes {
                    unsafe pwrite(
                        number, $0.baseAddress.map { unsafe $0 + start }, $0.count - start,
                        off_t(offset + start))
                }
            }
            // A regular file takes at least a byte, or says why not.
            if count == 0 { throw SystemError(.noSpace, operation: "write") }
            written += count
        }
    }

    /// Cuts the file off after `size` bytes.
    package func truncate(to size: Int) throws(SystemError) {
        let number = number
        _ = try systemCall("cut off the file") { ftruncate(number, off_t(size)) }
    }

    /// Returns when the data of the file, or the entries of the folder, are on the disk.
    package func synchronize() throws(SystemError) {
        let number = number
        _ = try systemCall("bring to the disk") { fdatasync(number) }
    }

    /// Locks the file against every other opening of it; false if it is locked already. The lock
    /// goes with the descriptor.
    package func tryLock() throws(SystemError) -> Bool {
        let number = number
        switch outcome(of: { flock(number, LOCK_EX | LOCK_NB) }) {
        case .success: return true
        case .failure(.wouldBlock): return false
        case .failure(let code): throw SystemError(code, operation: "lock")
        }
    }

    /// Sets the permission bits of the file.
    package func setPermissions(_ mode: UInt32) throws(SystemError) {
        let number = number
        _ = try systemCall("set the mode") { fchmod(number, mode_t(mode)) }
    }

    /// Waits until there is something to read, at most so many milliseconds; for ever with nil.
    /// For threads of their own; a loop watches instead.
    package func waitUntilReadable(milliseconds: Int32?) {
        var watched = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // One structure, a local variable. An interrupted wait is a short one.
        _ = unsafe poll(&watched, 1, milliseconds ?? -1)
    }
}
