import Foundation
import PickerModel
import Testing

@Suite struct NameSearchTests {
    @Test("finds what people expect: base letters, without case")
    func expected() throws {
        let pairs: [(name: String, text: String, isFound: Bool)] = [
            ("Report 2024.pdf", "report", true), ("Report.pdf", "PDF", true),
            ("Résumé.docx", "resume", true), ("resume.docx", "RÉSUMÉ", true),
            ("Re\u{301}sume\u{301}.docx", "résumé", true), ("Straße.txt", "STRASSE", true),
            ("ΟΔΟΣ", "οδος", true), ("Ångström", "angstrom", true), ("Ёлка", "елка", true),
            ("東京の地図.png", "地図", true), ("한국어.md", "국", true), ("กำหนดการ", "กำ", true),
            ("İstanbul", "istanbul", true), ("ısı", "isi", true), ("notes.txt", "notesx", false),
            ("ガ", "カ", false), ("ｶﾞ", "ガ", true), ("각", "가", false), ("가É", "각", false),
            ("ﬁle", "f", true), ("ﬁle", "FIL", true), ("file", "ﬁ", true), ("ＡＢＣ", "abc", true),
            ("a\u{AD}b", "ab", true), ("a", "abc", false), ("👨‍👩‍👧.png", "👩", true),
            ("👍🏽", "👍", true), ("👍", "👍🏽", true), ("❤️.txt", "❤", true), ("łódź", "lodz", true),
            ("Smørrebrød", "smorrebrod", true), ("Đà Nẵng", "da nang", true),
            ("Þórður æ œ ħ ŧ", "thordur ae oe h t", true), ("ᾳ", "α", true), ("ᾳβ", "αβ", true),
            ("שָׁלוֹם", "שלום", true), ("مُحَمَّد", "محمد", true), ("กิน", "กน", false),
            ("½ № ™ ²", "1⁄2 no tm 2", true),
        ]
        for (name, text, isFound) in pairs {
            let search = try #require(try NameSearch.parse(text))
            #expect(search.matches(FoldedName(name)) == isFound, "\(name) contains \(text)")
        }
    }

    @Test("equals a reference with Foundation's mappings, for names in all scripts")
    func equalsRecomputation() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var found = 0
        for _ in 0..<3000 {
            let name = texts.knownName()
            let folded = FoldedName(name)
            #expect(
                folded.searchBytes.elementsEqual(plainFold(name).utf8),
                "seed \(seed): \(name.hexScalars)")
            for round in 0..<8 {
                let text = round % 8 == 0 ? texts.knownName() : texts.part(of: name)
                guard isKnown(text), let search = try NameSearch.parse(text) else { continue }
                let needle = Array(plainFold(text).utf8)
                let isFound =
                    needle.isEmpty || Array(plainFold(name).utf8).firstRange(of: needle) != nil
                #expect(
                    search.matches(folded) == isFound,
                    "seed \(seed): \(name.hexScalars) contains \(text.hexScalars)")
                if isFound { found += 1 }
            }
        }
        // With almost no matches, the test would prove nothing.
        #expect(found > 5000)
    }

    @Test("folding is idempotent")
    func foldedStays() throws {
        for value in 1...UInt32(0x3134F) {
            guard let scalar = Unicode.Scalar(value), isKnown(scalar) else { continue }
            let once = FoldedName("x" + String(Character(scalar))).searchBytes
            let text = String(decoding: once, as: UTF8.self)
            #expect(FoldedName(text).searchBytes == once, "\(String(value, radix: 16))")
        }
    }

    @Test("differs from Foundation's own search only as the manual says")
    func besideFoundation() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var same = 0
        var more = 0
        for _ in 0..<20_000 {
            let name = texts.knownName()
            let text = texts.part(of: name)
            guard isKnown(text), let search = try NameSearch.parse(text) else { continue }
            let foundation = name.localizedStandardContains(text)
            let ours = search.matches(FoldedName(name))
            if ours == foundation {
                same += 1
            } else if ours {
                more += 1
                #expect(
                    hasWhatIsFoundMore(name + text) || hasSpellingSigns(name + text),
                    "seed \(seed): \(name.hexScalars) contains \(text.hexScalars)")
            } else {
                #expect(
                    hasSpellingSigns(name + text) || hasLetterOfSeveral(text),
                    "seed \(seed): \(name.hexScalars) contains \(text.hexScalars)")
            }
        }
        #expect(same > 10_000 && more > 100)
    }

    @Test("Foundation finds ß in an s and a letter with an accent; this search does not")
    func letterOfSeveral() throws {
        for (name, text) in [("sé", "ß"), ("sİ", "ẞ"), ("fé", "ﬁ")] {
            #expect(hasLetterOfSeveral(text) && name.localizedStandardContains(text))
            let search = try #require(try NameSearch.parse(text))
            #expect(!search.matches(FoldedName(name)), "\(name) contains \(text)")
        }
    }

    @Test("what Foundation composes wrongly is not composed")
    func hangulBounds() throws {
        for values: [UInt32] in [[0x1113, 0x1161], [0x1102, 0x1176], [0x1102, 0x1176, 0x11BF]] {
            let name = String(values: values)
            // Swift holds texts for equal that are canonically equivalent.
            let composed = name.precomposedStringWithCanonicalMapping
            #expect(composed != name, "Foundation is right by now")
            #expect(FoldedName(name).searchBytes.elementsEqual(name.utf8))
        }
        let composed = FoldedName(String(values: [0x1112, 0x1175, 0x11C2])).searchBytes
        #expect(composed.elementsEqual("\u{D7A3}".utf8))
        // Nor does the number before the trailing consonants count as one of them.
        for count in 1...3 {
            let tail = String(repeating: "\u{11A7}", count: count)
            let folded = FoldedName("\u{1107}\u{1174}" + tail).searchBytes
            #expect(folded.elementsEqual(("\u{BE28}" + tail).utf8))
        }
    }

    @Test("a nil or empty text is no search")
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

    @Test("canonically equivalent texts with other bytes are other searches")
    func equality() throws {
        #expect(try NameSearch.parse("é") != NameSearch.parse("e\u{301}"))
        #expect(try NameSearch.parse("é") == NameSearch.parse("é"))
        #expect(try NameSearch.parse("É") != NameSearch.parse("é"))
    }

    @Test("a longer search that narrows finds nothing new, whatever the name")
    func narrowing() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var count = 0
        for _ in 0..<3000 {
            let name = FoldedName(texts.name())
            let long = texts.part(of: texts.name())
            guard let longer = try NameSearch.parse(long),
                let shorter = try NameSearch.parse(String(long.dropLast())),
                longer.narrows(shorter)
            else { continue }
            count += 1
            if longer.matches(name) { #expect(shorter.matches(name), "seed \(seed): \(long)") }
        }
        #expect(count > 100)
        let contains = try #require(try NameSearch.parse("ﬁ"))
        #expect(try #require(try NameSearch.parse("Fil")).narrows(contains))
        #expect(!contains.narrows(try #require(try NameSearch.parse("Fil"))))
    }
}
