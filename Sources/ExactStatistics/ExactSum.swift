/// A whole number of a fixed width up to 64 bits, which can be summed without an overflow.
///
/// The standard library's own numbers conform; there is nothing to be gained from others.
public protocol ExactNumber: FixedWidthInteger, Sendable where Self: Hashable {
    /// A number wide enough for 2⁶³ − 1 times any value.
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

/// The sum of a stream of whole numbers, exact whatever their size.
///
/// The sum is kept in 128 bits. A stream has at most 2⁶³ − 1 numbers of at most 64 bits each, so
/// their sum can't overflow: it is below 2¹²⁷ for numbers without a sign, and between −2¹²⁶ and
/// 2¹²⁶ for those with one.
public struct ExactSum<Value: ExactNumber>: Hashable, Sendable {
    /// The sum, in full.
    public private(set) var wide: Value.Wide
    /// How many numbers there are.
    public private(set) var count: Int

    /// The sum of nothing yet: 0.
    public init() {
        wide = 0
        count = 0
    }

    /// The sum of some numbers.
    ///
    /// - Complexity: O(n).
    public init(_ values: some Sequence<Value>) {
        self.init()
        for value in values { add(value) }
    }

    /// Whether there are no numbers.
    public var isEmpty: Bool { count == 0 }

    /// The sum, or nil if it is not one of the numbers' own type.
    public var narrow: Value? { Value(exactly: wide) }

    /// The sum in decimal digits.
    public var decimal: String { String(wide) }

    /// Adds a number.
    ///
    /// - Complexity: O(1).
    public mutating func add(_ value: Value) {
        wide += Value.Wide(value)
        count += 1
    }

    /// Takes back a number that was added before. A number that never was makes a sum of nothing
    /// that ever was there; who takes back keeps account.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(1).
    public mutating func remove(_ value: Value) {
        precondition(count > 0, "a number is taken out of an empty sum")
        wide -= Value.Wide(value)
        count -= 1
    }

    /// Adds all numbers of another stream.
    ///
    /// - Complexity: O(1).
    public mutating func merge(_ other: ExactSum) {
        wide += other.wide
        count += other.count
    }
}
