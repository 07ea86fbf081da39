internal import PickerClient
internal import TerminalCells

// The mouse: what it points at was drawn, and is not waited for.

extension PickState {
    mutating func handle(_ event: MouseEvent) {
        let (row, column) = (event.place.row, event.place.column)
        let places = self.places
        let isOnPreview = places.preview?.contains(row: row, column: column) ?? false
        switch event.action {
        case .wheelUp, .wheelDown:
            let way = event.action == .wheelUp ? -1 : 1
            if overlay != nil { return moveInOverlay(by: way) }
            if isOnPreview {
                preview.scroll(by: way * 3, rows: places.preview?.rows ?? 0)
            } else {
                move(by: way * places.shape.perLine)
            }
        case .press where overlay == nil:
            message = nil
            if let index = places.shape.index(row: row, column: column, in: places.list) {
                press(event.button, on: top + index)
            } else if places.gone.contains(row: row, column: column) {
                unmarkGone(row - places.gone.row)
            }
        case .press, .release, .drag: break
        }
    }

    private mutating func press(_ button: Int, on place: Int) {
        guard options.mode == .pick, let item = rows?.item(at: place) else { return }
        switch button {
        case 0:
            send(to: place)
            if click?.key == item.key {
                click = nil
                accept(clicked: item)
            } else {
                click = Click(key: item.key, timer: nextNumber())
            }
        case 2 where options.isMulti:
            click = nil
            toggleMark(item)
        default: click = nil
        }
    }

    /// A double click takes what is marked, or else what it points at.
    private mutating func accept(clicked item: ListItem) {
        if options.isMulti, !marks.isEmpty {
            accept(seen: nil)
        } else {
            outcome = .picked([item])
        }
    }

    private mutating func unmarkGone(_ row: Int) {
        let places = marks.all.indices.filter { marks.all[$0].isGone }
        if places.indices.contains(row) { marks.remove(at: places[row]) }
    }
}
