// What changes of a screen cost, in bytes and allocations: of a picker's list of 80 × 24, with the line that is typed
// at its top.

import TerminalCells
import TestSupport
import Testing

@Suite("What changes of a screen cost")
struct FrameCostTests {
    /// A list with a cursor: a query, a line of counts, and rows with the letters of the query lit up, a size, and a date.
    private func frame(query: String, first: Int, cursor: Int) -> ScreenFrame {
        var grid = CellGrid(rows: 24, columns: 80)
        let marked = CellStyle(foreground: .indexed(10), isBold: true)
        grid.put(StyledText(escaping: "> " + query), row: 0, column: 0, width: 80)
        grid.put(
            StyledText(escaping: "  1,234/1,000,000", style: CellStyle(foreground: .indexed(3))),
            row: 1, column: 0, width: 80)
        for row in 0..<22 {
            let number = first + row
            let name = "report-\(String(number * 7919, radix: 36))-of-\(number).pdf"
            let style = CellStyle(isBold: row == cursor, isReversed: row == cursor)
            grid.fill(CellRect(row: row + 2, column: 0, rows: 1, columns: 80), style: style)
            var line = StyledText(escaping: row == cursor ? "> " : "  ", style: style)
            let matches = query.isEmpty ? [] : [0..<query.utf8.count]
            line.append(
                StyledText(escaping: name, style: style, marking: matches, marked: marked))
            grid.put(line, row: row + 2, column: 0, width: 50)
            let facts = "\(number * 37 % 1000) KB  2026-11-\(10 + number % 20)"
            grid.put(StyledText(escaping: facts, style: style), row: row + 2, column: 58, width: 22)
        }
        return ScreenFrame(grid: grid, cursor: CellPlace(row: 0, column: 2 + query.count))
    }

    private func bytes(from old: ScreenFrame, to new: ScreenFrame) -> Int {
        var writer = FrameWriter(
            .whole, size: TerminalSize(rows: 24, columns: 80),
            features: TerminalFeatures(hasSynchronizedOutput: true))
        _ = writer.enter()
        _ = writer.update(to: old)
        return writer.update(to: new).count
    }

    /// The bytes are those that were measured: more are to have a reason.
    @Test(
        "A keystroke writes few bytes",
        arguments: [
            ("the cursor, one down", "rep", 0, 4, 194), ("one letter, typed", "repo", 0, 3, 198),
            ("a row, inserted at the top", "rep", 1, 2, 805), ("a page", "rep", 22, 0, 903),
        ])
    func keystrokes(name: String, query: String, first: Int, cursor: Int, most: Int) {
        let list = frame(query: "rep", first: 0, cursor: 3)
        let count = bytes(from: list, to: frame(query: query, first: first, cursor: cursor))
        #expect(count <= most, "\(name)")
    }

    @Test("A whole screen is painted in less than 4 KB")
    func everything() {
        let blank = ScreenFrame(grid: CellGrid(rows: 24, columns: 80))
        #expect(bytes(from: blank, to: frame(query: "rep", first: 0, cursor: 3)) <= 1417)
    }

    @Test("Nothing is allocated for a frame that is shown already")
    func equal() {
        var writer = FrameWriter(
            .whole, size: TerminalSize(rows: 24, columns: 80), features: TerminalFeatures())
        _ = writer.enter()
        let shown = frame(query: "rep", first: 0, cursor: 3)
        _ = writer.update(to: shown)
        let same = frame(query: "rep", first: 0, cursor: 3)
        // The first time, the runtime makes what it keeps.
        _ = writer.update(to: same)
        let cost = Cost.of { #expect(writer.update(to: same).isEmpty) }
        let ofExpecting = Cost.of { #expect([UInt8]().isEmpty) }
        #expect(cost.allocations <= ofExpecting.allocations + 8, "\(cost), of which \(ofExpecting)")
    }
}
