// Integers of any size in the simplest way, the reference for exactness.

/// A nonnegative integer.
struct Natural: Comparable {
    /// Digits of 32 bits, the least significant first; the last is not 0.
    private var limbs: [UInt32] = []

    /// All finite `Double`s are integer multiples of 2 to the power of minus this.
    static let doubleShift = 1074

    static let zero = Natural()

    init() {}

    init(_ value: UInt128, shiftedLeft shift: Int = 0) {
        limbs = [UInt32](repeating: 0, count: shift / 32)
        var rest = value
        var carry: UInt32 = 0
        let bits = UInt32(shift % 32)
        while rest > 0 || carry > 0 {
            let limb = UInt64(UInt32(truncatingIfNeeded: rest)) << UInt64(bits) | UInt64(carry)
            limbs.append(UInt32(truncatingIfNeeded: limb))
            carry = UInt32(limb >> 32)
            rest >>= 32
        }
        trim()
    }

    /// The absolute value, times 2 to the power of `doubleShift`.
    init(_ value: Double) {
        precondition(value.isFinite)
        let pattern = UInt128(value.significandBitPattern)
        let exponent = Int(value.exponentBitPattern)
        let isSubnormal = exponent == 0
        self.init(
            isSubnormal ? pattern : pattern | 1 << 52, shiftedLeft: isSubnormal ? 0 : exponent - 1)
    }

    private mutating func trim() {
        while limbs.last == 0 { limbs.removeLast() }
    }

    static func < (left: Natural, right: Natural) -> Bool {
        if left.limbs.count != right.limbs.count { return left.limbs.count < right.limbs.count }
        return left.limbs.reversed().lexicographicallyPrecedes(right.limbs.reversed())
    }

    static func + (left: Natural, right: Natural) -> Natural {
        var sum = Natural()
        var carry: UInt64 = 0
        for index in 0..<max(left.limbs.count, right.limbs.count) {
            carry += index < left.limbs.count ? UInt64(left.limbs[index]) : 0
            carry += index < right.limbs.count ? UInt64(right.limbs[index]) : 0
            sum.limbs.append(UInt32(truncatingIfNeeded: carry))
            carry >>= 32
        }
        if carry > 0 { sum.limbs.append(UInt32(carry)) }
        return sum
    }

    /// The absolute difference of two numbers.
    static func distance(_ one: Natural, _ other: Natural) -> Natural {
        let (large, small) = one < other ? (other, one) : (one, other)
        var difference = Natural()
        var borrow: Int64 = 0
        for index in large.limbs.indices {
            borrow += Int64(large.limbs[index])
            borrow -= index < small.limbs.count ? Int64(small.limbs[index]) : 0
            difference.limbs.append(UInt32(truncatingIfNeeded: borrow))
            borrow >>= 32
        }
        difference.trim()
        return difference
    }

    func times(_ factor: UInt64) -> Natural {
        var product = Natural()
        var carry: UInt128 = 0
        for limb in limbs {
            carry += UInt128(limb) * UInt128(factor)
            product.limbs.append(UInt32(truncatingIfNeeded: carry))
            carry >>= 32
        }
        while carry > 0 {
            product.limbs.append(UInt32(truncatingIfNeeded: carry))
            carry >>= 32
        }
        product.trim()
        return product
    }
}
