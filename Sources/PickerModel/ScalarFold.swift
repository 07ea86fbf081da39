// What one Unicode scalar becomes when letters are compared by their base, without case.
//
// The rules were measured against Foundation's `localizedStandardContains` on Linux (English and
// C locales; Turkish, Azeri and Lithuanian ones treat the letter i otherwise, and a daemon that
// answers many clients can't follow any one's locale). They are:
//   - a scalar is decomposed canonically; where its first part is below U+0510 (Latin, Greek,
//     Cyrillic) only that part counts, elsewhere every part does;
//   - the first part is case folded in full (`ß` is `ss`), by the Unicode 15 that Foundation has;
//   - a mark is what extends a grapheme in Unicode 15, and the five skin tones.
// The decomposition is the standard library's, the case folding its lower case plus the
// exceptions below. Both agree with Foundation for each scalar there is; a test goes over them.
//
// The answers for all scalars up to kana are kept in one table of 50 KB, made at the first name
// that is not ASCII; the great blocks above (Han, Hangul) need no look, and the rest are computed.

@_spi(_Unicode) internal import Swift

/// How one scalar folds, alone.
package struct ScalarFold: Sendable {
    package enum Kind: UInt8, Sendable {
        /// Stays as it is.
        case itself
        /// Becomes exactly one other scalar, which in turn stays as it is.
        case single
        /// Becomes a base above U+0510 and its marks (`が`, `가`).
        case cluster
        /// Is a mark that stays as it is.
        case mark
        /// Is a mark that becomes something else.
        case changingMark
        /// Anything else: becomes several letters, lies in another plane, joins with neighbours.
        case irregular
    }

    package let kind: Kind
    /// What it becomes, if `kind` is `single`; else the scalar itself.
    package let target: UInt32

    /// How `scalar` folds; ASCII included.
    /// - Complexity: O(1); a load for scalars below U+3100.
    package init(of scalar: Unicode.Scalar) {
        self.init(ofValue: scalar.value)
    }

    init(ofValue value: UInt32) {
        if value < ScalarFold.tableLimit {
            let entry = ScalarFold.table[Int(value)]
            kind = Kind(rawValue: UInt8(truncatingIfNeeded: entry >> 24)) ?? .irregular
            target = entry & 0xFF_FFFF
        } else if 0x3400...0x9FFF ~= value || 0xE000...0xF8FF ~= value {
            kind = .itself
            target = value
        } else if 0xAC00...0xD7A3 ~= value {
            kind = .cluster
            target = value
        } else {
            self = ScalarFold.computed(value)
        }
    }

    /// Whether a scalar belongs to the one before it; a surrogate doesn't.
    static func isMark(_ value: UInt32) -> Bool {
        value >= 0x300 && ScalarFold(ofValue: value).isMark
    }

    var isMark: Bool { kind == .mark || kind == .changingMark }

    /// The canonical decomposition of a mark, in full; empty if there is none.
    static func decomposition(ofMark value: UInt32) -> [UInt32] {
        ScalarFold(ofValue: value).kind == .mark ? [] : UnicodeFacts.decomposition(value)
    }

    /// What it becomes and whether marks after it count, for any kind.
    var folded: UnicodeFacts.Folded {
        switch kind {
        case .itself, .mark:
            UnicodeFacts.Folded(
                scalars: [], keepsMarks: target >= UnicodeFacts.firstWithMarks)
        case .single:
            UnicodeFacts.Folded(
                scalars: [target], keepsMarks: target >= UnicodeFacts.firstWithMarks)
        case .cluster, .changingMark, .irregular:
            UnicodeFacts.folded(target)
        }
    }

    private init(kind: Kind, target: UInt32) {
        self.kind = kind
        self.target = target
    }

    private static let tableLimit: UInt32 = 0x3100

    private static let table: [UInt32] = (0..<tableLimit).map { value in
        let fold = computed(value)
        return UInt32(fold.kind.rawValue) << 24 | fold.target
    }

    private static func computed(_ value: UInt32) -> ScalarFold {
        guard value >= 0x80 else {
            // A search may hold a NUL, and Foundation takes it for the end of the name.
            if value == 0 { return ScalarFold(kind: .irregular, target: 0) }
            guard 0x41...0x5A ~= value else { return ScalarFold(kind: .itself, target: value) }
            return ScalarFold(kind: .single, target: value + 0x20)
        }
        let parts = UnicodeFacts.folded(value)
        if UnicodeFacts.isMark(value) {
            let stays = parts.scalars.isEmpty && UnicodeFacts.decomposition(value).isEmpty
            return ScalarFold(kind: stays ? .mark : .changingMark, target: value)
        }
        guard !parts.scalars.isEmpty else {
            // Conjoining letters of Hangul may complete a syllable beside them.
            let joins =
                0x1100...0x11FF ~= value || 0xA960...0xA97F ~= value || 0xD7B0...0xD7FF ~= value
            return ScalarFold(kind: joins ? .irregular : .itself, target: value)
        }
        let first = parts.scalars[0]
        if parts.scalars.count == 1 {
            // Foundation compares by UTF-16 unit first, so two letters of another plane that share
            // a unit are never folded.
            let isRegular =
                value < 0x10000 && first < 0x10000 && !UnicodeFacts.isMark(first)
                && UnicodeFacts.folded(first).scalars.isEmpty
            return ScalarFold(
                kind: isRegular ? .single : .irregular, target: isRegular ? first : value)
        }
        let isCluster =
            value < 0x10000 && parts.keepsMarks
            && !UnicodeFacts.isMark(first)
            && parts.scalars.dropFirst().allSatisfy {
                UnicodeFacts.isMark($0) && $0 < 0x10000
            }
        return ScalarFold(kind: isCluster ? .cluster : .irregular, target: value)
    }
}

