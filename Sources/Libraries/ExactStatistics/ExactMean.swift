/// The mean of a stream of integers, exact whatever their size, with their sum.
///
/// A running mean of rounded parts drifts; this keeps the whole sum, in twice the width, and divides
/// once, when read. Numbers can be added and removed, and streams can be merged, in any order: the
/// result is always the same.
///
/// ```swift
/// var mean = ExactMean<UInt8>()
/// mean.add(233)
/// mean.add(212)
/// mean.rounded   // 222, the even neighbour of 222.5
/// ```
///
/// An empty stream has no mean: all its means are `nil`, never 0.
public struct ExactMean<Value: ExactNumber>: Hashable, Sendable {
    @usableFromInline var numbers: ExactSum<Value>

    /// The sum and the count of the numbers.
    @inlinable public var sum: ExactSum<Value> { numbers }

    /// An empty mean.
    @inlinable
    public init() {
        numbers = ExactSum()
    }

    /// The mean of some numbers.
    ///
    /// - Complexity: O(n).
    @inlinable
    public init(_ values: some Sequence<Value>) {
        self.init(ExactSum(values))
    }

    /// The mean of the numbers of a sum.
    @inlinable
    public init(_ sum: ExactSum<Value>) {
        numbers = sum
    }

    /// The number of numbers.
    public var count: Int { sum.count }

    /// Adds a number.
    ///
    /// - Precondition: There are fewer than 2⁶³ − 1 numbers.
    /// - Complexity: O(1).
    @inlinable
    public mutating func add(_ value: Value) {
        numbers.add(value)
    }

    /// Removes a number that was added before.
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

    /// The mean as an integer and a remainder: the sum is `quotient * count + remainder`, and the
    /// remainder has the sign of the sum.
    public var quotientAndRemainder: (quotient: Value, remainder: Int)? {
        guard count > 0 else { return nil }
        let (quotient, remainder) = sum.wide.quotientAndRemainder(dividingBy: Value.Wide(count))
        // A mean lies between the least and the greatest number, so it fits into a Value; and a
        // remainder is less than the count.
        return (Value(quotient), Int(remainder))
    }

    /// The mean, rounded down, also for negative means.
    public var floor: Value? {
        guard let (quotient, remainder) = quotientAndRemainder else { return nil }
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The mean, rounded to the nearest integer; halves are rounded to even.
    public var rounded: Value? {
        guard let (quotient, remainder) = quotientAndRemainder else { return nil }
        let floor = remainder < 0 ? quotient - 1 : quotient
        // The remainder above the floor, from 0 to below the count, doubled by comparing halves.
        let above = remainder < 0 ? remainder + count : remainder
        let below = count - above
        if above < below { return floor }
        if above > below { return floor + 1 }
        return floor.isMultiple(of: 2) ? floor : floor + 1
    }

    /// The `Double` nearest to the mean; ties go to the even one.
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
/// The dividend is shifted up until its highest bit is set, so that the quotient has at least 65 bits.
/// The first 64 of them, whose last bit includes all later ones, round like all of them: a `Double`
/// keeps 53.
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
