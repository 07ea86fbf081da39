package import JSONText

/// A whole number that is never rounded: a JSON number up to 2⁵³, the limit that every JSON reader represents
/// exactly, and a string of its decimal digits beyond.
package struct ExactInteger: Hashable, Sendable {
    private static let largestNumber: UInt128 = 1 << 53

    package let value: UInt128

    package init(_ value: UInt128) { self.value = value }
    package init(_ value: UInt64) { self.value = UInt128(value) }
}

extension ExactInteger: WireWritable {
    package func write(to writer: inout JSONWriter) {
        if value <= Self.largestNumber {
            writer.integer(UInt64(value))
        } else {
            writer.string(String(value))
        }
    }
}

extension ParameterReader {
    package func exactInteger(_ name: String) throws(ProtocolError) -> ExactInteger {
        try required(name, optionalExactInteger(name), Self.exactIntegerWords)
    }

    package func optionalExactInteger(_ name: String) throws(ProtocolError) -> ExactInteger? {
        guard let view = view(name) else { return nil }
        if let value = view.integerValue, value >= 0 { return ExactInteger(UInt64(value)) }
        // Digits only: UInt128 would accept a plus sign, too.
        if let text = view.stringValue, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = UInt128(text)
        {
            return ExactInteger(value)
        }
        throw invalid(name, mustBe: Self.exactIntegerWords)
    }

    private static var exactIntegerWords: String {
        "an integer, 0 or more, or a string of its digits"
    }
}
