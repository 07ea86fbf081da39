import SystemInterface

// The arguments of this program as texts that preserve bytes that are not UTF-8; Swift's own texts lose
// them. An argument that is not UTF-8 begins with a mark, a code point without a character, and has its
// bytes above 127 as code points beyond the assigned ones.

package enum RawArguments {
    private static let mark: Unicode.Scalar = "\u{10FFFF}"
    private static let firstCode: UInt32 = 0x10F000

    /// An argument as a text.
    package static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView([mark])
        for byte in bytes {
            let code = byte < 0x80 ? UInt32(byte) : firstCode + UInt32(byte)
            if let scalar = Unicode.Scalar(code) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    /// The bytes of an argument.
    package static func bytes(of text: String) -> [UInt8] {
        guard text.unicodeScalars.first == mark else { return Array(text.utf8) }
        return text.unicodeScalars.dropFirst().map { scalar in
            UInt8(truncatingIfNeeded: scalar.value < 0x80 ? scalar.value : scalar.value - firstCode)
        }
    }

    /// For people: U+FFFD stands for bytes that are not UTF-8.
    package static func shown(_ text: String) -> String {
        String(decoding: bytes(of: text), as: UTF8.self)
    }

    /// The arguments of this program, without its name.
    static var all: [String] {
        CurrentProcess.rawArguments.map { text(of: $0) }
    }
}
