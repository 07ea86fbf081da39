import PickerModel
import TestSupport
import Testing

@Suite struct GlobTests {
    private func matches(
        _ pattern: String, _ text: String, _ options: Glob.Options = []
    ) throws -> Bool {
        try Glob(pattern, options).matches(text)
    }

    @Test(
        "names that a pattern matches",
        arguments: [
            ("*.txt", "a.txt", true), ("*.txt", "a.TXT", false), ("*.txt", "txt", false),
            ("a?c", "abc", true), ("a?c", "aéc", true), ("a?c", "ac", false), ("*", "", true),
            ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[^a-c]x", "dx", true),
            ("[]]", "]", true), ("[a-]", "-", true), (#"\*"#, "*", true), (#"\*"#, "a", false),
            (#"[\]]"#, "]", true), ("a**b", "a--b", true), ("**", "x", true), ("日*", "日本", true),
            ("?", "👍", true), ("??", "e\u{301}", true), ("\u{e9}", "e\u{301}", false),
            // A leading dot of a name is not matched by wildcards.
            ("*", ".a", false), ("?a", ".a", false), ("[.]a", ".a", false), (".*", ".a", true),
            ("*.a", "b.a", true), ("a*", "a.b", true),
        ])
    func names(_ pattern: String, _ name: String, _ isMatch: Bool) throws {
        #expect(try matches(pattern, name) == isMatch)
    }

    @Test(
        "paths that a pattern matches",
        arguments: [
            ("drafts/**", "drafts/a", true), ("drafts/**", "drafts/a/b", true),
            ("drafts/**", "drafts", false), ("drafts/*", "drafts/a/b", false),
            ("**/a", "a", true), ("**/a", "x/y/a", true), ("**/a", "x/ya", false),
            ("x/**/a", "x/a", true), ("x/**/a", "x/1/2/a", true), ("**", "a/b/c", true),
            ("*/b", "a/b", true), ("*", "a/b", false), ("a?b", "a/b", false),
            ("a[!x]b", "a/b", false), ("**/a/**/b", "a/1/a/2/b", true),
            ("**/a/b", "a/a/b", true), ("**/**/c", "c", true), ("x/**/**", "x", false),
            ("**", "a/.b", false), ("**/.b", "a/.b", true), ("a/**/c", "a/.b/c", false),
        ])
    func paths(_ pattern: String, _ path: String, _ isMatch: Bool) throws {
        #expect(try matches(pattern, path, .wholePath) == isMatch)
    }

    @Test("options: case, names with a leading dot, backslashes")
    func options() throws {
        #expect(try matches("*.PDF", "a.pdf", .ignoringCase))
        #expect(try matches("straße ä*", "STRAßE Äb", .ignoringCase))
        #expect(try matches("[А-Я]x", "яX", .ignoringCase))
        #expect(try matches("*", ".a", .includingDotFiles))
        #expect(try matches("**/a", ".x/a", [.wholePath, .includingDotFiles]))
        #expect(try matches(#"a\*"#, #"a\b"#, .withoutEscapes))
    }

    @Test("a name that is not UTF-8 is matched as displayed")
    func notUTF8() throws {
        let name = FileName(bytes: [0x61, 0xFF, 0x62])
        let document = Document(
            key: "f0", root: "/r", path: name, size: 1, modified: FileTime(seconds: 1))
        let store = DocumentStore(epoch: "e")
        store.apply(inserted: [document])
        let row = try #require(store.row(key: "f0"))
        func matches(_ pattern: String) throws -> Bool {
            let query = DocumentQuery(filter: DocumentFilter(.glob(try Glob(pattern))))
            let isMatch = query.matches(document)
            #expect(query.matches(row, of: store.table) == isMatch, "\(pattern)")
            return isMatch
        }
        #expect(try matches("a?b"))
        #expect(try matches("a*"))
        #expect(try matches("a\u{FFFD}b"))
        #expect(try !matches("ab"))
    }

    @Test(
        "invalid patterns, or those that can never match, are refused",
        arguments: [
            ("", false), ("a\\", false), ("[a", false), ("[]", false), ("[b-a]", false),
            ("a/b", false), ("a[/]", false), ("[[:alpha:]]", false), ("a\u{0}", false),
            ("/a", true), ("a/", true), ("a//b", true), ("**/", true),
        ])
    func refused(_ pattern: String, _ isPath: Bool) {
        #expect(throws: PickerModelError.self) {
            try Glob(pattern, isPath ? .wholePath : [])
        }
    }

    @Test("patterns with the same bytes and options are equal")
    func equality() throws {
        #expect(try Glob("é") != Glob("e\u{301}"))
        #expect(try Glob("a") != Glob("a", .ignoringCase))
        #expect(try Glob("a*") == Glob("a*"))
    }

    @Test("random patterns match like an exhaustive matcher")
    func random() throws {
        try withSeed { random in
            var matched = 0
            for _ in 0..<4000 {
                let glob = try RandomFilters.glob(&random)
                let text =
                    glob.options.contains(.wholePath)
                    ? RandomFilters.path(&random) : RandomFilters.name(&random)
                let wanted = PlainGlob(glob).matches(text)
                if wanted { matched += 1 }
                #expect(
                    glob.matches(text) == wanted,
                    "\(glob.pattern) \(glob.options) \(text): seed \(random.seed)")
            }
            #expect(matched > 80)
        }
    }

    @Test("a hostile pattern takes no longer than pattern times text", .timeLimit(.minutes(20)))
    func hostile() throws {
        // An exhaustive match would take too long.
        let name = String(repeating: "a", count: 255)
        let stars = String(repeating: "*a", count: 500) + "b"
        #expect(try !matches(stars, name))
        let path = Array(repeating: "a", count: 2000).joined(separator: "/")
        let folders = String(repeating: "**/a/", count: 100) + "b"
        #expect(try !matches(folders, path, .wholePath))
        #expect(try !matches(String(repeating: "**/*a*/", count: 60) + "b", path, .wholePath))
    }
}
