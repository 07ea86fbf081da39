// The arguments of this program as texts, from which those that are not UTF-8 can be had as they came. Swift's
// own texts of them have lost their bytes. An argument that is not UTF-8 begins with a mark, a code that
// stands for no character, and has its bytes above 127 as codes behind those that are in use.

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

    /// For people: U+FFFD stands for what is not UTF-8.
    package static func shown(_ text: String) -> String {
        String(decoding: bytes(of: text), as: UTF8.self)
    }

    /// What this program was called with, without its name.
    static var all: [String] {
        // The array of the process, which has as many strings as it says, each ending in NUL and none ever
        // changed by this program.
        (0..<Int(CommandLine.argc)).dropFirst().compactMap { index in
            guard let start = unsafe CommandLine.unsafeArgv[index] else { return nil }
            var bytes: [UInt8] = []
            var place = unsafe start
            while unsafe place.pointee != 0 {
                bytes.append(unsafe UInt8(bitPattern: place.pointee))
                unsafe place += 1
            }
            return text(of: bytes)
        }
    }
}
