internal import TerminalCells

// The cursor by hand, and the window of rows around it.

extension PickState {
    // MARK: By hand

    /// Sends the cursor this many rows down. In a watch, where none is to be seen, the rows scroll.
    mutating func move(by count: Int) {
        guard options.mode == .pick else { return scroll(by: count) }
        send(to: cursor.place + count)
    }

    /// Sends the cursor to a row.
    mutating func send(to place: Int) {
        guard let total = rows?.total, total > 0 else { return }
        let place = max(0, min(place, total - 1))
        if place == cursor.place { return }
        let shape = self.shape
        let lines = place / shape.perLine - cursor.place / shape.perLine
        cursor.row = max(0, min(cursor.row + lines, shape.lines - 1))
        cursor.offset += place - cursor.place
        cursor.place = place
        cursor.item = nil
        soughtCursor = nil
        cursor.hasMoved = true
        cursor.handPlace = place
        moves += 1
        readCursor()
    }

    /// Sends it to the first row, where it stays whatever comes in.
    mutating func sendToTop() {
        moves += 1
        goToTop()
    }

    mutating func sendToEnd() {
        guard let total = rows?.total, total > 0 else { return }
        options.mode == .pick ? send(to: total - 1) : scroll(by: total)
    }

    // MARK: The screen

    /// Keeps the cursor on the screen, and the screen full of rows.
    mutating func fitCursor() {
        let shape = self.shape
        let line = cursor.place / shape.perLine
        let lines = ((rows?.total ?? 0) + shape.perLine - 1) / shape.perLine
        var top = line - max(0, min(cursor.row, shape.lines - 1))
        top = max(0, min(top, lines - shape.lines))
        // The rows of a list that is not known yet are where they were.
        cursor.row = max(0, min(line - top, shape.lines - 1))
    }

    // MARK: The window

    /// The rows of the window: about three screens.
    var windowRows: Int {
        let count = shape.count
        return min(3 * count, max(300, 2 * count))
    }

    /// Moves the window if less than half a screen of it is left above or below what is seen.
    mutating func placeWindow() {
        let count = windowRows
        let seen = top..<top + shape.count
        let least = seen.count / 2
        let start = max(0, cursor.place - cursor.offset)
        let above = seen.lowerBound - start
        let below = start + count - seen.upperBound
        let total = rows?.total ?? 0
        guard
            above < least && start > 0 || above < 0 || below < 0
                || below < least && start + count < total
                || cursor.offset > count - (seen.upperBound - cursor.place)
        else { return }
        cursor.offset = min(
            cursor.place, cursor.place - seen.lowerBound + (count - seen.count) / 2)
    }

    /// The window that is wanted: by the document under the cursor, once that was moved.
    var window: (start: Int, anchor: String?, offset: Int) {
        if landsAtTop || !cursor.hasMoved { return (0, nil, 0) }
        guard let key = cursor.key else { return (max(0, cursor.place - cursor.offset), nil, 0) }
        return (0, key, max(0, cursor.offset))
    }
}
