/// Count, sum, mean, least and greatest of whole numbers that come and go; all of them exact.
///
/// It keeps the numbers, as ``RunningExtremes`` does.
public struct RunningStatistics<Value: ExactNumber>: Sendable {
    @usableFromInline var mean = ExactMean<Value>()
    @usableFromInline var extremes = RunningExtremes<Value>()

    /// The statistics of nothing yet.
    public init() {}

    /// How many numbers there are.
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

    /// Takes back a number that was added before.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(log n), amortised.
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
    /// The statistics as they are now.
    public var summary: Statistics<Value> {
        Statistics(mean: mean, extremes: extremes.summary)
    }
}
