/// The sum of a stream of integers, exact whatever their size.
///
/// The sum is kept in 128 bits. A stream has at most 2⁶³ − 1 numbers of at most 64 bits each, so their
/// sum can't overflow: it is below 2¹²⁷ for unsigned numbers, and between −2¹²⁶ and 2¹²⁶ for signed
/// ones. One more number stops the program.
public struct ExactSum<Value: ExactNumber>: Hashable, Sendable {
    @usableFromInline var total: Value.Wide
    @usableFromInline var number: Int

    /// The sum, in the wide type.
    @inlinable public var wide: Value.Wide { total }
    /// The number of numbers.
    @inlinable public var count: Int { number }

    /// An empty sum: 0.
    @inlinable
    public init() {
        total = 0
        number = 0
    }

    /// The sum of some numbers.
    ///
    /// - Complexity: O(n).
    @inlinable
    public init(_ values: some Sequence<Value>) {
        self.init()
        for value in values { add(value) }
    }

    /// Adds a number.
    ///
    /// - Precondition: There are fewer than 2⁶³ − 1 numbers.
    /// - Complexity: O(1).
    @inlinable
    public mutating func add(_ value: Value) {
        // The count traps before the sum could overflow.
        number += 1
        total &+= Value.Wide(truncatingIfNeeded: value)
    }

    /// Removes a number that was added before.
    ///
    /// The numbers are not stored: removing one that was not added gives a meaningless sum.
    ///
    /// - Precondition: There is at least one number.
    /// - Complexity: O(1).
    @inlinable
    public mutating func remove(_ value: Value) {
        precondition(number > 0, "a number is removed from an empty sum")
        number -= 1
        total &-= Value.Wide(truncatingIfNeeded: value)
    }

    /// Adds all numbers of another stream.
    ///
    /// - Precondition: Both together have at most 2⁶³ − 1 numbers.
    /// - Complexity: O(1).
    @inlinable
    public mutating func merge(_ other: ExactSum) {
        number += other.number
        total &+= other.total
    }
}

extension ExactSum: RunningSummary {
    /// The sum itself.
    public var summary: ExactSum { self }
}
