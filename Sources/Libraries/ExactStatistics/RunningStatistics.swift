/// Count, sum, mean, least and greatest of integers that can be added and removed; all of them exact.
///
/// It stores the numbers, like ``RunningExtremes``.
public struct RunningStatistics<Value: ExactNumber>: Sendable {
    @usableFromInline var mean = ExactMean<Value>()
    @usableFromInline var extremes = RunningExtremes<Value>()

    /// Empty statistics.
    public init() {}

    /// The number of numbers.
    public var count: Int { mean.count }

    /// Adds a number.
    ///
    /// - Precondition: There are fewer than 2⁶³ − 1 numbers.
    /// - Complexity: O(log n).
    @inlinable
    public mutating func add(_ value: Value) {
        mean.add(value)
        extremes.add(value)
    }

    /// Removes a number that was added before.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(log n), amortized.
    @inlinable
    public mutating func remove(_ value: Value) {
        mean.remove(value)
        extremes.remove(value)
    }

    #if DEBUG
    package func checkInvariants() {
        extremes.checkInvariants()
        precondition(mean.count == extremes.count, "the parts have seen different numbers")
    }
    #endif
}

extension RunningStatistics: RunningSummary {
    /// The current statistics.
    public var summary: Statistics<Value> {
        Statistics(mean: mean, extremes: extremes.summary)
    }
}
