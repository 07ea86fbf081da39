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
    /// The positions of capitals in the first 32 bytes; nil if a difference is stored as well.
    let capitals: UInt32?
    /// How the name differs from the folded text (`NameDifference`), if it does in more than these capitals or is not
    /// in ASCII.
    let difference: [UInt8]?

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
            difference = nil
            return
        }
        self.capitals = nil
        // Within the calls the bytes are those of the name.
        if form == Int32(NAMES_LATE.rawValue) {
            folded = .scratch(name.count)
            difference = unsafe name.withUnsafeBufferPointer { name in
                unsafe scratch.withUnsafeBufferPointer { scratch in
                    unsafe NameDifference.bytes(
                        from: UnsafeBufferPointer(rebasing: scratch[..<name.count]), to: name)
                }
            }
        } else {
            let text = unsafe name.withUnsafeBufferPointer {
                unsafe FoldedName.bytes(of: String(decoding: $0, as: UTF8.self))
            }
            folded = .text(text)
            difference = unsafe name.withUnsafeBufferPointer { name in
                unsafe text.withUnsafeBufferPointer { text in
                    unsafe NameDifference.bytes(from: text, to: name)
                }
            }
        }
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
