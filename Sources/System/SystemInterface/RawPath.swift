// A path as Linux defines it: any bytes except NUL, in no particular encoding.
//
// File names need not be UTF-8, so paths are bytes until they are displayed. The kernel would truncate a path
// with a NUL and name another file; such a path cannot be created.

/// A file system path: raw bytes without a NUL.
package struct RawPath: Hashable, Sendable {
    /// The bytes, without a final NUL.
    package let bytes: [UInt8]

    /// `nil` if a byte is NUL.
    package init?(bytes: some Sequence<UInt8>) {
        self.init(bytes: Array(bytes))
    }

    /// The same.
    package init?(bytes: [UInt8]) {
        if bytes.contains(0) { return nil }
        self.bytes = bytes
    }

    /// For paths from settings and arguments, which cannot have a NUL; everything from the first NUL on is
    /// dropped, as the kernel would.
    package init(_ text: String) {
        bytes = Array(text.utf8.prefix { $0 != 0 })
    }

    init(trusted bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The parent folder: `/a` for `/a/b`, `.` for `b`, `/` for `/a` and `/`.
    package var folder: RawPath {
        let slash = UInt8(ascii: "/")
        var rest = bytes[...]
        while rest.count > 1, rest.last == slash { rest.removeLast() }
        guard let last = rest.lastIndex(of: slash) else { return RawPath(".") }
        rest = rest[..<last]
        while rest.last == slash { rest.removeLast() }
        return rest.isEmpty ? RawPath("/") : RawPath(trusted: Array(rest))
    }

    /// The bytes as a C string, for the length of the call.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        unsafe withNameAsCString(bytes, body)
    }
}

extension RawPath: CustomStringConvertible {
    /// For people: invalid UTF-8 is shown as replacement characters.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// `bytes` as a NUL-terminated string, for the length of the call. The bytes must not have a NUL.
func withNameAsCString<Value>(
    _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Value
) -> Value {
    // The copy is initialized in full, NUL included, before the body sees it.
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { copy in
        // A C character is a byte.
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(copy).copyMemory(from: bytes)
        }
        unsafe copy.initializeElement(at: bytes.count, to: 0)
        guard let start = unsafe UnsafePointer(copy.baseAddress) else {
            preconditionFailure("an allocation of at least one byte has an address")
        }
        return unsafe body(start)
    }
}
