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
    /// The folder; also the base for the status of its entries.
    package let folder: OwnedDescriptor
    private var records = DirectoryRecords()

    /// Takes ownership of an open folder, and reads it from its current position.
    package init(_ folder: consuming OwnedDescriptor) {
        self.folder = folder
    }

    /// Opens the folder at `path`.
    package init(opening path: RawPath, followingLinks: Bool = true) throws(SystemError) {
        self.init(try OwnedDescriptor.openFolder(path, followingLinks: followingLinks))
    }

    /// Ends the reading. The folder's position is behind the last batch.
    package consuming func intoFolder() -> OwnedDescriptor { folder }

    /// Calls `body` for each entry of the next batch.
    /// - Returns: `false` when there are no more.
    ///
    /// - Complexity: O(batch), one system call.
    package mutating func readBatch(
        _ body: (DirectoryEntry) -> Void
    ) throws(SystemError) -> Bool {
        guard try records.fill(from: folder) else { return false }
        while let record = try records.next() {
            body(DirectoryEntry(name: Array(records.name(of: record)), kind: record.kind))
        }
        return true
    }

    /// Replaces the contents of `batch` by the next entries, without their statuses.
    /// - Returns: `false` when there are no more.
    ///
    /// - Complexity: O(batch), one system call; the batch's memory is used again.
    package mutating func readBatch(into batch: inout FolderBatch) throws(SystemError) -> Bool {
        batch.removeAll()
        guard try records.fill(from: folder) else { return false }
        while let record = try records.next() {
            batch.append(records.name(of: record), .kind(record.kind))
        }
        return true
    }
}

/// A buffer of the records that one call of getdents64 returns: about 800 with names of 20 bytes.
struct DirectoryRecords {
    /// The name and the kind of an entry.
    struct Record {
        /// In the buffer; a NUL follows.
        fileprivate let name: Range<Int>
        let kind: FileKind?
    }

    private static let bytes = 32 * 1024

    private var buffer = [UInt8](repeating: 0, count: Self.bytes)
    private var filled = 0
    private var start = 0

    /// Reads on from the folder's position.
    /// - Returns: `false` when there is nothing more.
    mutating func fill(from folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
        let number = folder.number
        start = 0
        filled = 0
        filled = try systemCall("read the folder") {
            // The kernel writes within the array's bounds.
            unsafe buffer.withUnsafeMutableBytes {
                unsafe clinux_directory_entries(number, $0.baseAddress, $0.count)
            }
        }
        return filled > 0
    }

    // struct linux_dirent64: inode (8 bytes), offset (8), record length (2), type (1), name, NUL.
    private static let nameOffset = 19

    /// The next entry; `nil` at the end of the buffer's contents.
    mutating func next() throws(SystemError) -> Record? {
        while start < filled {
            let (record, length, isDot) = try record(at: start)
            start += length
            if !isDot { return record }
        }
        return nil
    }

    private func record(
        at first: Int
    ) throws(SystemError) -> (record: Record, length: Int, isDot: Bool) {
        let bytes = buffer.span.extracting(first..<filled)
        guard bytes.count > Self.nameOffset else { throw Self.malformed }
        let length = Int(bytes[16]) | Int(bytes[17]) << 8
        guard length > Self.nameOffset, length <= bytes.count else { throw Self.malformed }
        var end = Self.nameOffset
        while end < length, bytes[end] != 0 { end += 1 }
        guard end < length else { throw Self.malformed }
        let record = Record(
            name: first + Self.nameOffset..<first + end,
            kind: FileKind(directoryEntryType: bytes[18]))
        return (record, length, Self.isDot(bytes.extracting(Self.nameOffset..<end)))
    }

    /// The name of an entry that is in the buffer.
    func name(of record: Record) -> ArraySlice<UInt8> { buffer[record.name] }

    /// The status of an entry that is in the buffer, of a link itself.
    func status(
        of record: Record, in folder: borrowing OwnedDescriptor
    ) -> Result<FileStatus, ErrorNumber> {
        let number = folder.number
        var raw = clinux_status()
        let called = outcome {
            // The name lies within the buffer and ends with a NUL (`next`); the structure is a local variable. Both
            // outlive the call.
            unsafe buffer.withUnsafeBytes { bytes in
                let name = unsafe bytes.baseAddress?.advanced(by: record.name.lowerBound)
                return unsafe clinux_status_at(
                    number, name?.assumingMemoryBound(to: CChar.self), 0, &raw)
            }
        }
        return called.map { _ in FileStatus(raw) }
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
