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

    /// Starts anew, in the same memory.
    package mutating func removeAll() {
        rewind(to: Mark(count: 0, needsComma: false, depth: 0))
    }

    /// The memory held, in bytes.
    package var capacity: Int { storage.capacity }

    /// Ends the line that has been written.
    package mutating func endLine() {
        assert(depth == 0, "an object or array was not closed")
        put(0x0A)
    }

    /// Appends all that was written to `bytes`.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: storage[..<count])
    }

    /// Writes, as one value, what `other` has written.
    package mutating func splice(_ other: JSONWriter) {
        raw(other.storage[..<other.count])
    }

    /// Writes members of an object, keys and values, that another writer has written into the open
    /// object.
    package mutating func splice(members: [UInt8]) {
        raw(members[...])
    }
}
