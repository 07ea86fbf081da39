// The number of columns of text on a terminal.
//
// Counted by grapheme clusters, as terminals draw them: a cluster is as wide as its widest scalar, and an
// emoji presentation is two columns wide. Text must have been made visible before; remaining control
// characters count as nothing.

package enum DisplayWidth {
    /// The columns that `text` takes.
    /// - Complexity: O(length).
    package static func of(_ text: String) -> Int {
        if text.isPrintableASCII() { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// `text`, truncated with `…` if it is wider than `columns`.
    package static func truncating(_ text: String, to columns: Int) -> String {
        if of(text) <= columns { return text }
        if columns <= 0 { return "" }
        var result = ""
        var width = 0
        for character in text {
            width += of(character)
            if width > columns - 1 { break }
            result.append(character)
        }
        return result + "…"
    }

    /// `text` padded with blanks to `columns`, at the start or the end.
    package static func padding(_ text: String, to columns: Int, inFront: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - of(text)))
        return inFront ? blanks + text : text + blanks
    }

    static func of(_ character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F, widest > 0 { return 2 }
            widest = max(widest, of(scalar))
        }
        return widest
    }

    /// The columns of a scalar alone.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return VisibleText.isControl(scalar.value) ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return 0
        default: break
        }
        // Vowels and finals of Hangul join the consonant before them.
        if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value) {
            return 0
        }
        return isWide(scalar) ? 2 : 1
    }

    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x1100 { return false }
        if scalar.properties.isEmojiPresentation { return true }
        // The ranges are sorted; the last one that starts at or before the scalar decides.
        var low = 0
        var high = wideRanges.count
        while low < high {
            let middle = (low + high) / 2
            if wideRanges[middle].upperBound < scalar.value {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < wideRanges.count && wideRanges[low].contains(scalar.value)
    }

    /// East Asian Width W and F (Unicode Standard Annex 11), in ascending order; gaps without
    /// characters are joined. Emoji are told by their own property.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul consonants
        0x2329...0x232A,
        0x2E80...0x303E,  // radicals, ideographic punctuation
        0x3041...0x3247,  // kana, bopomofo, enclosed ideographs
        0x3250...0x4DBF,
        0x4E00...0xA4C6,  // ideographs, Yi
        0xA960...0xA97C,
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,
        0xFE10...0xFE19,
        0xFE30...0xFE6B,
        0xFF01...0xFF60,  // full-width forms
        0xFFE0...0xFFE6,
        0x16FE0...0x18DFF,  // Tangut, Khitan
        0x1AFF0...0x1B2FF,  // kana supplements
        0x1F200...0x1F265,
        0x20000...0x2FFFD,
        0x30000...0x3FFFD,
    ]
}
