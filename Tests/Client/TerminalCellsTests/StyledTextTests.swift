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
}
