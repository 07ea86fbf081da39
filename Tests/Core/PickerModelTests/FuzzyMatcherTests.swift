import PickerModel
import TestSupport
import Testing

@Suite struct FuzzyMatcherTests {
    @Test(
        "equals the plain definition for random paths and queries, with one matcher for all paths")
    func equalsDefinition() throws {
        let seed = SeededNumbers.seed()
        var fuzzy = SeededFuzzy(seed: seed)
        var found = 0
        for _ in 0..<600 {
            let sets = fuzzy.sets()
            let text = query(of: sets)
            var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse(text)))
            for _ in 0..<20 {
                let (folder, name) = (fuzzy.folder(), fuzzy.text(0...14))
                let expected = PlainDocument(folder: folder, name: name).rank(sets)
                #expect(
                    matcher.rank(name, folder: folder)?.numbers == expected,
                    "seed \(seed): '\(text)' in '\(folder)' '\(name)'")
                if expected != nil { found += 1 }
            }
        }
        #expect(found > 1000)
    }

    @Test(
        "letters that one letter is spelled with have no bonus for their place: half a letter begins no word"
    )
    func spelled() throws {
        // Letters: 16 points each. The first letter of a text: 10 more, twice.
        #expect(try rank("a", "aero")?.first == 36)
        #expect(try rank("a", "Ærø")?.first == 16)
        #expect(try rank("e", "Ærø")?.first == 16)
        // In a run each letter behind the first has 4 at least.
        #expect(try rank("aero", "Ærø")?.first == 16 + 3 * 20)
        #expect(try rank("r", "Æ rø")?.first == 36)
        // The path of what is not in the name has half the points; its folder has all bonuses.
        #expect(try rank("a", "x", folder: "Ærø/")?.first == 18)
        // Beyond the 64th scalar they count as others do.
        #expect(try rank("a", String(repeating: "-", count: 62) + "Æ")?.first == 16)
        #expect(try rank("a", String(repeating: "-", count: 64) + "Æ")?.first == 32)
    }

    @Test("equals the plain definition for names in all scripts")
    func scripts() throws {
        let seed = SeededNumbers.seed()
        var texts = SeededTexts(seed: seed)
        var found = 0
        for _ in 0..<2000 {
            let name = texts.knownName()
            // By scalars: a sign with an accent is another character, and yet begins with the sign.
            let signs = "|!'^$\\ ".unicodeScalars
            let kept = texts.part(of: name).unicodeScalars.filter { !signs.contains($0) }
            let part = String(String.UnicodeScalarView(kept))
            let term = PlainTerm(kind: "fuzzy", isInverse: false, text: part)
            guard isKnown(part), !term.folded.isEmpty else { continue }
            let expected = PlainDocument(folder: "", name: name).rank([[term]])
            #expect(
                try rank(part, name) == expected,
                "seed \(seed): \(part.hexScalars) in \(name.hexScalars)")
            if expected != nil { found += 1 }
        }
        #expect(found > 500)
    }

    @Test("a scalar has the bonuses of its class, as the letter found and as the one before it")
    func classes() throws {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        // All below this, one of 16 of those above it, and few of the many letters without case.
        let start = UInt32.random(in: 0x500..<0x510, using: &random)
        var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse("'b")))
        let term = PlainTerm(kind: "exact", isInverse: false, text: "b")
        var count = 0
        for value in [Array(0..<start), Array(stride(from: start, to: 0x110000, by: 16))].joined() {
            guard let scalar = Unicode.Scalar(value), isKnown(scalar),
                scalar.properties.generalCategory != .otherLetter || value / 16 % 32 == 0
            else { continue }
            count += 1
            let name = "a" + String(scalar) + "B"
            let path = PlainPath(folder: "", name: name)
            #expect(
                (matcher.rank(name)?.points).map { Int($0) } == path.points(of: term),
                "seed \(seed): behind \(String(value, radix: 16))")
            let own = PlainTerm(kind: "exact", isInverse: false, text: String(scalar))
            guard own.folded.count == 1, !scalar.properties.isWhitespace, scalar != "$" else {
                continue
            }
            #expect(
                try rank("'" + own.text, name)?[0] == path.points(of: own),
                "seed \(seed): \(String(value, radix: 16))")
        }
        #expect(count > 2000)
    }

    @Test("the places found have the points of the rank; no way to match has many more")
    func places() throws {
        let seed = SeededNumbers.seed()
        var fuzzy = SeededFuzzy(seed: seed)
        var (count, best) = (0, 0)
        for _ in 0..<4000 {
            // Each letter is folded to one, so that the places of both are the same.
            let letters = Array("aabbcABC1_-,")
            let (folder, name) = (fuzzy.folder(of: letters), fuzzy.text(1...10, of: letters))
            let text = fuzzy.text(2...4, of: Array("aabbc1_"))
            var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse(text)))
            let path = PlainPath(folder: folder, name: name)
            guard let rank = matcher.rank(name, folder: folder) else { continue }
            let found = matcher.ranges(in: name, folder: folder, unit: .codepoint)
            let ranges = try #require(found)
            let places = ranges.folder.joined() + ranges.name.joined().map { $0 + path.nameStart }
            #expect(places.map { path.folded[$0] } == text.unicodeScalars.map(\.value))
            // All of the term in the name, or half of the points.
            let divisor = places.contains { $0 < path.nameStart } ? 2 : 1
            #expect(
                path.points(of: Array(places)) / divisor == rank.points,
                "seed \(seed): \(text) \(name)")
            let ways = path.ways(to: text.unicodeScalars.map(\.value))
                .filter { way in divisor == 2 || way.allSatisfy { $0 >= path.nameStart } }
            let most = ways.map { path.points(of: $0) / divisor }.max()
            #expect(rank.points <= most ?? 0)
            count += 1
            if rank.points == most ?? 0 { best += 1 }
        }
        print("\(best) of \(count) have the most points that any way to match has")
        #expect(count > 500 && best * 10 > count * 8)
    }

    @Test("a match in the name comes before an equal one in the folder")
    func nameWeighsMore() throws {
        for text in ["r", "rep", "'rep", "rp", "^rep", "rep ort", "report"] {
            let inName = try #require(try rank(text, "report.txt", folder: "a_notes/"))
            let inFolder = try #require(try rank(text, "a_notes.txt", folder: "report/"))
            #expect(inName[0] > inFolder[0], "\(text)")
            #expect(try rank(text, "report.txt")?[0] == inName[0], "\(text)")
        }
        // A worse match in the name comes before one in the folder, whose points are halved, and the length is that of
        // the name.
        #expect(try rank("report", "xreport", folder: "notes/") == [16 * 6 + 4 * 5, 7])
        #expect(try rank("report", "x", folder: "report/") == [(16 * 6 + 10 * 7) / 2, 1])
        // Letters are counted as they are written.
        #expect(try rank("ae", "ÆrøStraße")?[1] == 9)
        // Of alternatives, one in the name counts, then the first.
        #expect(try rank("notes | report", "xreport", folder: "notes/")?[0] == 16 * 6 + 4 * 5)
        // A term may begin in the folder and end in the name.
        #expect(try rank("'s/re", "report", folder: "notes/") != nil)
        #expect(try rank("note", "report") == nil)
    }

    @Test("the numbers of fzf's own examples")
    func numbers() throws {
        // 16 for each letter, 20 for the first at the beginning, 7 for a capital, 8 behind a sign.
        #expect(try rank("f", "foobar")?[0] == 36)
        #expect(try rank("fb", "FooBar")?[0] == 36 - 4 + 16 + 7)
        #expect(try rank("fb", "foobar")?[0] == 36 - 4 + 16)
        #expect(try rank("fb", "foo-bar")?[0] == 36 - 5 + 16 + 8)
        #expect(try rank("fb", "foo,bar")?[0] == 36 - 5 + 16 + 9)
        #expect(try rank("fb", "foo bar")?[0] == 36 - 5 + 16 + 10)
        #expect(try rank("oob", "foobar")?[0] == 16 * 3 + 4 * 2)
        #expect(try rank("f2", "f2")?[0] == 36 + 16 + 10)
        #expect(try rank("e", "Été")?[0] == 36)
        #expect(try rank("kd", "казДела")?[0] == nil)
        #expect(try rank("кд", "казДела")?[0] == 36 - 4 + 16 + 7)
        #expect(try rank("foo bar", "foo,bar") == [36 + 52 + 16 * 3 + 9 * 4, 7])
    }

    @Test("ranks are ordered by points, then by length")
    func order() {
        let ranks = [(5, 3), (5, 4), (4, 1), (0, 0)].map { FuzzyRank(points: $0, length: $1) }
        #expect(ranks.shuffled().sorted() == ranks)
        #expect(FuzzyRank(points: 1, length: .max) < FuzzyRank(points: 0, length: 0))
    }

    @Test("white space around a path does not count, unless a term has it")
    func whiteSpace() throws {
        #expect(try rank("^a", "  a ") == [36, 1])
        #expect(try rank("a$", "a  ") != nil)
        #expect(try rank("^a$", " a ") != nil)
        #expect(try rank("^\\ a", "  a") == nil)
        #expect(try rank("^\\ \\ a", "  a") != nil)
        #expect(try rank("a\\ $", "a ") != nil)
        #expect(try rank("a\\ $", "a") == nil)
        #expect(try rank("^a", "   ") == nil)
        #expect(try rank("^a$", "   ") == nil)
        #expect(try rank("!a", "   ") == [0, 0])
    }

    @Test("long paths and queries are bounded, and match as short ones do")
    func bounds() throws {
        let most = String(repeating: "a", count: 4096)
        #expect(try rank(most, most) == [16 * 4096 + 10 * 4097, 4096])
        #expect(try rank(most, String(most.dropLast())) == nil)
        #expect(try rank("'" + most.dropLast(), most) != nil)
        #expect(try rank("'" + most.dropLast(2) + "b", most) == nil)
        // 2^17 steps: 32 letters in a path of 4096 are found at their best, 33 at their last places.
        let many = String(repeating: "b", count: 4000)
        for (count, isBest) in [(32, true), (33, false)] {
            let text = String(repeating: "a", count: count)
            let name = text + "_" + many + text
            let length = 2 * count + 4001
            let path = String(many.prefix(4095 - length)) + "_" + name
            let points = try #require(try rank(text, path))[0]
            let boundary = 16 * count + 8 * (count + 1)
            let inside = 16 * count + 4 * (count - 1)
            #expect(points == (isBest ? boundary : inside), "\(count)")
        }
    }

    @Test("thousands of terms, NULs and bytes that are not UTF-8 do no harm")
    func hostile() throws {
        let terms = Array(repeating: "a", count: 2048).joined(separator: " ")
        #expect(try rank(terms, "a") == [36 * 2048, 1])
        #expect(try rank(terms, "b") == nil)
        let alternatives = Array(repeating: "b", count: 1023).joined(separator: " | ") + " | a"
        #expect(try rank(alternatives, "a") == [36, 1])
        #expect(try rank("a\0b", "xa\0b") != nil)
        #expect(try rank("\0", "ab") == nil)
        let replaced = FileName(bytes: [0x61, 0xFF, 0x62, 0xC3])
        #expect(try rank("a\u{FFFD}b\u{FFFD}", replaced.text) != nil)
        var random = SeededNumbers(seed: SeededNumbers.seed())
        var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse("a 'b !^é c$ | ß")))
        for _ in 0..<3000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let others = Array(bytes.shuffled(using: &random))
            _ = matcher.rank(
                name: bytes.span, casedName: others.span, folder: others.span,
                casedFolder: bytes.span)
        }
    }

    @Test("a row allocates nothing")
    func cost() throws {
        var random = SeededTexts(seed: SeededNumbers.seed())
        let names = (0..<300).map { _ in random.knownName() + " Final Report_2024.PDF" }
        let folded = names.map { Array(FoldedName($0).searchBytes) }
        let cased = names.map { FoldedName.casedBytes(of: $0) }
        let folder = Array("documents/".utf8)
        for text in ["fr", "'final", "^x | pdf$", "!draft rep", "^report$ | é2", "qqqqqqqq"] {
            var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse(text)))
            let words = try #require(try WordsQuery.parse(text))
            let found = count(&matcher, words, folded, cased, folder)
            #expect((text == "qqqqqqqq") == (found == 0))
            let cost = Cost.of { _ = count(&matcher, words, folded, cased, folder) }
            #expect(cost.allocations == 0, "\(text): \(cost)")
        }
    }

    /// How many names match.
    private func count(
        _ matcher: inout FuzzyMatcher, _ words: WordsQuery, _ folded: [[UInt8]], _ cased: [[UInt8]],
        _ folder: [UInt8]
    ) -> Int {
        var found = 0
        for index in folded.indices {
            let name = folded[index]
            let casedName = cased[index]
            let rank = matcher.rank(
                name: name.span, casedName: casedName.span, folder: folder.span)
            if rank != nil { found += 1 }
            if words.matches(name.span) { found += 1 }
        }
        return found
    }
}
