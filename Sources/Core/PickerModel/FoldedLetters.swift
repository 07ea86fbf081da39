// The folded texts of single letters, for names that have nothing else.
//
// Most letters fold alike wherever they are. Only marks and the parts of syllables depend on what is before them, and
// no letter here folds to one of those.

/// The folded texts of the scalars from U+0080 to U+047F, but for the marks from U+0300 on and the scalars beside
/// these.
struct FoldedLetters: Sendable {
    static let all = FoldedLetters()
    private static let first = 0x80
    private static let end = 0x480

    private var bytes: [UInt8] = []
    /// Where the texts begin in `bytes`, and the end of the last.
    private var starts: [UInt16] = [0]

    private init() {
        for value in Self.first..<Self.end {
            if let scalar = Unicode.Scalar(UInt32(value)), Self.has(lead: UInt8(0xC0 | value >> 6))
            {
                bytes.append(contentsOf: FoldedName.wideBytes(of: String(scalar)))
            }
            starts.append(UInt16(bytes.count))
        }
    }

    /// Whether scalars whose UTF-8 begins with this byte are here.
    static func has(lead: UInt8) -> Bool { 0xC2...0xD1 ~= lead && lead != 0xCC && lead != 0xCD }

    /// Appends the folded text of a scalar that is here, given in UTF-8.
    @inline(__always)
    func append(_ lead: UInt8, _ last: UInt8, to result: inout [UInt8]) {
        let index = (Int(lead & 0x1F) << 6 | Int(last & 0x3F)) - Self.first
        for place in Int(starts[index])..<Int(starts[index + 1]) { result.append(bytes[place]) }
    }
}
