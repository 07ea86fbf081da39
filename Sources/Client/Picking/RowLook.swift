internal import TerminalCells

/// How a row of the list looks as a whole, which changes the styles of its parts.
struct RowLook {
    let isAtCursor: Bool
    let isLit: Bool
    private let styles: PickStyles
    private let isStale: Bool

    init(_ styles: PickStyles, isAtCursor: Bool, isLit: Bool, isStale: Bool) {
        self.styles = styles
        self.isAtCursor = isAtCursor
        self.isLit = isLit
        self.isStale = isStale
    }

    /// The style of a part.
    func style(_ style: CellStyle) -> CellStyle {
        var style = isAtCursor ? styles.atCursor(style) : style
        if isLit { style = styles.lit(style) }
        if isStale { style.isDim = true }
        return style
    }
}
