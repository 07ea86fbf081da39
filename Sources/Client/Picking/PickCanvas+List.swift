internal import PickerClient
internal import TerminalCells

// The rows of the list: pointer, mark, heart, name, folder, size, date.

extension PickCanvas {
    /// The columns of sizes and dates, and from how wide a list on they are drawn.
    private static let sizeColumns = 7
    private static let dateColumns = 15
    private static let leastForSize = 36
    private static let leastForDate = 60

    mutating func drawList() {
        guard !places.list.isEmpty, let rows = state.rows else { return }
        if rows.total == 0, rows.isComplete, state.isAnswered {
            let text = state.reading == QueryReading() ? "no documents" : "nothing matches"
            grid.put(
                StyledText(escaping: text, style: styles.dim), row: places.list.row, column: 3,
                width: places.list.columns - 3)
            return
        }
        let isMany = Set(rows.items.lazy.compactMap(\.root)).count > 1
        let (shape, top) = (places.shape, state.top)
        for index in 0..<shape.count {
            let place = top + index
            guard let item = rows.item(at: place) else { continue }
            let look = RowLook(
                styles, isAtCursor: state.options.mode == .pick && place == state.cursor.place,
                isLit: state.flashing.contains(item.key), isStale: state.isStale)
            let tile = shape.rect(of: index, in: places.list)
            if state.isGrid {
                drawTile(item, tile, look, withRoot: isMany)
            } else {
                draw(item, tile.row, look, withRoot: isMany)
            }
        }
    }

    private mutating func draw(_ item: ListItem, _ row: Int, _ look: RowLook, withRoot: Bool) {
        if look.isAtCursor || look.isLit {
            grid.fill(
                CellRect(row: row, column: 0, rows: 1, columns: places.list.columns),
                style: look.style(.plain))
        }
        var end = places.list.columns
        func sign(_ text: String, _ isShown: Bool, _ column: Int, _ style: CellStyle) {
            guard isShown else { return }
            grid.put(
                StyledText(escaping: text, style: look.style(style)), row: row, column: column,
                width: end - column)
        }
        sign(">", look.isAtCursor, 0, styles.pointer)
        sign("•", state.marks.contains(item.key), 1, styles.mark)
        sign("♥", item.isLiked, 2, styles.liked)
        func right(_ text: String, _ columns: Int) {
            let text = StyledText(escaping: text, style: look.style(styles.dim))
            let width = min(text.width, columns)
            grid.put(text, row: row, column: end - width, width: width)
            end -= columns + 1
        }
        if places.list.columns >= Self.leastForDate {
            right(item.modified.map(texts.date) ?? "", Self.dateColumns)
        }
        if places.list.columns >= Self.leastForSize {
            right(item.size.map(texts.size) ?? "", Self.sizeColumns)
        }
        draw(
            name(of: item, look), folder(of: item, look, withRoot: withRoot), row,
            3..<max(3, end))
    }

    /// The name, with what matches in it.
    func name(of item: ListItem, _ look: RowLook) -> StyledText {
        StyledText(
            escaping: item.name ?? item.key, style: look.style(.plain),
            marking: item.matches ?? [], marked: look.style(styles.match))
    }

    /// The folder, with what matches in it; and its root before it, if those of different roots could be confused.
    func folder(of item: ListItem, _ look: RowLook, withRoot: Bool) -> StyledText {
        let path = item.path ?? ""
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        var text = StyledText()
        if withRoot, let root = item.root {
            text.append(
                escaping: root.hasSuffix("/") ? root : root + "/", style: look.style(styles.dim))
        }
        text.append(
            StyledText(
                escaping: folder, style: look.style(styles.dim),
                marking: item.folderMatches ?? [], marked: look.style(styles.match)))
        return text
    }

    /// The name, and the folder in what it leaves of the room: at least a third, if the folder needs as much.
    private mutating func draw(
        _ name: StyledText, _ folder: StyledText, _ row: Int, _ room: Range<Int>
    ) {
        let least = folder.isEmpty ? 0 : min(folder.width + 2, room.count / 3)
        let taken = grid.put(
            name, row: row, column: room.lowerBound, width: room.count - (least < 6 ? 0 : least))
        let column = room.lowerBound + taken + 2
        if room.upperBound - column < 4 { return }
        grid.put(folder, row: row, column: column, width: room.upperBound - column, cut: .start)
    }

    // MARK: The preview

    mutating func drawPreview() {
        guard let place = places.preview else { return }
        let isBeside = place.column > 0
        if isBeside {
            for row in place.row..<(place.row + place.rows) {
                grid.put(
                    StyledText(escaping: "│", style: styles.dim), row: row,
                    column: place.column - 1, width: 1)
            }
        } else {
            let line = String(repeating: "─", count: place.columns)
            put(StyledText(escaping: line, style: styles.dim), place.row - 1, 0)
        }
        if state.cursor.item == nil { return }
        switch state.preview.content {
        case .loading: break
        case .failed(let why):
            grid.put(
                StyledText(escaping: why, style: styles.dim), row: place.row,
                column: place.column, width: place.columns)
        case .text(let lines, _, let isCut):
            drawPreview(lines, isCut: isCut, place)
        case .image(let image): drawPreview(image, place)
        }
    }

    private mutating func drawPreview(_ lines: [StyledText], isCut: Bool, _ place: CellRect) {
        let end = isCut ? [StyledText(escaping: "… there is more", style: styles.dim)] : []
        var row = 0
        for line in lines.dropFirst(state.preview.scroll) + end {
            if row >= place.rows { return }
            let parts =
                state.preview.isWrapped
                ? line.wrapped(to: place.columns, most: place.rows - row) : [line]
            for part in parts {
                grid.put(
                    part, row: place.row + row, column: place.column, width: place.columns)
                row += 1
            }
        }
    }
}
