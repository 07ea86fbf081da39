import PickerModel
import Testing

@Suite struct WordsQueryTests {
    private func matches(_ text: String, _ name: String) throws -> Bool {
        let folded = Array(FoldedName(name).searchBytes)
        return try #require(try WordsQuery.parse(text)).matches(folded.span)
    }

    @Test(
        "each word is in the name, in any order",
        arguments: [
            ("tax 2024", "2024 Tax.pdf", true), ("tax 2024", "tax.pdf", false),
            ("a", "cab", true), ("ab ba", "aba", true), ("é e", "E", true),
            ("note notes", "notes", true), ("note notes", "note", false),
            ("  a\t\u{2003}b\u{A0}c\n", "cba", true), ("STRASSE", "straße 1", true),
            (" ", "", true), ("\u{301}", "x", true), ("a", "", false), ("'a", "a", false),
            ("a\0b c", "ca\0b", true),
        ])
    func words(_ text: String, _ name: String, _ isMatch: Bool) throws {
        #expect(try matches(text, name) == isMatch)
    }

    @Test("equals the plain definition for names in all scripts")
    func equalsDefinition() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var found = 0
        for _ in 0..<3000 {
            let name = texts.knownName()
            let text = texts.part(of: name) + " " + texts.part(of: name)
            guard isKnown(text) else { continue }
            let folded = Array(plainFold(name).utf8)
            let words = text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
            let expected = words.allSatisfy { word in
                let needle = Array(plainFold(String(word)).utf8)
                return needle.isEmpty || folded.firstRange(of: needle) != nil
            }
            #expect(
                try matches(text, name) == expected,
                "seed \(seed): \(text.hexScalars) in \(name.hexScalars)")
            if expected { found += 1 }
        }
        #expect(found > 500)
    }

    @Test("a nil or empty text is no query; one over the limit is refused")
    func limits() throws {
        #expect(try WordsQuery.parse(nil) == nil)
        #expect(try WordsQuery.parse("") == nil)
        #expect(try WordsQuery.parse("  ")?.isEverything == true)
        let longest = String(repeating: "a ", count: 2048)
        #expect(try matches(longest, "a"))
        #expect(throws: PickerModelError.searchTooLong(bytes: 4097, limit: 4096)) {
            try WordsQuery.parse(longest + "a")
        }
    }

    @Test("words that narrow find nothing new, and what is typed on narrows")
    func narrowing() throws {
        let seed = SeededNumbers.seed()
        var fuzzy = SeededFuzzy(seed: seed)
        var narrowed = 0
        for _ in 0..<4000 {
            let text = fuzzy.text(1...8, of: Array("abc  "))
            let other = fuzzy.text(1...6, of: Array("abc  "))
            let query = try #require(try WordsQuery.parse(text))
            let wider = try #require(try WordsQuery.parse(other))
            #expect(try #require(try WordsQuery.parse(text + other)).narrows(query))
            guard query.narrows(wider) else { continue }
            narrowed += 1
            for _ in 0..<8 {
                let name = fuzzy.text(0...8, of: Array("abc"))
                if try matches(text, name) {
                    #expect(try matches(other, name), "seed \(seed): '\(text)', '\(other)'")
                }
            }
        }
        #expect(narrowed > 200)
        let query = try #require(try WordsQuery.parse("a b"))
        #expect(!query.narrows(try #require(try WordsQuery.parse("c"))))
        #expect(!query.narrows(try #require(try WordsQuery.parse("ab"))))
    }
}
