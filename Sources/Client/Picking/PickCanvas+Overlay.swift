internal import PickerClient
internal import TerminalCells

// What lies over the list.

extension PickCanvas {
    mutating func drawOverlay() {
        switch state.overlay {
        case nil: break
        case .help(let scroll)?:
            drawBox("Keys", Array(HelpText.lines(state.options).dropFirst(scroll)), selected: nil)
        case .actions(let menu)?:
            let count = menu.keys.count
            let title = count == 1 ? "Actions" : "Actions for \(count) documents"
            drawBox(
                title, Self.lines(of: menu), selected: menu.actions == nil ? nil : menu.selected)
        case .question(let question)?:
            let row = places.status ?? places.prompt
            grid.fill(
                CellRect(row: row, column: 0, rows: 1, columns: grid.columns), style: .plain)
            put(StyledText(escaping: question.text, style: styles.message), row, 2)
            caret = nil
        }
    }

    private static func lines(of menu: ActionMenu) -> [String] {
        guard let actions = menu.actions else { return ["…"] }
        if actions.isEmpty { return ["There is none for this"] }
        return actions.map { $0.title + ($0.writes ? " …" : "") }
    }

    /// A box over the list, which shows the selected line.
    private mutating func drawBox(_ title: String, _ lines: [String], selected: Int?) {
        caret = nil
        let first = min(1, grid.rows - 1)
        let room = max(0, grid.rows - first - 1)
        let texts = lines.map { StyledText(escaping: $0) }
        let widest = texts.reduce(title.count) { max($0, $1.width) } + 4
        let place = CellRect(
            row: first, column: 0, rows: min(texts.count, room) + 1,
            columns: min(widest, grid.columns))
        grid.fill(place, style: .plain)
        grid.put(
            StyledText(escaping: title, style: styles.prompt), row: first, column: 2,
            width: place.columns - 2)
        let start = max(0, (selected ?? 0) - room + 1)
        for index in 0..<max(0, place.rows - 1) where texts.indices.contains(start + index) {
            let isSelected = start + index == selected
            let row = first + 1 + index
            if isSelected {
                grid.fill(
                    CellRect(row: row, column: 0, rows: 1, columns: place.columns),
                    style: styles.selected)
            }
            grid.put(
                StyledText(
                    escaping: lines[start + index], style: isSelected ? styles.selected : .plain),
                row: row, column: 2, width: place.columns - 4)
        }
    }
}
