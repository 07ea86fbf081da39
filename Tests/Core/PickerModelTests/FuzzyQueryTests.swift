import PickerModel
import Testing

@Suite struct FuzzyQueryTests {
    private func matches(_ text: String, _ name: String, folder: String = "") throws -> Bool {
        try rank(text, name, folder: folder) != nil
    }

    @Test(
        "each form of a term",
        arguments: [
            ("abc", "xaxbxcx", true), ("abc", "acb", false), ("ABC", "aXbXc", true),
            ("'abc", "xabc", true), ("'abc", "abxc", false),
            ("^abc", "abcd", true), ("^abc", "xabc", false), ("^abc", "a b c", false),
            ("abc$", "xabc", true), ("abc$", "abcx", false),
            ("^abc$", "ABC", true), ("^abc$", "abcx", false), ("^abc$", "xabc", false),
            ("!abc", "xabcx", false), ("!abc", "aXbc", true), ("!'abc", "aXbc", false),
            ("!'abc", "ab", true), ("!^abc", "abcx", false), ("!^abc", "xabc", true),
            ("!abc$", "xabc", false), ("!abc$", "abcx", true), ("!^abc$", "abc", false),
            ("!^abc$", "abcx", true),
            ("a b", "b a", true), ("a b", "a", false), ("  a   b  ", "ba", true),
            ("a | b", "b", true), ("a | b", "c", false), ("a | b c", "bc", true),
            ("a | b c", "ab", false), ("a | b | c", "c", true), ("^a | b$ 'c", "ac", true),
            ("!a | b", "ab", true), ("!a | b", "c", true), ("!a | b", "a", false),
            ("a\\ b", "a b", true), ("a\\ b", "b a", false), ("'a\\ b", "xa bx", true),
            ("a\\", "a\\", true), ("a\\b", "a-\\b", true), ("a\\  b", "ba ", true),
            ("a\\  b", "ab", false),
            ("é", "E", true), ("ß", "SaS", true), ("'ß", "ß", true), ("か", "が", false),
            ("'aʼ", "aʼ", true), ("’", "’", true),
            // What fzf 0.38 does with operators in other places.
            ("'abc$", "abcx", true), ("a!b", "a!b", true), ("a!b", "ab", false),
            ("a'b", "ab", false), ("a^b", "ab", false), ("a$b", "ab", false),
            ("$", "a$b", true), ("$", "ab", false), ("!$", "a$", false), ("!$", "a", true),
            ("|", "a|b", true), ("|", "ab", false), ("| a", "a", false), ("| a", "a|", true),
            ("a |", "a", true), ("a |", "b", false), ("a | | b", "b", false),
            ("a | | b", "b|", true), ("a || b", "ab", false), ("a|b", "a|b", true),
            ("a | ! b", "b", true),
        ])
    func forms(_ text: String, _ name: String, _ isMatch: Bool) throws {
        #expect(try matches(text, name) == isMatch)
    }

    @Test(
        "operators on their own, and what is folded to nothing, are ignored",
        arguments: [
            " ", "    ", "!", "'", "^", "^$", "'$", "!'", "!^", "!^$", "! ! '", "\u{301}",
            "!\u{301}", "^\u{AD}$",
        ])
    func ignored(_ text: String) throws {
        let query = try #require(try FuzzyQuery.parse(text))
        #expect(query.isEverything && !query.isRanked)
        #expect(try rank(text, "anything") == [0, 0])
        #expect(try rank(text, "") == [0, 0])
    }

    @Test("names and paths begin in two places, and end in one")
    func places() throws {
        for text in ["^report", "^notes", "^notes/report.txt$", "^report.txt$", "txt$", "'s/r"] {
            #expect(try matches(text, "report.txt", folder: "notes/"), "\(text)")
            #expect(try !matches("!" + text, "report.txt", folder: "notes/") || text == "'s/r")
        }
        for text in ["notes$", "^notes$", "^otes", "^txt$", "^notes/$"] {
            #expect(try !matches(text, "report.txt", folder: "notes/"), "\(text)")
        }
    }

    @Test("a query is ranked if a term says what must be there")
    func isRanked() throws {
        for (text, isRanked) in [("a", true), ("!a", false), ("!a !b$", false), ("!a | b", true)] {
            #expect(try FuzzyQuery.parse(text)?.isRanked == isRanked)
        }
        #expect(try rank("!a", "b") == [0, 0])
    }

