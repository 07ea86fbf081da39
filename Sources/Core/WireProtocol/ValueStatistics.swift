package import JSONText

/// The values of an attribute that documents have: a member of the result of `documents.stats`.
package struct ValueStatistics: Hashable, Sendable {
    /// A number as it is sent.
    package enum Number: Hashable, Sendable {
        /// Never rounded.
        case integer(Int128)
        case real(Double)
    }

    /// Without values the sum is 0, and the others are nil.
    package struct Numbers: Hashable, Sendable {
        /// Whether they are times, in seconds since 1970 UTC, which have no sum.
        package var areTimes: Bool
        /// Nil for times, and beyond the greatest `Double`.
        package var sum: Number?
        package var mean: Double?
        package var min: Number?
        package var max: Number?

        package init(
            areTimes: Bool = false, sum: Number?, mean: Double?, min: Number?, max: Number?
        ) {
            self.areTimes = areTimes
            self.sum = sum
            self.mean = mean
            self.min = min
            self.max = max
        }
    }

    /// The documents that have a value.
    package var count: Int
    /// Nil for texts and booleans.
    package var numbers: Numbers?

    package init(count: Int, numbers: Numbers?) {
        self.count = count
        self.numbers = numbers
    }
}

extension ValueStatistics: WireWritable, WireReadable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", count)
            guard let numbers else { return }
            if !numbers.areTimes { writer.number("sum", numbers.sum) }
            writer.number("mean", numbers.mean.map { .real($0) })
            writer.number("min", numbers.min)
            writer.number("max", numbers.max)
        }
    }

    package init(reading reader: ParameterReader) throws(ProtocolError) {
        count = try reader.int("count", in: 0...Int.max)
        numbers = nil
        guard reader.has("mean") else { return }
        numbers = try Numbers(
            areTimes: !reader.has("sum"), sum: reader.optionalNumber("sum"),
            mean: reader.optionalDouble("mean"),
            min: reader.optionalNumber("min"), max: reader.optionalNumber("max"))
    }
}

extension JSONWriter {
    /// The greatest integer that every JSON reader represents exactly.
    private static var largestNumber: Int128 { 1 << 53 }

    fileprivate mutating func number(_ name: StaticString, _ value: ValueStatistics.Number?) {
        key(name)
        switch value {
        case .integer(let integer) where integer.magnitude <= Self.largestNumber.magnitude:
            self.integer(Int64(integer))
        case .integer(let integer): string(String(integer))
        case .real(let real) where real.isFinite: self.value(JSONValue(real))
        case .real, nil: null()
        }
    }
}

extension ParameterReader {
    fileprivate func optionalNumber(
        _ name: String
    ) throws(ProtocolError) -> ValueStatistics.Number? {
        guard let view = view(name) else { return nil }
        if let value = view.integerValue { return .integer(Int128(value)) }
        if let text = view.stringValue, !text.hasPrefix("+"), let value = Int128(text) {
            return .integer(value)
        }
        guard let value = view.doubleValue, value.isFinite else {
            throw invalid(name, mustBe: "a number, or an integer as a string of its digits")
        }
        return .real(value)
    }
}
