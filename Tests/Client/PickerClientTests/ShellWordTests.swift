import TestSupport
import Testing
import pickerctl

/// Lines of shells, while they are typed.
@Suite struct ShellWordTests {
    private func words(_ line: String, _ shell: Shell) -> [String] {
        ShellWord.words(in: Array(line.utf8), of: shell).map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
    }

    @Test("Words are read as the shell reads them, also if quotes are open")
    func reading() {
        #expect(words("a  b", .bash) == ["a", "b"])
        #expect(words("a ", .bash) == ["a", ""])
        #expect(words("", .bash) == [""])
        #expect(words(#"a\ b 'c\ d' "e\ \"f" g"#, .bash) == ["a b", #"c\ d"#, #"e\ "f"#, "g"])
        #expect(words("'a b", .zsh) == ["a b"])
        #expect(words(#"x$'a\n\x41\101\'b' c"#, .bash) == ["xa\nAA'b", "c"])
        #expect(words(#"a\nb 'c\'d' "e$f""#, .fish) == ["a\nb", "c'd", "e$f"])
        #expect(words(#"$'a b"#, .fish) == ["$a b"])
        #expect(words("a\\", .bash) == ["a"])
        #expect(words("a\\\nb", .bash) == ["ab"])
    }

    @Test("What is quoted is read as it was, wherever it stands")
    func quoting() {
        let seed = UInt64.random(in: 0..<UInt64.max)
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 1...255, using: &random)
                    : Array(" '\"\\$`!~#\n\tab".utf8).randomElement(using: &random) ?? 0x61
            }
            let opened: [(ShellWord.Quote, String, String)] = [
                (.none, "", ""), (.single, "'", "'"), (.double, "\"", "\""), (.dollar, "$'", "'"),
            ]
            for (quote, before, after) in opened {
                let line =
                    Array(before.utf8) + ShellWord.quoted(bytes, in: quote) + Array(after.utf8)
                let found = ShellWord.words(in: line, of: .bash)
                #expect(
                    found.map(\.bytes) == [bytes], "\(bytes) in \(quote) is \(line), seed \(seed)")
            }
        }
    }
}
