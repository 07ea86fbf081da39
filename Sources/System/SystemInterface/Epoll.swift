// A set of descriptors that the kernel watches for readiness.

import CLinux
import Glibc

/// Owns a set of watched descriptors, each identified by the caller's token. A descriptor must be removed
/// before it is closed.
package struct Epoll: ~Copyable {
    /// A ready descriptor of the set.
    package struct Ready: Hashable, Sendable {
        package let token: UInt64
        /// `EPOLL…` of epoll_ctl(2).
        package let events: UInt32
    }

    /// The most entries of one poll.
    package static let mostReady = 16

    private let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        let number = try systemCall("make a set of watched descriptors") { clinux_epoll() }
        descriptor = OwnedDescriptor(adopting: number)
    }

    /// Readable while a descriptor of the set is ready.
    package var number: Int32 { descriptor.number }

    /// - Throws: `.alreadyExists` for a descriptor in the set, `.notPermitted` for a plain file or folder.
    package func add(
        _ watched: Int32, events: UInt32, token: UInt64
    ) throws(SystemError) {
        let number = number
        _ = try systemCall("watch", "descriptor \(watched)") {
            clinux_epoll_add(number, watched, events, token)
        }
    }

    package func change(_ watched: Int32, events: UInt32, token: UInt64) throws(SystemError) {
        let number = number
        _ = try systemCall("watch", "descriptor \(watched)") {
            clinux_epoll_change(number, watched, events, token)
        }
    }

    /// Removes a descriptor, which may have left the set.
    package func remove(_ watched: Int32) {
        _ = clinux_epoll_remove(number, watched)
    }

    /// Appends up to `mostReady` ready descriptors, in the order in which they became ready. Those that stay
    /// ready are returned again by the next poll, behind others. If there are none, waits up to `milliseconds`;
    /// -1 means for ever.
    package func poll(
        into ready: inout [Ready], milliseconds: Int32 = 0
    ) throws(SystemError) {
        let number = number
        try unsafe withUnsafeTemporaryAllocation(of: clinux_ready.self, capacity: Self.mostReady) {
            (buffer) throws(SystemError) in
            // The buffer has room for the requested number, and is used within the call.
            let count = try systemCall("look for ready descriptors") {
                unsafe clinux_epoll_ready(
                    number, buffer.baseAddress, Int32(Self.mostReady), milliseconds)
            }
            for index in 0..<Int(count) {
                let found = unsafe buffer[index]
                ready.append(Ready(token: found.token, events: found.events))
            }
        }
    }
}
