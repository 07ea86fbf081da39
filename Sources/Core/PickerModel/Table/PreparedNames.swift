// Names in the form in which rows store them, before there are rows.
//
// Folding a name takes longer than adding it to the table, and depends on the name alone. So threads that read folders
// fold the names, too, and the table copies what they made.

/// Names that were folded elsewhere, for `DocumentEdits.add`. All are in two arrays, so that none costs an allocation.
package struct PreparedNames: Sendable {
    /// A name: its folded text, and behind that its difference if a row stores one as well.
    struct Name {
        fileprivate let start: UInt32
        fileprivate let foldedEnd: UInt32
        fileprivate let end: UInt32
        /// The positions of capitals in the first 32 bytes, if no difference is stored.
        let capitals: UInt32
        /// The first eight bytes of the sort key.
        let sortWord: UInt64
        let type: MediaType
        /// Whether a difference is stored.
        let hasDifference: Bool
        /// False for what can't be the name of a document.
        let isName: Bool

        var foldedCount: Int { Int(foldedEnd - start) }
        var differenceCount: Int? { hasDifference ? Int(end - foldedEnd) : nil }
    }

    /// Room to fold a name in, used for one after the other.
    package struct Scratch: Sendable {
        fileprivate var bytes = [UInt8](repeating: 0, count: DocumentTable.longestName)

        package init() {}
    }

    private var names: [Name] = []
    private var bytes: [UInt8] = []

    package init() {}

    package var count: Int { names.count }

    /// Whether the name at a place can be that of a document.
    package func hasName(_ index: Int) -> Bool { names[index].isName }

    subscript(index: Int) -> Name { names[index] }

    /// Makes room for so many names with so many bytes.
    package mutating func reserve(_ count: Int, bytes size: Int) {
        names.reserveCapacity(count)
        bytes.reserveCapacity(size)
    }

    /// Appends a name.
    /// - Complexity: O(n) in its length. Allocates only if the name is not in ASCII, or has a late capital.
    package mutating func append(_ name: borrowing Span<UInt8>, _ scratch: inout Scratch) {
        guard let stored = StoredName(name, &scratch.bytes) else { return appendNothing() }
        let start = bytes.count
        // Within the call these are the bytes of the folded name.
        let word = unsafe stored.withFolded(scratch.bytes) { folded in
            unsafe bytes.append(contentsOf: folded)
            return unsafe SortKeyReader.word(of: folded.span, after: 0) ?? 0
        }
        let foldedEnd = bytes.count
        if let difference = stored.difference { bytes.append(contentsOf: difference) }
        names.append(
            Name(
                start: UInt32(start), foldedEnd: UInt32(foldedEnd), end: UInt32(bytes.count),
                capitals: stored.capitals ?? 0, sortWord: word, type: MediaType(forName: name),
                hasDifference: stored.difference != nil, isName: true))
    }

    /// Appends a place that has no name.
    package mutating func appendNothing() {
        let end = UInt32(bytes.count)
        names.append(
            Name(
                start: end, foldedEnd: end, end: end, capitals: 0, sortWord: 0, type: .unknown,
                hasDifference: false, isName: false))
    }

    /// Calls `body` with the folded text of a name.
    @inline(__always)
    func withFolded<Value>(_ name: Name, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        unsafe withBytes(Int(name.start)..<Int(name.foldedEnd), body)
    }

    /// Calls `body` with the difference of a name.
    @inline(__always)
    func withDifference<Value>(
        _ name: Name, _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        unsafe withBytes(Int(name.foldedEnd)..<Int(name.end), body)
    }

    @inline(__always)
    private func withBytes<Value>(
        _ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        // The range is checked, and the array not changed during the call.
        unsafe bytes.withUnsafeBufferPointer {
            precondition(range.upperBound <= $0.count)
            return unsafe body(UnsafeBufferPointer(rebasing: $0[range]))
        }
    }
}
