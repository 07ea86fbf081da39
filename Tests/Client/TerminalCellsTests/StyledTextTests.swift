import TerminalCells
import TestSupport
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

    @Test("Text of ASCII has the runs that the same has beside other text")
    func ascii() {
        withSeed { random in
            for round in 0..<400 {
                let text = String(
                    (0..<Int.random(in: 0...30, using: &random)).map { _ in
                        round % 4 == 0 && random.chance(0.1)
                            ? ["\\", "\u{1b}", "\u{7f}"].randomElement(using: &random) ?? "\\"
                            : Character(
                                Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &random)))
                    })
                var ranges: [Range<Int>] = []
                var place = 0
                while place < text.utf8.count {
                    // They may overlap.
                    let start = max(
                        ranges.last?.lowerBound ?? 0, place + Int.random(in: -1...3, using: &random)
                    )
                    place = start + Int.random(in: 0...3, using: &random)
                    ranges.append(start..<place)
                }
                let bold = CellStyle(isBold: true)
                func runs(_ text: String) -> [StyledText.Run] {
                    StyledText(escaping: text, style: .plain, marking: ranges, marked: bold).runs
                }
                var wanted = runs(text + "é")
                // What a range has of the other text is marked with it.
                guard var last = wanted.popLast() else { Issue.record("nothing"); return }
                last.text = String(last.text.dropLast())
                if !last.text.isEmpty { wanted.append(last) }
                #expect(runs(text) == wanted, "round \(round), seed \(random.seed): \(ranges)")
            }
        }
    }

    @Test("The first letters of Unicode take the columns, and are escaped, as their categories say")
    func firstLetters() {
        for number in UInt32(0)..<0x300 {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let category = scalar.properties.generalCategory
            let isHidden = category == .control || category == .format
            #expect(DisplayWidth.of(String(scalar)) == (isHidden ? 0 : 1), "\(number)")
            let isEscaped = VisibleText.escaping(json: String(scalar)) != String(scalar)
            #expect(isEscaped == isHidden, "\(number)")
        }
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
