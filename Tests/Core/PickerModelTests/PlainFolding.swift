// Folding with Foundation's mappings and Swift's properties: the reference for `NameFolding`.

import Foundation

/// Whether the scalar is in Unicode 15, which libutf8proc follows, and not one that Foundation composes wrongly:
/// some of plane 14, and of the parts of Hangul syllables the first letters behind the leading consonants and the
/// vowels, and the one before the trailing consonants, which Foundation composes with the others. The letter U+0295,
/// and U+02E4, which is that raised, have been small letters until Unicode 15, and have no case in Swift's.
func isKnown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value >> 16 == 14 || [0x295, 0x2E4, 0x1113, 0x1176, 0x11A7].contains(scalar.value) {
        return false
    }
    guard let age = scalar.properties.age else { return false }
    return age.major < 15 || age.major == 15 && age.minor == 0
}

func isKnown(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { isKnown($0) } }

extension SeededTexts {
    /// A name of scalars known to all implementations.
    mutating func knownName() -> String {
        while true {
            let known = name().unicodeScalars.filter { isKnown($0) }
            if !known.isEmpty { return String(String.UnicodeScalarView(known)) }
        }
    }
}

private let spelled: [Unicode.Scalar: String] = [
    "æ": "ae", "ð": "d", "đ": "d", "ø": "o", "þ": "th", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe",
    "ŧ": "t",
]

private func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
    let mark = scalar.properties.canonicalCombiningClass.rawValue
    return (mark != 0 && mark != 8) || scalar.properties.isDefaultIgnorableCodePoint
        || 0x1F3FB...0x1F3FF ~= scalar.value
}

private func withoutMarks(_ text: String) -> String {
    let parts = text.decomposedStringWithCompatibilityMapping.unicodeScalars
    return String(String.UnicodeScalarView(parts.filter { !isRemoved($0) }))
}

/// The case folding of one scalar. Unicode folds Cherokee to upper case, Foundation to lower case; Foundation
/// leaves some old Cyrillic forms unchanged.
private func folded(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x1C80...0x1C88: return scalar.properties.uppercaseMapping.lowercased()
    case 0xAB70...0xABBF: return String(values: [scalar.value - 0xAB70 + 0x13A0])
    case 0x13F8...0x13FD: return String(values: [scalar.value - 8])
    case 0x13A0...0x13F5: return String(Character(scalar))
    default: return String(Character(scalar)).folding(options: .caseInsensitive, locale: nil)
    }
}

/// The folded text, by the reference implementation.
func plainFold(_ text: String) -> String {
    var letters = ""
    for scalar in withoutMarks(text).unicodeScalars {
        let lower = folded(scalar)
        for part in withoutMarks(lower).unicodeScalars {
            letters += spelled[part] ?? String(Character(part))
        }
    }
    return letters.precomposedStringWithCanonicalMapping
}

/// Whether a text has scalars for which, as the manual says, more is found than with Foundation: letters
/// composed of others or with strokes, invisible scalars, and marks.
func hasWhatIsFoundMore(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
        let single = String(Character(scalar))
        let lower = single.folding(options: .caseInsensitive, locale: nil)
        let canonical = single.decomposedStringWithCanonicalMapping
        let isRare = scalar.value > 0xFFFF || 0x1C80...0x1C88 ~= scalar.value
        return isRemoved(scalar) || isRare || lower.unicodeScalars.count > 1
            || lower.unicodeScalars.contains { spelled[$0] != nil }
            || canonical.unicodeScalars.contains { isRemoved($0) }
            || !canonical.unicodeScalars.elementsEqual(
                single.decomposedStringWithCompatibilityMapping.unicodeScalars)
    }
}

/// Whether a text has spelling signs, which Foundation compares in some positions and ignores in others: marks
/// of class 0 and 8, and the parts of Hangul syllables; or the iota subscript, the only mark that Foundation
/// treats as a letter.
func hasSpellingSigns(_ text: String) -> Bool {
    text.decomposedStringWithCompatibilityMapping.unicodeScalars.contains { scalar in
        let kept = [0, 8].contains(scalar.properties.canonicalCombiningClass.rawValue)
        let hangul =
            0x1100...0x11FF ~= scalar.value || 0xA960...0xA97F ~= scalar.value
            || 0xD7B0...0xD7FF ~= scalar.value
        return hangul || scalar.value == 0x345 || scalar.properties.isGraphemeExtend && kept
            || scalar.properties.generalCategory == .spacingMark
    }
}

/// Whether a text has a letter that is several when it is folded. Foundation finds such a letter also where its
/// first part is followed by a letter with an accent, whatever its other parts are.
func hasLetterOfSeveral(_ text: String) -> Bool {
    text.unicodeScalars.contains { withoutMarks(folded($0)).unicodeScalars.count > 1 }
        || withoutMarks(text).unicodeScalars.count > text.unicodeScalars.count
}
