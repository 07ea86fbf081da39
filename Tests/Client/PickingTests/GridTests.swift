import PickerClient
import Picking
import TerminalCells
import Testing

@Suite("A picker's grid")
struct GridTests {
    private func hand(
        rows: Int = 16, columns: Int = 60, _ change: (inout PickOptions) -> Void = { _ in }
    ) -> Hand {
        var hand = Hand(rows: rows, columns: columns) {
            $0.isGrid = true
            change(&$0)
        }
        hand.show(
            [
                item("a/one.png", liked: true, type: "image/png"),
                item("two.txt", matches: [0, 1]),
                item("deep/er/and/deeper/three-with-a-long-name.pdf", type: "application/pdf"),
                item("vier.md"), item("漢字の名前の長い.md"),
            ])
        return hand
    }

    private func pictures(_ hand: Hand) -> [ImagePlacement] {
        PickDrawing.frame(of: hand.state).images
    }

    private func request(_ hand: Hand, _ name: String) throws -> PreviewRequest {
        try #require(hand.state.wantedPictures.first { $0.key == "k-" + name })
    }

    @Test("Tiles share the room; each has where the document is, its size and date, and its name")
    func drawing() {
        #expect(
            hand().screen == [
                ">", "  1/5 · by date", "", "", "",
                " a/                                      …ep/er/and/deeper/",
                " 100                 100                 100",
                " 2023-11-14          2023-11-14          2023-11-14",
                ">♥one.png            two.txt             three-with-a-long…",
                "", "", "", "",
                " 100                 100",
                " 2023-11-14          2023-11-14",
                " vier.md             漢字の名前の長い.…",
            ])
    }

    @Test("Left and right lead to other tiles, up and down to other lines, and ctrl-b to the caret")
    func keys() {
        var hand = hand()
        hand.press(.right)
        #expect(hand.name == "two.txt")
        hand.press(.down)
        #expect(hand.name == "漢字の名前の長い.md")
        hand.press(.left)
        hand.press(.left)
        #expect(hand.state.cursor.place == 2)
        hand.press(.up)
        #expect(hand.state.cursor.place == 0)
        // In the last line there is no third one: the last document is the nearest.
        hand.press(.pageDown)
        #expect(hand.state.cursor.place == 4)
        hand.type("ab")
        hand.press(control: "b")
        hand.type("x")
        #expect(hand.state.line == "axb")
    }

    @Test("Alt-G goes to the grid and back, with the cursor at its document and on the screen")
    func toggling() {
        var hand = Hand(rows: 9, columns: 40)
        hand.show((0..<50).map { "f\($0)" })
        for _ in 0..<9 { hand.press(.down) }
        #expect(hand.state.shape.perLine == 1 && hand.state.cursor.row == 6)
        hand.press(alt: "g")
        #expect(hand.state.isGrid && hand.name == "f9" && hand.names == ["f8", "f9"])
        hand.press(.down)
        #expect(hand.name == "f11" && hand.names == ["f10", "f11"])
        hand.press(alt: "g")
        #expect(hand.name == "f11" && hand.names.contains("f11") && hand.names.count == 7)
    }

    @Test("A watch has no grid")
    func watching() {
        var hand = Hand {
            $0.mode = .watch
            $0.isGrid = true
        }
        hand.show(["a"])
        hand.press(alt: "g")
        #expect(!hand.state.isGrid && hand.state.wantedPictures.isEmpty)
    }

    @Test("A click is on the tile under it, and none is beside the tiles")
    func mouse() {
        var hand = hand(rows: 17, columns: 59)
        func click(_ row: Int, _ column: Int) {
            let event = MouseEvent(.press, at: CellPlace(row: row, column: column))
            hand.send(.input(.mouse(event), seen: hand.frame))
        }
        // Tiles of 19 columns and 7 rows; two columns and a row are left over.
        click(8, 19)
        #expect(hand.state.cursor.place == 1)
        click(9, 18)
        #expect(hand.state.cursor.place == 3)
        click(15, 37)
        #expect(hand.state.cursor.place == 4)
        for (row, column) in [(2, 57), (16, 0), (15, 58), (9, 45)] {
            click(row, column)
            #expect(hand.state.cursor.place == 4, "row \(row), column \(column)")
        }
        hand.send(
            .input(.mouse(MouseEvent(.wheelUp, at: CellPlace(row: 3, column: 3))), seen: 1))
        #expect(hand.state.cursor.place == 1)
    }

    @Test("Pictures are asked for of what may have some and is on the screen, as large as a tile")
    func wanted() throws {
        var hand = hand(rows: 9, columns: 40)
        #expect(hand.state.wantedPictures.map(\.key) == ["k-a/one.png"])
        let first = try request(hand, "a/one.png")
        #expect(first.area == TerminalSize(rows: 6, columns: 18) && first.wantsThumbnail)
        #expect(hand.state.mayShowImages)
        hand.press(.down)
        #expect(
            hand.state.wantedPictures.map(\.key)
                == ["k-deep/er/and/deeper/three-with-a-long-name.pdf"])
        hand.press(.up)
        #expect(try request(hand, "a/one.png").number != first.number)
        hand.press(alt: "g")
        #expect(hand.state.wantedPictures.isEmpty && !hand.state.mayShowImages)
        let colorless = self.hand { $0.terminal = TerminalFeatures(hasColor: false) }
        #expect(colorless.state.wantedPictures.isEmpty)
    }

    @Test("Only so many pictures are asked for")
    func limit() {
        var hand = Hand(rows: 200, columns: 300) { $0.isGrid = true }
        hand.show((0..<900).map { item("f\($0).png", type: "image/png") })
        #expect(hand.state.shape.count > TilePictures.most)
        #expect(hand.state.wantedPictures.count == TilePictures.most)
    }

    @Test("An image is in the middle of its tile, in place of what is said of the document")
    func images() throws {
        var hand = hand()
        let request = try request(hand, "a/one.png")
        let content = ImageContent.kittyFile(Array("/x/thumb.png".utf8))
        let image = PreviewImage(content, TerminalSize(rows: 4, columns: 10))
        hand.send(.picture(request: request.number, .image(image)))
        let placed = try #require(pictures(hand).first)
        #expect(pictures(hand).count == 1 && placed.content == content)
        #expect(placed.rect == CellRect(row: 3, column: 5, rows: 4, columns: 10))
        #expect(!hand.screen[6].hasPrefix(" 100") && hand.screen[8].hasPrefix(">♥one.png"))
        hand.press(.function(1))
        #expect(pictures(hand).isEmpty)
        hand.press(.escape)
        #expect(pictures(hand) == [placed])
        // Of no other size, and of no other document.
        hand.send(.resized(TerminalSize(rows: 16, columns: 30)))
        #expect(pictures(hand).isEmpty)
        let other = try self.request(hand, "a/one.png")
        hand.send(.picture(request: request.number, .image(image)))
        #expect(pictures(hand).isEmpty)
        hand.send(.picture(request: other.number, .image(image)))
        #expect(pictures(hand).first?.id != placed.id)
    }

    @Test("A picture of characters is drawn, and one that is too large for its tile is not")
    func blocks() throws {
        var hand = hand()
        let request = try request(hand, "a/one.png")
        let lines = ["▀▀", "▄▄▄▄"].map { StyledText(escaping: $0) }
        hand.send(.picture(request: request.number, .text(lines, firstMatch: nil, isCut: false)))
        #expect(hand.screen[4].hasPrefix("        ▀▀") && hand.screen[5].hasPrefix("        ▄▄▄▄"))
        let wide = StyledText(escaping: String(repeating: "▀", count: 19))
        hand.send(.picture(request: request.number, .text([wide], firstMatch: nil, isCut: false)))
        #expect(hand.screen[6].hasPrefix(" 100"))
        hand.send(.picture(request: request.number, .failed("no")))
        #expect(hand.screen[6].hasPrefix(" 100"))
    }

    @Test("A file that changes keeps its picture until there is that of the new one")
    func changes() throws {
        var hand = hand()
        let before = try request(hand, "a/one.png")
        let image = PreviewImage(.kittyPNG([1]), TerminalSize(rows: 2, columns: 2))
        hand.send(.picture(request: before.number, .image(image)))
        hand.show([item("a/one.png", size: 5, type: "image/png")])
        let after = try request(hand, "a/one.png")
        #expect(after.number != before.number && pictures(hand).count == 1)
        let id = pictures(hand).first?.id
        hand.send(.picture(request: before.number, .failed("late")))
        #expect(pictures(hand).count == 1)
        hand.send(.picture(request: after.number, .image(image)))
        #expect(pictures(hand).count == 1 && pictures(hand).first?.id != id)
    }

    @Test("Beside a preview there is the grid that has room, and both have images")
    func previews() throws {
        var hand = hand(rows: 16, columns: 80) { $0.preview = .right }
        #expect(hand.state.shape.perLine == 2)
        let picture = try request(hand, "a/one.png")
        let preview = try #require(hand.state.wantedPreview)
        let image = PreviewImage(.kittyPNG([1]), TerminalSize(rows: 2, columns: 2))
        hand.send(.picture(request: picture.number, .image(image)))
        hand.send(.preview(request: preview.number, .image(image)))
        #expect(Set(pictures(hand).map(\.id)).count == 2)
    }
}
