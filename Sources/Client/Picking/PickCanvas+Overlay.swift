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

    private mutating func drawBox(_ title: String, _ lines: [String], selected: Int?) {
        caret = nil
        grid.drawBox(title, lines, selected: selected, styles)
    }
}
