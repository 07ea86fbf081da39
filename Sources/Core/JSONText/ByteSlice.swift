// A part of an array of bytes, which keeps that array alive: what `ArraySlice` is to any array, for the
// one kind that all text here is. Copying an `ArraySlice` goes through its description at run time; a
// third of the time that an event took went there. Copying one of these counts a reference.

/// Bytes of an array.
package struct ByteSlice: Sendable {
    /// All of the array; for those who read the bytes in place.
    package let array: [UInt8]
    /// Which of them.
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

    /// An array of these bytes alone.
    ///
    /// - Complexity: O(n) in their number, in one go; `Array(self)` goes byte by byte.
    package var copied: [UInt8] { Array(array[range]) }

    /// A part; the range counts from the start of this one.
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
        // The range lies within the array, checked where the slice was made.
        unsafe try array.withUnsafeBufferPointer { unsafe try body($0.extracting(range)) }
    }
}
