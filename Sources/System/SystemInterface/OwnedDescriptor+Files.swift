// Files in an open folder.

import CLinux
import Glibc

extension OwnedDescriptor {
    /// Creates the file `name` in this folder and opens it for writing.
    /// - Throws: `.alreadyExists` if the name exists; it is left unchanged.
    package func createFile(_ name: [UInt8], mode: UInt32) throws(SystemError) -> OwnedDescriptor {
        try requireNoNUL(name, operation: "make")
        let folder = number
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        let opened = try systemCall("make", String(decoding: name, as: UTF8.self)) {
            // The name is a C string for the length of the call.
            unsafe withNameAsCString(name) { unsafe clinux_openat(folder, $0, flags, mode) }
        }
        return OwnedDescriptor(adopting: opened)
    }

    /// Removes the file `name` from this folder.
    package func removeFile(_ name: [UInt8]) throws(SystemError) {
        try requireNoNUL(name, operation: "remove")
        let folder = number
        _ = try systemCall("remove", String(decoding: name, as: UTF8.self)) {
            // The name is a C string for the length of the call.
            unsafe withNameAsCString(name) { unsafe unlinkat(folder, $0, 0) }
        }
    }
}
