import TerminalCells
import TestSupport
import Testing

@Suite("The cells of a screen")
struct CellGridTests {
    private func row(
        _ text: StyledText, columns: Int, width: Int? = nil, cut: CellGrid.Cut = .end
    ) -> String {
        var grid = CellGrid(rows: 1, columns: columns)
        grid.put(text, row: 0, column: 0, width: width ?? columns, cut: cut)
        return grid.text(row: 0)
    }

    @Test("Text is cut at its end or its start, with an ellipsis, never within a wide character")
    func cuts() {
        var grid = CellGrid(rows: 3, columns: 6)
        grid.put(StyledText(escaping: "a long text"), row: 0, column: 0, width: 6)
        grid.put(StyledText(escaping: "/a/long/path"), row: 1, column: 0, width: 6, cut: .start)
        grid.put(StyledText(escaping: "漢字漢字"), row: 2, column: 1, width: 5, cut: .none)
        #expect((0..<3).map { grid.text(row: $0) } == ["a lon…", "…/path", " 漢字"])
    }

    @Test("A text that just fits is not cut, and one of a column more is")
    func fits() {
        let expected: [(String, Int, String, String)] = [
            ("abc", 3, "abc", "abc"), ("abcd", 3, "ab…", "…cd"), ("漢字", 4, "漢字", "漢字"),
            ("漢字", 3, "漢…", "…字"), ("漢字漢", 4, "漢…", "…漢"), ("漢字a", 4, "漢…", "…字a"),
            ("ab", 1, "…", "…"), ("a", 1, "a", "a"), ("漢", 1, "…", "…"),
            ("abe\u{301}", 3, "abe\u{301}", "abe\u{301}"), ("", 3, "", ""),
        ]
        for (text, width, end, start) in expected {
            let text = StyledText(escaping: text)
            #expect(row(text, columns: 8, width: width) == end)
            #expect(row(text, columns: 8, width: width, cut: .start) == start)
        }
    }

    @Test("Text of ASCII overwrites what is there like its characters, one by one")
    func ascii() {
        withSeed { random in
            let wide = ["漢", "a", "字", "e\u{301}"]
            for round in 0..<300 {
                var grid = CellGrid(rows: 1, columns: 12)
                for _ in 0..<8 {
                    grid.put(
                        StyledText(escaping: wide.randomElement(using: &random) ?? ""), row: 0,
                        column: Int.random(in: 0..<11, using: &random), width: 2)
                }
                var other = grid
                let column = Int.random(in: 0..<12, using: &random)
                var text = StyledText()
                var place = column
                for isBold in [false, true] {
                    let part = String(repeating: "x", count: Int.random(in: 0...5, using: &random))
                    let style = CellStyle(isBold: isBold)
                    text.append(escaping: part, style: style)
                    for letter in part where place < 12 {
                        let letter = StyledText(escaping: String(letter), style: style)
                        place += other.put(letter, row: 0, column: place, width: 1)
                    }
                }
                let taken = grid.put(text, row: 0, column: column, width: 12, cut: .none)
                #expect(grid == other && taken == place - column, "\(round): \(random.seed)")
            }
        }
    }

    @Test("The ellipsis has the style of what is beside it")
    func styledCut() {
        var text = StyledText(escaping: "ab")
        text.append(escaping: "cd", style: CellStyle(isBold: true))
        var grid = CellGrid(rows: 2, columns: 3)
        #expect(grid.put(text, row: 0, column: 0, width: 3) == 3)
        #expect(grid.put(text, row: 1, column: 0, width: 2, cut: .start) == 2)
        #expect(grid[0, 2] == CellGrid.Cell(text: "…", style: .plain))
        #expect(grid[1, 0] == CellGrid.Cell(text: "…", style: CellStyle(isBold: true)))
    }

    @Test("Marks join the character before them, also over the runs of a text")
    func marks() {
        var text = StyledText(escaping: "\u{301}e")
        text.append(escaping: "\u{301}x漢", style: CellStyle(isBold: true))
        text.append(escaping: "\u{20DD}\u{301}!")
        var grid = CellGrid(rows: 1, columns: 9)
        #expect(grid.put(text, row: 0, column: 0, width: 5) == 5)
        #expect(grid[0, 0] == CellGrid.Cell(text: "e\u{301}", style: .plain))
        #expect(grid[0, 2].text == "漢\u{20DD}\u{301}" && grid[0, 3].text == "")
        #expect(grid[0, 4].text == "!")
    }

    @Test("Of a wide character that is half overwritten, a blank is left")
    func halves() {
        var grid = CellGrid(rows: 1, columns: 8)
        func draw(_ text: String, _ column: Int) {
            grid.put(StyledText(escaping: text), row: 0, column: column, width: 8)
        }
        draw("漢字漢字", 0)
        draw("a", 1)
        draw("b", 2)
        #expect(grid.text(row: 0) == " ab 漢字")
        draw("語", 5)
        #expect(grid.text(row: 0) == " ab  語")
        grid.fill(CellRect(row: -3, column: 6, rows: 9, columns: 99), style: .plain)
        #expect(grid.text(row: 0) == " ab")
    }

    @Test("Whatever is drawn wherever, no half is left alone, and nothing outside is touched")
    func random() {
        withSeed { random in
            for _ in 0..<testRounds(100) {
                let frames = RandomFrames(disputes: true, using: &random)
                var frame = ScreenFrame(grid: CellGrid(rows: 4, columns: 13))
                for _ in 0..<10 {
                    // Debug builds check each row after each drawing.
                    frame = frames.change(frame, using: &random)
                    let text = frames.text(using: &random)
                    var grid = frame.grid
                    let taken = grid.put(text, row: 1, column: 3, width: 6, cut: .none)
                    #expect(taken <= 6 && taken <= text.width)
                    for row in [0, 2, 3] {
                        #expect(grid.text(row: row) == frame.grid.text(row: row))
                    }
                    for column in [0, 1, 10, 11, 12] {
                        #expect(grid[1, column] == frame.grid[1, column])
                    }
                }
            }
        }
    }

    @Test("Grids are equal if their cells are, whatever was in them before")
    func equality() {
        func grid(_ texts: [String]) -> CellGrid {
            var grid = CellGrid(rows: 1, columns: 4)
            for text in texts {
                grid.put(StyledText(escaping: text), row: 0, column: 0, width: 4)
            }
            return grid
        }
        #expect(grid(["xé", "🇩🇪ok"]) == grid(["🇫🇷 a", "🇩🇪ok"]))
        #expect(grid(["🇩🇪ok"]) != grid(["🇫🇷ok"]))
        #expect(grid(["🇩🇪ok"]) != grid(["🇩🇪oK"]))
        #expect(grid(["ab"]) != grid(["cd"]))
        #expect(CellGrid(rows: 2, columns: 3) != CellGrid(rows: 3, columns: 2))
    }

    @Test("Clusters that are overwritten again and again take no more memory")
    func clusters() {
        var grid = CellGrid(rows: 1, columns: 4)
        let text = StyledText(escaping: "🇩🇪🇫🇷")
        for _ in 0..<10_000 { grid.put(text, row: 0, column: 0, width: 4) }
        // What is written to is copied with all that it has.
        var copy = grid
        let cost = Cost.of { copy.put(text, row: 0, column: 0, width: 4) }
        #expect(cost.bytes < 8192, "\(cost)")
        #expect(grid.text(row: 0) == "🇩🇪🇫🇷")
    }
}
