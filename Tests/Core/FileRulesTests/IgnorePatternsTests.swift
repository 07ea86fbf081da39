import FileRules
import TestSupport
import Testing

@Suite struct IgnorePatternsTests {
    /// The line of the last pattern that matches, below zero if it keeps, zero if none matches. A path that ends with a
    /// slash is a folder's.
    private func line(_ text: String, _ path: String) -> Int {
        let isFolder = path.last == "/"
        let bytes = Array(path.utf8).dropLast(isFolder ? 1 : 0)
        let match = IgnorePatterns(parsing: Array(text.utf8)).match(path: bytes, isFolder: isFolder)
        return match.map { $0.isIgnored ? $0.line : -$0.line } ?? 0
    }

    @Test(
        "a pattern and a path that it matches, or does not",
        arguments: [
            // Without a slash: a name in any folder.
            ("a", "a", true), ("a", "x/y/a", true), ("a", "ab", false), ("a", "a/b", false),
            ("*.o", "x.o", true), ("*.o", "d/.o", true), ("*.o", "x.c", false), ("*", "x", true),
            ("a*", "a", true), ("a*c", "abc", true), ("a?c", "ac", false), ("?", "\u{e9}", false),
            ("a**c", "abbc", true), ("**", "x/y", true), ("*a*b*", "xaxbx", true),
            ("?*?", "a", false),
            // With one: anchored.
            ("/a", "a", true), ("/a", "x/a", false), ("a/b", "a/b", true), ("a/b", "x/a/b", false),
            ("/*", "x/a", false), ("a/*", "a/b", true), ("a/*", "a/b/c", false),
            ("a/*/c", "a/b/c", true), ("a/*/c", "a/b/b/c", false), ("*/b", "a/b", true),
            ("a?b", "a/b", false), ("a[/]b", "a/b", false), ("a*b/c", "axb/c", true),
            // Folders only.
            ("a/", "a/", true), ("a/", "a", false), ("a/", "x/a/", true), ("/a/", "x/a/", false),
            ("a/b/", "a/b/", true), ("a/b/", "a/b", false), ("*/", "x", false), ("*/", "x/", true),
            // Any number of folders.
            ("**/a", "a", true), ("**/a", "x/y/a", true), ("**/a", "x/ya", false),
            ("a/**", "a/b/c", true), ("a/**", "a/", false), ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true), ("a/**/b", "a/xb", false), ("**/a/**/b", "x/a/y/b", true),
            ("**/a/b", "a/a/b", true), ("**/**/a", "a", true), ("a/**/**/b", "a/b", true),
            ("x/a**b", "x/ayb", true), ("x/a**b", "x/a/b", false), ("x**/b", "x/y/b", false),
            ("/**", "x/y", true), ("/**/a", "x/a", true), ("**/a/*", "x/a/y", true),
            ("**/*a*/**/b", "1/2a/3/b", true), ("a/***/b", "a/x/b", true),
            // An escaped slash is a slash, but cannot be left out.
            (#"**\/a"#, "x/a", true), (#"**\/a"#, "a", false), (#"a\/b"#, "a/b", true),
            // Bracket expressions.
            ("[ab]", "b", true), ("[!ab]", "b", false), ("[^ab]", "c", true),
            ("[a-c]x", "bx", true),
            ("[]]", "]", true), ("[!]]", "]", false), ("[a-]", "-", true), ("[-a]", "-", true),
            (#"[\]]"#, "]", true), (#"[\a-c]"#, "b", true), (#"[a-\c]"#, "b", true),
            ("[a-c-e]", "d", false), ("[a-c-e]", "-", true), ("[[:digit:]]", "5", true),
            ("[![:digit:]]", "5", false), ("[[:digit:]a]", "a", true), ("[[:]", ":", true),
            ("[[:d]", "d", true), ("[[:d]", "[", true), ("[b-a]", "a", false),
            ("[!b-a]", "x", true),
            // Escapes.
            (#"\*"#, "*", true), (#"\*"#, "a", false), (#"\!a"#, "!a", true), ("\\#a", "#a", true),
            (#"\a"#, "a", true), (#"a\\"#, #"a\"#, true),
            // Spaces.
            ("a ", "a", true), (#"a\ "#, "a ", true), (#"a\  "#, "a ", true), (" a", "a", false),
            ("a\t", "a", false), ("a\t", "a\t", true), ("a b ", "a b", true),
            (#"a\\ "#, #"a\"#, true),
            // What matches nothing.
            ("", "a", false), ("#a", "#a", false), ("/", "a", false), ("//", "a", false),
            ("a//b", "a/b", false), ("a\\", "a\\", false), (#"a\/"#, #"a\"#, false),
            ("[a", "[a", false), ("[a", "a", false), ("[", "[", false), ("[]", "]", false),
            ("[[:no:]]", "n", false), ("a[", "a[", false), ("./a", "a", false),
            ("a/./b", "a/b", false),
            // Lines.
            ("a\r\n", "a", true), ("a\r", "a", true), ("a\r\r\n", "a\r", true), ("a\0b", "a", true),
            ("\u{FEFF}a", "a", true), ("A", "a", false), ("é", "x/é", true), ("\n\n", "a", false),
        ])
    func matches(_ pattern: String, _ path: String, _ isMatch: Bool) {
        #expect((line(pattern, path) != 0) == isMatch, "\(pattern.debugDescription) \(path)")
    }

    @Test(
        "the last pattern that matches decides",
        arguments: [
            ("*\n!a", "a", -2), ("!a\n*", "a", 2), ("*\n!a", "b", 1), ("a\na", "a", 2),
            ("a\n!*.c\na/", "a", 1), ("a\n!*.c\na/", "a/", 3), ("a\na/", "a", 1),
            ("a/\na", "a/", 2),
            ("a/\n!a/\na/", "a/", 3), ("a/\n!a/", "a", 0), ("*.c\n!?.c", "x.c", -2),
            ("?.c\n!*.c", "x.c", -2), ("x.c\n*.c\n!b", "x.c", 2), ("*.c\nx.c\n!b", "x.c", 2),
            ("*.b.c\n*.c", "a.b.c", 2), ("*.c\n*.b.c", "a.b.c", 2), ("*.c\n!*.c/", "a.c", 1),
            ("/a\na\n!x/a", "a", 2), ("a\n!x/a\n/a", "x/a", -2), ("a\n!x/a\n/a", "y/a", 1),
            ("a\n!x/a\n/a", "a", 3), ("x/*.c\n!*.c\n", "x/a.c", -2), ("!*.c\nx/*.c", "x/a.c", 2),
            ("!*.c\nx/*.c", "a.c", -1), ("!!a", "!a", -1), ("!\n\n# c\n \na", "a", 5),
            ("a\n!a\n#a", "a", -2), ("*\n!*/\n", "a/", -2), ("*\n!*/\n", "a", 1),
            ("x/a\n!a/\nx/a/", "x/a", 1), ("a/\nx/a\ny/a\na/\nx/a/", "x/a", 2),
        ])
    func order(_ text: String, _ path: String, _ line: Int) {
        #expect(self.line(text, path) == line, "\(text.debugDescription) \(path)")
    }

    @Test("a match says the pattern as written")
    func match() throws {
        let patterns = IgnorePatterns(parsing: Array("# c\n!x/*.c/  \r\n".utf8))
        let match = try #require(patterns.match(path: Array("x/y.c".utf8)[...], isFolder: true))
        #expect(!match.isIgnored)
        #expect(match.line == 2)
        #expect(match.pattern == Array("!x/*.c/".utf8))
        #expect(patterns.count == 1 && !patterns.isEmpty)
        #expect(IgnorePatterns(parsing: Array("# c\n\n[\n".utf8)).isEmpty)
    }

    @Test(
        "whether the folders of a path matter",
        arguments: [
            ("a\n*.c\n!b\nc/\n**/d", false), ("a\n/b", true), ("a/b", true), ("**/a/b", true),
            ("a/**", true), ("a[/b]", true), ("a[/]", false), ("#a/b\n[a/b", false), ("/**", false),
            ("", false),
        ])
    func needsPath(_ text: String, _ isNeeded: Bool) {
        #expect(IgnorePatterns(parsing: Array(text.utf8)).needsPath == isNeeded)
    }

    @Test("many plain patterns: the same as one after the other")
    func manyPlain() {
        withSeed { random in
            let words = (0..<300).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    ["a", "b", ".", "c"][Int.random(in: 0..<4, using: &random)]
                }.joined()
            }.filter { $0 != "." && $0 != ".." }
            let lines = (0..<2000).map { _ in
                let word = words[Int.random(in: 0..<words.count, using: &random)]
                return ["", "!", "*", "!*", "x/", "/"][Int.random(in: 0..<6, using: &random)] + word
                    + (random.chance(0.3) ? "/" : "")
            }
            let all = IgnorePatterns(parsing: Array(lines.joined(separator: "\n").utf8))
            let single = lines.map { IgnorePatterns(parsing: Array($0.utf8)) }
            for word in words.prefix(60) {
                for (folder, isFolder) in [("", true), ("", false), ("x/", true), ("y/x/", false)] {
                    let path = Array("\(folder)\(word)".utf8)[...]
                    let last = single.lastIndex { $0.match(path: path, isFolder: isFolder) != nil }
                    let match = all.match(path: path, isFolder: isFolder)
                    #expect(
                        match?.line == last.map { $0 + 1 }, "\(folder)\(word): seed \(random.seed)")
                }
            }
        }
    }
}
