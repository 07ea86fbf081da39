// Sets of bytes, and the one kind of folding that names know here: of the letters of ASCII.

/// A set of bytes.
struct ByteSet: Sendable {
    private var words = InlineArray<4, UInt64>(repeating: 0)

    init() {}

    func contains(_ byte: UInt8) -> Bool {
        words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 != 0
    }

    mutating func insert(_ byte: UInt8) {
        words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    /// Adds the other case of each letter of ASCII in it.
    mutating func insertOtherCases() {
        for letter in UInt8(ascii: "a")...UInt8(ascii: "z")
        where contains(letter) || contains(letter ^ 0x20) {
            insert(letter)
            insert(letter ^ 0x20)
        }
    }
}

extension UInt8 {
    /// The small letter of a capital of ASCII; any other byte as it is.
    var folded: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// Whether this byte continues a character of UTF-8.
    var continuesCharacter: Bool { self & 0xC0 == 0x80 }
}

/// What a look-up asks of each byte, by one access.
struct ByteClasses: Sendable {
    struct Class: Sendable, BitwiseCopyable {
        /// The byte, folded.
        let folded: UInt8
        /// Whether an end that is looked up begins with it, once it is folded.
        let startsTail: Bool
    }

    private let classes: [Class]

    init(tailStarts: ByteSet) {
        classes = (UInt8.min...UInt8.max).map {
            Class(folded: $0.folded, startsTail: tailStarts.contains($0.folded))
        }
    }

    subscript(byte: UInt8) -> Class { classes[Int(byte)] }
}
