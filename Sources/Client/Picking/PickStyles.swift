internal import TerminalCells

/// How the parts of a picker look: with colors, or by brightness alone.
struct PickStyles {
    let hasColor: Bool

    var plain: CellStyle { .plain }
    var dim: CellStyle { CellStyle(isDim: true) }
    var prompt: CellStyle { colored(6, isBold: true) }
    var pointer: CellStyle { colored(1, isBold: true) }
    var mark: CellStyle { colored(5, isBold: true) }
    var liked: CellStyle { colored(1) }
    var match: CellStyle { colored(2, isBold: true) }
    var fault: CellStyle { colored(1, isBold: true) }
    var message: CellStyle { colored(3, isBold: true) }
    var gone: CellStyle { CellStyle(isDim: true, isStruckOut: true) }
    var selected: CellStyle { CellStyle(isReversed: true) }

    private func colored(_ color: UInt8, isBold: Bool = false) -> CellStyle {
        CellStyle(
            foreground: hasColor ? .indexed(color) : .standard, isBold: isBold || !hasColor)
    }

    /// The style of a part of the row under the cursor.
    func atCursor(_ style: CellStyle) -> CellStyle {
        var style = style
        if hasColor {
            style.background = .indexed(236)
            style.isBold = true
        } else {
            style.isReversed = true
        }
        return style
    }

    /// The style of a part of a row that has just changed.
    func lit(_ style: CellStyle) -> CellStyle {
        var style = style
        if hasColor { style.background = .indexed(22) } else { style.isUnderlined = true }
        return style
    }
}
