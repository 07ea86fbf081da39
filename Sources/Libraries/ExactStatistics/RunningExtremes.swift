/// The least and the greatest of values that can be added and removed.
///
/// The values are stored in two heaps: 2n of them for n values, and up to twice that while removed
/// values wait for a sweep.
///
/// ```swift
/// var extremes = RunningExtremes<Int>()
/// for value in [5, 1, 9, 9] { extremes.add(value) }
/// extremes.remove(9)
/// extremes.greatest   // 9, which came twice
/// extremes.remove(9)
/// extremes.greatest   // 5
/// ```
public struct RunningExtremes<Value: Comparable> {
    @usableFromInline var ascending = ShrinkingHeap<Value>(descending: false)
    @usableFromInline var descending = ShrinkingHeap<Value>(descending: true)

    /// Empty extremes.
    public init() {}

    /// The number of values that compare with others.
    public var count: Int { ascending.count }

    /// The least value; `nil` without values.
    ///
    /// - Complexity: O(1).
    @inlinable public var least: Value? { ascending.top }

    /// The greatest value; `nil` without values.
    ///
    /// - Complexity: O(1).
    @inlinable public var greatest: Value? { descending.top }

    /// Adds a value. A value that compares with nothing, such as NaN, is ignored.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public mutating func add(_ value: Value) {
        guard value == value else { return }
        ascending.add(value)
        descending.add(value)
    }

    /// Removes a value that was added before. A value that compares with nothing was ignored, and is
    /// ignored again.
    ///
    /// Which of several equal values is removed is unspecified. Removing a value that was not added
    /// gives meaningless extremes.
    ///
    /// - Precondition: There is at least one value.
    /// - Complexity: O(log n), amortized over as many additions and removals as there are values.
    @inlinable
    public mutating func remove(_ value: Value) {
        guard value == value else { return }
        precondition(ascending.count > 0, "a value is removed from empty extremes")
        ascending.remove(value)
        descending.remove(value)
    }

    #if DEBUG
    package func checkInvariants() {
        ascending.checkInvariants()
        descending.checkInvariants()
        precondition(ascending.count == descending.count, "the heaps hold different values")
    }
    #endif
}

extension RunningExtremes: Sendable where Value: Sendable {}

extension RunningExtremes: RunningSummary {
    /// The current extremes.
    public var summary: Extremes<Value> {
        guard let least, let greatest else { return Extremes() }
        return Extremes(bounds: .init(least: least, greatest: greatest))
    }
}
