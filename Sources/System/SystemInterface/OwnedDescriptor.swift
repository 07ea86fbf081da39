// The unique owner of an open file descriptor.
//
// A descriptor belongs to exactly one `OwnedDescriptor`, whose deinit closes it. Its number may be borrowed (by
// an event source or a call), but must not be used after the owner is gone: stop the event source before you
// release the descriptor. Moving the value transfers the ownership, and only `release()` ends it.

import CLinux
import Glibc

/// Owns an open file descriptor; closes it in its deinit.
@safe package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, borrowed: valid while this value lives.
    package let number: Int32

    /// Takes ownership of a descriptor that nothing else owns.
    package init(adopting number: Int32) {
        precondition(number >= 0, "a descriptor's number is not negative")
        self.number = number
    }

    deinit {
        // A failed close cannot be retried on Linux: the number is free either way.
        _ = close(number)
    }

    /// Releases the ownership; the caller must close the descriptor.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Opens a file or folder (`flags` as for open(2); close-on-exec is added).
    package static func open(
        _ path: RawPath, flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) -> OwnedDescriptor {
        let number = try systemCall("open", path.description) {
            // The path is a C string for the length of the call.
            unsafe path.withCString { unsafe clinux_open($0, flags, mode) }
        }
        return OwnedDescriptor(adopting: number)
    }

    /// Opens a folder for reading its entries and as the base of other calls. A symbolic link is followed only
    /// on request.
    package static func openFolder(
        _ path: RawPath, followingLinks: Bool = true
    ) throws(SystemError) -> OwnedDescriptor {
        let flags = O_RDONLY | O_DIRECTORY | (followingLinks ? 0 : O_NOFOLLOW)
        return try open(path, flags: flags)
    }

    /// Opens a folder only as the base of other calls, never through a symbolic link at the end of `path`. That takes
    /// no permission to read it, and less time.
    package static func findFolder(_ path: RawPath) throws(SystemError) -> OwnedDescriptor {
        let number = try systemCall("open", path.description) {
            // The path is a C string for the length of the call.
            unsafe path.withCString { unsafe clinux_find_folder($0) }
        }
        return OwnedDescriptor(adopting: number)
    }

    /// Opens the folder `name` of this folder, never through a symbolic link.
    package func openFolder(_ name: [UInt8]) throws(SystemError) -> OwnedDescriptor {
        try open("open", name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// Opens the file `name` of this folder, with flags as for open(2).
    func open(
        _ operation: String, _ name: [UInt8], _ flags: Int32, mode: UInt32 = 0
    ) throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(
            adopting: try unsafe callOnName(operation, name) {
                unsafe clinux_openat($0, $1, flags, mode)
            })
    }

    /// Makes a system call on this folder and the file `name` in it.
    func callOnName(
        _ operation: String, _ name: [UInt8], _ call: (Int32, UnsafePointer<CChar>) -> Int32
    ) throws(SystemError) -> Int32 {
        try requireNoNUL(name, operation: operation)
        let folder = number
        return try systemCall(operation, String(decoding: name, as: UTF8.self)) {
            // The name is a C string for the length of the call.
            unsafe withNameAsCString(name) { unsafe call(folder, $0) }
        }
    }

    package func setNonBlocking() throws(SystemError) {
        let number = number
        _ = try systemCall("set up a descriptor") { clinux_set_nonblocking(number) }
    }

    package func setBlocking() throws(SystemError) {
        let number = number
        _ = try systemCall("set up a descriptor") { clinux_set_blocking(number) }
    }

    /// The two ends of a pipe: the first is for reading and does not block, the second for writing.
    package static func pipe() throws(SystemError) -> DescriptorPair {
        var numbers: [Int32] = [-1, -1]
        _ = try systemCall("make a pipe") {
            // The call writes two numbers, and the array has two.
            unsafe numbers.withUnsafeMutableBufferPointer { unsafe clinux_pipe($0.baseAddress) }
        }
        return DescriptorPair(
            first: OwnedDescriptor(adopting: numbers[0]),
            second: OwnedDescriptor(adopting: numbers[1]))
    }

    package func setCloseOnExec() throws(SystemError) {
        let number = number
        _ = try systemCall("set up a descriptor") { clinux_set_cloexec(number) }
    }

    /// Whether an exceptional condition holds (`POLLPRI` of poll(2)). Does not block.
    package var isUrgent: Bool { poll(for: POLLPRI, milliseconds: 0) & POLLPRI != 0 }

    /// Waits for one of `events` (`POLL…` of poll(2)), for at most `milliseconds`; nil means for ever. An
    /// interrupted wait ends early. For worker threads and programs without a loop; a loop watches instead.
    /// - Returns: those that hold, and errors and hangups.
    @discardableResult
    package func poll(for events: Int32, milliseconds: Int32?) -> Int32 {
        var entry = pollfd(fd: number, events: Int16(events), revents: 0)
        // The structure is a local variable that outlives the call.
        _ = unsafe Glibc.poll(&entry, 1, milliseconds ?? -1)
        return Int32(entry.revents)
    }

    /// Waits until it is readable, like `poll`.
    package func waitUntilReadable(milliseconds: Int32?) {
        poll(for: POLLIN, milliseconds: milliseconds)
    }
}

/// A box of an `OwnedDescriptor`, for collections and for sharing on the loop.
package final class DescriptorBox: Sendable {
    package let descriptor: OwnedDescriptor

    package init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    package var number: Int32 { descriptor.number }
}

/// Two descriptors created together.
package struct DescriptorPair: ~Copyable {
    package var first: OwnedDescriptor
    package var second: OwnedDescriptor

    /// Both, in boxes.
    package consuming func boxed() -> (first: DescriptorBox, second: DescriptorBox) {
        (DescriptorBox(first), DescriptorBox(second))
    }
}

func requireNoNUL(_ name: [UInt8], operation: String) throws(SystemError) {
    if name.contains(0) {
        throw SystemError(
            .invalidArgument, operation: operation,
            subject: String(decoding: name, as: UTF8.self), advice: "the name holds a NUL byte")
    }
}
