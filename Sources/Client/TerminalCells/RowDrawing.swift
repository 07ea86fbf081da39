/// The difference between two grids in a row, as a pen draws it.
struct RowDrawing {
    let new: CellGrid
    private let old: CellGrid
    private let row: Int
    private let features: TerminalFeatures
    /// From this column on, the row has been erased.
    private var erased: Int
    /// Whether cells under an image were erased, and the image with them.
    private(set) var isImageErased = false

    /// The longest gap of equal cells that is written again: to jump over it takes as many bytes.
    private static let longestGap = 4

    init(row: Int, of new: CellGrid, over old: CellGrid, _ features: TerminalFeatures) {
        self.new = new
        self.old = old
        self.row = row
        self.features = features
        erased = new.columns
    }

    mutating func draw(with pen: inout TerminalPen) {
        let end = Self.end(of: row, in: new, features)
        var column = 0
        while column < end {
            let glyph = new[packed: row, column].glyph
            if !isSame(column) { draw(column, with: &pen) }
            column += max(1, glyph.width)
        }
        drawBlanks(from: end, with: &pen)
    }

    /// The column after the last cell that is not like an erased one.
    static func end(of row: Int, in grid: CellGrid, _ features: TerminalFeatures) -> Int {
        var end = grid.columns
        while end > 0, isErased(grid[packed: row, end - 1], features) { end -= 1 }
        return end
    }

    private static func isErased(_ cell: PackedCell, _ features: TerminalFeatures) -> Bool {
        cell.glyph == .blank && features.drawn(cell.style).onBlank == .plain
    }

    /// Whether a character looks on the screen as it is to look.
    private func isSame(_ column: Int) -> Bool {
        looksSame(column) && (!new[packed: row, column].glyph.isWide || looksSame(column + 1))
    }

    private func looksSame(_ column: Int) -> Bool {
        let now = new[packed: row, column]
        if column >= erased { return Self.isErased(now, features) }
        let before = old[packed: row, column]
        if now == before, now.glyph.cluster == nil { return true }
        guard new.shows(now.glyph, as: before.glyph, of: old) else { return false }
        if now.style == before.style { return true }
        let style = features.drawn(now.style)
        let oldStyle = features.drawn(before.style)
        return style == oldStyle || (now.glyph == .blank && style.onBlank == oldStyle.onBlank)
    }

    /// Draws a character. If its width is disputed, its cells are blank before, and so is what is after it: a terminal
    /// that takes fewer columns for it leaves no rest of what was there, and of one that takes more, nothing stays
    /// that is not drawn over.
    private mutating func draw(_ column: Int, with pen: inout TerminalPen) {
        let cell = new[packed: row, column]
        if cell.glyph == .covered {
            isImageErased = true
            return
        }
        let next = column + cell.glyph.width
        let isDisputed = cell.glyph.certainty == .disputed
        reach(column, with: &pen)
        if isDisputed, (column..<next).contains(where: { !wasErased($0) }) {
            pen.eraseLine()
            erased = column
        }
        set(cell, with: &pen)
        pen.draw(cell.glyph, of: new)
        if isDisputed, next < new.columns {
            pen.move(to: CellPlace(row: row, column: next))
            pen.eraseLine()
            erased = min(erased, next)
        }
    }

    private func wasErased(_ column: Int) -> Bool {
        column >= erased || Self.isErased(old[packed: row, column], features)
    }

    private func set(_ cell: PackedCell, with pen: inout TerminalPen) {
        let style = features.drawn(cell.style)
        if cell.glyph == .blank, style.onBlank == pen.style.onBlank { return }
        pen.set(style)
    }

    /// Brings the pen to a column of the row.
    private func reach(_ column: Int, with pen: inout TerminalPen) {
        if pen.row == row, pen.column == column {
            // Ambiguous characters follow one another without the column being set: after the last of them it is.
            let isAmbiguous = new[packed: row, column].glyph.certainty == .ambiguous
            if pen.isSure || (isAmbiguous && column < new.columns - 1) { return }
        }
        let gap = pen.column..<max(pen.column, column)
        if pen.row == row, pen.isSure, !gap.isEmpty, gap.count <= Self.longestGap,
            gap.allSatisfy({ isCheap($0, pen) })
        {
            for column in gap { pen.draw(new[packed: row, column].glyph, of: new) }
        } else {
            pen.move(to: CellPlace(row: row, column: column))
        }
    }

    /// Whether a cell is one byte in the style of the pen.
    private func isCheap(_ column: Int, _ pen: TerminalPen) -> Bool {
        let cell = new[packed: row, column]
        guard cell.glyph != .tail, cell.glyph != .covered, cell.glyph.cluster == nil,
            cell.glyph.scalar.isASCII
        else { return false }
        let style = features.drawn(cell.style)
        return style == pen.style
            || (cell.glyph == .blank && style.onBlank == pen.style.onBlank)
    }

    /// Makes everything from a column on blank.
    private func drawBlanks(from end: Int, with pen: inout TerminalPen) {
        guard let first = (end..<new.columns).first(where: { !looksSame($0) }) else { return }
        let last = (first..<new.columns).last { !looksSame($0) } ?? first
        reach(first, with: &pen)
        if last - first < 3 {
            if pen.style.onBlank != .plain { pen.set(.plain) }
            for _ in first...last { pen.draw(.blank, of: new) }
        } else {
            pen.eraseLine()
        }
    }
}
