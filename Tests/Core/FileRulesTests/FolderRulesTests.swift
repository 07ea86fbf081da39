import FileRules
import Testing

@Suite struct FolderRulesTests {
    /// Rules with ignore files at paths, in this order.
    private func rules(
        _ rules: DocumentRules, _ files: [(folder: String, name: String, text: String)] = []
    ) -> FolderRules {
        files.reduce(FolderRules(rules)) { above, file in
            above.adding([(file.name, Array(file.text.utf8))], at: Array(file.folder.utf8))
        }
    }

    /// What the rules say of a path, which ends with a slash if it is a folder's.
    private func verdict(_ rules: FolderRules, _ path: String) -> RuleVerdict {
        let isFolder = path.last == "/"
        let bytes = Array(path.utf8).dropLast(isFolder ? 1 : 0)
        let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
        let folder = Array(bytes[..<(slash ?? 0)])
        return rules.verdict(bytes[(slash.map { $0 + 1 } ?? 0)...], isFolder: isFolder) { folder }
    }

    /// "kept" or the word of the reason.
    private func word(_ rules: FolderRules, _ path: String) -> String {
        switch verdict(rules, path) {
        case .kept: "kept"
        case .ignored(let reason): reason.kind.rawValue
        case .ignoredBeside(_, let reason): "beside \(reason.kind.rawValue)"
        }
    }

    @Test(
        "the default rules",
        arguments: [
            (".a", "hidden"), (".a/", "hidden"), (".git/", "version-control"),
            (".git", "version-control"),
            (".cache/", "hidden"), (".a.swp", "hidden"), ("a~", "temporary"),
            ("node_modules/", "cache"), ("target/", "beside cache"), ("a.txt", "kept"),
            ("x/y/a", "kept"),
        ])
    func defaults(_ path: String, _ wanted: String) {
        #expect(word(FolderRules(DocumentRules()), path) == wanted)
    }

    @Test("no rule keeps each name", arguments: [".a", ".git/", "a~", "node_modules/", "target/"])
    func none(_ path: String) {
        #expect(word(FolderRules(.none), path) == "kept")
    }

    @Test("rules without built-in ones still skip hidden names")
    func withoutBuiltIns() {
        let rules = FolderRules(DocumentRules(usesBuiltIns: false))
        #expect(word(rules, ".git/") == "hidden")
        #expect(word(rules, "a~") == "kept")
    }

    @Test(
        "the setting comes first",
        arguments: [
            ("!.git", ".git/", "kept"), ("!.a", ".a", "kept"), ("!*~", "a~", "kept"),
            ("!node_modules", "node_modules/", "kept"), ("!target", "target/", "kept"),
            ("a", "a", "setting"), (".git", ".git/", "setting"), ("/a", "x/a", "kept"),
            ("x/a", "x/a", "setting"), ("x/**/b", "x/y/z/b", "setting"), ("!x", ".a", "hidden"),
        ])
    func setting(_ pattern: String, _ path: String, _ wanted: String) {
        #expect(word(FolderRules(DocumentRules(ignore: [pattern])), path) == wanted)
    }

    @Test("in the setting the last pattern that matches decides, and comes before ignore files")
    func settingOrder() {
        let settings = DocumentRules(ignore: ["*.log", "!a.log", "b"], readsIgnoreFiles: true)
        let all = rules(settings, [("", ".gitignore", "a.log\n!b\n!b.log")])
        #expect(word(all, "a.log") == "kept")
        #expect(word(all, "b.log") == "setting")
        #expect(word(all, "b") == "setting")
        #expect(verdict(all, "b").text == "the setting ignore has 'b'")
    }

