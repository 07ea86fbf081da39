import PickerClient
import TestSupport
import Testing

@Suite struct TypedQueryTests {
    private static let now = Timestamp(1_795_282_200)

    private func read(_ text: String, attributes: [String]? = nil) -> TypedQuery {
        TypedQuery(text: text, at: Self.now, in: .utc, attributes: attributes)
    }

    /// Each word with the letter of its kind.
    private func shape(_ typed: TypedQuery) -> [String] {
        let bytes = Array(typed.text.utf8)
        return typed.words.map { word in
            let kind =
                switch word.kind {
                case .term: "t"
                case .condition: "c"
                case .option: "o"
                case .fault: "f"
                }
            return kind + " " + String(decoding: bytes[word.range], as: UTF8.self)
        }
    }

    @Test("Known keys are conditions and options, all else is searched for")
    func whole() {
        let typed = read("rep type:pdf 'x sort:-size modified:<7d limit:9")
        #expect(typed.query.search == "rep 'x" && typed.query.match == .fuzzy)
        #expect(
            typed.query.filter
                == .all([
                    .suffix(["pdf"]), .modified(.greater, Self.now.seconds - 7 * 86_400),
                ]))
        #expect(typed.query.sort == ["-size"] && typed.query.count == 9)
        #expect(typed.fault == nil)
        #expect(
            shape(typed) == [
                "t rep", "c type:pdf", "t 'x", "o sort:-size", "c modified:<7d", "o limit:9",
            ])
        #expect(typed.terms == ["rep", "x"])
        #expect(read("type:md").query == ListQuery(filter: .suffix(["md"])))
        #expect(read(" \t ").query == ListQuery() && read("").words == [])
    }

    @Test(
        "Text that is searched for is sent as it is typed",
        arguments: [
            ("'a ^a a$ !b a|b -a (x", "'a ^a a$ !b a|b -a (x", ["a", "a", "a", "a|b", "-a", "(x"]),
            ("a | b", "a | b", ["a", "b"]), ("| a |", "| a |", ["|", "a"]),
            ("typ:pdf C:x https://a.b", "typ:pdf C:x https://a.b", nil),
            ("\"abc", "\"abc", ["\"abc"]), ("5\" x", "5\" x", ["5\"", "x"]),
            ("~rep", "~rep", ["~rep"]), ("a  b", "a b", ["a", "b"]),
            (#"a\ b c"#, #"a\ b c"#, ["a b", "c"]), (#"a\ type:pdf"#, #"a\ type:pdf"#, nil),
            ("a or b", "a or b", ["a", "or", "b"]), ("(a or b)", "(a or b)", nil),
            ("size>1M ) ()", "size>1M ) ()", nil), ("!'a ! $ ^", "!'a ! $ ^", ["$"]),
            ("(((( - -- (-x", "(((( - -- (-x", nil), ("é日 ^é$", "é日 ^é$", ["é日", "é"]),
        ] as [(String, String, [String]?)])
    func searched(_ text: String, _ search: String, _ terms: [String]?) {
        let typed = read(text)
        #expect(typed.query == ListQuery(search: search, match: .fuzzy))
        #expect(typed.fault == nil)
        #expect(typed.words.allSatisfy { $0.kind == .term })
        if let terms { #expect(typed.terms == terms) }
    }

    @Test(
        "Text in quotes is searched for as it is",
        arguments: [
            (#""type:pdf""#, "'type:pdf", ["type:pdf"]), (#""a b" c"#, #"'a\ b c"#, ["a b", "c"]),
            (#""!a""#, "'!a", ["!a"]), (#""a\\" b"#, "'a b", [#"a\"#, "b"]), (#""""#, nil, []),
        ] as [(String, String?, [String])])
    func quoted(_ text: String, _ search: String?, _ terms: [String]) {
        let typed = read(text)
        #expect(typed.query == ListQuery(search: search, match: search.map { _ in .fuzzy }))
        #expect(typed.terms == terms)
        #expect(typed.fault == nil)
    }

    @Test(
        "Conditions may be negated, in brackets, and alternatives, beside what is searched for",
        arguments: [
            ("x -is:liked", !.liked, ["t x", "c -is:liked"]),
            ("not: is:liked x", !.liked, ["c not: is:liked", "t x"]),
            (
                "(type:a or -type:b)x", .any([.suffix(["a"]), !.suffix(["b"])]),
                ["c (type:a or -type:b)", "t x"]
            ),
            (
                "x name:a or sort:name name:b is:liked",
                .any([.name("a"), .all([.name("b"), .liked])]),
                ["t x", "c name:a", "c or", "o sort:name", "c name:b", "c is:liked"]
            ),
            ("x or is:liked", .liked, ["t x", "t or", "c is:liked"]),
            ("is:liked or", .liked, ["c is:liked", "t or"]),
            ("is:liked or or name:b", .liked && .name("b"), nil),
            (#"name:"a b" x"#, .name("a b"), [#"c name:"a b""#, "t x"]),
            ("image.width:>9", .attribute("image.width", .greater, 9), ["c image.width:>9"]),
            ("(((is:liked)))", .liked, ["c (((is:liked)))"]),
        ] as [(String, PickerFilter, [String]?)])
    func conditions(_ text: String, _ filter: PickerFilter, _ words: [String]?) {
        let typed = read(text)
        #expect(typed.query.filter == filter)
        #expect(typed.fault == nil)
        if let words { #expect(shape(typed) == words) }
    }

    @Test("Keys like those of attributes that are not there are searched for, if one can know")
    func attributes() {
        let typed = read("main.c:12 image.width:3", attributes: ["image.width"])
        #expect(typed.query.search == "main.c:12")
        #expect(typed.query.filter == .attribute("image.width", .equal, 3))
    }

    @Test(
        "The first faulty word is told with its place, and the rest of the query works",
        arguments: [
            ("a size:big is:liked", "big", ["t a", "f size:big", "c is:liked"]),
            ("is:liked type:", "type:", ["c is:liked", "f type:"]),
            ("is:liked sort:name,x", "name,x", ["c is:liked", "f sort:name,x"]),
            ("size:x is:liked size:y", "x", ["f size:x", "c is:liked", "f size:y"]),
            ("size:x or is:liked", "x", ["f size:x", "c or", "c is:liked"]),
            ("is:liked name:\"my fi", "\"", ["c is:liked", "f name:\"my fi"]),
            ("is:liked (type:a or", "or", ["c is:liked", "f (type:a or"]),
            ("is:liked (type:a", "(", ["c is:liked", "f (type:a"]),
            ("(type:a foo) is:liked", "foo", ["f (type:a", "t foo)", "c is:liked"]),
            ("is:liked (type:a \"b", "\"", ["c is:liked", "f (type:a", "t \"b"]),
            ("is:liked -sort:name", "sort:", ["c is:liked", "f -sort:name"]),
            ("is:liked skip:5", "skip:5", ["c is:liked", "f skip:5"]),
            ("is:liked not:", "", ["c is:liked", "f not:"]),
            ("é size:日 is:liked", "日", ["t é", "f size:日", "c is:liked"]),
        ])
    func faults(_ text: String, _ fault: String, _ words: [String]) throws {
        let typed = read(text)
        let error = try #require(typed.fault)
        #expect(error.fault == fault)
        #expect(error.prefix + error.fault + error.suffix == text)
        #expect(shape(typed) == words)
        #expect(typed.query.filter == .liked)
        #expect(typed.query.sort == [] && typed.query.start == 0)
    }

    @Test("The caret is a place between two scalars of the text")
    func caret() {
        #expect(TypedQuery(text: "aé").caret == 3)
        for (asked, real) in [(0, 0), (1, 1), (2, 1), (3, 3), (9, 3), (-1, 0)] {
            #expect(TypedQuery(text: "aé", caret: asked).caret == real)
        }
    }

    @Test("Conditions mean what they mean in a query's text")
    func sameAsParser() {
        withSeed { random in
            for _ in 0..<1000 {
                var query = RandomQueries.query(&random)
                (query.search, query.match, query.start) = (nil, nil, 0)
                let typed = TypedQuery(text: query.text)
                #expect(typed.query == query, "\(query.text): seed \(random.seed)")
                #expect(typed.fault == nil && typed.terms == [])
                if typed.query != query { return }
                var search = query
                (search.search, search.match) = ("'a b|c", .fuzzy)
                let both = TypedQuery(text: "'a \(query.text) b|c")
                // An `or` between conditions stays one beside what is searched for.
                #expect(both.query == search, "\(query.text): seed \(random.seed)")
                if both.query != search { return }
            }
        }
    }

    @Test("Any text is a query, of words that do not overlap and leave out only blanks")
    func anyText() {
        withSeed { random in
            for _ in 0..<3000 {
                var text = ""
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    text += RandomQueries.text(&random)
                    if random.chance(0.3) { text += " " }
                    if random.chance(0.3) {
                        text +=
                            ["type:a", "size:", "(is:liked ", "-is:x "][
                                Int.random(in: 0..<4, using: &random)]
                    }
                }
                let caret = Int.random(in: 0...20, using: &random)
                let typed = TypedQuery(text: text, caret: caret, at: Self.now, in: .utc)
                let bytes = Array(text.utf8)
                var end = 0
                for word in typed.words {
                    let gap = String(decoding: bytes[end..<word.range.lowerBound], as: UTF8.self)
                    let isBlank = gap.unicodeScalars.allSatisfy(\.properties.isWhitespace)
                    #expect(isBlank && !word.range.isEmpty, "\(text): seed \(random.seed)")
                    #expect(String(validating: bytes[word.range], as: UTF8.self) != nil)
                    end = word.range.upperBound
                }
                let rest = String(decoding: bytes[end...], as: UTF8.self)
                let isRestBlank = rest.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
                #expect(isRestBlank)
                #expect((typed.fault != nil) == typed.words.contains { $0.kind == .fault })
                for completion in QueryWords.completions(for: typed, attributes: ["a.b"]) {
                    #expect(completion.range.upperBound == typed.caret)
                    let typed = bytes[completion.range]
                    #expect(completion.text.utf8.count > typed.count)
                }
            }
        }
    }

    @Test(
        "Long texts of brackets, dashes and quotes are read at once, twice as long ones at twice the cost"
    )
    func long() {
        for piece in [
            "(", "( ", "-", "- ", "not: ", "\"", "\"a ", "(type:a ", "name:\"", "\\ ", "~", ",",
            "a.b:",
        ] {
            let half = String(repeating: piece, count: 2048 / piece.utf8.count)
            let ofHalf = Cost.of { _ = TypedQuery(text: half) }
            let text = half + half
            let start = ProcessorTime.ofThread()
            let typed = TypedQuery(text: text)
            let took = ProcessorTime.ofThread() - start
            #expect(took < .milliseconds(500), "\(piece): \(took)")
            #expect(!typed.words.isEmpty)
            let cost = Cost.of { _ = TypedQuery(text: text) }
            #expect(
                cost.allocations <= 3 * ofHalf.allocations + 64, "\(piece): \(cost), \(ofHalf)")
        }
    }
}
