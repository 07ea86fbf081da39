// Operators of an observable and a plain value, on either side: `count + 1`, `1 - share`, `age >= 18`.

/// The sum of an observable and a value.
///
/// - Complexity: one evaluation for a change.
public func + <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Operand.Value> where Operand.Value: AdditiveArithmetic {
    left.map { $0 + right }
}

/// The sum of a value and an observable.
///
/// - Complexity: one evaluation for a change.
public func + <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Operand.Value> where Operand.Value: AdditiveArithmetic {
    right.map { left + $0 }
}

/// The difference of an observable and a value.
///
/// - Complexity: one evaluation for a change.
public func - <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Operand.Value> where Operand.Value: AdditiveArithmetic {
    left.map { $0 - right }
}

/// The difference of a value and an observable.
///
/// - Complexity: one evaluation for a change.
public func - <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Operand.Value> where Operand.Value: AdditiveArithmetic {
    right.map { left - $0 }
}

/// The product of an observable and a value.
///
/// - Complexity: one evaluation for a change.
public func * <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Operand.Value> where Operand.Value: Numeric {
    left.map { $0 * right }
}

/// The product of a value and an observable.
///
/// - Complexity: one evaluation for a change.
public func * <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Operand.Value> where Operand.Value: Numeric {
    right.map { left * $0 }
}

/// The quotient of an observable integer and a value. The divisor must never be zero.
///
/// - Complexity: one evaluation for a change.
public func / <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Operand.Value> where Operand.Value: BinaryInteger {
    left.map { $0 / right }
}

/// The quotient of a value and an observable integer. The divisor must never be zero.
///
/// - Complexity: one evaluation for a change.
public func / <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Operand.Value> where Operand.Value: BinaryInteger {
    right.map { left / $0 }
}

/// The quotient of an observable floating-point number and a value.
///
/// - Complexity: one evaluation for a change.
public func / <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Operand.Value> where Operand.Value: FloatingPoint {
    left.map { $0 / right }
}

/// The quotient of a value and an observable floating-point number.
///
/// - Complexity: one evaluation for a change.
public func / <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Operand.Value> where Operand.Value: FloatingPoint {
    right.map { left / $0 }
}

/// The remainder of an observable integer and a value. The divisor must never be zero.
///
/// - Complexity: one evaluation for a change.
public func % <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Operand.Value> where Operand.Value: BinaryInteger {
    left.map { $0 % right }
}

/// The remainder of a value and an observable integer. The divisor must never be zero.
///
/// - Complexity: one evaluation for a change.
public func % <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Operand.Value> where Operand.Value: BinaryInteger {
    right.map { left % $0 }
}

/// Whether an observable equals a value.
///
/// - Complexity: one evaluation for a change.
public func == <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Bool> where Operand.Value: Equatable {
    left.map { $0 == right }
}

/// Whether a value equals an observable.
///
/// - Complexity: one evaluation for a change.
public func == <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Bool> where Operand.Value: Equatable {
    right.map { left == $0 }
}

/// Whether an observable differs from a value.
///
/// - Complexity: one evaluation for a change.
public func != <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Bool> where Operand.Value: Equatable {
    left.map { $0 != right }
}

/// Whether a value differs from an observable.
///
/// - Complexity: one evaluation for a change.
public func != <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Bool> where Operand.Value: Equatable {
    right.map { left != $0 }
}

/// Whether an observable is less than a value.
///
/// - Complexity: one evaluation for a change.
public func < <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Bool> where Operand.Value: Comparable {
    left.map { $0 < right }
}

/// Whether a value is less than an observable.
///
/// - Complexity: one evaluation for a change.
public func < <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Bool> where Operand.Value: Comparable {
    right.map { left < $0 }
}

/// Whether an observable is at most a value.
///
/// - Complexity: one evaluation for a change.
public func <= <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Bool> where Operand.Value: Comparable {
    left.map { $0 <= right }
}

/// Whether a value is at most an observable.
///
/// - Complexity: one evaluation for a change.
public func <= <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Bool> where Operand.Value: Comparable {
    right.map { left <= $0 }
}

/// Whether an observable is greater than a value.
///
/// - Complexity: one evaluation for a change.
public func > <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Bool> where Operand.Value: Comparable {
    left.map { $0 > right }
}

/// Whether a value is greater than an observable.
///
/// - Complexity: one evaluation for a change.
public func > <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Bool> where Operand.Value: Comparable {
    right.map { left > $0 }
}

/// Whether an observable is at least a value.
///
/// - Complexity: one evaluation for a change.
public func >= <Operand: ObservableScalarType>(
    left: Operand, right: Operand.Value
) -> Observable<Bool> where Operand.Value: Comparable {
    left.map { $0 >= right }
}

/// Whether a value is at least an observable.
///
/// - Complexity: one evaluation for a change.
public func >= <Operand: ObservableScalarType>(
    left: Operand.Value, right: Operand
) -> Observable<Bool> where Operand.Value: Comparable {
    right.map { left >= $0 }
}
