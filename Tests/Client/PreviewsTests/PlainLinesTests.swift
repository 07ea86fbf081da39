import Previews
import TerminalCells
import Testing

@Suite("The lines that a command prints")
struct PlainLinesTests {
    private static func lines(_ text: String) -> [String] {
        var lines = PlainLines()
        lines.take(Array(text.utf8))
        return lines.lines.map(\.text)
    }

    @Test(
        "Sequences for terminals are dropped, and text stays",
        arguments: [
            ("a\nb", ["a", "b"]), ("a\r\n\r\nb\n", ["a", "", "b"]), ("", []), ("\n", [""]),
            ("\u{1B}[1;31mred\u{1B}[0m!", ["red!"]), ("\u{1B}]0;title\u{7}x", ["x"]),
            ("\u{1B}]8;;http://x\u{1B}\\y", ["y"]), ("\u{1B}Pq#0\u{1B}[m\u{1B}\\z", ["z"]),
            ("\u{1B}(Bq", ["q"]), ("10%\r100%", ["100%"]), ("a\tb", ["a   b"]),
            ("a\u{8}\u{0}b\u{7F}", ["ab"]),
        ])
    func sequences(printed: String, shown: [String]) {
        #expect(Self.lines(printed) == shown)
    }

    @Test("Nothing is lost or added wherever the output is divided")
    func divisions() {
        let bytes = Array("ä\u{1B}[38;5;1mö\u{1B}]0;x\u{1B}\\ü\r\n→\r\nend".utf8)
        for place in 0...bytes.count {
            var lines = PlainLines()
            lines.take(Array(bytes[..<place]))
            _ = lines.lines
            lines.take(Array(bytes[place...]))
            #expect(lines.lines.map(\.text) == ["äöü", "→", "end"], "\(place)")
        }
    }

    @Test("Too many lines and too long ones are cut")
    func limits() {
        var many = PlainLines()
        for _ in 0..<PlainLines.mostLines { many.take(Array("x\n".utf8)) }
        #expect(!many.isCut)
        many.take(Array("y".utf8))
        #expect(many.isCut)
        #expect(many.lines.count == PlainLines.mostLines)

        var long = PlainLines()
        long.take([UInt8](repeating: 0x78, count: PlainLines.longestLine))
        #expect(!long.isCut)
        long.take([0x79, 0x0A, 0x7A])
        #expect(long.isCut)
        #expect(long.lines.map(\.text.utf8.count) == [PlainLines.longestLine, 1])
    }
}
