/// A summary of a stream of values that follows additions and removals.
///
/// ``ExactSum``, ``ExactMean``, ``CompensatedSum``, ``RunningExtremes`` and ``RunningStatistics``
/// conform. Remove only values that were added: a summary does not know its values.
public protocol RunningSummary<Value> {
    /// The type of the values.
    associatedtype Value
    /// The result: small, and independent of the stream.
    associatedtype Summary

    /// An empty summary.
    init()

    /// Adds a value.
    mutating func add(_ value: Value)

    /// Removes a value that was added before, in any order.
    mutating func remove(_ value: Value)

    /// The current result.
    var summary: Summary { get }
}
