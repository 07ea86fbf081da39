// The numbers of fzf's scoring (its default scheme, version 0.38).
//
// Each letter that is found gives points for being there and a bonus for its place: where a word begins, where
// small letters turn to capitals or others to digits. The bonus of the first letter counts twice. In a run of
// letters found together each has at least `together`, and at least the bonus of the letter that the run began
// with. Letters between those that are found cost points, the first of a gap more than the others, until no
// points are left.

internal import CUTF8Proc

enum FuzzyPoints {
    static let letter: Int32 = 16
    /// A term that is not in the name has the points that it has in the path, divided by this.
    static let divisorInPath: Int32 = 2
    static let firstOfGap: Int32 = 3
    static let moreOfGap: Int32 = 1

    static let afterSpace: UInt8 = 10
    static let afterDelimiter: UInt8 = 9
    static let afterSign: UInt8 = 8
    static let sign: UInt8 = 8
    static let capital: UInt8 = 7
    static let together: UInt8 = 4
    /// The least bonus of a place where a word begins.
    static let boundary: UInt8 = 8

    /// What is left of `points` behind a gap of so many letters, at least one.
    static func points(_ points: Int32, afterGapOf count: Int) -> Int32 {
        max(0, points - firstOfGap - Int32(count - 1) * moreOfGap)
    }

    /// The bonus of a scalar, by its class and that of the scalar before it.
    static func bonus(of kind: ScalarClass, after previous: ScalarClass) -> UInt8 {
        if kind.rawValue > ScalarClass.sign.rawValue {
            switch previous {
            case .space: return afterSpace
            case .delimiter: return afterDelimiter
            case .sign: return afterSign
            default: break
            }
        }
        switch (previous, kind) {
        case (.lower, .upper): return capital
        case (.digit, .digit): return 0
        case (_, .digit): return capital
        case (_, .sign): return sign
        case (_, .space): return afterSpace
        default: return 0
        }
    }
}

/// What a scalar is to the bonus of its place.
enum ScalarClass: UInt8, CaseIterable {
    case space, sign, delimiter, lower, upper, letter, digit

    init(_ value: UInt32) {
        switch value {
        case 0x61...0x7A: self = .lower
        case 0x41...0x5A: self = .upper
        case 0x30...0x39: self = .digit
        case 0x20, 0x09...0x0D, 0x85: self = .space
        case 0x2C, 0x2F, 0x3A, 0x3B, 0x7C: self = .delimiter  // , / : ; |
        case 0..<0x80: self = .sign
        default: self.init(category: utf8proc_category(Int32(bitPattern: value)))
        }
    }

    private init(category: utf8proc_category_t) {
        switch category {
        case UTF8PROC_CATEGORY_LL: self = .lower
        case UTF8PROC_CATEGORY_LU: self = .upper
        case UTF8PROC_CATEGORY_LT, UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_LO: self = .letter
        case UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO: self = .digit
        case UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP: self = .space
        default: self = .sign
        }
    }
}
