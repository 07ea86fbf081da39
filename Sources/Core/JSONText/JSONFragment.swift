/// Valid JSON text that is copied to the output without being decoded.
///
/// Owns its bytes, without blanks around the value and without line breaks (a break between tokens becomes a
/// space), so that a line that includes it remains one line. Repeated keys in objects are allowed, and refused
/// where the text is decoded.
package struct JSONFragment: Hashable, Sendable {
    package private(set) var bytes: [UInt8]

    package init(validating bytes: [UInt8]) throws(JSONError) {
        self.init(try JSONView(validating: bytes))
    }

    package init(validating text: String) throws(JSONError) {
        try self.init(validating: Array(text.utf8))
    }

    package init(_ view: JSONView) {
        bytes = Array(view.bytes[view.bytes.range])
        Self.replaceLineBreaks(in: &bytes, 0..<bytes.count)
    }

    /// Makes a valid text within `bytes` one line: a break becomes a space.
    package static func replaceLineBreaks(in bytes: inout [UInt8], _ range: Range<Int>) {
        // The scanner refuses line breaks in strings, so these are between tokens.
        for lineBreak: UInt8 in [0x0A, 0x0D] {
            var from = range.lowerBound
            while let index = firstIndex(
                of: lineBreak, in: bytes.span.extracting(0..<range.upperBound), from: from)
            {
                bytes[index] = 0x20
                from = index + 1
            }
        }
    }

    /// The text of another fragment.
    package init(sound bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ value: JSONValue) {
        bytes = value.bytes
    }

    /// A value that `body` writes; it must write exactly one.
    package init(writing body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        body(&writer)
        bytes = writer.finish()
    }

    package static let null = JSONFragment(JSONValue.null)

    package var kind: JSONKind { view.kind }

    /// A view of the fragment, for partial reads.
    package var view: JSONView {
        let kind: JSONKind =
            switch bytes.first {
            case UInt8(ascii: "{"): .object
            case UInt8(ascii: "["): .array
            case UInt8(ascii: "\""): .string
            case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
            case UInt8(ascii: "n"), nil: .null
            default: .number
            }
        return JSONView(scanned: ByteSlice(bytes), 0..<bytes.count, kind)
    }

    /// The decoded value.
    /// - Throws: when an object in it has a key twice, or a key with U+0000.
    package func value() throws(JSONError) -> JSONValue { try view.value() }
}
