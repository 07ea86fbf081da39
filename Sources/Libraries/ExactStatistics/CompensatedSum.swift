/// The sum of a stream of `Double`s that compensates for rounding errors.
///
/// Each addition is split into its rounded result and the exact error of that rounding; the errors are
/// summed separately. This is the algorithm Sum2 of T. Ogita, S. M. Rump and S. Oishi, *Accurate sum and
/// dot product*, SIAM Journal on Scientific Computing 26 (2005), with the error-free addition of D. E.
/// Knuth, *The Art of Computer Programming*, volume 2, section 4.2.2. The result is as good as one of
/// twice the precision, rounded once at the end; ``errorBound`` limits its error.
///
/// ```swift
/// var sum = CompensatedSum([1e16, 1, -1e16])
/// sum.value   // 1.0, where plain addition gives 0
/// sum.remove(1)
/// sum.value   // 0.0
/// ```
///
/// Infinities and NaN are counted, not added: after their removal, the sum of the others is available
/// again. This does not hold for a sum that overflows the greatest `Double` in between: ``value`` is
/// then infinite or NaN.
public struct CompensatedSum: Hashable, Sendable {
    /// The number of numbers.
    public private(set) var count = 0

    /// The sum, rounded at each addition.
    private var rounded = 0.0
    /// The sum of the rounding errors.
    private var lost = 0.0
    /// The sum of the absolute values of all numbers ever added or removed.
    private var magnitude = 0.0
    /// The number of rounded additions so far, with those of merged streams.
    private var steps = 0
    private var infinities = 0
    private var negativeInfinities = 0
    private var undefined = 0

    /// An empty sum: 0.
    public init() {}

    /// The sum of some numbers.
    ///
    /// - Complexity: O(n).
    public init(_ values: some Sequence<Double>) {
        for value in values { add(value) }
    }

    /// The sum.
    public var value: Double {
        if undefined > 0 || infinities > 0 && negativeInfinities > 0 { return .nan }
        if infinities > 0 { return .infinity }
        if negativeInfinities > 0 { return -.infinity }
        return rounded.isFinite ? rounded + lost : rounded
    }

    /// The mean: the sum divided by the count, rounded once more; `nil` without numbers.
    ///
    /// Its error is at most ``errorBound`` divided by the count, plus half a unit in the last place.
    public var mean: Double? { count > 0 ? value / Double(count) : nil }

    /// An upper bound of the distance of ``value`` from the exact sum of the current numbers.
    ///
    /// With u = 2⁻⁵³, m numbers added and removed so far, and S the sum of their absolute values, it is
    /// u·|value| + (2·m·u)²·S, rounded up generously. The first part is the final rounding; the second,
    /// the errors in the sum of errors, is smaller as long as S is below 2⁵¹/m² times the sum.
    /// Meaningless if ``value`` is not finite, and beyond 2⁴⁸ numbers.
    public var errorBound: Double {
        let unit = 0x1p-53
        let drift = 2 * Double(steps) * unit
        return 1.001 * (unit * value.magnitude + drift * drift * magnitude)
    }

    /// Adds a number.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ value: Double) {
        count += 1
        addSigned(value, 1)
    }

    /// Removes a number that was added before.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(1).
    public mutating func remove(_ value: Double) {
        precondition(count > 0, "a number is removed from an empty sum")
        count -= 1
        addSigned(value, -1)
    }

    /// Adds all numbers of another stream.
    ///
    /// - Complexity: O(1).
    public mutating func merge(_ other: CompensatedSum) {
        count += other.count
        infinities += other.infinities
        negativeInfinities += other.negativeInfinities
        undefined += other.undefined
        accumulate(other.rounded)
        lost += other.lost
        magnitude += other.magnitude
        steps += other.steps
    }

    private mutating func addSigned(_ value: Double, _ sign: Int) {
        guard value.isFinite else {
            switch value {
            case .infinity: infinities += sign
            case -.infinity: negativeInfinities += sign
            default: undefined += sign
            }
            return
        }
        magnitude += value.magnitude
        accumulate(sign > 0 ? value : -value)
    }

    /// Adds to the rounded sum, and the rounding error to the lost part.
    private mutating func accumulate(_ value: Double) {
        steps += 1
        let sum = rounded + value
        // This form needs no comparison of the two.
        let added = sum - rounded
        lost += (rounded - (sum - added)) + (value - added)
        rounded = sum
    }
}

extension CompensatedSum: RunningSummary {
    /// The sum itself.
    public var summary: CompensatedSum { self }
}
