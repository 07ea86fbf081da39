// Random names and search texts in many scripts, the same for the same seed.

import Foundation

struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A new seed, or the one in `PICKERD_TEST_SEED`; printed either way.
    static func seed(_ test: String = #function) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["PICKERD_TEST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...0xFFFF_FFFF)
        print("\(test): PICKERD_TEST_SEED=\(seed)")
        return seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

struct SeededTexts {
    var random: SeededNumbers

    init(seed: UInt64) {
        random = SeededNumbers(seed: seed)
    }

    /// The blocks of scalars in names.
    static let blocks: [[UInt32]] = [
        0x20...0x7E, 0xA0...0x17F, 0x180...0x24F, 0x250...0x2FF, 0x300...0x36F, 0x370...0x3FF,
        0x400...0x52F, 0x530...0x58F, 0x590...0x5F4, 0x600...0x6FF, 0x700...0x8FF, 0x900...0x97F,
        0x980...0x9FF, 0xA00...0xAFF, 0xB00...0xBFF, 0xC00...0xCFF, 0xD00...0xDFF, 0xE00...0xE7F,
        0xE80...0xEFF, 0xF00...0xFFF, 0x1000...0x109F, 0x10A0...0x10FF, 0x1100...0x11FF,
        0x13A0...0x13FF, 0xAB70...0xABBF, 0x1A00...0x1CFF, 0x1E00...0x1EFF, 0x1F00...0x1FFF,
        0x2000...0x206F, 0x20D0...0x21FF, 0x2460...0x24FF, 0x2C00...0x2DFF, 0x3040...0x30FF,
        0x4E00...0x4E40, 0xAC00...0xAC80, 0xD780...0xD7FB, 0xA640...0xA7FF, 0xF900...0xFAFF,
        0xFB00...0xFB4F, 0xFB50...0xFBFF, 0xFE00...0xFE2F, 0xFF00...0xFFEF, 0x1F1E6...0x1F1FF,
        0x1F3FB...0x1F3FF, 0x1F440...0x1F480, 0x10400...0x1044F, 0x104B0...0x104FF,
        0x1D15E...0x1D1AA, 0x11000...0x110FF, 0x11100...0x113FF, 0x1D800...0x1DA8C,
        0x1E900...0x1E95F, 0x2F800...0x2FA1D, 0x1D400...0x1D4FF, 0xE0020...0xE007F,
        0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0x10D40...0x10D90, 0x16EA0...0x16ED3,
        0x1611E...0x1612F,
    ].map { (block: ClosedRange<UInt32>) in Array(block) }

    /// Scalars with a rule of their own.
    static let corners: [UInt32] = [
        0xDF, 0x1E9E, 0x130, 0x131, 0x69, 0x49, 0x73, 0x66, 0xFB01, 0x3C3, 0x3C2, 0x3A3, 0x301,
        0x308, 0x200D, 0xAD, 0xFE0F, 0x61, 0x41, 0x65, 0x45, 0xE9, 0xC9, 0x304B, 0x304C, 0x3099,
        0xAC00, 0xAC01, 0x1100, 0x1161, 0x11A8, 0x345, 0x1FB3, 0x212A, 0x2126, 0xA, 0xD, 0x1F44D,
        0x1F3FD, 0xFA6C, 0x34F,
    ]

    static let marks: [UInt32] = [
        0x301, 0x308, 0x5B0, 0x64E, 0x93C, 0x94D, 0xE34, 0x3099, 0x200D, 0x344, 0x1D165, 0x1F3FB,
    ]

    mutating func pick(_ scalars: [UInt32]) -> UInt32 {
        scalars.randomElement(using: &random) ?? 0x61
    }

    mutating func scalars(_ count: Int) -> [UInt32] {
        let first = Self.blocks.randomElement(using: &random) ?? []
        let second = Self.blocks.randomElement(using: &random) ?? []
        let kind = Int.random(in: 0..<6, using: &random)
        return (0..<count).map { _ in
            let coin = Bool.random(using: &random)
            switch kind {
            case 0: return pick(first)
            case 1: return pick(coin ? first : second)
            case 2: return pick(Self.corners)
            case 3: return pick(coin ? Self.corners : first)
            case 4: return pick(coin ? Self.marks : first)
            default: return coin ? UInt32.random(in: 0x61...0x7A, using: &random) : pick(first)
            }
        }
    }

    mutating func name() -> String {
        String(values: scalars(Int.random(in: 1...12, using: &random)))
    }

    /// A part of a text, unchanged or slightly changed.
    mutating func part(of text: String) -> String {
        let source = Bool.random(using: &random) ? text : text.decomposedStringWithCanonicalMapping
        let scalars = source.unicodeScalars.map(\.value)
        guard !scalars.isEmpty else { return "" }
        let start = Int.random(in: 0..<scalars.count, using: &random)
        let end = min(scalars.count, start + Int.random(in: 1...6, using: &random))
        var values = Array(scalars[start..<end])
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return String(values: values).uppercased()
        case 1: return String(values: values).lowercased()
        case 2: return String(values: values).decomposedStringWithCanonicalMapping
        case 3: return String(values: values).precomposedStringWithCanonicalMapping
        case 4:
            return String(values: values).applyingTransform(.stripDiacritics, reverse: false) ?? ""
        case 5: values[Int.random(in: 0..<values.count, using: &random)] = self.scalars(1)[0]
        case 6:
            values.insert(
                self.scalars(1)[0], at: Int.random(in: 0...values.count, using: &random))
        case 7: values.remove(at: Int.random(in: 0..<values.count, using: &random))
        default: break
        }
        return String(values: values)
    }
}

extension String {
    init(values: [UInt32]) {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: values.compactMap(Unicode.Scalar.init))
        self = String(scalars)
    }

    /// The scalars in hexadecimal, for messages.
    var hexScalars: String {
        unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}
