internal import JSONText

// Bounds are compared exactly: as Doubles, 2^53 + 1 would be at most 2^53, and 10^400 no number at all.

/// A number in JSON's notation, without rounding: ±0.DIGITS × 10^exponent.
struct ExactDecimal {
    private let isNegative: Bool
    /// Without zeros at either end; empty for zero.
    private let digits: [UInt8]
    private let exponent: Int

    /// `text` has JSON's syntax. Exponents beyond ±2^61 are cut off.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        isNegative = bytes.first == UInt8(ascii: "-")
        let end = bytes.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? bytes.count
        let mantissa = bytes[(isNegative ? 1 : 0)..<end]
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? end
        let all = mantissa.filter { $0 != UInt8(ascii: ".") }
        let zeros = all.prefix { $0 == UInt8(ascii: "0") }.count
        let last = all.lastIndex { $0 != UInt8(ascii: "0") } ?? -1
        digits = last < zeros ? [] : Array(all[zeros...last])
        let power = Self.power(String(decoding: bytes[min(end + 1, bytes.count)...], as: UTF8.self))
        exponent = point - mantissa.startIndex - zeros + power
    }

    /// The exponent as it is written, within ±2^61.
    private static func power(_ text: String) -> Int {
        if text.isEmpty { return 0 }
        let most = 1 << 61
        return min(max(Int(text) ?? (text.hasPrefix("-") ? -most : most), -most), most)
    }

    var isWhole: Bool { digits.isEmpty || exponent >= digits.count }

    /// -1, 0 or 1: whether it is less than the other, equal, or greater.
    func order(_ other: ExactDecimal) -> Int {
        if digits.isEmpty || other.digits.isEmpty || isNegative != other.isNegative {
            return (sign - other.sign).signum()
        }
        var order = (exponent - other.exponent).signum()
        if order == 0, digits != other.digits {
            order = digits.lexicographicallyPrecedes(other.digits) ? -1 : 1
        }
        return order * sign
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }
}

extension JSONValue {
    /// Whether it is a number without a fraction, such as 3.0 and 1e400.
    var isWhole: Bool {
        switch self {
        case .integer: true
        case .double(let value): value == value.rounded()
        case .number(let value): ExactDecimal(value.digits).isWhole
        default: false
        }
    }

    /// -1, 0 or 1: whether this number is less than the other, equal, or greater; nil unless both are numbers.
    func order(_ other: JSONValue) -> Int? {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.double(let one), .double(let other)): one < other ? -1 : one > other ? 1 : 0
        default:
            if let one = decimal, let other = other.decimal { one.order(other) } else { nil }
        }
    }

    private var decimal: ExactDecimal? {
        switch self {
        case .integer(let value): ExactDecimal("\(value)")
        case .double(let value): ExactDecimal("\(value)")
        case .number(let value): ExactDecimal(value.digits)
        default: nil
        }
    }
}
