/// The sorted and filtered element: 16 bytes, like a key and an identity.
struct Row: Hashable {
    var key: UInt64
    var id: UInt64

    static func precedes(_ left: Row, _ right: Row) -> Bool {
        left.key != right.key ? left.key < right.key : left.id < right.id
    }

    static func follows(_ left: Row, _ right: Row) -> Bool { precedes(right, left) }

    /// One row in eight.
    static func matches(_ row: Row) -> Bool { row.id & 7 == 0 }
}

/// Reproducible random numbers.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func row() -> Row { Row(key: next(), id: next()) }

    mutating func rows(_ count: Int) -> [Row] { (0..<count).map { _ in row() } }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
