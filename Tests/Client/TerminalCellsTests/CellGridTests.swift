import TerminalCells
import Testing

@Suite("The cells of a screen")
struct CellGridTests {
    @Test("Text is cut at its end or its start, with an ellipsis, never within a wide character")
    func cuts() {
        var grid = CellGrid(rows: 3, columns: 6)
        grid.put(StyledText(escaping: "a long text"), row: 0, column: 0, width: 6)
        grid.put(StyledText(escaping: "/a/long/path"), row: 1, column: 0, width: 6, cut: .start)
        grid.put(StyledText(escaping: "漢字漢字"), row: 2, column: 1, width: 5, cut: .none)
        #expect((0..<3).map { grid.text(row: $0) } == ["a lon…", "…/path", " 漢字"])
    }
}
