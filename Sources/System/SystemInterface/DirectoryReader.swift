// Reads the entries of a folder in batches.
//
// It reads getdents64 records into one buffer, so that a folder of any size costs only the buffer and the
// names. The order is the file system's; entries added or removed meanwhile may or may not be seen. "." and
// ".." are omitted. A malformed record is an error.

import CLinux
import Glibc

/// An entry of a folder.
package struct DirectoryEntry: Hashable, Sendable {
    /// The raw name: any bytes except NUL and "/", at most 255, not always UTF-8.
    package let name: [UInt8]
    /// `nil` if the file system does not report it; the file's status does.
    package let kind: FileKind?
}

/// Reads a folder's entries in batches, so that the work can be sliced.
package struct DirectoryReader: ~Copyable {
    /// About 800 entries with names of 20 bytes.
    package static let batchBytes = 32 * 1024

    /// The folder; also the base for the status of its entries.
    package let folder: OwnedDescriptor
    private var buffer: [UInt8]

    /// Takes ownership of an open folder, and reads it from its current position.
    package init(_ folder: consuming OwnedDescriptor) {
        self.folder = folder
        buffer = [UInt8](repeating: 0, count: Self.batchBytes)
    }

    /// Opens the folder at `path`.
    package init(opening path: RawPath, followingLinks: Bool = true) throws(SystemError) {
        self.init(try OwnedDescriptor.openFolder(path, followingLinks: followingLinks))
    }

    /// Calls `body` for each entry of the next batch.
    /// - Returns: `false` when there are no more.
    ///
    /// - Complexity: O(batch), one system call.
    package mutating func readBatch(
        _ body: (DirectoryEntry) -> Void
    ) throws(SystemError) -> Bool {
        let number = folder.number
        let filled = try systemCall("read the folder") {
            // The kernel writes within the array's bounds.
            unsafe buffer.withUnsafeMutableBytes {
                unsafe clinux_directory_entries(number, $0.baseAddress, $0.count)
            }
        }
        if filled == 0 { return false }
        try parse(filled, body)
        return true
    }

    // struct linux_dirent64: inode (8 bytes), offset (8), record length (2), type (1), name, NUL.
    private static let nameOffset = 19

    private func parse(_ filled: Int, _ body: (DirectoryEntry) -> Void) throws(SystemError) {
        let records = buffer.span.extracting(first: filled)
        var start = 0
        while start < filled {
            guard filled - start > Self.nameOffset else { throw Self.malformed }
            let length = Int(records[start + 16]) | Int(records[start + 17]) << 8
            guard length > Self.nameOffset, length <= filled - start else {
                throw Self.malformed
            }
            let type = records[start + 18]
            let first = start + Self.nameOffset
            var end = first
            while end < start + length, records[end] != 0 { end += 1 }
            start += length
            if Self.isDot(records.extracting(first..<end)) { continue }
            body(
                DirectoryEntry(
                    name: Array(buffer[first..<end]), kind: FileKind(directoryEntryType: type)))
        }
    }

    private static func isDot(_ name: Span<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        return name.count == 1 && name[0] == dot
            || name.count == 2 && name[0] == dot && name[1] == dot
    }

    private static let malformed = SystemError(
        ErrorNumber(rawValue: EBADMSG), operation: "read the folder",
        advice: "its entries have a form that Linux does not document")
}
