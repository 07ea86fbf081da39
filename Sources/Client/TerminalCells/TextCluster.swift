/// A character of a text, as it is drawn.
struct TextCluster {
    /// That of a cluster of one scalar.
    let glyph: Glyph
    /// A cluster of several.
    private(set) var text: String?
    /// 0 for marks that join what is before them.
    let width: Int
    let style: PackedStyle

    init(ascii byte: UInt8, style: PackedStyle) {
        glyph = Glyph(ascii: byte)
        width = 1
        self.style = style
    }

    init(_ character: Character, style: PackedStyle) {
        let scalars = character.unicodeScalars
        let first = scalars[scalars.startIndex]
        width = DisplayWidth.of(character)
        text = scalars.count > 1 ? String(character) : nil
        glyph = Glyph(
            first, isWide: width == 2, text == nil ? DisplayWidth.certainty(of: first) : .disputed)
        self.style = style
    }

    /// Whether this joins what is before it: as marks do, of which some take a column if there is nothing before.
    /// Control characters don't, should one come here.
    var isMark: Bool {
        if glyph.certainty == .sure { return false }
        let properties = glyph.scalar.properties
        switch properties.generalCategory {
        case .control: return false
        case .nonspacingMark, .spacingMark, .enclosingMark, .format: return true
        default: return width == 0 || properties.isEmojiModifier
        }
    }

    mutating func join(_ marks: TextCluster) {
        guard marks.isMark else { return }
        text =
            (text ?? String(Character(glyph.scalar)))
            + (marks.text ?? String(Character(marks.glyph.scalar)))
    }
}

extension StyledText {
    /// Calls `body` with one character after another until it answers `false`.
    func eachCluster(_ body: (TextCluster) -> Bool) {
        for run in runs {
            let style = PackedStyle(run.style)
            if run.text.isPrintableASCII() {
                let bytes = run.text.utf8Span.span
                for index in bytes.indices
                where !body(TextCluster(ascii: bytes[index], style: style)) {
                    return
                }
            } else {
                for character in run.text where !body(TextCluster(character, style: style)) {
                    return
                }
            }
        }
    }
}
