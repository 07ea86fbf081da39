// Operators on observables return observables of the operator's result. Both sides may be of any
// observable type with the same value type. Both are read when their inputs have settled, so no result
// mixes an old and a new value.

/// The sum of two observables.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func + <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: AdditiveArithmetic {
    left.combined(right) { $0 + $1 }
}

/// The difference of two observables.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func - <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: AdditiveArithmetic {
    left.combined(right) { $0 - $1 }
}

/// The product of two observables.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func * <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: Numeric {
    left.combined(right) { $0 * $1 }
}

/// The quotient of two observable integers. The divisor must never be zero.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func / <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: BinaryInteger {
    left.combined(right) { $0 / $1 }
}

/// The quotient of two observable floating-point numbers.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func / <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: FloatingPoint {
    left.combined(right) { $0 / $1 }
}

/// The remainder of two observable integers. The divisor must never be zero.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func % <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: BinaryInteger {
    left.combined(right) { $0 % $1 }
}

/// Whether two observables have equal values.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func == <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Right.Value, Left.Value: Equatable {
    left.combined(right) { $0 == $1 }
}

/// Whether two observables have different values.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func != <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Right.Value, Left.Value: Equatable {
    left.combined(right) { $0 != $1 }
}

/// Whether the left value is less than the right one.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func < <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Right.Value, Left.Value: Comparable {
    left.combined(right) { $0 < $1 }
}

/// Whether the left value is at most the right one.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func <= <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Right.Value, Left.Value: Comparable {
    left.combined(right) { $0 <= $1 }
}

/// Whether the left value is greater than the right one.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func > <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Right.Value, Left.Value: Comparable {
    left.combined(right) { $0 > $1 }
}

/// Whether the left value is at least the right one.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func >= <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Right.Value, Left.Value: Comparable {
    left.combined(right) { $0 >= $1 }
}

/// The negative of an observable number.
///
/// - Complexity: one evaluation for a transaction that changes the operand.
public prefix func - <Operand: ObservableScalarType>(
    operand: Operand
) -> Observable<Operand.Value> where Operand.Value: SignedNumeric {
    operand.map { -$0 }
}

/// The opposite of an observable truth value.
///
/// - Complexity: one evaluation for a transaction that changes the operand.
public prefix func ! <Operand: ObservableScalarType>(
    operand: Operand
) -> Observable<Bool> where Operand.Value == Bool {
    operand.map { !$0 }
}

/// Whether both observables are true.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func && <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Bool, Right.Value == Bool {
    left.combined(right) { $0 && $1 }
}

/// Whether at least one of two observables is true.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func || <Left: ObservableScalarType, Right: ObservableScalarType>(
    left: Left, right: Right
) -> Observable<Bool> where Left.Value == Bool, Right.Value == Bool {
    left.combined(right) { $0 || $1 }
}

/// The lesser of two observables.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func min<Left: ObservableScalarType, Right: ObservableScalarType>(
    _ left: Left, _ right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: Comparable {
    left.combined(right) { $1 < $0 ? $1 : $0 }
}

/// The greater of two observables.
///
/// - Complexity: one evaluation for a transaction that changes either side.
public func max<Left: ObservableScalarType, Right: ObservableScalarType>(
    _ left: Left, _ right: Right
) -> Observable<Left.Value> where Left.Value == Right.Value, Left.Value: Comparable {
    left.combined(right) { $1 < $0 ? $0 : $1 }
}
