// A change says how one value became another. Changes are what travels through the graph of
// observables, so every operator is, at bottom, a function from changes to changes.
//
// What each kind promises, for changes `c`, `d` and values `a`, `b`:
//   * `init(from: a, to: b)` applied to `a` gives `b`;
//   * `c.merged(with: d)` applied once equals `c`, then `d`; merging is associative;
//   * `c.reversed()` undoes `c`, also when `c` is the product of merging.
//
// Applying a change to a value it was not made for is a programming error. It is refused as a whole
// (a precondition), never carried out in part.

/// A description of how one value turned into another.
public protocol ChangeType {
    /// The kind of value that changes.
    associatedtype Value

    /// The change that turns `old` into `new`.
    init(from old: Value, to new: Value)

    /// Whether applying this change is known to alter nothing.
    var isEmpty: Bool { get }

    /// Carries out this change. The value must be one the change was made for.
    func apply(on value: inout Value)

    /// One change with the effect of this one followed by `change`.
    func merged(with change: Self) -> Self

    /// The change that undoes this one.
    func reversed() -> Self
}

/// A scalar went from one value to another.
public struct ScalarChange<Value>: ChangeType {
    /// The value before.
    public let old: Value
    /// The value after.
    public let new: Value

    /// The change that turns `old` into `new`.
    public init(from old: Value, to new: Value) {
        self.old = old
        self.new = new
    }

    /// Whether both values are equal, for a type that is `Equatable`; `false` for any other.
    ///
    /// The conformance is looked up while the program runs, which takes a fraction of a microsecond.
    public var isEmpty: Bool {
        equality(of: Value.self)?(old, new) ?? false
    }

    /// Replaces `value` by the new value, whatever it was.
    public func apply(on value: inout Value) {
        value = new
    }

    /// From this change's old value to the other's new one.
    public func merged(with change: ScalarChange) -> ScalarChange {
        ScalarChange(from: old, to: change.new)
    }

    /// From the new value to the old one.
    public func reversed() -> ScalarChange {
        ScalarChange(from: new, to: old)
    }

    /// The change of a value that is computed from this one by `transform`.
    public func map<Result>(_ transform: (Value) -> Result) -> ScalarChange<Result> {
        ScalarChange<Result>(from: transform(old), to: transform(new))
    }
}

extension ScalarChange: Equatable where Value: Equatable {}

extension ScalarChange: Sendable where Value: Sendable {}

/// The `==` of a type, or `nil` if the type is not `Equatable`.
///
/// Found once for each node rather than by overloads, so that cutting off equal values works the
/// same in generic code, where overloads would silently pick the version without `==`.
func equality<Value>(of type: Value.Type) -> ((Value, Value) -> Bool)? {
    func opened<Same: Equatable>(_: Same.Type) -> (Value, Value) -> Bool {
        // `Same` is `Value`, so both casts succeed.
        { left, right in (left as? Same) == (right as? Same) }
    }
    guard let equatable = type as? any Equatable.Type else { return nil }
    return opened(equatable)
}
