// Columns that line up, by what the terminal shows rather than by bytes.

package struct Table {
    package struct Column {
        let isRightAligned: Bool
        let paint: (String) -> String

        /// - Parameter paint: adds colour, which takes no room.
        package init(
            rightAligned: Bool = false, paint: @escaping (String) -> String = { $0 }
        ) {
            isRightAligned = rightAligned
            self.paint = paint
        }
    }

    private static let gap = "  "

    private let columns: [Column]
    private var rows: [[String]] = []
    private var widths: [Int]

    package init(_ columns: [Column]) {
        self.columns = columns
        widths = [Int](repeating: 0, count: columns.count)
    }

    /// Adds a row; cells must be visible text without colour.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        for (index, cell) in cells.enumerated() {
            widths[index] = max(widths[index], DisplayWidth.of(cell))
        }
        rows.append(cells)
    }

    /// The lines. If `limit` is given none is wider: the widest columns are cut first.
    package func lines(limit: Int? = nil) -> [String] {
        let widths = fitted(limit)
        return rows.map { cells in
            var line = ""
            for (index, cell) in cells.enumerated() {
                let column = columns[index]
                let text = DisplayWidth.truncating(cell, to: widths[index])
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

    private func fitted(_ limit: Int?) -> [Int] {
        guard let limit else { return widths }
        var widths = widths
        let gaps = Self.gap.utf8.count * max(0, widths.count - 1)
        while widths.reduce(gaps, +) > limit {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
                widths[widest] > 1
            else { break }
            let rest = widths.indices.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
            let excess = widths.reduce(gaps, +) - limit
            widths[widest] -= max(1, min(excess, widths[widest] - max(rest, 1)))
        }
        return widths
    }
}
