import Picking
import TerminalCells
import Testing

@Suite("The drawing of a picker of folders")
struct BrowseDrawingTests {
    private let disk = Disk([
        "/home/me/Documents/Archive/", "/home/me/文書/", "/home/me/a\nb\u{1b}[31m/", "/home/me/.x",
        "/home/me/a very long name of a file that does not fit on thirty columns.txt",
    ])

    private func hand(
        _ purpose: BrowseOptions.Purpose, _ rows: Int, _ columns: Int
    ) -> BrowsingHand {
        BrowsingHand(purpose, in: "/home/me", disk, rows: rows, columns: columns) {
            $0.header = "For the report"
        }
    }

    @Test("80 columns and 24 rows have it all")
    func wide() {
        let directory = hand(.directory, 24, 80).screen
        #expect(
            directory[..<7] == [
                "> /home/me/", "  Enter chooses this folder · 3 folders · F1 keys",
                "  For the report", ">  .  this folder", "   a\\nb\\x1b[31m/", "   Documents/",
                "   文書/",
            ])
        #expect(directory[7...].allSatisfy { $0.isEmpty })
        var save = hand(.save(name: "draft.txt"), 24, 80)
        #expect(
            save.screen[..<9] == [
                "Save as: draft.txt", "> /home/me/",
                "  Enter saves 'draft.txt' here · 3 folders · 1 file · 1 hidden · F1 keys",
                "  For the report", ">  .  this folder", "   a\\nb\\x1b[31m/", "   Documents/",
                "   文書/",
                "   a very long name of a file that does not fit on thirty columns.txt",
            ])
        save.press(.tab)
        save.type("doc")
        #expect(
            save.screen[1...4] == [
                "> /home/me/doc",
                "  Enter goes into 'Documents' · 1 folder · 0 files · 1 hidden · F1 keys",
                "  For the report", ">  Documents/",
            ])
    }

    @Test("On 30 columns and 8 rows it is cut, and on one cell there is the line")
    func narrow() {
        #expect(
            hand(.save(name: "draft.txt"), 8, 30).screen == [
                "Save as: draft.txt", "> /home/me/", "  Enter saves 'draft.txt' her…",
                "  For the report", ">  .  this folder", "   a\\nb\\x1b[31m/", "   Documents/",
                "   文書/",
            ])
        #expect(hand(.save(name: "draft.txt"), 1, 1).screen == ["…"])
        #expect(hand(.directory, 1, 1).screen == ["…"])
        #expect(hand(.directory, 1, 20).screen == ["> /home/me/"])
    }

    @Test("The caret is in the line to which keys go; what is selected differs, and so do files")
    func styles() {
        for hasColor in [true, false] {
            var hand = BrowsingHand(.save(name: "ab.txt"), in: "/home/me", disk) {
                $0.hasColor = hasColor
            }
            var frame = BrowseDrawing.frame(of: hand.state)
            #expect(frame.cursor == CellPlace(row: 0, column: 11))
            #expect(frame.grid[0, 9].style.isReversed && !frame.grid[0, 11].style.isReversed)
            #expect(frame.grid[7, 3].style.isDim && !frame.grid[5, 3].style.isDim)
            #expect(frame.grid[3, 5].style != frame.grid[4, 5].style)
            hand.press(.tab)
            hand.type("cum")
            frame = BrowseDrawing.frame(of: hand.state)
            #expect(frame.cursor == CellPlace(row: 1, column: 14))
            #expect(frame.grid.text(row: 3) == ">  Documents/")
            #expect(frame.grid[3, 5].style != frame.grid[3, 4].style)
            #expect(frame.grid[3, 7].style == frame.grid[3, 5].style)
            hand.press(alt: "n")
            #expect(hand.screen[1] == "New folder: cum")
            #expect(
                BrowseDrawing.frame(of: hand.state).cursor == CellPlace(row: 1, column: 15))
        }
    }

    @Test("What is said of a folder: that it is cut, and that changes are not seen")
    func notes() {
        var hand = hand(.directory, 8, 120)
        var listing = FolderListing()
        listing.isCut = true
        listing.isLive = false
        hand.send(.listing(listing, of: hand.state.wantedFolder?.number ?? 0))
        #expect(hand.screen[1].contains("0 folders · only 20000 names · changes are not seen"))
    }

    @Test("Nothing is drawn beside a screen, whatever is to be seen")
    func sizes() {
        var sizes = (0...9).flatMap { rows in (0...12).map { (rows, $0) } }
        sizes += [(1, 300), (100, 1), (24, 80), (7, 49)]
        for (rows, columns) in sizes {
            for purpose in [BrowseOptions.Purpose.directory, .save(name: "漢字.txt")] {
                var hand = hand(purpose, rows, columns)
                func draw() {
                    let frame = BrowseDrawing.frame(of: hand.state)
                    #expect(frame.grid.rows == rows && frame.grid.columns == columns)
                    if let cursor = frame.cursor {
                        #expect(cursor.row < rows && cursor.column < columns)
                        #expect(cursor.row >= 0 && cursor.column >= 0)
                    }
                }
                draw()
                hand.press(.end)
                draw()
                hand.press(.tab)
                hand.type("漢字漢字漢字")
                draw()
                hand.press(alt: "n")
                draw()
                hand.press(.escape)
                hand.press(.function(1))
                draw()
                hand.press(.down)
                draw()
                hand.press(.enter)
                hand.press(.enter)
                draw()
            }
        }
    }
}
