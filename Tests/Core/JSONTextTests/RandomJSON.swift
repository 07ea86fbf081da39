import JSONText

/// A seeded generator (SplitMix64), so that a failed run can be repeated.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededNumbers {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func text() -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "b", "z", "0", " ", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{1F}", "\u{7F}",
            "\u{80}", "é", "ß", "\u{7FF}", "\u{800}", "漢", "\u{FFFD}", "\u{FFFF}", "😀",
            "\u{10FFFF}",
        ]
        var text = ""
        for _ in 0..<below(24) { text.unicodeScalars.append(alphabet[below(alphabet.count)]) }
        return text
    }

    /// A value with doubles of every size, or, without `extremes`, only with those that Foundation writes with
    /// a fraction or an exponent.
    mutating func value(extremes: Bool = true, depth: Int = 0) -> JSONValue {
        switch below(depth < 5 ? 9 : 7) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .integer(Int64(below(2_000)) - 1_000)
        case 3: return .integer(Int64(bitPattern: next() >> UInt64(below(64))))
        case 4: return .double(Double(below(2_000_000)) / 128 - 5_000)
        case 5:
            let double = Double(bitPattern: next())
            return double.isFinite && extremes ? .double(double) : .double(0.5)
        case 6: return .string(text())
        case 7:
            return .array((0..<below(6)).map { _ in value(extremes: extremes, depth: depth + 1) })
        default:
            var object = JSONObject()
            for index in 0..<below(6) {
                object["k\(index)" + text()] = value(extremes: extremes, depth: depth + 1)
            }
            return .object(object)
        }
    }
}
