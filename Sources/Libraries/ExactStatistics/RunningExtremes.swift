/// The least and the greatest of values that come and go.
///
/// The values are kept, each in two heaps: 2n of them for n values, and up to twice that while values
/// that have gone wait to be swept out.
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

    /// The extremes of nothing yet.
    public init() {}

    /// How many values there are that compare with others.
    public var count: Int { ascending.count }

    /// The least value; nil if there is none.
    ///
    /// - Complexity: O(1).
    @inlinable public var least: Value? { ascending.top }

    /// The greatest value; nil if there is none.
    ///
    /// - Complexity: O(1).
    @inlinable public var greatest: Value? { descending.top }

    /// Adds a value. One that compares with nothing, such as NaN, is left out.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public mutating func add(_ value: Value) {
        guard value == value else { return }
        ascending.add(value)
        descending.add(value)
    }

    /// Takes back a value that was added before. One that compares with nothing was left out, and is
    /// again.
    ///
    /// Of equal values it is not told which one goes. Taking back one that never was there makes
    /// extremes that never were.
    ///
    /// - Precondition: There is at least one value.
    /// - Complexity: O(log n), amortised over as many additions and removals as there are values.
    @inlinable
    public mutating func remove(_ value: Value) {
        guard value == value else { return }
        precondition(ascending.count > 0, "a value is taken out where there is none")
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
    /// The extremes as they are now.
    public var summary: Extremes<Value> {
        guard let least, let greatest else { return Extremes() }
        return Extremes(bounds: .init(least: least, greatest: greatest))
    }
}
