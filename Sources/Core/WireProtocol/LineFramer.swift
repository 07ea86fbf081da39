package import JSONText

// Splits a byte stream into lines. Buffers at most one incomplete line up to the limit, plus appended lines
// that were not read yet: read all lines before appending more.
//
// Invariants: `buffer[start...]` is unread; `buffer[start..<seen]` has no LF, so each byte is examined once,
// however the input is divided. While `isSkipping`, bytes up to the next LF are dropped.

/// Splits bytes into lines.
package struct LineFramer: Sendable {
    package enum Event: Sendable {
        /// A line without its LF, or CR and LF. A view of the framer's buffer: release it before appending, or
        /// the append copies the buffer.
        case line(ByteSlice)
        /// A line exceeds the limit. Reported once, in order; the line is dropped.
        case overlong
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

    /// The number of unread bytes.
    package var bufferedCount: Int { buffer.count - start }

    /// Appends the next bytes of the stream.
    /// - Complexity: O(bytes), amortised.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        makeRoom()
        buffer.append(contentsOf: bytes)
    }

    /// The next complete line, or a report of one that is too long. Empty lines are skipped.
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

    /// Without another LF: keeps an incomplete line, unless it is already too long.
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
        let found = firstIndex(of: 0x0A, in: buffer.span, from: seen)
        seen = found ?? buffer.count
        return found
    }

    /// The memory that an idle framer may keep.
    private var keptCapacity: Int { 64 << 10 }

    /// Drops the read part, if nothing or less than that has to be moved.
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
