/// Count, sum, mean, least and greatest of a stream of integers without removals; all of them exact.
///
/// It takes a few dozen bytes whatever the count, and an addition a few instructions, so it can be part
/// of every request. ``RunningStatistics`` also supports removals.
///
/// ```swift
/// var sizes = Statistics<Int>()
/// for size in [3, 10, 4] { sizes.add(size) }
/// sizes.mean.rounded   // 6, of 17/3
/// sizes.least          // 3
/// ```
public struct Statistics<Value: ExactNumber>: Hashable, Sendable {
    @usableFromInline var middle: ExactMean<Value>
    @usableFromInline var ends: Extremes<Value>

    /// The mean, with the sum and the count.
    @inlinable public var mean: ExactMean<Value> { middle }
    /// The least and the greatest.
    @inlinable public var extremes: Extremes<Value> { ends }

    /// Empty statistics.
    @inlinable
    public init() {
        middle = ExactMean()
        ends = Extremes()
    }

    /// The statistics of some numbers.
    ///
    /// - Complexity: O(n).
    @inlinable
    public init(_ values: some Sequence<Value>) {
        self.init()
        for value in values { add(value) }
    }

    /// The statistics of numbers with this mean and these extremes.
    package init(mean: ExactMean<Value>, extremes: Extremes<Value>) {
        middle = mean
        ends = extremes
    }

    /// The number of numbers.
    public var count: Int { mean.count }
    /// Their sum.
    public var sum: ExactSum<Value> { mean.sum }
    /// The least number; `nil` without numbers.
    public var least: Value? { extremes.least }
    /// The greatest number; `nil` without numbers.
    public var greatest: Value? { extremes.greatest }

    /// Adds a number.
    ///
    /// - Precondition: There are fewer than 2⁶³ − 1 numbers.
    /// - Complexity: O(1).
    @inlinable
    public mutating func add(_ value: Value) {
        middle.add(value)
        ends.add(value)
    }

    /// Adds all numbers of another stream.
    ///
    /// - Precondition: Both together have at most 2⁶³ − 1 numbers.
    /// - Complexity: O(1).
    @inlinable
    public mutating func merge(_ other: Statistics) {
        middle.merge(other.middle)
        ends.merge(other.ends)
    }
}
