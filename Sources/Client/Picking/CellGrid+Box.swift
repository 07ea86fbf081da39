internal import TerminalCells

extension CellGrid {
    /// A box with lines over what was drawn, from the second row on. It shows the selected line.
    mutating func drawBox(
        _ title: String, _ lines: [String], selected: Int?, _ styles: PickStyles
    ) {
        let first = min(1, rows - 1)
        let room = max(0, rows - first - 1)
        let texts = lines.map { StyledText(escaping: $0) }
        let widest = texts.reduce(title.count) { max($0, $1.width) } + 4
        let place = CellRect(
            row: first, column: 0, rows: min(texts.count, room) + 1, columns: min(widest, columns))
        fill(place, style: .plain)
        put(
            StyledText(escaping: title, style: styles.prompt), row: first, column: 2,
            width: place.columns - 2)
        let start = max(0, (selected ?? 0) - room + 1)
        for index in 0..<max(0, place.rows - 1) where texts.indices.contains(start + index) {
            let isSelected = start + index == selected
            let row = first + 1 + index
            if isSelected {
                fill(
                    CellRect(row: row, column: 0, rows: 1, columns: place.columns),
                    style: styles.selected)
            }
            put(
                StyledText(
                    escaping: lines[start + index], style: isSelected ? styles.selected : .plain),
                row: row, column: 2, width: place.columns - 4)
        }
    }
}
