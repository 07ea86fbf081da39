import TerminalCells
import TestSupport
import Testing

@Suite("Images on a terminal")
struct FrameImageTests {
    private static let size = TerminalSize(rows: 10, columns: 30)

    private func image(
        _ id: UInt32, _ rect: CellRect, _ content: (CellRect) -> ImageContent
    ) -> ImagePlacement { ImagePlacement(id: id, rect: rect, content: content(rect)) }

    private static func sixel(_ rect: CellRect) -> ImageContent {
        let cell = TerminalImages.cell
        let size = "\(rect.columns * cell.width);\(rect.rows * cell.height)"
        return .sixel(Array("\"1;1;\(size)#0;2;0;0;0#0~\(rect.row)".utf8))
    }

    private static func file(_ rect: CellRect) -> ImageContent { .kittyFile(Array("/a b".utf8)) }

    private static func data(_ rect: CellRect) -> ImageContent {
        .kittyPNG((0..<7000 + rect.columns).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }

    private static let contents = [sixel, file, data]

    /// Images that are apart from each other, of which some are those of before.
    private func change(
        _ images: [ImagePlacement], _ area: TerminalSize, using random: inout SeededRandom
    ) -> [ImagePlacement] {
        var result = images.filter { _ in random.chance(0.6) }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let row = Int.random(in: 0..<area.rows, using: &random)
            let column = Int.random(in: 0..<area.columns, using: &random)
            let rect = CellRect(
                row: row, column: column,
                rows: Int.random(in: 1...area.rows - row, using: &random),
                columns: Int.random(in: 1...area.columns - column, using: &random))
            let isApart = result.allSatisfy { other in
                !(0..<rect.rows * rect.columns).contains {
                    other.rect.contains(
                        row: row + $0 / rect.columns, column: column + $0 % rect.columns)
                }
            }
            guard isApart, let content = Self.contents.randomElement(using: &random) else {
                continue
            }
            let id = UInt32.random(in: 1...UInt32.max, using: &random)
            result.append(image(id, rect, content))
        }
        return result
    }

    private func expect(
        _ frame: ScreenFrame, on terminal: TerminalModel, from top: Int, hasColor: Bool
    ) {
        #expect(terminal.faults == [])
        #expect(!terminal.modes.contains(2026))
        #expect(terminal.images.shown.count == frame.images.count)
        for image in frame.images {
            let place = CellPlace(row: top + image.rect.row, column: image.rect.column)
            let shown = terminal.images.whole.first { $0.place == place }
            #expect(shown?.content == image.content)
            let size = TerminalSize(rows: image.rect.rows, columns: image.rect.columns)
            #expect(shown?.size == size)
            if let id = shown?.id { #expect(id == image.id) }
        }
        for row in 0..<frame.grid.rows {
            for column in 0..<frame.grid.columns {
                let isUnder = frame.images.contains {
                    $0.rect.contains(row: row, column: column)
                }
                // Of a wide character that is partly under an image the rest is a blank.
                let cell = frame.grid[row, column]
                let isCut = DisplayWidth.of(cell.text) != 1
                if isUnder || isCut { continue }
                let found = terminal.cells[top + row][column].seen(inColor: hasColor)
                #expect(found == cell.seen(inColor: hasColor), "\(row), \(column)")
            }
        }
        if let cursor = frame.cursor {
            #expect(cursor == CellPlace(row: terminal.row - top, column: terminal.column))
        }
    }

    @Test("After the bytes of a change each image is where it is to be, whole, and no other is")
    func frames() {
        withSeed { random in
            for _ in 0..<testRounds(60) {
                let isWhole = random.chance(0.6)
                let features = TerminalFeatures(
                    hasTrueColor: true, hasSynchronizedOutput: random.chance(0.5))
                var writer = FrameWriter(
                    isWhole ? .whole : .below(rows: 7), size: Self.size, features: features)
                var terminal = TerminalModel(rows: Self.size.rows, columns: Self.size.columns)
                terminal.addsReturns = random.chance(0.5)
                let start = Int.random(in: 0..<Self.size.rows, using: &random)
                for _ in 0..<start { terminal.write(Array("$\r\n".utf8)) }
                let top = isWhole ? 0 : min(start, Self.size.rows - 7)
                terminal.write(writer.enter())
                let frames = RandomFrames(disputes: random.chance(0.5), using: &random)
                let area = writer.area
                var frame = ScreenFrame(grid: CellGrid(rows: area.rows, columns: area.columns))
                for _ in 0..<8 {
                    let images = change(frame.images, area, using: &random)
                    frame = frames.change(frame, using: &random)
                    frame.images = images
                    if random.chance(0.1) { terminal.write(writer.forget(size: Self.size)) }
                    terminal.write(writer.update(to: frame))
                    expect(frame, on: terminal, from: top, hasColor: true)
                    #expect(writer.update(to: frame).isEmpty)
                }
                terminal.write(writer.leave(keeping: random.chance(0.5)))
                #expect(terminal.faults == [])
                #expect(terminal.images.shown.isEmpty)
                #expect(terminal.modes == [7, 25])
            }
        }
    }

    @Test("An image that stays is not sent again when text beside it changes")
    func staying() {
        for content in Self.contents {
            var writer = FrameWriter(.whole, size: Self.size, features: TerminalFeatures())
            var terminal = TerminalModel(rows: Self.size.rows, columns: Self.size.columns)
            terminal.write(writer.enter())
            let rect = CellRect(row: 2, column: 15, rows: 5, columns: 15)
            var frame = ScreenFrame(grid: CellGrid(rows: 10, columns: 30))
            frame.images = [image(7, rect, content)]
            for text in ["a long line", "b", "", "another line"] {
                for row in 0..<10 {
                    frame.grid.fill(
                        CellRect(row: row, column: 0, rows: 1, columns: 15), style: .plain)
                    frame.grid.put(StyledText(escaping: text), row: row, column: 0, width: 15)
                }
                let bytes = writer.update(to: frame)
                terminal.write(bytes)
                expect(frame, on: terminal, from: 0, hasColor: true)
                if text != "a long line" { #expect(bytes.count < 400) }
            }
        }
    }

    @Test("No image is sent within a frame that is not shown before its end")
    func synchronized() {
        var writer = FrameWriter(
            .whole, size: Self.size, features: TerminalFeatures(hasSynchronizedOutput: true))
        _ = writer.enter()
        var grid = CellGrid(rows: 10, columns: 30)
        grid.put(
            StyledText(escaping: String(repeating: "long", count: 20)), row: 9, column: 0, width: 30
        )
        let rect = CellRect(row: 0, column: 0, rows: 2, columns: 3)
        let bytes = writer.update(
            to: ScreenFrame(grid: grid, images: [image(3, rect, Self.file)]))
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "\u{1B}[?2026l")
        #expect(parts.count == 2)
        #expect(parts.first?.contains("\u{1B}_G") == false)
        #expect(
            parts.last
                == "\u{1B}7\u{1B}[H\u{1B}_Ga=T,f=100,i=3,c=3,r=2,C=1,q=2,t=f;L2EgYg==\u{1B}\\\u{1B}8"
        )
    }

