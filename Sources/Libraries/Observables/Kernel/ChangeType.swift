// A change describes how one value became another. The graph of observables propagates changes, so every
// operator is a function from changes to changes.
//
// Laws, for changes `c`, `d` and values `a`, `b`:
//   * `init(from: a, to: b)` applied to `a` gives `b`;
//   * `c.merged(with: d)` applied once equals `c`, then `d`; merging is associative;
//   * `c.reversed()` undoes `c`, also when `c` is the product of merging.
//
// Applying a change to a value it was not made for is a programming error. A precondition refuses the
// whole change; no change is applied in part.

/// A description of how one value turned into another.
public protocol ChangeType {
    /// The type of the value.
    associatedtype Value

    /// The change that turns `old` into `new`.
    init(from old: Value, to new: Value)

    /// Whether this change is known to have no effect.
    var isEmpty: Bool { get }

    /// Applies this change. `value` must be one the change was made for.
    func apply(on value: inout Value)

    /// A change with the effect of this change followed by `change`.
    func merged(with change: Self) -> Self

    /// The change that undoes this one.
    func reversed() -> Self
}

/// The change of a scalar from one value to another.
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
    /// The conformance is looked up at run time, which takes a fraction of a microsecond.
    public var isEmpty: Bool {
        equality(of: Value.self)?(old, new) ?? false
    }

    /// Sets `value` to the new value, whatever it was.
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

    /// The change of a value that `transform` computes from this one.
    public func map<Result>(_ transform: (Value) -> Result) -> ScalarChange<Result> {
        ScalarChange<Result>(from: transform(old), to: transform(new))
    }
}

extension ScalarChange: Equatable where Value: Equatable {}

extension ScalarChange: Sendable where Value: Sendable {}

/// The `==` of a type, or `nil` if the type is not `Equatable`.
///
/// Looked up once per node instead of by overloads, so that equal values are cut off in generic code
/// too, where overload resolution would silently pick the version without `==`.
func equality<Value>(of type: Value.Type) -> ((Value, Value) -> Bool)? {
    func opened<Same: Equatable>(_: Same.Type) -> (Value, Value) -> Bool {
        // `Same` is `Value`, so both casts succeed.
        { left, right in (left as? Same) == (right as? Same) }
    }
    guard let equatable = type as? any Equatable.Type else { return nil }
    return opened(equatable)
}
