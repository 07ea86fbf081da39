import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("The drawing of a picker")
struct DrawingTests {
    private func hand(_ rows: Int, _ columns: Int) -> Hand {
        var hand = Hand(rows: rows, columns: columns) {
            $0.isMulti = true
            $0.header = "my documents"
        }
        hand.show(
            [
                item("report.pdf", size: 1234, modified: 1_700_086_400, matches: [0, 3]),
                item("deep/er/ein sehr langer Name eines Dokuments, das lang ist.txt", liked: true),
                item("文書/漢字の名前.md"), item("x/שלום.txt"), item("a\nb\u{1b}[31m\u{202e}.txt"),
                item("a/very/long/path/of/folders/that/does/not/fit/on/the/screen/at/all/z.md"),
            ], total: 1500)
        return hand
    }

    @Test("80 columns and 12 rows have it all")
    func wide() {
        var hand = hand(12, 80)
        hand.press(.tab)
        hand.press(.down)
        let rows = [
            ">", "  3/1500 · 1 marked · by date", "  my documents",
            " • report.pdf                                               1234      2023-11-15",
            "  ♥ein sehr langer Name eines Dokuments, das …  deep/er/     100      2023-11-14",
            ">  漢字の名前.md  文書/                                      100      2023-11-14",
            "   שלום.txt  x/                                              100      2023-11-14",
            "   a\\nb\\x1b[31m\\u{202e}.txt                                  100      2023-11-14",
            "   z.md  …olders/that/does/not/fit/on/the/screen/at/all/     100      2023-11-14",
            "", "", "",
        ]
        #expect(hand.screen == rows)
    }

