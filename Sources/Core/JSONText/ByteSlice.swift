// A slice of a byte array, which keeps the array alive: a non-generic `ArraySlice`. Copying an `ArraySlice`
// goes through its run-time metadata, which took a third of the time of an event. Copying this one counts a
// reference.

/// A slice of a byte array.
package struct ByteSlice: Sendable {
    /// The whole array, for readers that work in place.
    package let array: [UInt8]
    /// The range of the slice.
    package let range: Range<Int>

    package init(_ array: [UInt8]) {
        self.array = array
        range = 0..<array.count
    }

    package init(_ array: [UInt8], _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= array.count)
        self.array = array
        self.range = range
    }

    /// An array of only these bytes.
    ///
    /// - Complexity: O(n) in one bulk copy; `Array(self)` copies byte by byte.
    package var copied: [UInt8] { Array(array[range]) }

    /// A part of the slice; the range is relative to its start.
    package func part(_ part: Range<Int>) -> ByteSlice {
        precondition(part.lowerBound >= 0 && part.upperBound <= count)
        let start = range.lowerBound
        return ByteSlice(array, (start + part.lowerBound)..<(start + part.upperBound))
    }
}

extension ByteSlice: RandomAccessCollection {
    package var startIndex: Int { range.lowerBound }
    package var endIndex: Int { range.upperBound }
    package var count: Int { range.count }

    package subscript(index: Int) -> UInt8 {
        precondition(range.contains(index))
        return array[index]
    }

    package subscript(part: Range<Int>) -> ArraySlice<UInt8> {
        precondition(range.contains(part) || part.isEmpty)
        return array[part]
    }

    package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        // The range is within the array, as checked by `init`.
        unsafe try array.withUnsafeBufferPointer { unsafe try body($0.extracting(range)) }
    }
}
