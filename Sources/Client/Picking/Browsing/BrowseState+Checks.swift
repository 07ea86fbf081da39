#if DEBUG
internal import TerminalCells

// What holds after each event; debug builds check it.

extension BrowseState {
    func checkInvariants() {
        let slash = UInt8(ascii: "/")
        assert(folder.first == slash, "the path is absolute")
        assert(folder.count == 1 || folder.last != slash, "the path has no slash at its end")
        assert(cursor.place >= 0 && cursor.place < max(1, rowCount), "the cursor is at a row")
        assert(
            cursor.place >= cursor.top && cursor.place < cursor.top + height,
            "the cursor is on the screen")
        assert(cursor.top >= 0, "no row is before the first one")
        assert(rows.allSatisfy { $0 < listing?.entries.count ?? 0 }, "rows are entries")
        if case .entry(let entry)? = rowAtCursor {
            assert(cursor.name == entry.name, "the cursor is at its name")
        } else {
            assert(cursor.name == nil, "the cursor has no other name")
        }
        assert(!isNaming || options.isSave, "there is a name only where one is wanted")
        assert(held.count <= Self.mostHeld && frames.count <= BrowseFrame.most, "limits hold")
        assert(
            held.isEmpty || outcome == nil && (pending != nil || listing == nil),
            "nothing waits without a reason")
        assert(name.selected <= name.line.count, "what is selected is there")
        if let pending {
            assert(pending.request.folder == folder, "what is asked is of the folder")
        }
    }
}
#endif