    @Test("On 30 columns there are names and folders alone")
    func narrow() {
        #expect(
            hand(8, 30).screen == [
                ">", "  1/1500 · by date", "  my documents", ">  report.pdf",
                "  ♥ein sehr langer N…  …ep/er/", "   漢字の名前.md  文書/",
                "   שלום.txt  x/", "   a\\nb\\x1b[31m\\u{202e}.txt",
            ])
    }

    @Test("Nothing is drawn beside a screen, whatever is to be seen", arguments: [false, true])
    func sizes(hasColor: Bool) {
        var sizes = (0...12).flatMap { rows in (0...12).map { (rows, $0) } }
        sizes += [(1, 300), (100, 1), (24, 80), (100, 300), (7, 49), (7, 50), (6, 200)]
        for (rows, columns) in sizes {
            var hand = Hand(rows: rows, columns: columns) {
                $0.isMulti = true
                $0.header = "漢字"
                $0.hasColor = hasColor
                $0.preview = rows % 2 == 0 ? .right : .below
            }
            func draw() {
                let frame = PickDrawing.frame(of: hand.state)
                #expect(frame.grid.rows == rows && frame.grid.columns == columns)
                if let cursor = frame.cursor {
                    #expect(cursor.row < rows && cursor.column < columns)
                }
            }
            draw()
            hand.show(self.hand(rows, columns).state.rows?.items ?? [])
            hand.press(.tab)
            hand.press(.tab)
            hand.tellMarked([item("report.pdf")])
            if let request = hand.state.wantedPreview {
                #expect(request.area.rows > 0 && request.area.columns > 0)
                let text = PreviewContent.text(
                    [StyledText(escaping: "漢字漢字漢字")], firstMatch: 0, isCut: true)
                hand.send(.preview(request: request.number, text))
            }
            draw()
            hand.press(.enter)
            draw()
            hand.press(.escape)
            hand.type("漢字 size:")
            draw()
            hand.press(.home)
            draw()
            hand.press(.function(1))
            draw()
            hand.press(.escape)
            hand.press(control: "u")
            hand.show(["b"])
            hand.press(control: "o")
            draw()
        }
    }

    @Test("What was found is marked; the row under the cursor differs, with colors and without")
    func styles() {
        for hasColor in [true, false] {
            var hand = Hand { $0.hasColor = hasColor }
            hand.show([item("report", matches: [0, 3]), item("a report", matches: [2, 5])])
            let grid = PickDrawing.frame(of: hand.state).grid
            let (found, other) = (grid[3, 5].style, grid[3, 4].style)
            #expect(found.isBold && !other.isBold)
            #expect((found.foreground == .standard) == !hasColor)
            #expect(grid[2, 30].style != grid[3, 30].style)
            #expect(hasColor || grid[2, 30].style.isReversed)
            #expect(hasColor || grid[2, 30].style.background == .standard)
        }
    }

    @Test("What was found of a folder is marked in it, behind its root, too")
    func folderStyles() throws {
        for isMany in [false, true] {
            var hand = Hand()
            let other = item("b", root: isMany ? "/srv" : "/home")
            hand.show([other, item("texts/a", matches: [0, 1], folderMatches: [1, 3])])
            let grid = PickDrawing.frame(of: hand.state).grid
            let text = grid.text(row: 3)
            let place = try #require(text.firstRange(of: "texts/"), "'\(text)'")
            let start = text[..<place.lowerBound].count
            #expect(
                (0..<6).map { grid[3, start + $0].style.isBold } == [
                    false, true, true, false, false, false,
                ])
        }
    }

    @Test("What changes is lit up for a while, if that is wanted, and then nothing wakes a picker")
    func flash() throws {
        func lit(_ hand: Hand) -> [Int] {
            let grid = PickDrawing.frame(of: hand.state).grid
            return (0..<grid.rows).filter { row in
                (3..<20).contains { grid[row, $0].style.background == .indexed(22) }
            }
        }
        for flashes in [true, false] {
            var hand = Hand { $0.flashes = flashes }
            hand.show(["a", "b", "c"])
            #expect(lit(hand) == [] && hand.state.wantedTimer == nil)
            hand.show([item("a"), item("b2", key: "k-b"), item("c"), item("d")])
            #expect(lit(hand) == (flashes ? [3, 5] : []))
            hand.press(.down)
            #expect(lit(hand) == (flashes ? [3, 5] : []))
            guard flashes else { continue }
            hand.send(.timeOut(try #require(hand.state.wantedTimer).number))
            hand.show([item("a", size: 7), item("b2", key: "k-b"), item("c"), item("d")])
            #expect(lit(hand) == [2, 3, 5])
            hand.send(.timeOut(try #require(hand.state.wantedTimer).number))
            #expect(lit(hand) == [2])
            hand.send(.timeOut(try #require(hand.state.wantedTimer).number))
            #expect(lit(hand) == [] && hand.state.wantedTimer == nil)
            // Rows of another query, or of another window, have not changed.
            hand.type("x")
            hand.show(["x", "y"], total: 9)
            hand.show(["x", "y", "z"], total: 9)
            #expect(lit(hand) == [])
        }
    }

    @Test("A faulty query has carets under what is wrong")
    func carets() {
        var hand = Hand(rows: 8, columns: 70)
        hand.type("rep size:x")
        #expect(hand.screen[0] == "> rep size:x")
        #expect(
            hand.screen[1].hasPrefix("           ^ ") == true || hand.screen[1].contains("must"))
        let wide = Hand(rows: 8, columns: 200)
        var other = wide
        other.type("rep size:x")
        #expect(other.screen[1].hasPrefix("           ^ 'size:' must be followed by a size"))
    }

    @Test("A line that is too long is seen around the caret")
    func longLine() {
        var hand = Hand(rows: 4, columns: 12)
        hand.type("abcdefghijklmnopqrstuvwxyz")
        #expect(hand.screen[0] == "> …stuvwxyz")
        #expect(PickDrawing.frame(of: hand.state).cursor == CellPlace(row: 0, column: 11))
        hand.press(.home)
        #expect(hand.screen[0] == "> abcdefghi…")
        #expect(PickDrawing.frame(of: hand.state).cursor == CellPlace(row: 0, column: 2))
    }

    @Test(
        "Roots are shown if there are several, and texts of sizes and dates are those that are given"
    )
    func texts() {
        var hand = Hand(rows: 4, columns: 70)
        hand.show([item("d/a", root: "/one"), item("b", root: "/two")])
        let texts = PickTexts(size: { "\($0) B" }, date: { _ in "today 14:02" })
        let grid = PickDrawing.frame(of: hand.state, texts).grid
        #expect(grid.text(row: 2).hasPrefix(">  a  /one/d/"))
        #expect(grid.text(row: 2).hasSuffix(" 100 B     today 14:02"))
        #expect(grid.text(row: 3).hasPrefix("   b  /two/"))
    }

    @Test("While the daemon is not there, this is said, and the rows stay")
    func links() {
        var hand = Hand()
        hand.show(["a"])
        hand.send(.link(.reconnecting))
        #expect(hand.screen[1] == "  1/1 · reconnecting · by date")
        #expect(hand.screen[2].hasPrefix(">  a"))
    }
}
