// A folder for one test, removed with it.

import Foundation
import Glibc
package import SystemInterface

/// A new folder in the system's temporary folder, removed with its contents in its deinit.
package final class TemporaryFolder {
    /// Short, so that the paths of sockets in it are short enough.
    package let path: String

    package init() throws {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let unique = UUID().uuidString.prefix(13).lowercased()
        path = "\(base)/pt-\(unique)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package struct CannotWrite: Error {
        let path: String
        let code: Int32
    }

    package var rawPath: RawPath { RawPath(path) }

    /// The path of `name` in this folder.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The path of `name` in this folder.
    package func rawPath(_ name: String) -> RawPath { RawPath(path(name)) }

    /// The path of `name` in this folder; nil if the name has a NUL.
    package func rawPath(_ name: [UInt8]) -> RawPath? {
        RawPath(bytes: Array(path("").utf8) + name)
    }

    /// Writes a file, replacing one that is there.
    package func write(_ name: String, _ contents: String = "") throws {
        // The path is a C string for the length of the call.
        let descriptor = unsafe open(
            path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw CannotWrite(path: path(name), code: errno) }
        defer { closeWritten(descriptor) }
        var rest = Array(contents.utf8)[...]
        while !rest.isEmpty {
            // The array's own pointer and count.
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 { throw CannotWrite(path: path(name), code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Creates a folder and its missing ancestors.
    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true)
    }

    package func move(_ name: String, to newName: String) throws {
        try FileManager.default.moveItem(atPath: path(name), toPath: path(newName))
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    package func contents(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }

    /// Creates a symbolic link; its target need not exist.
    package func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(name), withDestinationPath: target)
    }

    /// Creates a hard link.
    package func makeHardLink(_ name: String, to existing: String) throws {
        try FileManager.default.linkItem(atPath: path(existing), toPath: path(name))
    }

    /// Creates a named pipe.
    package func makePipe(_ name: String) {
        // The path is a C string for the length of the call.
        let result = unsafe mkfifo(path(name), 0o600)
        precondition(result == 0, "cannot make a pipe")
    }

    /// Sets the modification time of a file, to the nanosecond.
    package func setModified(_ name: String, seconds: Int, nanoseconds: Int = 0) {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        // The path is a C string for the length of the call, and the array has the two times,
        // of access and of change, that it reads.
        let result = unsafe utimensat(AT_FDCWD, path(name), [time, time], AT_SYMLINK_NOFOLLOW)
        precondition(result == 0, "cannot set a file's time")
    }
}
