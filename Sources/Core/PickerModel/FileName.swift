// A name, or a path below a root, as the kernel gave it.
//
// The kernel's names are bytes. Nearly all are UTF-8, and then only the text is stored. Otherwise the text has
// U+FFFD for invalid bytes, and the exact bytes are stored too, because only they open the file. Two names are
// equal if their bytes are.

/// A file's name or relative path: text for people, bytes for the kernel.
package struct FileName: Sendable {
    /// The name as text, with U+FFFD for bytes that are not UTF-8.
    package let text: String
    /// The exact bytes, if `text` differs from them.
    package let rawBytes: [UInt8]?

    /// A name in UTF-8, as all Swift text is.
    package init(_ text: String) {
        self.text = text
        rawBytes = nil
    }

    /// A name as the kernel gave it, without the final NUL.
    /// - Complexity: O(n).
    package init(bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// The same.
    package init(bytes: ArraySlice<UInt8>) {
        self.init(bytes.span)
    }

    /// The same.
    @unsafe init(bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(bytes.span)
    }

    /// Not generic: general validation of text takes ten times as long as a name.
    private init(_ bytes: Span<UInt8>) {
        if let valid = try? UTF8Span(validating: bytes) {
            text = String(copying: valid)
            rawBytes = nil
        } else {
            let copied = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
            text = String(decoding: copied, as: UTF8.self)
            rawBytes = copied
        }
    }

    /// The bytes of the name in the file system.
    package var bytes: [UInt8] { rawBytes ?? Array(text.utf8) }

    /// The part after the last `/`, or all of it.
    package var lastComponent: FileName {
        let slash = UInt8(ascii: "/")
        if let rawBytes {
            guard let last = rawBytes.lastIndex(of: slash) else { return self }
            return FileName(bytes: rawBytes[(last + 1)...])
        }
        guard let last = text.utf8.lastIndex(of: slash) else { return self }
        return FileName(String(text[text.utf8.index(after: last)...]))
    }
}

extension FileName: Hashable {
    package static func == (left: FileName, right: FileName) -> Bool {
        // By bytes: the kernel distinguishes composed and decomposed `é`, Swift's text doesn't.
        left.text.hasBytes(of: right.text) && left.rawBytes == right.rawBytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension String {
    /// Whether the UTF-8 bytes are the same; canonically equivalent texts may differ.
    func hasBytes(of other: String) -> Bool {
        // The first comparison is faster and rejects nearly all that differ.
        self == other && utf8.elementsEqual(other.utf8)
    }

    /// Negative, zero or positive, by the bytes of UTF-8.
    func compareBytes(_ other: String) -> Int {
        let left = utf8Span.span
        let right = other.utf8Span.span
        let common = min(left.count, right.count)
        var index = 0
        while index < common {
            let (first, second) = (left[index], right[index])
            if first != second { return first < second ? -1 : 1 }
            index += 1
        }
        return left.count - right.count
    }
}
