// A name, or a path below a root, as the kernel gave it.
//
// The kernel's names are bytes. Nearly all are UTF-8, and then the text is all there is to keep.
// Where they are not, the text carries U+FFFD for the bad bytes, and the true bytes are kept
// beside it, since only they open the file. Two names are the same if their bytes are.

/// A file's name or relative path: text for people, bytes for the kernel.
package struct FileName: Sendable {
    /// The name as text; U+FFFD stands where the bytes are not UTF-8.
    package let text: String
    /// The true bytes, only if `text` is not exactly them.
    package let rawBytes: [UInt8]?

    /// A name that is UTF-8, as all Swift text is.
    package init(_ text: String) {
        self.text = text
        rawBytes = nil
    }

    /// A name as the kernel gave it, without an ending NUL.
    /// - Complexity: O(n).
    package init(bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self.text = text
            rawBytes = nil
        } else {
            text = String(decoding: bytes, as: UTF8.self)
            rawBytes = Array(bytes)
        }
    }

    /// The bytes by which the kernel knows the file.
    package var bytes: [UInt8] { rawBytes ?? Array(text.utf8) }

    /// The part behind the last `/`, or all of it.
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
        // By bytes: the kernel keeps `é` composed and decomposed apart, Swift's text doesn't.
        left.text.hasBytes(of: right.text) && left.rawBytes == right.rawBytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension String {
    /// Whether the bytes of UTF-8 are the same; texts that only look the same are not.
    func hasBytes(of other: String) -> Bool {
        // The first is the faster one, and says no to nearly all that differ.
        self == other && utf8.elementsEqual(other.utf8)
    }

    /// Less than 0, 0, or more, by the bytes of UTF-8.
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
