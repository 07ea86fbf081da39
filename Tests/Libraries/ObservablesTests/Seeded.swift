import Observables

/// Small random numbers, reproducible by a seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) {
        state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// An array of up to `limit` elements from a small alphabet.
    mutating func array(limit: Int, alphabet: Int = 4) -> [Int] {
        (0..<below(limit + 1)).map { _ in below(alphabet) }
    }

    /// A modification that fits `array`.
    mutating func modification(of array: [Int], alphabet: Int = 4) -> [Int].Modification {
        let start = below(array.count + 1)
        let length = below(min(3, array.count - start) + 1)
        let new = self.array(limit: 3, alphabet: alphabet)
        return ArrayModification(
            replacing: Array(array[start..<(start + length)]), at: start, with: new)
            ?? .insert(below(alphabet), at: start)
    }
}

extension Array {
    typealias Modification = ArrayModification<Element>
}
