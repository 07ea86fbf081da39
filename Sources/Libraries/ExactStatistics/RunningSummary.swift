/// What is kept of a stream of values, and stays true as they come and go.
///
/// ``ExactSum``, ``ExactMean``, ``CompensatedSum``, ``RunningExtremes`` and ``RunningStatistics`` are
/// such. Whoever takes a value back must have added it: a summary does not know which values it has.
public protocol RunningSummary<Value> {
    /// What comes and goes.
    associatedtype Value
    /// What is told of it: small, and no longer tied to the stream.
    associatedtype Summary

    /// The summary of nothing yet.
    init()

    /// Adds a value.
    mutating func add(_ value: Value)

    /// Takes back a value that was added before, in any order.
    mutating func remove(_ value: Value)

    /// What there is to tell now.
    var summary: Summary { get }
}
