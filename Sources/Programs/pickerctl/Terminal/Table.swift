// Aligned columns, measured in terminal columns rather than bytes.

internal import TerminalCells

extension String {
    /// Without blanks at the end.
    var withoutTrailingBlanks: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

package struct Table {
    package struct Column {
        let isRightAligned: Bool
        let isFlexible: Bool
        let minimum: Int
        let paint: (String) -> String
        let mark: (String) -> String

        /// - Parameters:
        ///   - rightAligned: for numbers.
        ///   - flexible: whether it is truncated before others if there is too little room.
        ///   - minimum: the minimum width, so that the width need not change with each row.
        ///   - paint: adds colour, which takes no columns.
        ///   - mark: the same for the marked parts of texts.
        package init(
            rightAligned: Bool = false, flexible: Bool = false, minimum: Int = 0,
            paint: @escaping (String) -> String = { $0 },
            mark: @escaping (String) -> String = { $0 }
        ) {
            isRightAligned = rightAligned
            isFlexible = flexible
            self.minimum = minimum
            self.paint = paint
            self.mark = mark
        }
    }

    private static let gap = "  "
    /// The width of a flexible column if lines have no limit: one long name then shifts only its own line.
    private static let widestFlexible = 40

    private let columns: [Column]
    private var rows: [[MarkedText]] = []
    private var widths: [Int]

    package init(_ columns: [Column]) {
        self.columns = columns
        widths = columns.map(\.minimum)
    }

    /// Adds a row; cells must be visible text without colour.
    package mutating func add(_ cells: [String]) { add(cells.map { MarkedText($0) }) }

    /// Adds a row of cells with marked parts.
    package mutating func add(_ cells: [MarkedText]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        for (index, cell) in cells.enumerated() {
            widths[index] = max(widths[index], DisplayWidth.of(cell.text))
        }
        rows.append(cells)
    }

    /// The lines of the rows so far, which are then removed; the columns keep their widths.
    package mutating func takeLines(limit: Int? = nil) -> [String] {
        defer { rows = [] }
        return lines(limit: limit)
    }

    /// The lines. If `limit` is given, none is wider: flexible columns are truncated first, beginning with
    /// the widest.
    package func lines(limit: Int? = nil) -> [String] {
        let widths = fitted(limit)
        return rows.map { cells in
            var line = ""
            for (index, cell) in cells.enumerated() {
                let column = columns[index]
                let text =
                    limit == nil
                    ? cell.text : DisplayWidth.truncating(cell.text, to: widths[index])
                if index > 0 { line += Self.gap }
                let blanks = String(
                    repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
                if column.isRightAligned { line += blanks }
                line += cell.painting(text, column.paint, mark: column.mark)
                if !column.isRightAligned, index < cells.count - 1 { line += blanks }
            }
            return line
        }
    }

    /// The width to which flexible columns are reduced before others are truncated.
    private static let leastFlexible = 8

    private func fitted(_ limit: Int?) -> [Int] {
        guard let limit else {
            return zip(columns, self.widths).map { column, width in
                column.isFlexible ? min(width, Self.widestFlexible) : width
            }
        }
        var widths = widths
        let gaps = Self.gap.utf8.count * max(0, widths.count - 1)
        // One terminal column at a time off the widest: tables are narrow and have few columns.
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
