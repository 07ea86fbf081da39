/// An integer of a fixed width up to 64 bits, which can be summed without an overflow.
///
/// The standard library's integers conform; other conformances serve no purpose.
public protocol ExactNumber: FixedWidthInteger, Sendable where Self: Hashable {
    /// A type wide enough for 2⁶³ − 1 times any value.
    associatedtype Wide: FixedWidthInteger & Sendable
}

extension Int: ExactNumber {
    /// Twice the width.
    public typealias Wide = Int128
}
extension Int8: ExactNumber {
    /// Far wider than needed, so that all numbers behave alike.
    public typealias Wide = Int128
}
extension Int16: ExactNumber {
    /// Far wider than needed, so that all numbers behave alike.
    public typealias Wide = Int128
}
extension Int32: ExactNumber {
    /// Far wider than needed, so that all numbers behave alike.
    public typealias Wide = Int128
}
extension Int64: ExactNumber {
    /// Twice the width.
    public typealias Wide = Int128
}
extension UInt: ExactNumber {
    /// Twice the width.
    public typealias Wide = UInt128
}
extension UInt8: ExactNumber {
    /// Far wider than needed, so that all numbers behave alike.
    public typealias Wide = UInt128
}
extension UInt16: ExactNumber {
    /// Far wider than needed, so that all numbers behave alike.
    public typealias Wide = UInt128
}
extension UInt32: ExactNumber {
    /// Far wider than needed, so that all numbers behave alike.
    public typealias Wide = UInt128
}
extension UInt64: ExactNumber {
    /// Twice the width.
    public typealias Wide = UInt128
}
