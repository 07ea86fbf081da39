public import ExactStatistics
public import Observables

// Statistics of the elements of a set, as observables. Each keeps its state while it is observed, and is
// computed on each read otherwise.

extension ObservableSetType {
    /// The result of a running summary of a value of each element.
    ///
    /// - Parameters:
    ///   - kept: An empty summary.
    ///   - value: The value of an element; `nil` ignores the element. It must depend on its argument only: it is
    ///     also called for an element that leaves.
    /// - Returns: The summary, as an observable.
    /// - Complexity: one call of `value`, and one addition or removal, for each changed element.
    @inlinable
    public func summary<Kept: RunningSummary>(
        _ kept: Kept = Kept(), of value: @escaping (Element) -> Kept.Value?
    ) -> Observable<Kept.Summary> {
        reduce(
            into: kept,
            add: { kept, element in if let value = value(element) { kept.add(value) } },
            remove: { kept, element in if let value = value(element) { kept.remove(value) } },
            giving: { $0.summary })
    }

    /// The exact sum of a number of each element, with their count.
    ///
    /// - Parameter value: The number of an element; `nil` ignores it. It must depend on its argument
    ///   only.
    /// - Returns: The sum, as an observable.
    /// - Complexity: O(1) for each changed element.
    @inlinable
    public func exactSum<Value: ExactNumber>(
        of value: @escaping (Element) -> Value?
    ) -> Observable<ExactSum<Value>> {
        summary(ExactSum<Value>(), of: value)
    }

    /// The exact mean of a number of each element, with sum and count.
    ///
    /// - Parameter value: The number of an element; `nil` ignores it. It must depend on its argument
    ///   only.
    /// - Returns: The mean, as an observable.
    /// - Complexity: O(1) for each changed element.
    @inlinable
    public func exactMean<Value: ExactNumber>(
        of value: @escaping (Element) -> Value?
    ) -> Observable<ExactMean<Value>> {
        summary(ExactMean<Value>(), of: value)
    }

    /// The least and the greatest value of all elements.
    ///
    /// - Parameter value: The value of an element; `nil` ignores it. It must depend on its argument
    ///   only.
    /// - Returns: The extremes, as an observable.
    /// - Complexity: O(log n) for each changed element, amortized.
    @inlinable
    public func extremes<Value: Comparable>(
        of value: @escaping (Element) -> Value?
    ) -> Observable<Extremes<Value>> {
        summary(RunningExtremes<Value>(), of: value)
    }

    /// Count, exact sum and mean, least and greatest of a number of each element.
    ///
    /// - Parameter value: The number of an element; `nil` ignores it. It must depend on its argument
    ///   only.
    /// - Returns: The statistics, as an observable.
    /// - Complexity: O(log n) for each changed element, amortized; O(1) for all but the extremes.
    @inlinable
    public func statistics<Value: ExactNumber>(
        of value: @escaping (Element) -> Value?
    ) -> Observable<Statistics<Value>> {
        summary(RunningStatistics<Value>(), of: value)
    }
}
