import Foundation
import PickerModel
import Testing

/// Names the pair on which the two differ, if they do.
func difference(_ name: String, _ text: String) throws -> String? {
    guard let search = try NameSearch.parse(text) else { return nil }
    let expected = name.localizedStandardContains(text)
    guard search.matches(name: name, folded: FoldedName(name)) != expected else { return nil }
    return "\(name.hexScalars) contains \(text.hexScalars): Foundation says \(expected)"
}

@Suite struct NameSearchTests {
    @Test("finds what a person expects: letters by their base, without case")
    func expected() throws {
        let pairs: [(name: String, text: String, isFound: Bool)] = [
            ("Report 2024.pdf", "report", true), ("Report.pdf", "PDF", true),
            ("Résumé.docx", "resume", true), ("resume.docx", "RÉSUMÉ", true),
            ("Re\u{301}sume\u{301}.docx", "résumé", true), ("Straße.txt", "STRASSE", true),
            ("ΟΔΟΣ", "οδος", true), ("Ångström", "angstrom", true), ("Ёлка", "елка", true),
            ("東京の地図.png", "地図", true), ("한국어.md", "국", true), ("กำหนดการ", "กำ", true),
            ("İstanbul", "istanbul", true), ("ısı", "isi", false), ("notes.txt", "notesx", false),
            ("ガ", "カ", false), ("각", "가", false), ("ﬁle", "f", false), ("ﬁle", "FIL", true),
            ("ＡＢＣ", "abc", false), ("a\u{AD}b", "ab", false), ("a", "abc", false),
            ("👨‍👩‍👧.png", "👩", true), ("👍🏽", "👍", true), ("łódź", "lodz", false),
            // Hardly what a person expects, but what Foundation says: its walk leaves a syllable's
            // last letter uncompared before a letter that folds.
            ("가É", "각", true), ("가e", "각", false),
        ]
        for (name, text, isFound) in pairs {
            let search = try #require(try NameSearch.parse(text))
            #expect(
                search.matches(name: name, folded: FoldedName(name)) == isFound,
                "\(name) contains \(text)")
            #expect(name.localizedStandardContains(text) == isFound, "\(name) contains \(text)")
        }
    }

    @Test("equals Foundation, for names in all scripts and parts of them, changed and not")
    func equalsFoundation() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var found = 0
        for _ in 0..<1200 {
            let name = texts.name()
            guard !name.isEmpty, !isKnownToDiffer(name) else { continue }
            for round in 0..<30 {
                let text = round % 8 == 0 ? texts.name() : texts.part(of: name)
                if let difference = try difference(name, text) {
                    Issue.record("seed \(seed): \(difference)")
                }
                if name.localizedStandardContains(text) { found += 1 }
            }
        }
        // Had nearly nothing been found, the test would say nothing.
        #expect(found > 10_000)
    }

    /// A vowel sign of Gurung Khema that Unicode 16 composes of others, and somewhere after it U+0344 or
    /// U+0345, of which one is composed of marks and the other folds to a letter: Foundation then finds what
    /// they are made of, this search doesn't. Of all scalars these two alone differ after such a sign. No
    /// reason for it has been found.
    private func isKnownToDiffer(_ name: String) -> Bool {
        guard let sign = name.unicodeScalars.firstIndex(where: { 0x16121...0x16128 ~= $0.value })
        else { return false }
        return name.unicodeScalars[sign...].contains { $0 == "\u{344}" || $0 == "\u{345}" }
    }

    @Test(
        "what U+0344 and U+0345 are made of is not found after a composed vowel sign of Gurung Khema",
        arguments: [
            ("\u{16128}\u{344}\u{64e}\u{1611f}\u{94d}\u{16126}\u{16123}\u{301}", "\u{308}"),
            ("I\u{16125}\u{16128}\u{345}", "\u{399}"),
        ])
    func knownDifference(name: String, part: String) throws {
        #expect(isKnownToDiffer(name) && name.localizedStandardContains(part))
        let found = try difference(name, part)
        withKnownIssue { #expect(found == nil) }
    }

    @Test("equals Foundation for every assigned scalar: alone, among letters, in either case")
    func everyScalar() throws {
        for value in (1...UInt32(0x3134F)) where !(0x3400...0x9FF0 ~= value) {
            guard !(0xAC1D...0xD780 ~= value), !(0x17000...0x18CFF ~= value),
                !(0x20010...0x2F7FF ~= value), let scalar = Unicode.Scalar(value),
                scalar.properties.generalCategory != .unassigned
            else { continue }
            let text = String(Character(scalar))
            let parts = text.decomposedStringWithCanonicalMapping
            let base = String(parts.unicodeScalars.prefix(1))
            let folded = text.folding(
                options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            let pairs = [
                ("a" + text + "b", folded + "b"), (text, base), (folded + "x", text),
                (text.uppercased(), text.lowercased()), ("É" + text + "é", parts + "E"),
            ]
            for (name, text) in pairs {
                if let difference = try difference(name, text) { Issue.record("\(difference)") }
            }
        }
    }

    @Test("equals Foundation for clusters longer than what is folded at once")
    func longClusters() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        for _ in 0..<60 {
            let name = texts.longCluster()
            for _ in 0..<5 {
                for text in [texts.part(of: name), String(name.unicodeScalars.dropFirst(2))] {
                    if let difference = try difference(name, text) {
                        Issue.record("seed \(seed): \(difference)")
                    }
                }
            }
        }
    }

    @Test("marks are put in order up to the length that is folded at once, and no further")
    func orderOfMarks() throws {
        for half in 20...45 {
            let low = String(repeating: "\u{93C}", count: half)
            let high = String(repeating: "\u{64E}", count: half)
            for (base, other) in [
                ("が", "か\u{3099}"), ("か\u{3099}", "が"), ("가", "\u{1100}\u{1161}"),
                ("\u{B4B}", "\u{B47}\u{B3E}"), ("é", "e"), ("か", "か"),
            ] {
                let name = base + low + high + "x"
                for text in [other + high + low, other + high + low + "x", high + low, low + "x"] {
                    #expect(try difference(name, text) == nil, "\(half) of each after \(base)")
                }
            }
        }
    }

    @Test("a NUL in the text is found behind the end of a name, as Foundation has it")
    func endsInNUL() throws {
        for name in ["abc", "äbc", "a longer name than fits into sixteen bytes"] {
            for text in ["c\0", "\0", "c\0\0", "s\0", "\0c", "b\0"] {
                #expect(try difference(name, text) == nil)
            }
        }
    }

    @Test("no text and an empty one are no search")
    func noSearch() throws {
        #expect(try NameSearch.parse(nil) == nil)
        #expect(try NameSearch.parse("") == nil)
        #expect(try NameSearch.parse(" ") != nil)
    }

    @Test("a text longer than the limit is refused, one at the limit is not")
    func limit() throws {
        let longest = String(repeating: "x", count: NameSearch.longestText)
        #expect(try NameSearch.parse(longest) != nil)
        #expect(throws: PickerModelError.searchTooLong(bytes: 4097, limit: 4096)) {
            try NameSearch.parse(longest + "x")
        }
    }

    @Test("texts that look alike but are other bytes are other searches")
    func equality() throws {
        #expect(try NameSearch.parse("é") != NameSearch.parse("e\u{301}"))
        #expect(try NameSearch.parse("é") == NameSearch.parse("é"))
        #expect(try NameSearch.parse("É") != NameSearch.parse("é"))
    }

    @Test("a longer search that narrows finds nothing new among plain names")
    func narrowing() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var count = 0
        for _ in 0..<3000 {
            let name = texts.name()
            let folded = FoldedName(name)
            let long = texts.part(of: name)
            guard folded.isPlain, let longer = try NameSearch.parse(long),
                let shorter = try NameSearch.parse(String(long.dropLast())),
                longer.narrows(shorter)
            else { continue }
            count += 1
            if longer.matches(name: name, folded: folded) {
                #expect(shorter.matches(name: name, folded: folded), "seed \(seed): \(long)")
            }
        }
        #expect(count > 100)
        let contains = try #require(try NameSearch.parse("rep"))
        #expect(try #require(try NameSearch.parse("Repo")).narrows(contains))
        #expect(!contains.narrows(try #require(try NameSearch.parse("Repo"))))
    }
}
