// Columns that line up, by what the terminal shows rather than by bytes.

package struct Table {
    package struct Column {
        let isRightAligned: Bool
        let isFlexible: Bool
        let minimum: Int
        let paint: (String) -> String

        /// - Parameters:
        ///   - rightAligned: for numbers.
        ///   - flexible: is cut before others where there is too little room.
        ///   - minimum: its width is never less, so that it need not change with each row.
        ///   - paint: adds colour, which takes no room.
        package init(
            rightAligned: Bool = false, flexible: Bool = false, minimum: Int = 0,
            paint: @escaping (String) -> String = { $0 }
        ) {
            isRightAligned = rightAligned
            isFlexible = flexible
            self.minimum = minimum
            self.paint = paint
        }
    }

    private static let gap = "  "
    /// Where lines may be as long as they like, a flexible column is no wider than this for all of them: one
    /// long name moves what is behind it on its own line alone.
    private static let widestFlexible = 40

    private let columns: [Column]
    private var rows: [[String]] = []
    private var widths: [Int]

    package init(_ columns: [Column]) {
        self.columns = columns
        widths = columns.map(\.minimum)
    }

    /// Adds a row; cells must be visible text without colour.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        for (index, cell) in cells.enumerated() {
            widths[index] = max(widths[index], DisplayWidth.of(cell))
        }
        rows.append(cells)
    }

    /// The lines of the rows so far, which are then let go of: the columns stay as wide as they are.
    package mutating func takeLines(limit: Int? = nil) -> [String] {
        defer { rows = [] }
        return lines(limit: limit)
    }

    /// The lines. If `limit` is given none is wider: flexible columns are cut first, the widest of
    /// them before the others.
    package func lines(limit: Int? = nil) -> [String] {
        let widths = fitted(limit)
        return rows.map { cells in
            var line = ""
            for (index, cell) in cells.enumerated() {
                let column = columns[index]
                let text = limit == nil ? cell : DisplayWidth.truncating(cell, to: widths[index])
                if index > 0 { line += Self.gap }
                let blanks = String(
                    repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
                if column.isRightAligned { line += blanks }
                line += column.paint(text)
                if !column.isRightAligned, index < cells.count - 1 { line += blanks }
            }
            return line
        }
    }

    /// What a flexible column is left with before others are cut.
    private static let leastFlexible = 8

    private func fitted(_ limit: Int?) -> [Int] {
        guard let limit else {
            return zip(columns, self.widths).map { column, width in
                column.isFlexible ? min(width, Self.widestFlexible) : width
            }
        }
        var widths = widths
        let gaps = Self.gap.utf8.count * max(0, widths.count - 1)
        // Column by column off the widest: tables are a terminal wide and a few columns long.
        while widths.reduce(gaps, +) > limit {
            let flexible = widths.indices.filter {
                columns[$0].isFlexible && widths[$0] > Self.leastFlexible
            }
            let candidates = flexible.isEmpty ? Array(widths.indices) : flexible
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }), widths[widest] > 0
            else { break }
            widths[widest] -= 1
        }
        return widths
    }
}
