/// The sum of a stream of finite `Double`s, exact: it is rounded once, when it is read.
///
/// A `Double` is a multiple of 2⁻¹⁰⁷⁴ below 2¹⁰²⁴. So the sum is kept as a fixed-point number of 2,176 bits, in digits of
/// 32 bits, to which carries are added only now and then. Numbers can be added and removed in any order: the result is
/// always the same.
package struct ExactFloatSum: Sendable {
    private static let digitBits = 32
    /// Digits of a `Double`, and of the count that they are multiplied by at most.
    private static let digitCount = 68
    /// The additions after which a digit may overflow its 64 bits, with much to spare.
    private static let mostPending = 1 << 28

    /// The number of numbers.
    package private(set) var count = 0
    /// The least first; a digit may have any value and sign until carries are added.
    private var digits = [Int64](repeating: 0, count: digitCount)
    private var pending = 0

    /// An empty sum: 0.
    package init() {}

    /// Adds a number.
    ///
    /// - Precondition: It is finite, and there are fewer than 2⁶³ − 1.
    /// - Complexity: O(1).
    package mutating func add(_ value: Double) {
        count += 1
        add(value, isNegative: value.sign == .minus)
    }

    /// Removes a number that was added before.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(1).
    package mutating func remove(_ value: Double) {
        precondition(count > 0, "a number is removed from an empty sum")
        count -= 1
        add(value, isNegative: value.sign == .plus)
    }

    /// The `Double` nearest to the sum, ties to even; infinite if the sum is beyond the greatest.
    package var value: Double { rounded(dividingBy: 1) }

    /// The `Double` nearest to the mean, ties to even; `nil` without numbers.
    package var mean: Double? { count > 0 ? rounded(dividingBy: UInt64(count)) : nil }

    private mutating func add(_ value: Double, isNegative: Bool) {
        precondition(value.isFinite, "an infinite number, or none, is added")
        if pending == Self.mostPending { carry() }
        pending += 1
        let isNormal = value.exponentBitPattern > 0
        let significand = value.significandBitPattern | (isNormal ? 1 << 52 : 0)
        // The place of the lowest bit of the significand, counted from 2⁻¹⁰⁷⁴.
        let place = isNormal ? Int(value.exponentBitPattern) - 1 : 0
        var part = UInt128(significand) << UInt128(place % Self.digitBits)
        var index = place / Self.digitBits
        while part != 0 {
            let digit = Int64(UInt32(truncatingIfNeeded: part))
            digits[index] += isNegative ? -digit : digit
            part >>= UInt128(Self.digitBits)
            index += 1
        }
    }

    /// Leaves 32 bits in each digit but the last, whose sign is that of the sum.
    private mutating func carry() {
        pending = 0
        for index in 0..<Self.digitCount - 1 {
            digits[index + 1] += digits[index] >> Int64(Self.digitBits)
            digits[index] &= Int64(UInt32.max)
        }
    }

    /// The sum without its sign, in plain digits.
    private var magnitude: (digits: [UInt32], isNegative: Bool) {
        var sum = self
        sum.carry()
        let isNegative = sum.digits[Self.digitCount - 1] < 0
        if isNegative {
            for index in sum.digits.indices { sum.digits[index].negate() }
            sum.carry()
        }
        return (sum.digits.map { UInt32(truncatingIfNeeded: $0) }, isNegative)
    }

    private func rounded(dividingBy divisor: UInt64) -> Double {
        let (digits, isNegative) = magnitude
        // Two more digits below the point: enough to round a quotient by.
        let below = 2
        var quotient = [UInt32](repeating: 0, count: below) + digits
        var remainder: UInt128 = 0
        for index in quotient.indices.reversed() {
            let part = remainder << UInt128(Self.digitBits) | UInt128(quotient[index])
            let (digit, rest) = part.quotientAndRemainder(dividingBy: UInt128(divisor))
            quotient[index] = UInt32(truncatingIfNeeded: digit)
            remainder = rest
        }
        let magnitude = Self.nearest(
            quotient, point: below * Self.digitBits, hasMore: remainder != 0)
        return isNegative ? -magnitude : magnitude
    }

    /// The `Double` nearest to a number in digits of which the lowest `point` bits are below 2⁻¹⁰⁷⁴. `hasMore` is whether
    /// the number is a little greater than its digits say.
    private static func nearest(_ digits: [UInt32], point: Int, hasMore: Bool) -> Double {
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        let highest = top * digitBits + digitBits - 1 - digits[top].leadingZeroBitCount
        /// The lowest bit that a `Double` of this size has.
        let lowest = max(highest - Double.significandBitCount, point)
        func bit(_ place: Int) -> UInt64 {
            UInt64(digits[place / digitBits] >> UInt32(place % digitBits) & 1)
        }
        var significand: UInt64 = 0
        if lowest <= highest {
            for place in (lowest...highest).reversed() {
                significand = significand << 1 | bit(place)
            }
        }
        let half = bit(lowest - 1) == 1
        let isMore = hasMore || (0..<lowest - 1).contains { bit($0) == 1 }
        if half, isMore || significand & 1 == 1 { significand += 1 }
        return Double(
            sign: .plus, exponent: lowest - point + Self.leastExponent,
            significand: Double(significand))
    }

    private static let leastExponent = -1074
}
