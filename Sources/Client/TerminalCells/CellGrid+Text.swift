// Text in the cells of a grid.

extension CellGrid {
    /// Draws text from a cell on, at most `width` columns of it, within the row. Combining marks join the character
    /// before them; at the start of the text they are left out.
    /// - Returns: the columns that it took.
    @discardableResult
    package mutating func put(
        _ text: StyledText, row: Int, column: Int, width: Int, cut: Cut = .end
    ) -> Int {
        guard row >= 0, row < rows, column >= 0 else { return 0 }
        let room = min(width, columns - column)
        guard room > 0 else { return 0 }
        defer { assert(isSound(row: row), "no half of a wide character is left alone") }
        if let taken = put(ascii: text, row, column, room) { return taken }
        var drawing = TextDrawing(row: row, column: column, room: room)
        guard cut == .start else { return drawing.put(text, cutAtEnd: cut == .end, in: &self) }
        let whole = text.width
        if whole <= room { return drawing.put(text, cutAtEnd: false, in: &self) }
        return drawing.putEnd(of: text, leavingOut: whole - (room - 1), in: &self)
    }
}

extension CellGrid {
    /// Draws text that has room and is of nothing but ASCII.
    /// - Returns: the columns that it took; nil if it is another.
    private mutating func put(
        ascii text: StyledText, _ row: Int, _ column: Int, _ room: Int
    ) -> Int? {
        var count = 0
        for run in text.runs {
            count += run.text.utf8.count
            guard count <= room, run.text.isPrintableASCII() else { return nil }
        }
        var place = column
        for run in text.runs {
            set(ascii: run.text.utf8Span.span, PackedStyle(run.style), row, place)
            place += run.text.utf8.count
        }
        return count
    }
}

/// A text that is being drawn into a row.
private struct TextDrawing {
    let row: Int
    let column: Int
    let room: Int
    private var done = 0
    /// The style of what was drawn last, which an ellipsis has, too.
    private var style: PackedStyle?

    private static let ellipsis = Glyph("…", isWide: false, .ambiguous)

    init(row: Int, column: Int, room: Int) {
        self.row = row
        self.column = column
        self.room = room
    }

    /// Draws as much of a text as there is room for.
    ///
    /// What would take the column of the ellipsis is drawn when the text has ended with it, so that nothing is drawn
    /// twice and nothing has to be measured before.
    mutating func put(_ text: StyledText, cutAtEnd: Bool, in grid: inout CellGrid) -> Int {
        var last: TextCluster?
        var isCut = false
        text.eachCluster { cluster in
            if cluster.isMark, done > 0 || last != nil {
                if last == nil { join(cluster, in: &grid) } else { last?.join(cluster) }
                return true
            }
            if cluster.width == 0 { return true }
            let end = done + cluster.width
            if last == nil, end <= (cutAtEnd ? room - 1 : room) {
                draw(cluster, in: &grid)
                return true
            }
            if last == nil, end <= room, cutAtEnd {
                last = cluster
                return true
            }
            if style == nil { style = cluster.style }
            isCut = true
            return false
        }
        if isCut {
            if cutAtEnd { drawEllipsis(in: &grid) }
        } else if let last {
            draw(last, in: &grid)
        }
        return done
    }

    /// Draws an ellipsis, and the end of a text from the first character on before which there are so many columns.
    mutating func putEnd(
        of text: StyledText, leavingOut columns: Int, in grid: inout CellGrid
    ) -> Int {
        var skipped = 0
        text.eachCluster { cluster in
            if skipped < columns {
                skipped += cluster.width
                if style == nil { style = cluster.style }
            } else if cluster.isMark || cluster.width == 0 {
                // The ellipsis takes no marks.
                if done > 1 { join(cluster, in: &grid) }
            } else {
                if done == 0 {
                    style = cluster.style
                    drawEllipsis(in: &grid)
                }
                if done + cluster.width <= room { draw(cluster, in: &grid) }
            }
            return true
        }
        if done == 0 { drawEllipsis(in: &grid) }
        return done
    }

    private mutating func draw(_ cluster: TextCluster, in grid: inout CellGrid) {
        let glyph =
            cluster.text.map { grid.glyph(ofCluster: $0, isWide: cluster.width == 2) }
            ?? cluster.glyph
        grid.set(PackedCell(glyph: glyph, style: cluster.style), row, column + done)
        style = cluster.style
        done += cluster.width
    }

    private mutating func drawEllipsis(in grid: inout CellGrid) {
        grid.set(PackedCell(glyph: Self.ellipsis, style: style ?? .plain), row, column + done)
        done += 1
    }

    private func join(_ cluster: TextCluster, in grid: inout CellGrid) {
        guard cluster.isMark else { return }
        grid.join(
            cluster.text ?? String(Character(cluster.glyph.scalar)), before: column + done, row: row
        )
    }
}
