internal import TerminalCells

/// A picture of a folder in the making.
struct BrowseCanvas {
    let state: BrowseState
    let styles: PickStyles
    let places: BrowsePlaces
    var grid: CellGrid
    var caret: CellPlace?

    init(_ state: BrowseState) {
        self.state = state
        styles = PickStyles(hasColor: state.options.hasColor)
        places = state.places
        grid = CellGrid(rows: state.size.rows, columns: state.size.columns)
    }

    mutating func draw() {
        guard grid.rows > 0, grid.columns > 0 else { return }
        drawName()
        drawPath()
        drawStatus()
        if let row = places.header, let header = state.options.header {
            put(StyledText(escaping: header, style: styles.dim), row, 2)
        }
        drawRows()
        if case .help(let scroll)? = state.overlay {
            caret = nil
            let lines = BrowseHelp.lines(state.options).dropFirst(scroll)
            grid.drawBox("Keys", Array(lines), selected: nil, styles)
        }
    }

    /// Draws text up to the end of the row.
    private mutating func put(_ text: StyledText, _ row: Int, _ column: Int) {
        grid.put(text, row: row, column: column, width: grid.columns - column)
    }

    // MARK: The lines

    private mutating func drawName() {
        guard let row = places.name else { return }
        var label = StyledText(escaping: "Save as: ", style: styles.prompt)
        if label.width * 2 > grid.columns { label = StyledText() }
        put(label, row, 0)
        let selected = state.name.selected
        let characters = Array(state.name.text)
        if selected > 0, state.isNaming {
            // Its start is what is typed over, so that is what is seen.
            var text = StyledText(
                escaping: String(characters[..<selected]), style: styles.selected)
            text.append(escaping: String(characters[selected...]))
            put(text, row, label.width)
            let width = StyledText(escaping: String(characters[..<selected])).width
            caret = CellPlace(row: row, column: min(label.width + width, grid.columns - 1))
        } else {
            draw(state.name.line, row, label.width, hasCaret: state.isNaming)
        }
    }

    private mutating func drawPath() {
        guard let row = places.path else { return }
        if case .newFolder(let line)? = state.overlay {
            var label = StyledText(escaping: "New folder: ", style: styles.prompt)
            if label.width * 2 > grid.columns { label = StyledText() }
            put(label, row, 0)
            return draw(line, row, label.width, hasCaret: true)
        }
        var prompt = StyledText(escaping: state.options.prompt, style: styles.prompt)
        if prompt.width * 2 > grid.columns { prompt = StyledText() }
        put(prompt, row, 0)
        let isTop = state.folder.count == 1
        let path = StyledText(
            escaping: String(decoding: state.folder, as: UTF8.self) + (isTop ? "" : "/"),
            style: styles.prompt)
        // What is typed has half of the row, if it needs as much.
        let typed = StyledText(escaping: state.filter.text).width + 1
        let room = grid.columns - prompt.width
        let width = max(0, room - min(typed, room / 2))
        let taken = grid.put(path, row: row, column: prompt.width, width: width, cut: .start)
        draw(state.filter, row, prompt.width + taken, hasCaret: !state.isNaming)
    }

    /// A line that scrolls, so that its caret is on the screen.
    private mutating func draw(_ line: QueryLine, _ row: Int, _ start: Int, hasCaret: Bool) {
        let room = grid.columns - start
        let head = StyledText(escaping: line.beforeCaret)
        // One column is left free for the caret.
        let width = min(head.width, max(0, room - 1))
        let taken = grid.put(head, row: row, column: start, width: width, cut: .start)
        put(StyledText(escaping: line.behindCaret), row, start + taken)
        if hasCaret {
            caret = CellPlace(row: row, column: max(0, min(start + taken, grid.columns - 1)))
        }
    }

    // MARK: The status

    private mutating func drawStatus() {
        var text = StyledText(escaping: BrowseStatus.text(of: state), style: styles.dim)
        var isUrgent = false
        if case .overwrite(let name)? = state.overlay {
            let name = DisplayWidth.truncating(String(decoding: name, as: UTF8.self), to: 40)
            text = StyledText(
                escaping: "'\(name)' is there already: overwrite it? y/n", style: styles.message)
            isUrgent = true
            caret = nil
        } else if let message = state.message {
            text = StyledText(escaping: message, style: styles.message)
            isUrgent = true
        }
        guard let row = places.status ?? (isUrgent ? 0 : nil) else { return }
        grid.fill(CellRect(row: row, column: 0, rows: 1, columns: grid.columns), style: .plain)
        put(text, row, min(2, grid.columns - 1))
    }

    // MARK: The rows

    private mutating func drawRows() {
        if places.list.isEmpty { return }
        for index in 0..<places.list.rows {
            guard let row = state.row(at: state.cursor.top + index) else { break }
            draw(
                row, places.list.row + index,
                isAtCursor: state.cursor.top + index == state.cursor.place)
        }
        let next = state.rowCount - state.cursor.top
        guard next < places.list.rows else { return }
        var note = state.listing?.fault
        if note == nil, state.listing != nil, state.rowCount == 0 { note = "nothing matches" }
        if let note {
            put(StyledText(escaping: note, style: styles.dim), places.list.row + next, 3)
        }
    }

    private mutating func draw(_ row: BrowseRow, _ line: Int, isAtCursor: Bool) {
        func style(_ style: CellStyle) -> CellStyle {
            isAtCursor ? styles.atCursor(style) : style
        }
        if isAtCursor {
            grid.fill(
                CellRect(row: line, column: 0, rows: 1, columns: grid.columns),
                style: style(.plain))
            put(StyledText(escaping: ">", style: style(styles.pointer)), line, 0)
        }
        guard grid.columns > 3 else { return }
        switch row {
        case .here:
            var text = StyledText(escaping: ".", style: style(.plain))
            text.append(escaping: "  this folder", style: style(styles.dim))
            put(text, line, 3)
        case .entry(let entry):
            let plain = style(entry.isFolder ? .plain : styles.dim)
            var text = StyledText(
                escaping: entry.text, style: plain,
                marking: SoughtText.ranges(of: state.filter.text, in: entry.text),
                marked: style(styles.match))
            if entry.isFolder { text.append(escaping: "/", style: style(styles.dim)) }
            put(text, line, 3)
        }
    }
}
