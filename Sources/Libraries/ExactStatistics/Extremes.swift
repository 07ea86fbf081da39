/// The least and the greatest of a stream of values without removals.
///
/// Values can't be removed, since their successors are not stored; ``RunningExtremes`` stores them.
public struct Extremes<Value: Comparable> {
    @usableFromInline
    struct Bounds {
        @usableFromInline let least: Value
        @usableFromInline let greatest: Value

        @inlinable
        init(least: Value, greatest: Value) {
            self.least = least
            self.greatest = greatest
        }
    }

    // One optional, not two: an addition needs a single check.
    @usableFromInline var bounds: Bounds?

    /// The least value; `nil` without values.
    @inlinable public var least: Value? { bounds?.least }
    /// The greatest value; `nil` without values.
    @inlinable public var greatest: Value? { bounds?.greatest }

    /// Empty extremes.
    @inlinable
    public init() {}

    /// The extremes of some values.
    ///
    /// - Complexity: O(n).
    @inlinable
    public init(_ values: some Sequence<Value>) {
        self.init()
        for value in values { add(value) }
    }

    init(bounds: Bounds) {
        self.bounds = bounds
    }

    /// Adds a value. A value that compares with nothing, such as NaN, is ignored.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func add(_ value: Value) {
        guard value == value else { return }
        guard let bounds else {
            bounds = Bounds(least: value, greatest: value)
            return
        }
        if value < bounds.least {
            self.bounds = Bounds(least: value, greatest: bounds.greatest)
        } else if value > bounds.greatest {
            self.bounds = Bounds(least: bounds.least, greatest: value)
        }
    }

    /// Adds all values of another stream.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func merge(_ other: Extremes) {
        if let least = other.least { add(least) }
        if let greatest = other.greatest { add(greatest) }
    }
}

extension Extremes.Bounds: Equatable {}
extension Extremes.Bounds: Hashable where Value: Hashable {}
extension Extremes.Bounds: Sendable where Value: Sendable {}
extension Extremes: Equatable {}
extension Extremes: Hashable where Value: Hashable {}
extension Extremes: Sendable where Value: Sendable {}