/// The properties of scalars that matching by base letters needs.
enum UnicodeFacts {
    struct Folded {
        /// What the scalar becomes; empty if it stays as it is.
        var scalars: [UInt32]
        /// Whether marks after it are compared, rather than passed over.
        var keepsMarks: Bool
    }

    /// Below this, a letter is compared without its marks.
    static let firstWithMarks: UInt32 = 0x510

    /// What a scalar of U+0080 or above becomes. Surrogates stay as they are.
    static func folded(_ value: UInt32) -> Folded {
        var parts = decomposition(value)
        let base = parts.first ?? value
        if base < firstWithMarks, !parts.isEmpty { parts.removeSubrange(1...) }
        let lower = caseFolding(base)
        guard let last = lower.last else {
            return Folded(scalars: parts, keepsMarks: base >= firstWithMarks)
        }
        let kept = base < firstWithMarks ? lower.filter { !isMark($0) } : lower
        return Folded(
            scalars: kept + parts.dropFirst(), keepsMarks: last >= firstWithMarks)
    }

    /// The canonical decomposition, in full; empty if there is none.
    static func decomposition(_ value: UInt32) -> [UInt32] {
        guard let scalar = Unicode.Scalar(value) else { return [] }
        let parts = String(Character(scalar))._nfd.map(\.value)
        return parts == [value] ? [] : parts
    }

    /// The order of a mark among the marks of one base.
    static func combiningClass(_ value: UInt32) -> UInt8 {
        guard value >= 0x300, let scalar = Unicode.Scalar(value), isKnown(scalar) else { return 0 }
        return scalar.properties.canonicalCombiningClass.rawValue
    }

    /// Whether a scalar belongs to the one before it.
    static func isMark(_ value: UInt32) -> Bool {
        guard value >= 0x300, let scalar = Unicode.Scalar(value) else { return false }
        if 0x3400...0x9FFF ~= value || 0xAC00...0xD7FF ~= value { return false }
        if value == 0x1171E || 0x1F3FB...0x1F3FF ~= value { return true }
        return scalar.properties.isGraphemeExtend && isKnown(scalar) && !isSpacing(value)
    }

    /// Whether a scalar is a letter or a mark.
    static func isLetter(_ value: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(value) else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark:
            return true
        default:
            return false
        }
    }

    /// The full case folding of one scalar; empty if that is the scalar itself.
    private static func caseFolding(_ value: UInt32) -> [UInt32] {
        switch value {
        case 0xB5: return [0x3BC]
        case 0xDF, 0x1E9E: return [0x73, 0x73]
        case 0x149: return [0x2BC, 0x6E]
        case 0x17F: return [0x73]
        case 0x345, 0x1FBE: return [0x3B9]
        case 0x3C2: return [0x3C3]
        case 0x3D0: return [0x3B2]
        case 0x3D1: return [0x3B8]
        case 0x3D5: return [0x3C6]
        case 0x3D6: return [0x3C0]
        case 0x3F0: return [0x3BA]
        case 0x3F1: return [0x3C1]
        case 0x3F5: return [0x3B5]
        case 0x587: return [0x565, 0x582]
        case 0x1E9A: return [0x61, 0x2BE]
        case 0xFB00: return [0x66, 0x66]
        case 0xFB01: return [0x66, 0x69]
        case 0xFB02: return [0x66, 0x6C]
        case 0xFB03: return [0x66, 0x66, 0x69]
        case 0xFB04: return [0x66, 0x66, 0x6C]
        case 0xFB05, 0xFB06: return [0x73, 0x74]
        case 0xFB13: return [0x574, 0x576]
        case 0xFB14: return [0x574, 0x565]
        case 0xFB15: return [0x574, 0x56B]
        case 0xFB16: return [0x57E, 0x576]
        case 0xFB17: return [0x574, 0x56D]
        default: break
        }
        guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenLowercased,
            isKnown(scalar)
        else { return [] }
        return scalar.properties.lowercaseMapping.unicodeScalars.map(\.value)
    }

    /// Whether Unicode 15, which Foundation's tables follow, has this scalar.
    private static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age else { return true }
        return age.major < 16
    }

    /// Marks that take room of their own: they extend a grapheme only from Unicode 16 on.
    private static func isSpacing(_ value: UInt32) -> Bool {
        switch value {
        case 0xCC0, 0xCC7...0xCC8, 0xCCA...0xCCB, 0x1715, 0x1734, 0x1B3B, 0x1B3D, 0x1B43...0x1B44,
            0x1BAA, 0x1BF2...0x1BF3, 0xA953, 0xA9C0, 0x111C0, 0x11235, 0x1134D, 0x116B6, 0x1193D,
            0x11F41, 0x16FF0...0x16FF1, 0x1D166, 0x1D16D:
            return true
        default:
            return false
        }
    }
}