    @Test("version control comes before ignore files, hidden names and caches after them")
    func ignoreFileOrder() {
        let all = rules(
            DocumentRules(readsIgnoreFiles: true),
            [("", ".gitignore", "!.git\n!.a\n!node_modules\n!target\n!*~\nnode")])
        #expect(word(all, ".git/") == "version-control")
        for path in [".a", "node_modules/", "target/", "a~"] { #expect(word(all, path) == "kept") }
        #expect(word(all, ".b") == "hidden")
        #expect(word(all, "node") == "ignore-file")
    }

    @Test("the deepest folder comes first, and in a folder the later file")
    func layers() {
        let settings = DocumentRules(readsIgnoreFiles: true)
        let root = FolderRules(settings).adding(
            [(".gitignore", Array("a\nb\n/c".utf8)), (".ignore", Array("!b\n".utf8))], at: [])
        let inner = root.adding(
            [(".gitignore", Array("\n!a\nd/e\n/f".utf8))], at: Array("x/y".utf8))
        #expect(word(root, "a") == "ignore-file")
        #expect(word(root, "b") == "kept")
        #expect(word(root, "c") == "ignore-file")
        #expect(word(root, "x/c") == "kept")
        #expect(word(inner, "x/y/a") == "kept")
        #expect(word(inner, "x/y/z/a") == "kept")
        #expect(word(inner, "x/y/c") == "kept")
        #expect(word(inner, "x/y/d/e") == "ignore-file")
        #expect(word(inner, "x/y/z/d/e") == "kept")
        #expect(word(inner, "x/y/f") == "ignore-file")
        #expect(word(inner, "x/y/z/f") == "kept")
        #expect(verdict(inner, "x/y/d/e").text == "line 3 of 'x/y/.gitignore' has 'd/e'")
        #expect(verdict(root, "x/a").text == "line 1 of '.gitignore' has 'a'")
        // The first are not changed by the second.
        #expect(word(root, "x/y/a") == "ignore-file")
    }

    @Test("ignore files count only if the settings say so")
    func unread() {
        let root = FolderRules(DocumentRules())
        #expect(!root.readsIgnoreFiles)
        #expect(root.adding([(".gitignore", Array("a".utf8))], at: []) === root)
        let reading = FolderRules(DocumentRules(readsIgnoreFiles: true))
        #expect(reading.readsIgnoreFiles)
        #expect(reading.adding([(".gitignore", Array("# a\n".utf8))], at: []) === reading)
        #expect(reading.adding([], at: []) === reading)
    }

    @Test("the path is asked for only where it decides, once")
    func path() {
        let settings = DocumentRules(ignore: ["x/a", "y/a", "z/*.c"], readsIgnoreFiles: true)
        let root = FolderRules(settings)
        #expect(root.needsPath)
        #expect(!FolderRules(DocumentRules(ignore: ["a", "*.c"])).needsPath)
        let inner = root.adding([(".gitignore", Array("q/a".utf8))], at: Array("w".utf8))
        var calls = 0
        func ask(_ name: String) -> RuleVerdict {
            inner.verdict(Array(name.utf8)[...], isFolder: false) {
                calls += 1
                return Array("w/q".utf8)
            }
        }
        #expect(ask("b") == .kept)
        #expect(calls == 0)
        #expect(ask("a") != .kept)
        #expect(calls == 1)
        let plain = FolderRules(DocumentRules(readsIgnoreFiles: true))
        #expect(!plain.needsPath)
        #expect(plain.adding([(".gitignore", Array("/a".utf8))], at: []).needsPath)
    }

    @Test("a folder whose path only begins like that of the ignore file")
    func samePrefix() {
        let all = rules(DocumentRules(readsIgnoreFiles: true), [("x", ".gitignore", "/a\nb/a")])
        #expect(word(all, "x/a") == "ignore-file")
        #expect(word(all, "x/b/a") == "ignore-file")
        #expect(word(all, "x/c/a") == "kept")
        #expect(word(all, "x/b/b/a") == "kept")
    }

    @Test("rules are the same with the same settings and patterns")
    func same() {
        let settings = DocumentRules(readsIgnoreFiles: true)
        let base = rules(settings, [("x", ".gitignore", "a\n!b/\n*.c")])
        #expect(base.hasSameRules(as: base))
        #expect(
            base.hasSameRules(
                as: rules(settings, [("x", ".gitignore", "# c\r\na  \n\n!b/\n*.c\n[")])))
        let others = [
            rules(settings), rules(settings, [("", ".gitignore", "a\n!b/\n*.c")]),
            rules(settings, [("x", ".ignore", "a\n!b/\n*.c")]),
            rules(settings, [("x", ".gitignore", "!b/\na\n*.c")]),
            rules(settings, [("x", ".gitignore", "a\n!b/*.c")]),
            rules(settings, [("x", ".gitignore", "a\n!b\n/*.c")]),
            rules(settings, [("x", ".gitignore", "a\n!b/\n*.c"), ("x", ".ignore", "d")]),
            rules(
                DocumentRules(ignore: ["a"], readsIgnoreFiles: true),
                [("x", ".gitignore", "a\n!b/\n*.c")]),
        ]
        for other in others {
            #expect(!base.hasSameRules(as: other))
            #expect(!other.hasSameRules(as: base))
        }
        let plain = FolderRules(settings)
        #expect(plain.hasSameRules(as: FolderRules(settings)))
        #expect(!plain.hasSameRules(as: FolderRules(DocumentRules())))
    }

    @Test("rules say that patterns were left out")
    func cut() {
        let settings = DocumentRules(readsIgnoreFiles: true)
        let long = String(repeating: "a", count: IgnorePatterns.maxPatternLength + 1)
        #expect(!rules(settings, [("", ".gitignore", "a")]).isCut)
        #expect(rules(settings, [("", ".gitignore", "a\n\(long)")]).isCut)
        #expect(FolderRules(DocumentRules(ignore: [long])).isCut)
    }

    @Test("names and patterns in reasons are fit for people")
    func shown() {
        let text = "a\u{7}\u{202E}*" + String(repeating: "b", count: 300)
        let all = rules(DocumentRules(ignore: ["!x"]), [])
        #expect(!all.isCut)
        let setting = FolderRules(DocumentRules(ignore: [text]))
        let name = "a\u{7}\u{202E}" + String(repeating: "b", count: 300)
        let shown = verdict(setting, name).text ?? ""
        #expect(shown.hasPrefix(#"the setting ignore has 'a\u{7}\u{202e}*bb"#))
        #expect(shown.hasSuffix("b…'") && shown.count < 250)
        let bytes = FolderRules(DocumentRules(readsIgnoreFiles: true))
            .adding([(".gitignore", [0xFF, 0x2A])], at: [0x78, 0xFE])
        let verdict = bytes.verdict([0xFF, 0x61], isFolder: false) { [0x78, 0xFE] }
        #expect(verdict.text == "line 1 of 'x\u{FFFD}/.gitignore' has '\u{FFFD}*'")
    }
}

extension RuleVerdict {
    fileprivate var text: String? {
        switch self {
        case .kept: nil
        case .ignored(let reason), .ignoredBeside(_, let reason): reason.description
        }
    }
}
