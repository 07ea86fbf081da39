#if DEBUG
internal import PickerClient
internal import TerminalCells

// What holds after each event; debug builds check it.

extension PickState {
    func checkInvariants() {
        assert(cursor.row >= 0 && cursor.row < shape.lines, "the cursor is on the screen")
        assert(top >= 0, "no row is before the first one")
        assert(
            cursor.place == 0 || cursor.place < (rows?.total ?? .max), "the cursor is in the list")
        assert(cursor.hasMoved || cursor.place == 0, "what was not moved is at the top")
        assert(marks.count <= max(0, options.mostMarks), "there are no more marks than may be")
        assert(options.isMulti || marks.isEmpty, "marks are only where there may be some")
        assert(typed.text.utf8.count <= QueryLine.mostBytes, "the line is not too long")
        assert(held.count <= Self.mostHeld && undo.count <= UndoStep.most, "limits hold")
        assert(held.isEmpty == (heldTimer == nil), "what waits has a limit of time")
        assert(frames.count <= SeenFrame.most && vanished.count <= SeenFrame.most, "limits hold")
        if let key = cursor.key, let rows, let item = rows.item(at: cursor.place) {
            assert(
                item.key == key || rows.items.allSatisfy { $0.key != key },
                "the cursor is at its row")
        }
        let window = self.window
        assert(window.start >= 0 && window.offset >= 0, "windows are in the list")
        assert(window.offset <= windowRows, "the cursor is in its window")
    }
}
#endif
