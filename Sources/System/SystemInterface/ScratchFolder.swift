// Folders for a while: files of any kind are made in them, and all of it is removed with the owner.

import Glibc

/// A new folder in the system's folder for temporary files, for this user alone; removed in its deinit, with all that
/// is in it.
///
/// Names are single names, of any bytes but NUL and "/".
package final class ScratchFolder {
    package let path: RawPath
    private let folder: DescriptorBox

    /// Makes it in `folder`, else in `$TMPDIR`, or in `/tmp`, with a name that begins with `word`.
    package init(_ word: String, in folder: String? = nil) throws(SystemError) {
        let variable = folder ?? CurrentProcess.environment("TMPDIR") ?? ""
        let base = variable.hasPrefix("/") ? variable : "/tmp"
        var pattern = Array("\(base)/\(word)-XXXXXX".utf8CString)
        let made = unsafe pattern.withUnsafeMutableBufferPointer { buffer -> RawPath? in
            // The call changes the last six letters of the text, which ends with its NUL.
            guard let start = buffer.baseAddress, let name = unsafe mkdtemp(start) else {
                return nil
            }
            return unsafe RawPath(String(cString: name))
        }
        guard let made, let path = CurrentProcess.resolve(made) else {
            throw SystemError(
                .permissionDenied, operation: "make a folder in", subject: base,
                advice: folder == nil ? "set TMPDIR to a folder that you may write to" : "")
        }
        self.path = path
        self.folder = DescriptorBox(try OwnedDescriptor.openFolder(path))
    }

    deinit {
        try? Self.empty(folder.descriptor)
        // The path is a C string for the length of the call.
        _ = unsafe path.withCString { unsafe rmdir($0) }
    }

    /// The path of `name` in the folder.
    package func path(_ name: [UInt8]) -> RawPath {
        RawPath(bytes: path.bytes + [UInt8(ascii: "/")] + name) ?? path
    }

    /// Makes a file.
    /// - Throws: `.alreadyExists` if the name is taken.
    package func write(
        _ name: [UInt8], _ bytes: [UInt8], mode: UInt32 = 0o600
    ) throws(SystemError) {
        let file = try folder.descriptor.createFile(name, mode: 0o600)
        try file.writeAll(bytes)
        if mode != 0o600 { try file.setPermissions(mode) }
    }

    /// Puts another file into the place of `name`, in one step.
    package func replace(_ name: [UInt8], with bytes: [UInt8]) throws(SystemError) {
        let draft = name + Array(".new".utf8)
        try write(draft, bytes)
        try folder.descriptor.renameFile(draft, to: name)
    }

    /// Makes a file of `size` bytes that begins with `bytes`, and takes no room on the disk for the rest.
    package func writeSparse(_ name: [UInt8], _ bytes: [UInt8], size: Int) throws(SystemError) {
        let file = try folder.descriptor.createFile(name, mode: 0o600)
        try file.writeAll(bytes)
        try file.truncate(to: size)
    }

    package func makeFolder(_ name: [UInt8]) throws(SystemError) {
        _ = try unsafe folder.descriptor.callOnName("make the folder", name) {
            unsafe mkdirat($0, $1, 0o700)
        }
    }

    /// Makes a named pipe.
    package func makePipe(_ name: [UInt8]) throws(SystemError) {
        _ = try unsafe folder.descriptor.callOnName("make the pipe", name) {
            unsafe mkfifoat($0, $1, 0o600)
        }
    }

    /// Makes the file of a socket that nobody listens at.
    package func makeSocket(_ name: [UInt8]) throws(SystemError) {
        _ = try UnixSocket.listen(at: path(name))
    }

    private static func empty(_ folder: borrowing OwnedDescriptor) throws(SystemError) {
        var names: [[UInt8]] = []
        var reader = DirectoryReader(try folder.openFolder(Array(".".utf8)))
        while try reader.readBatch({ names.append($0.name) }) {}
        for name in names {
            do throws(SystemError) {
                try folder.removeFile(name)
            } catch {
                try empty(try folder.openFolder(name))
                _ = try unsafe folder.callOnName("remove", name) {
                    unsafe unlinkat($0, $1, AT_REMOVEDIR)
                }
            }
        }
    }
}