    @Test("a nil or empty text is no query; one over the limit is refused")
    func limits() throws {
        #expect(try FuzzyQuery.parse(nil) == nil)
        #expect(try FuzzyQuery.parse("") == nil)
        let longest = String(repeating: "a", count: 4096)
        #expect(try FuzzyQuery.parse(longest) != nil)
        #expect(throws: PickerModelError.searchTooLong(bytes: 4097, limit: 4096)) {
            try FuzzyQuery.parse(longest + "a")
        }
        #expect(try FuzzyQuery.parse("é") != FuzzyQuery.parse("e\u{301}"))
        #expect(try FuzzyQuery.parse("É") == FuzzyQuery.parse("É"))
    }

    @Test("what lacks letters of a query does not match it")
    func letters() throws {
        let seed = SeededNumbers.seed()
        var fuzzy = SeededFuzzy(seed: seed)
        var lacking = 0
        for _ in 0..<3000 {
            let query = try #require(try FuzzyQuery.parse(PickerModelTests.query(of: fuzzy.sets())))
            let (folder, name) = (fuzzy.folder(), fuzzy.text(1...10))
            let foldedName = Array(FoldedName(name).searchBytes)
            let foldedFolder = Array(FoldedName(folder).searchBytes)
            let letters = LetterSet(of: foldedName.span).union(LetterSet(of: foldedFolder.span))
            if letters.contains(query.letters) { continue }
            lacking += 1
            var matcher = FuzzyMatcher(query)
            #expect(matcher.rank(name, folder: folder) == nil, "seed \(seed): \(query.text)")
        }
        #expect(lacking > 300)
    }

    @Test("a query that narrows finds nothing new, whatever the path")
    func narrowing() throws {
        let seed = SeededNumbers.seed()
        var fuzzy = SeededFuzzy(seed: seed)
        var (narrowed, found) = (0, 0)
        for _ in 0..<6000 {
            let sets = fuzzy.sets()
            let text = query(of: sets)
            let other = fuzzy.chance(2) ? String(text.dropLast()) : query(of: fuzzy.sets())
            guard let query = try FuzzyQuery.parse(text), let wider = try FuzzyQuery.parse(other),
                query.narrows(wider)
            else { continue }
            narrowed += 1
            var matcher = FuzzyMatcher(query)
            var widerMatcher = FuzzyMatcher(wider)
            for _ in 0..<12 {
                let (folder, name) = (fuzzy.folder(), fuzzy.text(0...8))
                guard matcher.rank(name, folder: folder) != nil else { continue }
                found += 1
                #expect(
                    widerMatcher.rank(name, folder: folder) != nil,
                    "seed \(seed): '\(text)' and '\(other)' for '\(folder)' '\(name)'")
            }
        }
        #expect(narrowed > 1000 && found > 1000)
    }

    @Test(
        "what is known to narrow",
        arguments: [
            ("ab", "a", true), ("ab", "b", true), ("a", "ab", false), ("acb", "ab", true),
            ("a b", "a", true), ("b a", "a", true), ("'ab", "a", true), ("'ab", "'a", true),
            ("ab", "'ab", false), ("^ab", "^a", true), ("^ab", "'b", true), ("ab$", "b$", true),
            ("^ab$", "^a", true), ("^ab$", "b$", true), ("^ab$", "^ab$", true),
            ("^ab", "^b", false),
            ("!a", "!ab", true), ("!ab", "!a", false), ("!a", "!'ab", true), ("!a", "a", false),
            ("!^a", "!^ab", true), ("!a", "!^a", true), ("a", "a | b", true), ("a | b", "a", false),
            ("ab | cb", "b", true), ("a | b", "b | a", true), ("a", " ", true), (" ", "a", false),
            ("'abab", "'bab", true), ("'aba", "'bb", false),
        ])
    func narrows(_ text: String, _ wider: String, _ isKnown: Bool) throws {
        let query = try #require(try FuzzyQuery.parse(text))
        #expect(query.narrows(try #require(try FuzzyQuery.parse(wider))) == isKnown)
    }

    @Test("whether long queries narrow is found in bounded time, or not known")
    func narrowingBound() throws {
        let terms = (0..<1300).map { String($0, radix: 36) }.joined(separator: " ")
        let query = try #require(try FuzzyQuery.parse(terms))
        #expect(query.narrows(query))
        let other = terms.split(separator: " ").reversed().joined(separator: " ")
        #expect(!query.narrows(try #require(try FuzzyQuery.parse(other))))
        let letters = try #require(try FuzzyQuery.parse(String(repeating: "a", count: 4096)))
        #expect(!letters.narrows(letters))
    }
}
