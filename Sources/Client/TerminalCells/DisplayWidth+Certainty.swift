// On whose width terminals agree. They disagree on emoji, on clusters of several scalars, and on what is newer than
// they are; some take two columns for signs which East Asian fonts draw as wide as an ideograph.

extension DisplayWidth {
    static func certainty(of scalar: Unicode.Scalar) -> Glyph.Certainty {
        // The letters of Latin, Greek and Cyrillic are among the ambiguous ones of Unicode Standard Annex 11. They are
        // taken as sure: their width is right wherever text in them can be read at all.
        if scalar.value < 0x7F || (0xC0...0x52F).contains(scalar.value) { return .sure }
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
