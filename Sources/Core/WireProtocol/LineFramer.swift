internal import Glibc
package import JSONText

// Cuts a stream of bytes into lines. Holds at most one unfinished line of up to the limit, plus
// whatever was appended and not yet taken: take all there is before appending more.
//
// Invariants: `buffer[start...]` is what was not handed out; no LF lies in `buffer[start..<seen]`,
// so each byte is looked at once, however it came. While `isSkipping`, bytes up to the next LF
// are dropped unseen by the caller.

/// Turns bytes into lines.
package struct LineFramer: Sendable {
    package enum Event: Sendable {
        /// A line without its LF, and a CR before that. A view of the framer's buffer: let go of
        /// it before appending, or the append copies the buffer.
        case line(ByteSlice)
        /// A line is longer than the limit. Told once, at its place; the line is dropped.
        case overlong
        /// The input ended within a line of so many bytes, which are dropped.
        case incomplete(Int)
    }

    /// 1 MiB, LF excluded.
    package static let standardLimit = 1 << 20

    package let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var seen = 0
    private var isSkipping = false

    package init(limit: Int = LineFramer.standardLimit) {
        self.limit = limit
    }

    /// Bytes that were appended and not yet handed out.
    package var bufferedCount: Int { buffer.count - start }

    /// Takes in the next bytes of the stream.
    /// - Complexity: O(bytes), amortised.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        makeRoom()
        buffer.append(contentsOf: bytes)
    }

    /// Takes in the next bytes of the stream.
    /// - Complexity: O(bytes), amortised.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        makeRoom()
        buffer.append(contentsOf: bytes)
    }

    /// Takes in the next bytes of the stream, from memory that is borrowed for the call.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        makeRoom()
        // Read within the call only, as the caller promises.
        unsafe buffer.append(contentsOf: bytes)
    }

    /// The next line, if one is complete, or what there is to say about one that is too long.
    /// Empty lines are passed over.
    package mutating func next() -> Event? {
        while true {
            guard let end = nextBreak() else { return pending() }
            var line = start..<end
            start = end + 1
            seen = start
            if isSkipping {
                isSkipping = false
                continue
            }
            if line.count > limit { return .overlong }
            if !line.isEmpty, buffer[end - 1] == UInt8(ascii: "\r") { line = line.dropLast() }
            if !line.isEmpty { return .line(ByteSlice(buffer, line)) }
        }
    }

    /// Call at the end of input, after the last `next()`.
    /// - Returns: `.incomplete` if the input broke off within a line.
    package mutating func finish() -> Event? {
        defer {
            buffer = []
            start = 0
            seen = 0
        }
        return bufferedCount > 0 ? .incomplete(bufferedCount) : nil
    }

    /// No further LF: an unfinished line is kept, unless it is too long already.
    private mutating func pending() -> Event? {
        guard isSkipping || bufferedCount > limit else { return nil }
        let wasSkipping = isSkipping
        isSkipping = true
        buffer.removeAll(keepingCapacity: buffer.capacity <= keptCapacity)
        start = 0
        seen = 0
        return wasSkipping ? nil : .overlong
    }

    /// The index of the next LF.
    private mutating func nextBreak() -> Int? {
        guard seen < buffer.count else { return nil }
        let from = seen
        // memchr gets the start and length of the same part of the buffer, within the call.
        let found: Int? = unsafe buffer.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[from...])
            guard let base = part.baseAddress, let hit = unsafe memchr(base, 0x0A, part.count)
            else { return nil }
            return unsafe from + (UnsafeRawPointer(hit) - base)
        }
        seen = found ?? buffer.count
        return found
    }

    /// Memory that a framer at rest may keep.
    private var keptCapacity: Int { 64 << 10 }

    /// Drops what was handed out, when that is nothing to move or more than there is to move.
    private mutating func makeRoom() {
        guard start > 0 else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= keptCapacity)
        } else if start >= buffer.count - start {
            buffer.removeSubrange(..<start)
        } else {
            return
        }
        seen -= start
        start = 0
    }
}
