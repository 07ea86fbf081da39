// The kernel's set of descriptors that it watches for readiness.

import CLinux
import Glibc

/// Owns a set of watched descriptors; each is known by a token of the caller's. A descriptor must
/// be removed before it is closed.
package struct Epoll: ~Copyable {
    /// A descriptor of the set that is ready.
    package struct Ready: Hashable, Sendable {
        package let token: UInt64
        /// `EPOLL…` of epoll_ctl(2).
        package let events: UInt32
    }

    /// The most that one look gives.
    package static let mostReady = 16

    private let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        let number = try systemCall("make a set of watched descriptors") { clinux_epoll() }
        descriptor = OwnedDescriptor(adopting: number)
    }

    /// Readable while a descriptor of the set is ready.
    package var number: Int32 { descriptor.number }

    /// - Throws: `.alreadyExists` for one that is in the set, `.notPermitted` for a plain file or folder.
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

    /// One that is not in the set any more is fine.
    package func remove(_ watched: Int32) {
        _ = clinux_epoll_remove(number, watched)
    }

    /// Appends those that are ready, in the order in which they became so, up to `mostReady`. Those that
    /// stay ready come again in the next look, behind others. If none is, waits for one, for as long as
    /// `milliseconds` says; -1 is for ever.
    package func look(
        into ready: inout [Ready], milliseconds: Int32 = 0
    ) throws(SystemError) {
        let number = number
        try unsafe withUnsafeTemporaryAllocation(of: clinux_ready.self, capacity: Self.mostReady) {
            (buffer) throws(SystemError) in
            // The buffer has room for as many as are asked for, and is used within the call.
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
