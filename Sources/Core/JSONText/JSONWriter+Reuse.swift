// Reuse of one writer for many lines, and insertion of existing text.

extension JSONWriter {
    /// A position in the output to which `rewind` returns.
    package struct Mark {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
        fileprivate let depth: Int
    }

    package var mark: Mark { Mark(count: count, needsComma: needsComma, depth: depth) }

    /// Discards the output since `mark`.
    package mutating func rewind(to mark: Mark) {
        precondition(mark.count <= count, "the mark is beyond the output")
        count = mark.count
        needsComma = mark.needsComma
        depth = mark.depth
    }

    /// Ends the line.
    package mutating func endLine() {
        assert(depth == 0, "an object or array was not closed")
        put(0x0A)
    }

    /// Appends the output to `bytes`.
    package func append(to bytes: inout [UInt8]) {
        // The first `count` bytes are initialised.
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: memory, count: count))
    }

    /// Writes the output of `other`: one value, or the elements of an open array.
    package mutating func splice(_ other: borrowing JSONWriter) {
        if other.count == 0 { return }
        separate()
        // The first `count` bytes are initialised, and `other` is borrowed for the call.
        unsafe copy(UnsafeBufferPointer(start: other.memory, count: other.count))
    }

    /// Writes the members, keys and values, that another writer wrote, into the open object.
    package mutating func splice(members: ByteSlice) {
        separate()
        // The range lies within the array, and the buffer is used within the call only.
        unsafe members.array.withUnsafeBufferPointer { unsafe copy($0.extracting(members.range)) }
    }

    /// Moves object members, written without the braces, into `bytes`, so that they and a comma end before byte
    /// `end`. The writer is empty afterwards.
    ///
    /// - Returns: their start.
    /// - Precondition: there is room for them.
    package mutating func moveMembers(into bytes: inout [UInt8], before end: Int) -> Int {
        put(UInt8(ascii: ","))
        let start = end - count
        precondition(start >= 0 && end <= bytes.count, "no room for \(count) bytes")
        // The first `count` bytes are initialised, and the precondition keeps the others in the array.
        unsafe bytes.withUnsafeMutableBufferPointer { target in
            unsafe target.baseAddress?.advanced(by: start).update(from: memory, count: count)
        }
        removeAll()
        return start
    }
}
