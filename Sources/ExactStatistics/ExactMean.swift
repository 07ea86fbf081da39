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
    /// The sum of the numbers, and how many there are.
    public private(set) var sum: ExactSum<Value>

    /// The mean of nothing yet.
    public init() {
        sum = ExactSum()
    }

    /// The mean of some numbers.
    ///
    /// - Complexity: O(n).
    public init(_ values: some Sequence<Value>) {
        sum = ExactSum(values)
    }

    /// The mean of the numbers that a sum was made of.
    public init(_ sum: ExactSum<Value>) {
        self.sum = sum
    }

    /// How many numbers there are.
    public var count: Int { sum.count }

    /// Adds a number.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ value: Value) {
        sum.add(value)
    }

    /// Takes back a number that was added before.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(1).
    public mutating func remove(_ value: Value) {
        sum.remove(value)
    }

    /// Adds all numbers of another stream.
    ///
    /// - Complexity: O(1).
    public mutating func merge(_ other: ExactMean) {
        sum.merge(other.sum)
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
        guard let floor, let (_, remainder) = quotientAndRemainder else { return nil }
        // What is left above the floor, from 0 to below the count, doubled by comparing halves.
        let above = remainder < 0 ? remainder + count : remainder
        let below = count - above
        if above < below { return floor }
        if above > below { return floor + 1 }
        return floor.isMultiple(of: 2) ? floor : floor + 1
    }

    /// The mean as a `Double`: the sum, rounded once, divided by the count, rounded once.
    public var approximate: Double? {
        count > 0 ? Double(sum.wide) / Double(count) : nil
    }
}
