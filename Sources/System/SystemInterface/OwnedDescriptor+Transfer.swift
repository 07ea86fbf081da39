// Reads and writes, with the everyday outcomes (would block, closed) as values, and all others as errors.

import CLinux
import Glibc

/// The outcome of a read or a write.
package enum Transfer: Equatable, Sendable {
    /// The number of bytes transferred; for a write, perhaps fewer than offered.
    case bytes(Int)
    /// Nothing can be transferred now.
    case wouldBlock
    /// The other side is gone: end of file, or a closed or reset connection.
    case closed
}

extension OwnedDescriptor {
    /// The most chunks of one gathering send; the rest waits for the next.
    package static let mostGatheredChunks = 16

    /// Reads at most `buffer.count` bytes, which must be over 0, into the front of `buffer`. The buffer's size
    /// does not change, so that one buffer serves all reads.
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

    /// Writes `bytes` from `start` on, to a file or pipe (use `send` for sockets).
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

    /// Writes all of `bytes` to a file, until it takes no more. Returns whether it took all.
    @discardableResult
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) -> Bool {
        var written = 0
        while written < bytes.count {
            guard case .bytes(let count) = try write(bytes, from: written) else { return false }
            written += count
        }
        return true
    }

    /// Sends `bytes` from `start` on over a socket. A closed peer is `.closed`, never a SIGPIPE.
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

    /// Sends several chunks in one system call, without joining them: the first `mostGatheredChunks`, from byte
    /// `start` of the first one on.
    package func send(
        gathering chunks: some Collection<[UInt8]>, from start: Int = 0
    ) throws(SystemError) -> Transfer {
        let number = number
        return try transfer("send") {
            // The vectors point into arrays that `withVectors` keeps alive for the length of the call.
            unsafe withVectors(chunks.prefix(Self.mostGatheredChunks), from: start) {
                unsafe clinux_send_gathering(number, $0?.assumingMemoryBound(to: iovec.self), $1)
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

/// Calls `body` with the address and the number of I/O vectors (`struct iovec`): one for each chunk, without
/// the first `start` bytes of the first one. The recursion keeps the chunks' storage alive.
package func withVectors(
    _ chunks: some Collection<[UInt8]>, from start: Int = 0,
    _ body: (UnsafeRawPointer?, Int) -> Int
) -> Int {
    let chunks = Array(chunks)
    return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: chunks.count) { vectors in
        // Each call fills one vector, which points into a chunk that stays in place until it returns.
        func fill(_ index: Int) -> Int {
            if index == chunks.count {
                return unsafe body(UnsafeRawPointer(vectors.baseAddress), chunks.count)
            }
            let skipped = index == 0 ? start : 0
            precondition(skipped >= 0 && skipped <= chunks[index].count)
            return unsafe chunks[index].withUnsafeBytes { bytes in
                // A send never changes the memory of the vector, although its type allows that.
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
