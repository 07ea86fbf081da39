// One writer for many lines, and text that was written elsewhere.

extension JSONWriter {
    /// A place in what has been written, to go back to.
    package struct Mark {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
        fileprivate let depth: Int
    }

    package var mark: Mark { Mark(count: count, needsComma: needsComma, depth: depth) }

    /// Takes back all that was written since `mark`.
    package mutating func rewind(to mark: Mark) {
        precondition(mark.count <= count, "the mark is not behind")
        count = mark.count
        needsComma = mark.needsComma
        depth = mark.depth
    }

    /// Ends the line that has been written.
    package mutating func endLine() {
        assert(depth == 0, "an object or array was not closed")
        put(0x0A)
    }

    /// Appends all that was written to `bytes`.
    package func append(to bytes: inout [UInt8]) {
        // The first `count` bytes are initialised.
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: memory, count: count))
    }

    /// Writes what `other` has written: one value, or the elements of an open array.
    package mutating func splice(_ other: borrowing JSONWriter) {
        if other.count == 0 { return }
        separate()
        // The first `count` bytes are initialised, and `other` is borrowed for the call.
        unsafe copy(UnsafeBufferPointer(start: other.memory, count: other.count))
    }

    /// Writes members of an object, keys and values, that another writer has written into the open
    /// object.
    package mutating func splice(members: ByteSlice) {
        separate()
        // The range lies within the array, and the buffer is used within the call only.
        unsafe members.array.withUnsafeBufferPointer { unsafe copy($0.extracting(members.range)) }
    }

    /// Moves members of an object, which were written without it, to where they end before the byte `end`
    /// of `bytes`, with a comma behind them. The writer starts anew after that.
    ///
    /// - Returns: where they begin.
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
