internal import CDocumentKernels

/// A name in the form in which rows store it: the same for equal names, and for no others.
struct StoredName {
    /// Where the folded text is.
    enum Folded {
        /// So many bytes of the scratch.
        case scratch(Int)
        case text([UInt8])
    }

    let folded: Folded
    /// The positions of capitals in the first 32 bytes; nil if the name's bytes are stored as well.
    let capitals: UInt32?
    /// The name's own bytes, if they are stored as well.
    let exact: [UInt8]?

    /// Folds a name; nil if it can't be one. The scratch has room for the longest name.
    /// - Complexity: O(n). Allocates only if the name is not in ASCII, or has a late capital.
    init?(_ name: borrowing Span<UInt8>, _ scratch: inout [UInt8]) {
        guard 1...DocumentTable.longestName ~= name.count else { return nil }
        var capitals: UInt32 = 0
        var isName = true
        // The scratch has room for the longest name.
        let form = unsafe name.withUnsafeBufferPointer { name in
            isName = unsafe names_is_name(name.baseAddress, name.count) != 0
            return unsafe scratch.withUnsafeMutableBufferPointer { scratch in
                precondition(scratch.count >= name.count)
                return unsafe names_fold_ascii(
                    name.baseAddress, name.count, scratch.baseAddress, &capitals)
            }
        }
        guard isName else { return nil }
        if form == Int32(NAMES_SHORT.rawValue) {
            folded = .scratch(name.count)
            self.capitals = capitals
            exact = nil
            return
        }
        // Within the call the bytes are those of the name.
        let bytes = unsafe name.withUnsafeBufferPointer { unsafe Array($0) }
        exact = bytes
        self.capitals = nil
        folded =
            form == Int32(NAMES_LATE.rawValue)
            ? .scratch(name.count)
            : .text(FoldedName.bytes(of: String(decoding: bytes, as: UTF8.self)))
    }

    /// The length of the folded text.
    var foldedCount: Int {
        switch folded {
        case .scratch(let count): count
        case .text(let bytes): bytes.count
        }
    }

    /// Calls `body` with the folded text.
    @inline(__always)
    func withFolded<Value>(_ scratch: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Value)
        -> Value
    {
        switch folded {
        case .scratch(let count):
            unsafe scratch.withUnsafeBufferPointer {
                unsafe body(UnsafeBufferPointer(rebasing: $0[..<count]))
            }
        case .text(let bytes):
            unsafe bytes.withUnsafeBufferPointer { unsafe body($0) }
        }
    }
}
