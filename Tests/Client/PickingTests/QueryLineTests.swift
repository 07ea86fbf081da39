import Picking
import Testing

@Suite("The line of a query")
struct QueryLineTests {
    private func line(_ text: String, _ keys: ((inout QueryLine) -> Void)...) -> String {
        var line = QueryLine(text)
        for key in keys { key(&line) }
        return line.beforeCaret + "|" + line.behindCaret
    }

    @Test("The caret goes by characters and words")
    func moves() {
        #expect(line("añb", { $0.move(by: -1) }) == "añ|b")
        #expect(line("e\u{301}x", { $0.moveToStart() }, { $0.move(by: 1) }) == "e\u{301}|x")
        #expect(line("👩‍👩‍👧x", { $0.move(by: -2) }) == "|👩‍👩‍👧x")
        #expect(line("one two-three", { $0.moveWordBackward() }) == "one two-|three")
        #expect(
            line("one two", { $0.moveToStart() }, { $0.moveWordForward() }) == "one| two")
        #expect(line("ab", { $0.move(by: -9) }, { $0.move(by: 1) }) == "a|b")
        #expect(line("ab", { $0.move(to: .max) }) == "ab|")
    }

    @Test("Keys delete characters and words, and what was deleted last comes back")
    func deletion() {
        #expect(line("abc", { $0.deleteBackward() }) == "ab|")
        #expect(line("abc", { $0.moveToStart() }, { $0.deleteForward() }) == "|bc")
        #expect(line("", { $0.deleteBackward() }, { $0.deleteForward() }, { $0.yank() }) == "|")
        #expect(line("a b-c", { $0.deleteBlankWord() }) == "a |")
        #expect(line("a b-c", { $0.deleteWordBackward() }) == "a b-|")
        #expect(line("a b-c  ", { $0.deleteBlankWord() }) == "a |")
        #expect(line("a b", { $0.moveToStart() }, { $0.deleteWordForward() }) == "| b")
        #expect(line("ab cd", { $0.move(by: -2) }, { $0.deleteToStart() }) == "|cd")
        #expect(
            line("ab cd", { $0.deleteBlankWord() }, { $0.moveToStart() }, { $0.yank() })
                == "cd|ab ")
        // Single characters are not kept.
        #expect(
            line("ab", { $0.deleteBlankWord() }, { $0.yank() }, { $0.deleteBackward() }) == "a|")
    }

    @Test("Text goes in at the caret, also where it joins what is there")
    func insertion() {
        #expect(line("ad", { $0.move(by: -1) }, { $0.insert("bc") }) == "abc|d")
        #expect(line("e", { $0.insert("\u{301}") }, { $0.move(by: -1) }) == "|e\u{301}")
        var line = QueryLine("\u{301}x")
        line.moveToStart()
        line.insert("e")
        #expect(line.text == "e\u{301}x")
        #expect(line.caret <= line.count)
        line.replace(0..<1, with: "type:")
        #expect(line.text == "type:x")
        line.replace(3..<99, with: "")
        #expect(line.text == "typ")
    }

    @Test("It has at most 4096 bytes, and no part of a character")
    func limit() {
        var line = QueryLine(String(repeating: "é", count: 3000))
        #expect(line.text.utf8.count == 4096)
        line.insert("x")
        #expect(line.count == 2048)
        line.deleteBackward()
        line.insert("漢字")
        #expect(line.text.utf8.count == 4094)
        line.insert("abc")
        #expect(line.text.hasSuffix("éab"))
        line.replace(0..<1, with: "long")
        #expect(line.text.utf8.count == 4096)
    }
}
