/// The least and the greatest of a stream of values that only grows.
///
/// A value can't be taken back: which one is next is not kept. Where values leave, make it anew.
public struct Extremes<Value: Comparable> {
    /// The least value; nil if there is none.
    public private(set) var least: Value?
    /// The greatest value; nil if there is none.
    public private(set) var greatest: Value?

    /// The extremes of nothing yet.
    public init() {}

    /// The extremes of some values.
    ///
    /// - Complexity: O(n).
    public init(_ values: some Sequence<Value>) {
        for value in values { add(value) }
    }

    /// Adds a value. One that compares with nothing, such as NaN, is left out.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ value: Value) {
        guard value == value else { return }
        guard let least, let greatest else {
            least = value
            greatest = value
            return
        }
        if value < least { self.least = value }
        if value > greatest { self.greatest = value }
    }

    /// Adds all values of another stream.
    ///
    /// - Complexity: O(1).
    public mutating func merge(_ other: Extremes) {
        if let least = other.least { add(least) }
        if let greatest = other.greatest { add(greatest) }
    }
}

extension Extremes: Equatable {}
extension Extremes: Hashable where Value: Hashable {}
extension Extremes: Sendable where Value: Sendable {}
