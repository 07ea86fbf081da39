internal import TerminalCells

// The mouse: what it points at was drawn.

extension BrowseState {
    mutating func handle(_ event: MouseEvent) {
        switch event.action {
        case .wheelUp where overlay == nil: move(by: -1)
        case .wheelDown where overlay == nil: move(by: 1)
        case .press where overlay == nil && event.button == 0:
            message = nil
            press(event.place)
        default: break
        }
    }

    private mutating func press(_ place: CellPlace) {
        let places = self.places
        if places.list.contains(row: place.row, column: place.column) {
            pressRow(cursor.top + place.row - places.list.row)
        } else if place.row == places.name {
            isNaming = true
        } else if place.row == places.path {
            goUp()
        }
    }

    /// A double click is Enter.
    private mutating func pressRow(_ place: Int) {
        guard place < rowCount else { return }
        send(to: place)
        let isSecond = click.map { $0.name == cursor.name } ?? false
        click = nil
        if isSecond {
            enter(seen: nil)
        } else {
            click = Click(name: cursor.name, timer: nextNumber())
        }
    }
}
