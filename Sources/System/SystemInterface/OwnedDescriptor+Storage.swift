// Storage in files: their creation and removal, positioned reads and writes, truncation, synchronization,
// locks, renames.
//
// Names are those of files in an open folder. None of these functions follows a symbolic link unless it is asked
// to, and none blocks on a pipe that someone put there.

import CLinux
import Glibc

extension OwnedDescriptor {
    /// Opens the file `name` of this folder for reading and writing; if `creates`, creates it for this user alone
    /// if it is missing.
    /// - Throws: `.tooManySymbolicLinks` for a symbolic link, `.isADirectory` for a folder.
    package func openFile(
        _ name: [UInt8], creates: Bool = false
    ) throws(SystemError) -> OwnedDescriptor {
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | (creates ? O_CREAT : 0)
        return try open("open", name, flags, mode: 0o600)
    }

    /// Opens the file `name` of this folder for reading; a symbolic link is followed only on request.
    /// - Throws: as `openFile`; a folder is opened, too.
    package func openToRead(
        _ name: [UInt8], followingLinks: Bool = false
    ) throws(SystemError) -> OwnedDescriptor {
        let flags = O_RDONLY | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW)
        return try open("open", name, flags)
    }

    /// Creates the file `name` in this folder and opens it for writing.
    /// - Throws: `.alreadyExists` if the name exists; it is left unchanged.
    package func createFile(_ name: [UInt8], mode: UInt32) throws(SystemError) -> OwnedDescriptor {
        try open("make", name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    }

    /// Removes the file `name` from this folder.
    package func removeFile(_ name: [UInt8]) throws(SystemError) {
        _ = try unsafe callOnName("remove", name) { unsafe unlinkat($0, $1, 0) }
    }

    /// Renames the file `name` of this folder, replacing the file with the new name.
    package func renameFile(_ name: [UInt8], to new: [UInt8]) throws(SystemError) {
        try requireNoNUL(new, operation: "rename")
        _ = try unsafe callOnName("rename", name) { folder, name in
            // The new name is a C string for the length of the call, too.
            unsafe withNameAsCString(new) { unsafe renameat(folder, name, folder, $0) }
        }
    }

    /// Moves the file `name` of this folder into another one of the same file system.
    /// - Throws: `.alreadyExists` if there is a file of the new name; nothing is changed then.
    package func moveFile(
        _ name: [UInt8], to folder: borrowing OwnedDescriptor, as new: [UInt8]
    ) throws(SystemError) {
        try requireNoNUL(new, operation: "move")
        let target = folder.number
        _ = try unsafe callOnName("move", name) { folder, name in
            // The new name is a C string for the length of the call, too.
            unsafe withNameAsCString(new) {
                unsafe clinux_rename_to_free(folder, name, target, $0)
            }
        }
    }

    /// Creates the folder at `path` and its missing ancestors, for this user alone; an existing one is
    /// unchanged.
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

    /// Creates the folder at `path`, for this user alone unless its mode says otherwise; returns the reason if it can't.
    package static func makeFolder(_ path: RawPath, mode: UInt32 = 0o700) -> ErrorNumber? {
        // The path is a C string for the length of the call.
        switch outcome(of: { unsafe path.withCString { unsafe mkdir($0, mode_t(mode)) } }) {
        case .success: nil
        case .failure(let code): code
        }
    }

    /// Reads from byte `offset` of the file into the front of `buffer`.
    /// - Returns: the number of bytes; less than the buffer's size only at the end of the file.
    package func read(
        into buffer: inout [UInt8], at offset: Int
    ) throws(SystemError) -> Int {
        let number = number
        return try Self.repeating("read", upTo: buffer.count) { start in
            // The pointer is used within the closure, and within the array's bounds.
            unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(
                    number, $0.baseAddress.map { unsafe $0 + start }, $0.count - start,
                    off_t(offset + start))
            }
        }
    }

    /// Writes all of `bytes` at byte `offset` of the file. After an error, a part may be written.
    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let number = number
        let written = try Self.repeating("write", upTo: bytes.count) { start in
            // The pointer is used within the closure, and within the array's bounds.
            unsafe bytes.withUnsafeBytes {
                unsafe pwrite(
                    number, $0.baseAddress.map { unsafe $0 + start }, $0.count - start,
                    off_t(offset + start))
            }
        }
        // A write to a regular file writes at least a byte, or fails.
        if written < bytes.count { throw SystemError(.noSpace, operation: "write") }
    }

    /// Makes a system call, which is told how many bytes are done, until all `count` are, or no more come.
    /// - Returns: the number of bytes.
    private static func repeating(
        _ operation: String, upTo count: Int, _ call: (_ start: Int) -> Int
    ) throws(SystemError) -> Int {
        var done = 0
        while done < count {
            let more = try systemCall(operation) { call(done) }
            if more == 0 { break }
            done += more
        }
        return done
    }

    /// Truncates the file to `size` bytes.
    package func truncate(to size: Int) throws(SystemError) {
        let number = number
        _ = try systemCall("cut off the file") { ftruncate(number, off_t(size)) }
    }

    /// Returns when the file's data, or the folder's entries, are on the disk.
    package func synchronize() throws(SystemError) {
        let number = number
        _ = try systemCall("bring to the disk") { fdatasync(number) }
    }

    /// Locks the file against every other open file description; the lock ends with the descriptor.
    /// - Returns: false if it is locked already.
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
}
