internal import PickerClient
internal import TerminalCells

/// A picture in the making.
struct PickCanvas {
    let state: PickState
    let texts: PickTexts
    let styles: PickStyles
    let places: PickPlaces
    var grid: CellGrid
    var caret: CellPlace?
    var images: [ImagePlacement] = []

    init(_ state: PickState, _ texts: PickTexts) {
        self.state = state
        self.texts = texts
        styles = PickStyles(hasColor: state.options.hasColor)
        places = state.places
        grid = CellGrid(rows: state.size.rows, columns: state.size.columns)
    }

    mutating func draw() {
        guard grid.rows > 0, grid.columns > 0 else { return }
        drawPrompt()
        drawStatus()
        if let row = places.header, let header = state.header {
            put(StyledText(escaping: header, style: styles.dim), row, 2)
        }
        drawGone()
        drawList()
        drawPreview()
        drawOverlay()
    }

    /// Draws text up to the end of the row.
    mutating func put(_ text: StyledText, _ row: Int, _ column: Int, cut: CellGrid.Cut = .end) {
        grid.put(text, row: row, column: column, width: grid.columns - column, cut: cut)
    }

    // MARK: The prompt

    /// The line scrolls, so that the caret is on the screen.
    private mutating func drawPrompt() {
        if state.options.mode == .watch, !state.isSearching {
            return put(StyledText(escaping: state.title, style: styles.prompt), places.prompt, 0)
        }
        var prompt = StyledText(escaping: state.options.prompt, style: styles.prompt)
        // A prompt that leaves no room for what is typed is not drawn.
        if prompt.width * 2 > grid.columns { prompt = StyledText() }
        let start = prompt.width
        put(prompt, places.prompt, 0)
        let room = grid.columns - start
        let head = StyledText(escaping: state.typed.beforeCaret)
        // One column is left free for the caret.
        let width = min(head.width, max(0, room - 1))
        let taken = grid.put(head, row: places.prompt, column: start, width: width, cut: .start)
        caret = CellPlace(row: places.prompt, column: min(start + taken, grid.columns - 1))
        put(StyledText(escaping: state.typed.behindCaret), places.prompt, start + taken)
        drawCarets(start, isWhole: width == head.width)
    }

    private mutating func drawCarets(_ start: Int, isWhole: Bool) {
        guard let row = places.carets, let fault = state.fault else { return }
        let before = isWhole ? StyledText(escaping: fault.prefix).width : 0
        let count = max(1, StyledText(escaping: fault.fault).width)
        var text = StyledText(
            escaping: isWhole ? String(repeating: "^", count: count) + " " : "",
            style: styles.fault)
        text.append(escaping: fault.message, style: styles.fault)
        let column = min(start + before, max(0, grid.columns - 1))
        // If there is little room behind the carets, the message is under them from the start.
        let isFar = grid.columns - column < text.width
        if isFar, isWhole {
            text = StyledText(escaping: fault.message, style: styles.fault)
            return put(text, row, min(start, grid.columns - 1))
        }
        put(text, row, isWhole ? column : start)
    }

    // MARK: The status

    private mutating func drawStatus() {
        guard let row = places.status ?? (state.message != nil ? places.prompt : nil) else {
            return
        }
        if let message = state.message {
            // A message is short of nothing but room.
            grid.fill(
                CellRect(row: row, column: 0, rows: 1, columns: grid.columns), style: .plain)
            return put(StyledText(escaping: message, style: styles.message), row, 2)
        }
        put(StyledText(escaping: StatusLine.text(of: state), style: styles.dim), row, 2)
    }

    // MARK: Marked and gone

    private mutating func drawGone() {
        if places.gone.rows <= 0 { return }
        let gone = state.marks.gone
        for index in 0..<places.gone.rows {
            let row = places.gone.row + index
            if index == places.gone.rows - 1, gone.count > places.gone.rows {
                let rest = "… and \(gone.count - index) more are gone"
                put(StyledText(escaping: rest, style: styles.dim), row, 2)
            } else {
                let item = gone[index].item
                put(StyledText(escaping: "•", style: styles.mark), row, 1)
                put(StyledText(escaping: item.path ?? item.key, style: styles.gone), row, 3)
            }
        }
    }
}
