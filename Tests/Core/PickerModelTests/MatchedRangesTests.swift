import PickerModel
import Testing

@Suite struct MatchedRangesTests {
    @Test(
        "the parts of a name that a text is, in each unit",
        arguments: [
            ("report", "My Report", [3..<9], [3..<9], [3..<9]),
            ("resume", "Résumé!", [0..<8], [0..<6], [0..<6]),
            ("resume", "Re\u{301}sume\u{301}!", [0..<10], [0..<8], [0..<8]),
            ("nal", "ﬁnal", [3..<6], [1..<4], [1..<4]), ("ina", "ﬁnal", [0..<5], [0..<3], [0..<3]),
            ("s", "aßb", [1..<3], [1..<2], [1..<2]), ("b", "👍🏽b", [8..<9], [4..<5], [2..<3]),
            ("👍", "a👍🏽b", [1..<9], [1..<5], [1..<3]),
            ("각", "x\u{1100}\u{1161}\u{11A8}", [1..<10], [1..<4], [1..<4]),
            ("が", "か\u{3099}き", [0..<6], [0..<2], [0..<2]),
            ("き", "か\u{3099}き", [6..<9], [2..<3], [2..<3]),
            ("a", "\u{AD}a\u{AD}", [2..<5], [1..<3], [1..<3]),
            ("2", "½", [0..<2], [0..<1], [0..<1]),
        ] as [(String, String, [Range<Int>], [Range<Int>], [Range<Int>])])
    func units(
        _ text: String, _ name: String, _ utf8: [Range<Int>], _ utf16: [Range<Int>],
        _ codepoint: [Range<Int>]
    ) throws {
        let search = try #require(try NameSearch.parse(text))
        let words = try #require(try WordsQuery.parse(text))
        var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse("'" + text)))
        for (unit, expected) in [(TextUnit.utf8, utf8), (.utf16, utf16), (.codepoint, codepoint)] {
            #expect(search.ranges(in: name, unit: unit)?.name == expected)
            #expect(words.ranges(in: name, unit: unit)?.name == expected)
            let found = matcher.ranges(in: name, folder: "ﬁ/", unit: unit)
            #expect(found == MatchedRanges(name: expected))
        }
    }

    @Test("the letters of fuzzy terms, in the folder and the name")
    func fuzzy() throws {
        func ranges(_ text: String, _ folder: String, _ name: String) throws -> MatchedRanges? {
            var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse(text)))
            return matcher.ranges(in: name, folder: folder, unit: .utf16)
        }
        #expect(
            try ranges("dr", "Dócs/", "Report") == MatchedRanges(folder: [0..<1], name: [0..<1]))
        #expect(try ranges("s/re", "Dócs/", "Report")?.folder == [3..<5])
        #expect(try ranges("et ^re !x", "", "Report") == MatchedRanges(name: [0..<2, 5..<6]))
        #expect(try ranges("ep 'po", "", "Report") == MatchedRanges(name: [1..<4]))
        #expect(try ranges("x | po", "", "Report") == MatchedRanges(name: [2..<4]))
        #expect(try ranges("!x", "a/", "Report") == MatchedRanges())
        #expect(try ranges("x", "a/", "Report") == nil)
        // Alternatives that do not match leave nothing behind.
        #expect(try ranges("rx | t", "", "Report") == MatchedRanges(name: [5..<6]))
        // Paths too long for the best places have others, which still are the term's.
        let long = String(repeating: "a", count: 4096)
        #expect(try ranges(long, "", long) == MatchedRanges(name: [0..<4096]))
    }

    @Test("words are found in their first places, and all of them or none")
    func words() throws {
        let words = try #require(try WordsQuery.parse("tax ax 24"))
        #expect(words.ranges(in: "2024 Tax 24", unit: .utf8)?.name == [2..<4, 5..<8])
        #expect(words.ranges(in: "2023 Tax", unit: .utf8) == nil)
        let search = try #require(try NameSearch.parse("\u{301}"))
        #expect(search.ranges(in: "a", unit: .utf8) == MatchedRanges())
    }

    @Test("what is found in a name, folded again, is the text, for names in all scripts")
    func scripts() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var found = 0
        for _ in 0..<6000 {
            let name = texts.name()
            guard let search = try NameSearch.parse(texts.part(of: name)) else { continue }
            let ranges = search.ranges(in: name, unit: .codepoint)
            #expect((ranges != nil) == search.matches(FoldedName(name)))
            guard let range = ranges?.name.first else { continue }
            found += 1
            let part = String(values: name.unicodeScalars.map(\.value)[range].map { $0 })
            let needle = FoldedName(search.text).searchBytes
            let folded = FoldedName(part)
            // It may be longer only by the other letters of its first and last scalars.
            #expect(
                search.matches(folded),
                "seed \(seed): \(name.hexScalars), \(search.text.hexScalars)")
            for shorter in [range.dropFirst(), range.dropLast()] {
                let rest = name.unicodeScalars.map(\.value)[shorter.startIndex..<shorter.endIndex]
                let left = FoldedName(String(values: Array(rest)))
                #expect(
                    !search.matches(left) || left.searchBytes.count >= needle.count,
                    "seed \(seed): \(name.hexScalars)")
            }
            let utf8 = try #require(search.ranges(in: name, unit: .utf8)).name[0]
            #expect(Array(name.utf8)[utf8].elementsEqual(part.utf8), "seed \(seed)")
            let utf16 = try #require(search.ranges(in: name, unit: .utf16)).name[0]
            #expect(Array(name.utf16)[utf16].elementsEqual(part.utf16), "seed \(seed)")
        }
        #expect(found > 1000)
    }

    @Test("a cased text is folded to the folded text, byte by byte in as many")
    func cased() {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        for _ in 0..<6000 {
            let name = texts.name()
            let cased = FoldedName.casedBytes(of: name)
            let folded = FoldedName(name).searchBytes
            #expect(cased.count == folded.count, "seed \(seed): \(name.hexScalars)")
            #expect(
                FoldedName(String(decoding: cased, as: UTF8.self)).searchBytes == folded,
                "seed \(seed): \(name.hexScalars)")
        }
        for (name, cased) in [
            ("MyÉtat.PDF", "MyEtat.PDF"), ("ÆØß ẞ", "AEOss SS"), ("Дом", "Дом"), ("ﬁ", "fi"),
            ("ABC", "ABC"),
        ] {
            #expect(FoldedName.casedBytes(of: name).elementsEqual(cased.utf8), "\(name)")
        }
    }
}
