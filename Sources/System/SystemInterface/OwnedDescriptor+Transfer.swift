// Reading and writing, with the outcomes that callers live with every day (would block, closed) as
// values, and everything else as an error.

import CLinux
import Glibc

/// What came of a read or a write.
package enum Transfer: Equatable, Sendable {
    /// So many bytes went over; for a write, perhaps fewer than offered.
    case bytes(Int)
    /// Nothing can go over now.
    case wouldBlock
    /// The other side is gone: the end of the file, a closed or reset connection.
    case closed
}

extension OwnedDescriptor {
    /// The most pieces that one gathering send takes; the rest waits for the next.
    package static let mostGatheredChunks = 16

    /// Reads into the front of `buffer`, at most `buffer.count` bytes, which must be over 0.
    /// The buffer's size does not change, so that one buffer serves all reads.
    package func read(into buffer: inout [UInt8]) throws(SystemError) -> Transfer {
        precondition(!buffer.isEmpty, "reading into an empty buffer looks like the end of file")
        let number = number
        // The pointer is used within the closure, and within the array's bounds.
        return try transfer("read") {
            unsafe buffer.withUnsafeMutableBytes {
                unsafe Glibc.read(number, $0.baseAddress, $0.count)
            }
        }
    }

    /// Writes bytes of `bytes` from `start` on, to a file or pipe (use `send` for sockets).
    package func write(_ bytes: [UInt8], from start: Int = 0) throws(SystemError) -> Transfer {
        precondition(start >= 0 && start <= bytes.count)
        let number = number
        // The precondition keeps the pointer and the count within the array.
        return try transfer("write") {
            unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(
                    number, $0.baseAddress.map { unsafe $0 + start }, $0.count - start)
            }
        }
    }

    /// Sends bytes of `bytes` from `start` on over a socket. A peer that is gone is `.closed`,
    /// never a SIGPIPE.
    package func send(_ bytes: [UInt8], from start: Int = 0) throws(SystemError) -> Transfer {
        precondition(start >= 0 && start <= bytes.count)
        if start == bytes.count { return .bytes(0) }
        let number = number
        // The precondition keeps the pointer and the count within the array.
        return try transfer("send") {
            unsafe bytes.withUnsafeBytes {
                unsafe clinux_send(
                    number, $0.baseAddress.map { unsafe $0 + start }, $0.count - start)
            }
        }
    }

    /// Sends several pieces in one system call, without joining them: the first
    /// `mostGatheredChunks`, from byte `start` of the first one on.
    package func send(
        gathering chunks: some Collection<[UInt8]>, from start: Int = 0
    ) throws(SystemError) -> Transfer {
        let number = number
        return try transfer("send") {
            // The vectors point into arrays that `withVectors` holds for the length of the call.
            unsafe withVectors(chunks.prefix(Self.mostGatheredChunks), from: start) {
                unsafe clinux_send_gathering(number, $0.baseAddress, $0.count)
            }
        }
    }

    private func transfer(
        _ operation: String, _ call: () -> Int
    ) throws(SystemError) -> Transfer {
        switch outcome(of: call) {
        case .success(0) where operation == "read": return .closed
        case .success(let count): return .bytes(count)
        case .failure(.wouldBlock): return .wouldBlock
        case .failure(.connectionReset), .failure(.brokenPipe): return .closed
        case .failure(let code):
            throw SystemError(code, operation: operation, subject: "descriptor \(number)")
        }
    }
}

/// Calls `body` with an I/O vector for each chunk. The recursion holds the chunks' storage.
private func withVectors(
    _ chunks: some Collection<[UInt8]>, from start: Int,
    _ body: (UnsafeBufferPointer<iovec>) -> Int
) -> Int {
    let chunks = Array(chunks)
    return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: chunks.count) { vectors in
        // Each call fills one vector, which points into a chunk that stays put until it returns.
        func fill(_ index: Int) -> Int {
            if index == chunks.count { return unsafe body(UnsafeBufferPointer(vectors)) }
            let skipped = index == 0 ? start : 0
            precondition(skipped >= 0 && skipped <= chunks[index].count)
            return unsafe chunks[index].withUnsafeBytes { bytes in
                // Sending never changes what the vector points to, though its type says it may.
                let address = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                let vector = unsafe iovec(
                    iov_base: address.map { unsafe $0 + skipped }, iov_len: bytes.count - skipped)
                unsafe vectors.initializeElement(at: index, to: vector)
                return fill(index + 1)
            }
        }
        return fill(0)
    }
}
