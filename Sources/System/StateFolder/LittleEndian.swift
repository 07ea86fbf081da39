// Integers as bytes, in little-endian order. Inlinable: each event is stored by these, and code that is not
// compiled for its type of number takes 7,000 instructions more for it.

extension [UInt8] {
    @inlinable
    package mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        let number = number.littleEndian
        // The bytes of a local variable, used within the call.
        unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
    }

    /// Overwrites the bytes at `offset`, which must exist.
    @inlinable
    package mutating func store<Number: FixedWidthInteger>(
        littleEndian number: Number, at offset: Int
    ) {
        for index in 0..<(Number.bitWidth / 8) {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
    }

    /// The number at `offset`; all its bytes must exist.
    @inlinable
    package func load<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type, at offset: Int
    ) -> Number {
        (0..<(Number.bitWidth / 8)).reduce(0) { number, index in
            number | Number(self[offset + index]) << (8 * index)
        }
    }
}
