import TerminalCells
import TestSupport
import Testing

@Suite("Names that are meant for a terminal")
struct HostileTextTests {
    /// The names are one scalar each, between letters and alone: all up to U+FFFF, and samples above.
    private func names() -> [String] {
        let above: [UInt32] = [
            0x10000, 0x1F1E6, 0x1F3FB, 0x1F468, 0x1F9D1, 0xE0001, 0xE0020, 0xE007F, 0xE0100,
            0xF0000, 0x10FFFF, 0x110BD, 0x13430, 0x1BCA0, 0x1D173, 0x20000,
        ]
        return (Array(0...0xFFFF) + above).compactMap { Unicode.Scalar($0) }
            .flatMap { [String(Character($0)), "a\($0)b"] }
    }

    @Test("Nothing that a terminal obeys is written but the writer's own sequences")
    func names24() {
        let size = TerminalSize(rows: 50, columns: 120)
        var writer = FrameWriter(
            .whole, size: size, features: TerminalFeatures(hasSynchronizedOutput: true))
        var terminal = TerminalModel(rows: size.rows, columns: size.columns)
        terminal.write(writer.enter())
        var rest = names()[...]
        while !rest.isEmpty {
            var grid = CellGrid(rows: size.rows, columns: size.columns)
            for place in 0..<(size.rows * 10) {
                guard let name = rest.popFirst() else { break }
                grid.put(
                    StyledText(escaping: name), row: place / 10, column: place % 10 * 12,
                    width: 11)
            }
            let bytes = writer.update(to: ScreenFrame(grid: grid))
            // The model refuses all other sequences, and control characters within text. It keeps scalars that join
            // others as terminals may not: what is where is not compared here.
            terminal.write(bytes)
            let own = Set<UInt8>([0x0D, 0x0A, 0x1B])
            #expect(bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || own.contains($0) })
        }
        #expect(terminal.faults == [])
    }

    @Test("Names that are escaped show what they are")
    func shown() {
        var grid = CellGrid(rows: 1, columns: 60)
        grid.put(
            StyledText(escaping: "\u{1B}[31m\r\n\u{9B}2J\u{202E}\\\u{7F}\u{2028}"), row: 0,
            column: 0, width: 60)
        #expect(grid.text(row: 0) == "\\x1b[31m\\r\\n\\x9b2J\\u{202e}\\\\\\x7f\\u{2028}")
    }

    @Test("A letter with a thousand marks is drawn with some of them")
    func manyMarks() {
        var grid = CellGrid(rows: 1, columns: 10)
        var text = StyledText(escaping: "a" + String(repeating: "\u{301}", count: 1000) + "b")
        text.append(escaping: String(repeating: "\u{302}", count: 1000))
        #expect(grid.put(text, row: 0, column: 0, width: 10) == 2)
        #expect(grid[0, 0].text.unicodeScalars.count == 16)
        #expect(grid[0, 1].text.unicodeScalars.count == 16)
    }
}
