/// One value of an attribute.
package enum AttributeValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    /// Finite.
    case number(Double)
    /// Seconds since 1970 UTC; finite.
    case time(Double)
    case text(String)

    /// The longest text, in bytes of UTF-8.
    package static let longestText = 1024

    package var kind: Attribute.Kind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .number: .number
        case .time: .time
        case .text: .text
        }
    }

    /// A number that sorts like the value; nil for a text.
    package var word: UInt64? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): UInt64(bitPattern: value) ^ Self.signBit
        case .number(let value), .time(let value): Self.word(of: value)
        case .text: nil
        }
    }

    /// The value with a word; nil for a text.
    package init?(word: UInt64, _ kind: Attribute.Kind) {
        switch kind {
        case .boolean: self = .boolean(word != 0)
        case .integer: self = .integer(Int64(bitPattern: word ^ Self.signBit))
        case .number: self = .number(Self.double(of: word))
        case .time: self = .time(Self.double(of: word))
        case .text: return nil
        }
    }

    private static let signBit: UInt64 = 1 << 63

    /// Both zeros are the same.
    private static func word(of value: Double) -> UInt64 {
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits & signBit == 0 ? bits | signBit : ~bits
    }

    private static func double(of word: UInt64) -> Double {
        Double(bitPattern: word & signBit == 0 ? ~word : word & ~signBit)
    }

    /// Texts are equal by their bytes, as in all that is compared here.
    package static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.text(let one), .text(let other)): one.hasBytes(of: other)
        default: left.kind == right.kind && left.word != nil && left.word == right.word
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        if case .text(let text) = self {
            for byte in text.utf8 { hasher.combine(byte) }
        } else {
            hasher.combine(word)
        }
    }
}
