// The patterns mean what they mean to git.

import FileRules
import TestSupport
import Testing

@Suite struct GitComparisonTests {
    @Test("random trees: each entry has the verdict, the line, and the pattern that git has")
    func randomTrees() throws {
        let git = try GitOracle()
        try withSeed { random in
            var (entries, ignored, kept) = (0, 0, 0)
            for round in 0..<testRounds(40) {
                let tree = RandomTree(&random)
                let visited = Walk(tree).visited
                try git.makeTree(
                    "t\(round)", tree.entries.filter(\.isFolder).map(\.path), tree.ignoreFiles)
                let answers = try git.answers("t\(round)", visited.map(\.path))
                for (entry, answer) in zip(visited, answers) {
                    let note: Comment = """
                        \(String(decoding: entry.path, as: UTF8.self).debugDescription) \
                        round \(round), seed \(random.seed)
                        """
                    #expect(entry.answer == answer, note)
                    let isIgnored = answer.line > 0 && answer.pattern.first != UInt8(ascii: "!")
                    if isIgnored {
                        // Control characters are shown as escapes.
                        let isPlain = answer.file.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                        let file = isPlain ? String(decoding: answer.file, as: UTF8.self) : ""
                        let start = "line \(answer.line) of '\(file)"
                        #expect(entry.reason?.hasPrefix(start) == true, note)
                    } else {
                        #expect(entry.reason == nil, note)
                    }
                    entries += 1
                    if isIgnored { ignored += 1 } else if answer.line > 0 { kept += 1 }
                }
            }
            // Otherwise the comparison proves little.
            #expect(ignored * 10 > entries && kept * 50 > entries, "\(ignored) \(kept) \(entries)")
        }
    }

    @Test("bracket expressions and wildcards accept the bytes that git accepts")
    func bytes() throws {
        let classes = [
            "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space",
            "upper", "xdigit", "none",
        ]
        let expressions =
            classes.map { Array("[[:\($0):]]".utf8) } + classes.map { Array("[![:\($0):]a]".utf8) }
            + [
                "?", "*", "[a-z]", "[^a-z]", "[!]-a]", "[]-]", "[+--]", #"[\\-\]]"#, "[[:x]",
                "[[:alpha]",
                "[a-e-z]", "[z-a]", "[!z-a]", #"\!"#, "[*?]", "[[-a]", "[a[:digit:]-z]",
            ].map { Array($0.utf8) }
            + [[0x5B, 0x80, 0x2D, 0xFF, 0x5D], [0x5B, 0x21, 0xC3, 0x5D], [0xFF]]
        let git = try GitOracle()
        let folders = expressions.indices.map { Array("f\($0)".utf8) }
        let files = zip(folders, expressions.map { Array("x".utf8) + $0 })
        try git.makeTree("t", folders, Dictionary(uniqueKeysWithValues: files))
        let names = (UInt8.min...UInt8.max).filter { $0 != 0 && $0 != UInt8(ascii: "/") }
            .map { [UInt8(ascii: "x"), $0] }
        let answers = try git.answers(
            "t", folders.flatMap { folder in names.map { folder + "/".utf8 + $0 } })
        var index = 0
        for (_, pattern) in files {
            let patterns = IgnorePatterns(parsing: pattern)
            for name in names {
                let isMatch = patterns.match(path: name[...], isFolder: false) != nil
                #expect(
                    isMatch == (answers[index].line > 0),
                    "\(String(decoding: pattern, as: UTF8.self)) \(name[1])")
                index += 1
            }
        }
    }
}

/// A walk over a tree as a watcher does it: it does not enter what is ignored.
private struct Walk {
    struct Visit {
        let path: [UInt8]
        /// The answer of the patterns of each ignore file above, the deepest first.
        let answer: GitOracle.Answer
        /// What the rules of the folder say; nil if it is kept.
        let reason: String?
    }

    private(set) var visited: [Visit] = []
    private let tree: RandomTree

    init(_ tree: RandomTree) {
        self.tree = tree
        enter(
            [],
            FolderRules(DocumentRules(hidden: .keep, readsIgnoreFiles: true, usesBuiltIns: false)),
            [])
    }

    private mutating func enter(
        _ folder: [UInt8], _ above: FolderRules,
        _ files: [(base: [UInt8], patterns: IgnorePatterns)]
    ) {
        var (rules, files) = (above, files)
        if let text = tree.ignoreFiles[folder] {
            rules = above.adding([(".gitignore", text)], at: folder)
            files.append((folder, IgnorePatterns(parsing: text)))
        }
        let prefix = folder.isEmpty ? [] : folder + "/".utf8
        for entry in tree.entries {
            guard entry.path.starts(with: prefix) else { continue }
            let name = entry.path.dropFirst(prefix.count)
            if name.isEmpty || name.contains(UInt8(ascii: "/")) { continue }
            var calls = 0
            let verdict = rules.verdict(name, isFolder: entry.isFolder) {
                calls += 1
                return folder
            }
            #expect(calls <= (rules.needsPath ? 1 : 0))
            visited.append(
                Visit(
                    path: entry.path, answer: Self.answer(entry, files),
                    reason: Self.reason(verdict)))
            if entry.isFolder, verdict == .kept { enter(entry.path, rules, files) }
        }
    }

    private static func answer(
        _ entry: RandomTree.Entry, _ files: [(base: [UInt8], patterns: IgnorePatterns)]
    ) -> GitOracle.Answer {
        for (base, patterns) in files.reversed() {
            let prefix = base.isEmpty ? [] : base + "/".utf8
            let path = entry.path.dropFirst(prefix.count)
            if let match = patterns.match(path: path, isFolder: entry.isFolder) {
                return GitOracle.Answer(
                    file: prefix + ".gitignore".utf8, line: match.line, pattern: match.pattern)
            }
        }
        return GitOracle.Answer(file: [], line: 0, pattern: [])
    }

    private static func reason(_ verdict: RuleVerdict) -> String? {
        switch verdict {
        case .kept: nil
        case .ignored(let reason), .ignoredBeside(_, let reason): reason.description
        }
    }
}
