// The status of a file, from one statx call.

import CLinux
import Glibc

/// The kind of a directory entry.
package enum FileKind: UInt8, Hashable, Sendable {
    case regular
    case directory
    case symbolicLink
    case socket
    /// A pipe or a device.
    case other
}

/// A time of a file system, counted from 1970; earlier seconds are negative.
package struct FileTime: Hashable, Sendable {
    package let seconds: Int64
    package let nanoseconds: UInt32

    package init(seconds: Int64, nanoseconds: UInt32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}

/// A file's kind, size, times and identity at one moment.
package struct FileStatus: Hashable, Sendable {
    package let kind: FileKind
    /// The permission bits (0o7777).
    package let permissions: UInt32
    package let owner: UInt32
    package private(set) var linkCount: UInt32
    /// In bytes.
    package let size: UInt64
    package let modified: FileTime
    /// The birth time of the file, if the file system stores it.
    package var born: FileTime?
    package private(set) var device: UInt64
    package private(set) var inode: UInt64

    /// The status of the file at `path`: of a link itself, unless links are followed.
    package static func of(
        _ path: RawPath, followingLinks: Bool = false
    ) throws(SystemError) -> FileStatus {
        try of(path.bytes, at: clinux_working_folder(), followingLinks)
    }

    /// The status of the file `name` in an open folder: of a link itself, unless links are followed.
    package static func of(
        _ name: [UInt8], in folder: borrowing OwnedDescriptor, followingLinks: Bool = false
    ) throws(SystemError) -> FileStatus {
        try requireNoNUL(name, operation: "look at")
        return try of(name, at: folder.number, followingLinks)
    }

    /// The status of an open file.
    package static func of(
        _ descriptor: borrowing OwnedDescriptor
    ) throws(SystemError) -> FileStatus {
        try of([], at: descriptor.number, false)
    }

    /// The status of an open file owned by someone else, such as standard error.
    package static func of(descriptorNumber: Int32) throws(SystemError) -> FileStatus {
        try of([], at: descriptorNumber, false)
    }

    /// This status, of a symbolic link, with what the file to which it leads shows: its kind, permissions, owner, size
    /// and time of change. The link stays what it is: its identity, and the number of its names.
    package func showing(_ target: FileStatus) -> FileStatus {
        var status = target
        status.born = born
        status.device = device
        status.inode = inode
        status.linkCount = linkCount
        return status
    }

    private static func of(
        _ name: [UInt8], at folder: Int32, _ followingLinks: Bool
    ) throws(SystemError) -> FileStatus {
        var raw = clinux_status()
        _ = try systemCall("look at", String(decoding: name, as: UTF8.self)) {
            // The name is a C string and the structure a local variable: both outlive the call.
            unsafe withNameAsCString(name) {
                unsafe clinux_status_at(folder, $0, followingLinks ? 1 : 0, &raw)
            }
        }
        return FileStatus(raw)
    }

    init(_ raw: clinux_status) {
        kind = FileKind(mode: raw.mode)
        permissions = raw.mode & 0o7777
        owner = raw.owner
        linkCount = raw.links
        size = raw.size
        modified = FileTime(
            seconds: raw.modified_seconds, nanoseconds: raw.modified_nanoseconds)
        born =
            raw.has_birth == 0
            ? nil
            : FileTime(seconds: raw.birth_seconds, nanoseconds: raw.birth_nanoseconds)
        device = raw.device
        inode = raw.inode
    }
}

extension FileKind {
    fileprivate init(mode: UInt32) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symbolicLink
        case S_IFSOCK: self = .socket
        default: self = .other
        }
    }

    /// From `d_type`; `nil` if the file system does not report it (the file's status does).
    init?(directoryEntryType type: UInt8) {
        if Int(type) == Int(DT_UNKNOWN) { return nil }
        // It is the part of the mode above the permissions (`DTTOIF` of dirent.h).
        self.init(mode: UInt32(type) << 12)
    }
}