    @Test("After a crash within the bytes of an image everything is taken back")
    func rescue() {
        for content in Self.contents {
            var writer = FrameWriter(.whole, size: Self.size, features: TerminalFeatures())
            let rect = CellRect(row: 1, column: 2, rows: 2, columns: 3)
            let begin = writer.enter()
            let frame = ScreenFrame(
                grid: CellGrid(rows: 10, columns: 30), images: [image(3, rect, content)])
            let bytes = writer.update(to: frame)
            for count in stride(from: 0, through: bytes.count, by: bytes.count > 200 ? 37 : 1) {
                // A sequence that begins and is cut off is forgotten for the next one.
                let cut = bytes[..<count]
                if cut.last == 0x1B || cut.suffix(6).contains(UInt8(ascii: "[")) { continue }
                var terminal = TerminalModel(rows: 10, columns: 30)
                terminal.write(begin + cut + FrameWriter.rescue(.whole))
                #expect(terminal.modes == [7, 25] && !terminal.isOtherScreen, "after \(count)")
                #expect(!terminal.faults.contains("a text without an end"))
            }
        }
    }

    @Test("An image that is not stretched is sent without a number of cells")
    func natural() {
        var writer = FrameWriter(.whole, size: Self.size, features: TerminalFeatures())
        _ = writer.enter()
        let placement = ImagePlacement(
            id: 5, rect: CellRect(row: 1, column: 2, rows: 2, columns: 3),
            content: .kittyFile(Array("/a b".utf8)), isStretched: false)
        let bytes = writer.update(
            to: ScreenFrame(grid: CellGrid(rows: 10, columns: 30), images: [placement]))
        let expected = "\u{1B}[2;3H\u{1B}_Ga=T,f=100,i=5,C=1,q=2,t=f;L2EgYg==\u{1B}\\"
        #expect(String(decoding: bytes, as: UTF8.self).contains(expected))
    }

    @Test("Images that are not wholly on the screen are not shown")
    func outside() {
        var writer = FrameWriter(.whole, size: Self.size, features: TerminalFeatures())
        _ = writer.enter()
        let rects = [
            CellRect(row: -1, column: 0, rows: 2, columns: 2),
            CellRect(row: 0, column: -1, rows: 2, columns: 2),
            CellRect(row: 9, column: 0, rows: 2, columns: 2),
            CellRect(row: 0, column: 29, rows: 2, columns: 2),
            CellRect(row: 0, column: 0, rows: 0, columns: 2),
            CellRect(row: 0, column: .max, rows: .max, columns: .max),
        ]
        let images = rects.map { image(1, $0, Self.file) }
        let frame = ScreenFrame(grid: CellGrid(rows: 10, columns: 30), images: images)
        #expect(writer.update(to: frame).isEmpty)
    }
}
