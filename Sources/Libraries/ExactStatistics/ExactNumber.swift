/// An integer of a fixed width up to 64 bits, which can be summed without an overflow.
///
/// The standard library's integers conform; other conformances serve no purpose.
public protocol ExactNumber: FixedWidthInteger, Sendable where Self: Hashable {
    /// A type wide enough for 2⁶³ − 1 times any value: far wider than needed for short numbers, so that
    /// all numbers behave alike.
    associatedtype Wide: FixedWidthInteger & Sendable = Int128
}

extension Int: ExactNumber {}
extension Int8: ExactNumber {}
extension Int16: ExactNumber {}
extension Int32: ExactNumber {}
extension Int64: ExactNumber {}
extension UInt: ExactNumber {
    /// Wide enough for the sum of unsigned numbers.
    public typealias Wide = UInt128
}
extension UInt8: ExactNumber {
    /// Wide enough for the sum of unsigned numbers.
    public typealias Wide = UInt128
}
extension UInt16: ExactNumber {
    /// Wide enough for the sum of unsigned numbers.
    public typealias Wide = UInt128
}
extension UInt32: ExactNumber {
    /// Wide enough for the sum of unsigned numbers.
    public typealias Wide = UInt128
}
extension UInt64: ExactNumber {
    /// Wide enough for the sum of unsigned numbers.
    public typealias Wide = UInt128
}
