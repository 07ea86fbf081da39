import TerminalCells
import TestSupport
import Testing

@Suite("The output of commands that write for a terminal")
struct AnsiTextTests {
    private func lines(_ text: String) -> [StyledText] {
        var output = AnsiText()
        output.take(Array(text.utf8))
        return output.lines
    }

    @Test("Colors and attributes are kept")
    func styles() {
        let styles: [(String, CellStyle)] = [
            ("1;31", CellStyle(foreground: .indexed(1), isBold: true)),
            ("94;103", CellStyle(foreground: .indexed(12), background: .indexed(11))),
            ("38;5;208;4", CellStyle(foreground: .indexed(208), isUnderlined: true)),
            ("48;2;1;2;3;7", CellStyle(background: .rgb(1, 2, 3), isReversed: true)),
            ("38:2::1:2:3", CellStyle(foreground: .rgb(1, 2, 3))),
            ("38:2:1:2:3", CellStyle(foreground: .rgb(1, 2, 3))),
            ("38:5:9", CellStyle(foreground: .indexed(9))),
            (
                "4:3;2;3;9",
                CellStyle(isDim: true, isItalic: true, isUnderlined: true, isStruckOut: true)
            ),
            ("1;2;3;4;7;9;31;41;22;23;24;27;29;39;49", .plain),
            ("1;;", .plain), ("4;4:0", .plain), ("38;5;256", .plain), ("38;2;1", .plain),
            ("?4", .plain), ("38", .plain), ("99", .plain),
            (String(repeating: "1;", count: 90), .plain),
        ]
        for (codes, style) in styles {
            let expected = StyledText(escaping: "x", style: style)
            #expect(lines("\u{1B}[\(codes)mx") == [expected], "\(codes)")
        }
    }

    @Test("A style ends where another one begins, and lasts over the ends of lines")
    func runs() {
        var first = StyledText(escaping: "a")
        first.append(escaping: "b", style: CellStyle(isBold: true))
        var second = StyledText(escaping: "c", style: CellStyle(isBold: true))
        second.append(escaping: "d")
        #expect(lines("a\u{1B}[1mb\r\nc\u{1B}[md") == [first, second])
    }

    @Test("Everything else that a terminal would obey is dropped")
    func dropped() {
        let text =
            "\u{1B}[2Ja\u{1B}]0;title\u{7}b\u{1B}]8;;x\u{1B}\\c\u{1B}(Bd\u{1B}P1$q\u{1B}\\e\u{7}\u{8}f\u{85}"
            + "\u{1B}[?1049h\u{1B}7g\u{1B}_Gh\u{1B}\\h"
        #expect(lines(text).map(\.text) == ["abcdefgh"])
    }

    @Test("Tabs lead to each fourth column; backslashes stay, marks of direction are told")
    func text() {
        #expect(
            lines("a\tb\n\tc\n\n\\n\u{202E}").map(\.text) == ["a   b", "    c", "", "\\n\\u{202e}"])
        var output = AnsiText()
        output.take([0x61, 0xFF, 0xC3])
        output.take([0xA9, 0xC3, 0x0A, 0xE2, 0x82])
        output.take([0xAC])
        #expect(output.lines.map(\.text) == ["a\u{FFFD}é\u{FFFD}", "€"])
    }

    @Test("More than 2,000 lines, or 4,096 columns of one, are cut, and it is said")
    func limits() {
        var output = AnsiText()
        output.take(Array(String(repeating: "x\n", count: 2000).utf8))
        #expect(output.lines.count == 2000 && !output.wasCut)
        output.take(Array("y".utf8))
        #expect(output.lines.count == 2000 && output.wasCut)
        var wide = AnsiText()
        wide.take(Array(String(repeating: "漢", count: 2048).utf8))
        #expect(wide.lines[0].width == 4096 && !wide.wasCut)
        wide.take(Array("\u{301}x".utf8))
        #expect(wide.lines[0].width == 4096 && wide.wasCut)
        var marks = AnsiText()
        marks.take(Array(("a" + String(repeating: "\u{301}", count: 100_000)).utf8))
        #expect(marks.lines[0].text.utf8.count < 20_000 && marks.wasCut)
    }

    @Test("Any bytes become lines that are safe to be drawn")
    func anyBytes() {
        withSeed { random in
            for _ in 0..<testRounds(100) {
                var output = AnsiText()
                for _ in 0..<20 {
                    let pieces: [[UInt8]] = [
                        Array("\u{1B}[1;38;5;".utf8), Array("m".utf8), Array("\u{1B}]".utf8),
                        [0x07],
                        Array("é\n".utf8),
                        (0..<9).map { _ in UInt8.random(in: 0...255, using: &random) },
                    ]
                    output.take(pieces.randomElement(using: &random) ?? [])
                }
                for line in output.lines {
                    let isSafe = line.text.unicodeScalars.allSatisfy {
                        $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
                    }
                    #expect(isSafe, "\(line.text)")
                }
            }
        }
    }
}
