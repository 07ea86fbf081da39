internal import PickerClient
internal import TerminalCells

// The tiles of a grid: a picture of the document, or where it is, its size and date; and its name below.

extension PickCanvas {
    mutating func drawTile(
        _ item: ListItem, _ tile: CellRect, _ look: RowLook, withRoot: Bool
    ) {
        guard tile.rows > 0, tile.columns > 0 else { return }
        if look.isAtCursor || look.isLit {
            // Without colors it would be one large block: the name says enough.
            let first = styles.hasColor ? tile.row : tile.row + tile.rows - 1
            grid.fill(
                CellRect(
                    row: first, column: tile.column, rows: tile.row + tile.rows - first,
                    columns: tile.columns),
                style: look.style(.plain))
        }
        let size = places.shape.picture
        let picture = CellRect(
            row: tile.row, column: tile.column + 1, rows: size.rows, columns: size.columns)
        if !picture.isEmpty, !drawPicture(of: item, picture) {
            drawFacts(of: item, picture, look, withRoot: withRoot)
        }
        drawName(of: item, tile, look)
    }

    private mutating func drawName(of item: ListItem, _ tile: CellRect, _ look: RowLook) {
        let row = tile.row + tile.rows - 1
        let end = tile.column + tile.columns
        func put(_ text: StyledText, _ column: Int) {
            guard column < end else { return }
            grid.put(text, row: row, column: column, width: end - column)
        }
        if look.isAtCursor {
            put(StyledText(escaping: ">", style: look.style(styles.pointer)), tile.column)
        }
        let signs: [(String, Bool, CellStyle)] = [
            ("•", state.marks.contains(item.key), styles.mark), ("♥", item.isLiked, styles.liked),
        ]
        var column = tile.column + 1
        for (sign, isShown, style) in signs where isShown {
            put(StyledText(escaping: sign, style: look.style(style)), column)
            column += 1
        }
        // One column is left free before the next tile.
        grid.put(
            name(of: item, look), row: row, column: column, width: max(0, end - 1 - column))
    }

    /// The folder, and below it the size and the date.
    private mutating func drawFacts(
        of item: ListItem, _ place: CellRect, _ look: RowLook, withRoot: Bool
    ) {
        let size = item.size.map(texts.size) ?? ""
        let date = item.modified.map(texts.date) ?? ""
        var facts = [date, size].map { StyledText(escaping: $0, style: look.style(styles.dim)) }
        facts.append(folder(of: item, look, withRoot: withRoot))
        for (index, fact) in facts.filter({ !$0.isEmpty }).prefix(place.rows).enumerated() {
            grid.put(
                fact, row: place.row + place.rows - 1 - index, column: place.column,
                width: place.columns, cut: .start)
        }
    }

    /// - Returns: whether there is a picture.
    private mutating func drawPicture(of item: ListItem, _ place: CellRect) -> Bool {
        guard let picture = state.pictures.picture(of: item.key) else { return false }
        switch picture.content {
        case .loading, .failed: return false
        case .text(let lines, _, _):
            guard lines.count <= place.rows, lines.allSatisfy({ $0.width <= place.columns })
            else { return false }
            let width = lines.map(\.width).max() ?? 0
            for (index, line) in lines.enumerated() {
                grid.put(
                    line, row: place.row + (place.rows - lines.count) / 2 + index,
                    column: place.column + (place.columns - width) / 2, width: width)
            }
            return true
        case .image(let image):
            let size = image.size
            guard size.rows <= place.rows, size.columns <= place.columns else { return false }
            let rect = CellRect(
                row: place.row + (place.rows - size.rows) / 2,
                column: place.column + (place.columns - size.columns) / 2, rows: size.rows,
                columns: size.columns)
            add(image, rect, number: picture.shownNumber)
            return true
        }
    }
}
