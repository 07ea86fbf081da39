import TerminalCells
import Testing

@Suite("Text in parts of different styles")
struct StyledTextTests {
    @Test(
        "A character of which a part is marked is marked as a whole",
        arguments: [
            ("abc", [1..<2], ["a", "[b]", "c"]), ("abc", [0..<1, 1..<3], ["[abc]"]),
            ("e\u{301}x", [0..<1], ["[e\u{301}]", "x"]),
            ("e\u{301}x", [1..<3], ["[e\u{301}]", "x"]), ("👍🏽!", [5..<6], ["[👍🏽]", "!"]),
            ("ab", [1..<9], ["a", "[b]"]), ("ab", [2..<2], ["ab"]), ("", [0..<1], []),
        ])
    func marks(text: String, ranges: [Range<Int>], wanted: [String]) {
        let bold = CellStyle(isBold: true)
        let styled = StyledText(escaping: text, style: .plain, marking: ranges, marked: bold)
        #expect(styled.runs.map { $0.style == bold ? "[\($0.text)]" : $0.text } == wanted)
    }

    @Test(
        "Wrapped text is the same in lines that are not too long",
        arguments: [
            ("abcdefg", 3, 9, ["abc", "def", "g"]), ("abcdefg", 3, 2, ["abc", "def"]),
            ("abc", 3, 9, ["abc"]), ("", 3, 9, [""]), ("漢字x", 3, 9, ["漢", "字x"]),
            ("漢字", 1, 9, ["漢", "字"]), ("e\u{301}e\u{301}", 1, 9, ["e\u{301}", "e\u{301}"]),
            ("a\u{1b}b", 3, 9, ["a\\x", "1bb"]), ("abc", 0, 9, []), ("abc", 3, 0, []),
        ])
    func wrapping(text: String, columns: Int, most: Int, wanted: [String]) {
        let whole = StyledText(
            escaping: text, style: .plain, marking: [1..<2], marked: CellStyle(isBold: true))
        let lines = whole.wrapped(to: columns, most: most)
        #expect(lines.map(\.text) == wanted)
        guard columns > 0, most == 9 else { return }
        func styles(_ texts: [StyledText]) -> [CellStyle] {
            texts.flatMap(\.runs).flatMap { run in run.text.map { _ in run.style } }
        }
        #expect(styles(lines) == styles([whole]))
    }
}
