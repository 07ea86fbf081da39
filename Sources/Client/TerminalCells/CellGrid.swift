// The cells of a screen.
//
// A wide character is in two cells: it, and its second half. Whatever is drawn, no half is left alone: where one is
// overwritten, the other becomes a blank. Debug builds check this in each row after it was drawn into.

/// The cells of a screen, each with a character and a style.
package struct CellGrid: Sendable {
    /// Where a text that is too long is cut.
    package enum Cut: Sendable {
        /// An ellipsis is at its end.
        case end
        /// An ellipsis is at its start: for paths.
        case start
        case none
    }

    /// A cell. A wide character is in two, of which the second has no text.
    package struct Cell: Hashable, Sendable {
        package var text: String
        package var style: CellStyle

        package static let blank = Cell(text: " ", style: .plain)

        package init(text: String, style: CellStyle) {
            self.text = text
            self.style = style
        }
    }

    package let rows: Int
    package let columns: Int
    private var cells: [PackedCell]
    /// The clusters of several scalars. Each is that of one cell at most.
    private var clusters: [String] = []

    /// The most scalars of a cluster. More are dropped: no writing and no emoji has as many, but a name may be one
    /// letter with a thousand marks.
    static let mostScalars = 16

    package init(rows: Int, columns: Int) {
        self.rows = max(0, rows)
        self.columns = max(0, columns)
        cells = Array(repeating: .blank, count: self.rows * self.columns)
    }

    package subscript(row: Int, column: Int) -> Cell {
        let cell = self[packed: row, column]
        return Cell(text: text(of: cell.glyph), style: cell.style.style)
    }

    /// Gives all cells of a rectangle blanks of a style.
    package mutating func fill(_ rect: CellRect, style: CellStyle) {
        let first = max(0, rect.column)
        let last = rect.columns < columns - rect.column ? rect.column + rect.columns : columns
        let lastRow = rect.rows < rows - rect.row ? rect.row + rect.rows : rows
        guard first < last else { return }
        let blank = PackedCell(glyph: .blank, style: PackedStyle(style))
        for row in max(0, rect.row)..<max(0, rect.row, lastRow) {
            for column in first..<last { set(blank, row, column) }
            assert(isSound(row: row), "no half of a wide character is left alone")
        }
    }

    /// The text of a row, without blanks at its end.
    package func text(row: Int) -> String {
        var text = ""
        for column in 0..<columns { text += self.text(of: self[packed: row, column].glyph) }
        while text.last == " " { text.removeLast() }
        return text
    }

    // MARK: Cells as they are stored

    subscript(packed row: Int, column: Int) -> PackedCell { cells[row * columns + column] }

    func text(of glyph: Glyph) -> String {
        if glyph == .tail { return "" }
        return glyph.cluster.map { clusters[$0] } ?? String(Character(glyph.scalar))
    }

    /// Puts a cell where it has room. Halves of what it overwrites become blanks.
    mutating func set(_ cell: PackedCell, _ row: Int, _ column: Int) {
        let start = row * columns
        let end = column + cell.glyph.width
        if cells[start + column].glyph == .tail { cells[start + column - 1].glyph = .blank }
        if end < columns, cells[start + end].glyph == .tail { cells[start + end].glyph = .blank }
        cells[start + column] = cell
        if cell.glyph.isWide {
            cells[start + column + 1] = PackedCell(glyph: .tail, style: cell.style)
        }
    }

    /// Puts printable bytes of ASCII where they have room, one in each cell, like `set`.
    mutating func set(
        ascii bytes: borrowing Span<UInt8>, _ style: PackedStyle, _ row: Int, _ column: Int
    ) {
        if bytes.isEmpty { return }
        let start = row * columns + column
        let end = start + bytes.count
        if cells[start].glyph == .tail { cells[start - 1].glyph = .blank }
        if column + bytes.count < columns, cells[end].glyph == .tail { cells[end].glyph = .blank }
        for index in bytes.indices {
            cells[start + index] = PackedCell(glyph: Glyph(ascii: bytes[index]), style: style)
        }
    }

    /// A glyph for a cluster of several scalars.
    mutating func glyph(ofCluster text: String, isWide: Bool) -> Glyph {
        if clusters.count > cells.count + 64 { dropUnusedClusters() }
        clusters.append(Self.cut(text))
        return Glyph(cluster: clusters.count - 1, isWide: isWide)
    }

    /// Adds marks to the character that ends at a column.
    mutating func join(_ marks: String, before column: Int, row: Int) {
        var index = row * columns + column - 1
        if cells[index].glyph == .tail { index -= 1 }
        let glyph = cells[index].glyph
        if let cluster = glyph.cluster {
            clusters[cluster] = Self.cut(clusters[cluster] + marks)
        } else {
            cells[index].glyph = self.glyph(
                ofCluster: text(of: glyph) + marks, isWide: glyph.isWide)
        }
    }

    private static func cut(_ cluster: String) -> String {
        let scalars = cluster.unicodeScalars
        if scalars.count <= mostScalars { return cluster }
        return String(String.UnicodeScalarView(scalars.prefix(mostScalars)))
    }

    private mutating func dropUnusedClusters() {
        var used: [String] = []
        for index in cells.indices {
            guard let cluster = cells[index].glyph.cluster else { continue }
            cells[index].glyph = Glyph(cluster: used.count, isWide: cells[index].glyph.isWide)
            used.append(clusters[cluster])
        }
        clusters = used
    }

    /// This grid with other numbers of rows and columns: the cells that there are in both.
    func fitting(_ size: TerminalSize) -> CellGrid {
        if size.rows == rows, size.columns == columns { return self }
        var other = CellGrid(rows: size.rows, columns: size.columns)
        for row in 0..<min(rows, other.rows) {
            for column in 0..<min(columns, other.columns) {
                var cell = self[packed: row, column]
                if cell.glyph == .tail || column + cell.glyph.width > other.columns { continue }
                if let cluster = cell.glyph.cluster {
                    cell.glyph = other.glyph(
                        ofCluster: clusters[cluster], isWide: cell.glyph.isWide)
                }
                other.set(cell, row, column)
            }
        }
        return other
    }

    /// Whether each half of a wide character in a row has the other one beside it.
    func isSound(row: Int) -> Bool {
        var isTailNext = false
        for column in 0..<columns {
            let glyph = self[packed: row, column].glyph
            if (glyph == .tail) != isTailNext { return false }
            if let cluster = glyph.cluster, !clusters.indices.contains(cluster) { return false }
            isTailNext = glyph.isWide
        }
        return !isTailNext
    }
}

extension CellGrid: Equatable {
    /// - Complexity: O(1) for copies of one another, else O(rows × columns), nearly always without a look at texts.
    package static func == (left: CellGrid, right: CellGrid) -> Bool {
        guard left.rows == right.rows, left.columns == right.columns else { return false }
        if left.cells == right.cells, left.clusters == right.clusters { return true }
        // The same clusters may have other numbers, if they were drawn in another order.
        if left.clusters.isEmpty || right.clusters.isEmpty { return false }
        return left.cells.indices.allSatisfy { index in
            left.cells[index].style == right.cells[index].style
                && left.shows(left.cells[index].glyph, as: right.cells[index].glyph, of: right)
        }
    }

    /// Whether a glyph of this grid is the same as one of another.
    func shows(_ glyph: Glyph, as otherGlyph: Glyph, of other: CellGrid) -> Bool {
        guard let cluster = glyph.cluster, let otherCluster = otherGlyph.cluster else {
            return glyph == otherGlyph
        }
        return glyph.isWide == otherGlyph.isWide
            && clusters[cluster] == other.clusters[otherCluster]
    }
}
