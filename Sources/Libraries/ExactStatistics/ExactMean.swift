/// The mean of a stream of whole numbers, exact whatever their size, with their sum.
///
/// A running mean of rounded halves drifts; this keeps the whole sum, in twice the width, and
/// divides once, when asked. Numbers can be added, taken back, and whole streams joined, in any
/// order: the result is the same to the last digit.
///
/// ```swift
/// var mean = ExactMean<UInt8>()
/// mean.add(233)
/// mean.add(212)
/// mean.rounded   // 222, the even neighbour of 222.5
/// ```
///
/// An empty stream has no mean: each of them is nil then, never 0.
public struct ExactMean<Value: ExactNumber>: Hashable, Sendable {
    @usableFromInline var numbers: ExactSum<Value>

    /// The sum of the numbers, and how many there are.
    @inlinable public var sum: ExactSum<Value> { numbers }

    /// The mean of nothing yet.
    @inlinable
    public init() {
        self.init(ExactSum())
    }

    /// The mean of some numbers.
    ///
    /// - Complexity: O(n).
    @inlinable
    public init(_ values: some Sequence<Value>) {
        self.init(ExactSum(values))
    }

    /// The mean of the numbers that a sum was made of.
    @inlinable
    public init(_ sum: ExactSum<Value>) {
        numbers = sum
    }

    /// How many numbers there are.
    public var count: Int { sum.count }

    /// Adds a number.
    ///
    /// - Precondition: There are fewer than 2⁶³ − 1 numbers.
    /// - Complexity: O(1).
    @inlinable
    public mutating func add(_ value: Value) {
        numbers.add(value)
    }

    /// Takes back a number that was added before.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(1).
    @inlinable
    public mutating func remove(_ value: Value) {
        numbers.remove(value)
    }

    /// Adds all numbers of another stream.
    ///
    /// - Precondition: Both together have at most 2⁶³ − 1 numbers.
    /// - Complexity: O(1).
    @inlinable
    public mutating func merge(_ other: ExactMean) {
        numbers.merge(other.numbers)
    }

    /// The mean as a whole number and what is left over: the sum is
    /// `quotient * count + remainder`, and the remainder has the sign of the sum.
    public var quotientAndRemainder: (quotient: Value, remainder: Int)? {
        guard count > 0 else { return nil }
        let (quotient, remainder) = sum.wide.quotientAndRemainder(dividingBy: Value.Wide(count))
        // A mean lies between the least and the greatest number, so it is a Value again; and a
        // remainder is less than the count.
        return (Value(quotient), Int(remainder))
    }

    /// The mean, rounded down; downwards for negative means too.
    public var floor: Value? {
        guard let (quotient, remainder) = quotientAndRemainder else { return nil }
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The mean, rounded to the nearest whole number; of two equally near ones, to the even one.
    public var rounded: Value? {
        guard let (quotient, remainder) = quotientAndRemainder else { return nil }
        let floor = remainder < 0 ? quotient - 1 : quotient
        // What is left above the floor, from 0 to below the count, doubled by comparing halves.
        let above = remainder < 0 ? remainder + count : remainder
        let below = count - above
        if above < below { return floor }
        if above > below { return floor + 1 }
        return floor.isMultiple(of: 2) ? floor : floor + 1
    }

    /// The `Double` that is nearest to the mean; of two equally near ones, the even one.
    public var nearestDouble: Double? {
        guard count > 0 else { return nil }
        return nearestQuotient(
            UInt128(sum.wide.magnitude), UInt64(count), isNegative: sum.wide < 0)
    }
}

extension ExactMean: RunningSummary {
    /// The mean itself.
    public var summary: ExactMean { self }
}

/// The `Double` nearest to a quotient, rounded once.
///
/// The dividend is shifted up until its highest bit is set, so that the quotient has 65 bits at least.
/// The first 64 of them, with the last standing for whatever comes after too, round as all of them
/// would: a `Double` keeps 53.
private func nearestQuotient(
    _ dividend: UInt128, _ divisor: UInt64, isNegative: Bool
) -> Double {
    guard dividend > 0 else { return 0 }
    let shift = dividend.leadingZeroBitCount
    let (quotient, remainder) = (dividend << shift).quotientAndRemainder(
        dividingBy: UInt128(divisor))
    let surplus = 64 - quotient.leadingZeroBitCount
    let kept = UInt64(truncatingIfNeeded: quotient >> surplus)
    let isExact = remainder == 0 && (UInt128(kept) << surplus) == quotient
    return Double(
        sign: isNegative ? .minus : .plus, exponent: surplus - shift,
        significand: Double(isExact ? kept : kept | 1))
}
