/// A number that neither Int64 nor Double represents exactly, kept as written.
package struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number in JSON's syntax.
    package let digits: String

    /// - Returns: nil unless `digits` is a JSON number.
    package init?(_ digits: String) {
        var scanner = JSONScanner()
        let bytes = Array(digits.utf8)
        guard let scanned = try? scanner.scanText(bytes.span), scanned.kind == .number,
            scanned.range == 0..<bytes.count
        else { return nil }
        self.digits = digits
    }

    init(scanned digits: String) {
        self.digits = digits
    }

    package var description: String { digits }

    /// The nearest Double; nil if that is not finite.
    package var doubleValue: Double? {
        guard let value = Double(digits), value.isFinite else { return nil }
        return value
    }

    /// The number, if it is written as an integer from 2⁶³ to 2⁶⁴−1.
    package var unsignedValue: UInt64? { UInt64(digits) }
}

/// The value of a scanned number, in the closest type that loses nothing.
///
/// A Double represents a number of up to 17 significant digits within its range; a number with more digits, or
/// one that overflows or underflows to zero, keeps its digits.
func numberValue(_ bytes: Span<UInt8>, _ range: Range<Int>) -> JSONValue {
    var isInteger = true
    var significant = 0
    var sawMantissaEnd = false
    for index in range {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "1")...UInt8(ascii: "9") where !sawMantissaEnd: significant += 1
        case UInt8(ascii: "0") where !sawMantissaEnd && significant > 0: significant += 1
        case UInt8(ascii: "."): isInteger = false
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            isInteger = false
            sawMantissaEnd = true
        default: break
        }
    }
    let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
    if isInteger, !(isNegative && significant == 0) {
        if let integer = integerValue(bytes, range) { return .integer(integer) }
        return .number(JSONNumber(scanned: resolvedText(bytes, range, isPlain: true)))
    }
    let text = resolvedText(bytes, range, isPlain: true)
    guard significant <= 17, let double = Double(text), double.isFinite,
        double != 0 || significant == 0
    else { return .number(JSONNumber(scanned: text)) }
    return .double(double)
}

/// The integer in that range, if it is one within Int64.
func integerValue(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
    var value: Int64 = 0
    var at = range.lowerBound
    let isNegative = bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    guard at < range.upperBound else { return nil }
    while at < range.upperBound {
        let digit = bytes[at] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        let (tenfold, high) = value.multipliedReportingOverflow(by: 10)
        let (sum, low) = tenfold.subtractingReportingOverflow(Int64(digit))
        guard !high, !low else { return nil }
        value = sum
        at += 1
    }
    // Accumulated negatively, because the least Int64 has no positive counterpart.
    if isNegative { return value }
    return value == .min ? nil : -value
}
