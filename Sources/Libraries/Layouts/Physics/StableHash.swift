/// Hash values that are the same in every process and on every machine, unlike those of `Hasher`.
public enum StableHash {
    /// FNV-1a (Fowler, Noll and Vo) of the UTF-8 bytes, in 64 bits.
    ///
    /// - Complexity: O(n) for n bytes.
    public static func hash(_ text: String) -> UInt64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return state
    }

    /// Spreads the bits of `value` over the whole result: the finalizer of SplitMix64 (Steele, Lea and
    /// Flood, 2014). It is injective.
    package static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, 1, from the upper 53 bits.
    static func fraction(_ value: UInt64) -> Double {
        Double(value >> 11) * 0x1p-53
    }
}
