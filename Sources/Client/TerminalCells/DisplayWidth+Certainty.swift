// On whose width terminals agree. They disagree on emoji, on clusters of several scalars, and on what is newer than
// they are; some take two columns for signs which East Asian fonts draw as wide as an ideograph.

extension DisplayWidth {
    static func certainty(of scalar: Unicode.Scalar) -> Glyph.Certainty {
        // The letters of Latin, Greek and Cyrillic are among the ambiguous ones of Unicode Standard Annex 11. They are
        // taken as sure: their width is right wherever text in them can be read at all.
        switch scalar.value {
        case 0..<0x7F, 0xC0..<0x300, 0x370..<0x483, 0x48A..<0x530: return .sure
        default: break
        }
        // Consonants of Hangul are drawn as a syllable with what follows them.
        if (0x1100...0x115F).contains(scalar.value) || (0xA960...0xA97C).contains(scalar.value) {
            return .disputed
        }
        let properties = scalar.properties
        if properties.isEmoji { return .disputed }
        switch properties.generalCategory {
        case .unassigned, .privateUse, .surrogate, .nonspacingMark, .spacingMark, .enclosingMark,
            .format, .control:
            return .disputed
        default: return isWide(scalar) ? .sure : .ambiguous
        }
    }
}
