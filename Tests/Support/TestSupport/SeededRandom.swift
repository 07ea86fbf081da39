// Reproducible random numbers.

import Glibc

/// SplitMix64: fast, small, and the same everywhere for the same seed.
package struct SeededRandom: RandomNumberGenerator {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// `true` with this probability.
    package mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}

/// Runs `body` with random numbers, and prints the seed: `PICKERD_TEST_SEED=…` repeats the run.
package func withSeed<Value>(
    _ name: String = #function, file: String = #fileID, _ body: (inout SeededRandom) throws -> Value
) rethrows -> Value {
    // The C string is read at once; no test changes this variable.
    let given = unsafe getenv("PICKERD_TEST_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
    var random = SeededRandom(seed: given ?? UInt64.random(in: 0...UInt64(UInt32.max)))
    // contrib/test shows the line if a test of the file fails.
    print("\(file.split(separator: "/").last ?? "") \(name): PICKERD_TEST_SEED=\(random.seed)")
    return try body(&random)
}

/// The rounds of a random test: as many as usual, unless PICKERD_TEST_ROUNDS in the environment says another number.
package func testRounds(_ usual: Int) -> Int {
    // As above.
    unsafe getenv("PICKERD_TEST_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? usual
}
