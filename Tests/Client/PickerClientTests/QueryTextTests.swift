import PickerClient
import TestSupport
import Testing

@Suite struct QueryTextTests {
    /// 2026-11-21 17:30:00 UTC, a Saturday.
    private static let now = Timestamp(1_795_282_200)
    private static let day = 86_400.0

    private func read(_ text: String) throws -> ListQuery {
        try ListQuery(text: text, at: Self.now, in: .utc)
    }

    private func filter(_ text: String) throws -> PickerFilter? { try read(text).filter }

    @Test("the whole of it")
    func whole() throws {
        let query = try read("report type:pdf size:>1M modified:<7d sort:-size")
        #expect(query.search == "report")
        #expect(
            query.filter
                == .all([
                    .suffix(["pdf"]), .size(.greater, 1_000_000),
                    .modified(.greater, Self.now.seconds - 7 * Self.day),
                ]))
        #expect(query.sort == ["-size"])
        #expect(query.start == 0 && query.count == nil)
    }

    @Test(
        "words are searched for, joined by blanks; quotes keep their text",
        arguments: [
            ("", nil), ("  ", nil), ("annual  report", "annual report"), ("12:30", "12:30"),
            (#""a  b""#, "a  b"), (#""type:pdf""#, "type:pdf"), (#""or" x"#, "or x"),
            (#""say \"hi\" \\""#, #"say "hi" \"#), ("a-b - c", "a-b - c"), ("é(1).pdf", "é(1).pdf"),
            (#"5" x"#, #"5" x"#), (#""""#, nil), ("and not", "and not"),
        ] as [(String, String?)])
    func words(_ text: String, _ search: String?) throws {
        #expect(try read(text) == ListQuery(search: search))
    }

    @Test(
        "conditions",
        arguments: [
            ("type:pdf", .suffix(["pdf"])), ("ext:.PDF,md", .suffix(["pdf", "md"])),
            ("type:image", .suffix(DocumentType.image.suffixes)),
            ("ext:image", .suffix(["image"])), ("TYPE:pdf", .suffix(["pdf"])),
            (#"suffix:"a,b",c"#, .suffix(["a,b", "c"])), ("name:a,b.txt", .name("a,b.txt")),
            (#"name:"my file""#, .name("my file")), ("name:a(1).md", .name("a(1).md")),
            ("match:*.txt", .match("*.txt")), ("imatch:*.TXT", .match("*.TXT", ignoringCase: true)),
            (#"match:a\*"#, .match(#"a\*"#)), ("path:drafts/**", .path("drafts/**")),
            ("size:0", .size(.equal, 0)), ("size:=5b", .size(.equal, 5)),
            ("size:>=1.5k", .size(.atLeast, 1500)), ("size:<=2KiB", .size(.atMost, 2048)),
            ("size:<3Gi", .size(.less, 3 << 30)), ("size:!=1GB", .size(.notEqual, 1_000_000_000)),
            ("size:18446744073709551615", .size(.equal, .max)),
            ("hidden:yes", .hidden), ("hidden:no", !.hidden),
            ("liked:yes", .liked), ("liked:no", !.liked), ("is:liked", .liked),
            ("-is:liked", !.liked), ("not:is:liked", !.liked), ("--is:liked", .liked),
            ("-is:any", .nothing),
            ("attr:pdf.pages>=10", .attribute("pdf.pages", .atLeast, 10)),
            ("attr:pdf.pages=*", .isKnown("pdf.pages")),
            (#"attr:a~"x y""#, .attribute("a", .contains, "x y")),
            ("attr:a^x", .attribute("a", .prefix, "x")),
            ("pdf.pages:>=10", .attribute("pdf.pages", .atLeast, 10)),
            ("pdf.pages:10", .attribute("pdf.pages", .equal, 10)),
            ("-image.tracked:yes", !.attribute("image.tracked", .equal, true)),
            ("image.camera:canon", .attribute("image.camera", .contains, "canon")),
            ("image.camera:eos*", .attribute("image.camera", .prefix, "eos")),
            (#"image.camera:"4""#, .attribute("image.camera", .contains, "4")),
            (#"image.camera:="4""#, .attribute("image.camera", .equal, "4")),
            ("image.camera:*", .isKnown("image.camera")),
            (
                "image.taken:1970-01-02",
                .attribute("image.taken", .atLeast, 86_400)
                    && .attribute("image.taken", .less, 172_800)
            ),
            ("image.taken:>1970-01-02", .attribute("image.taken", .atLeast, 172_800)),
            (#"attr:a="x y""#, .attribute("a", .equal, "x y")),
            ("attr:a=true", .attribute("a", .equal, true)),
            (#"attr:"odd name"!=b"#, .attribute("odd name", .notEqual, "b")),
            ("type:a type:b", .all([.suffix(["a"]), .suffix(["b"])])),
            ("is:liked or name:x", .any([.liked, .name("x")])),
            ("is:liked name:x OR name:y", .any([.all([.liked, .name("x")]), .name("y")])),
            ("is:liked (name:x or name:y)", .all([.liked, .any([.name("x"), .name("y")])])),
            ("-(is:liked name:x)", !.all([.liked, .name("x")])),
            ("((is:liked))", .liked),
        ] as [(String, PickerFilter)])
    func conditions(_ text: String, _ wanted: PickerFilter) throws {
        #expect(try filter(text) == wanted)
    }

    @Test(
        "ages count back from now; younger is less",
        arguments: [
            ("<7d", .greater, 7 * day), ("7d", .greater, 7 * day), ("<=2w", .atLeast, 14 * day),
            (">1h", .less, 3600), (">=5min", .atMost, 300), ("<1mo", .greater, 30 * day),
            ("<1y", .greater, 365 * day), ("<90s", .greater, 90),
        ] as [(String, PickerFilter.Comparison, Double)])
    func ages(_ text: String, _ comparison: PickerFilter.Comparison, _ age: Double) throws {
        #expect(
            try filter("modified:" + text) == .modified(comparison, Self.now.seconds - age))
    }

    @Test("dates are days, months, years or moments")
    func dates() throws {
        let day = 1_795_219_200.0
        func between(_ start: Double, _ end: Double) -> PickerFilter {
            .modified(.atLeast, start) && .modified(.less, end)
        }
        #expect(try filter("modified:2026-11-21") == between(day, day + Self.day))
        #expect(try filter("modified:=today") == between(day, day + Self.day))
        #expect(try filter("modified:yesterday") == between(day - Self.day, day))
        #expect(try filter("modified:2026-11") == between(day - 20 * Self.day, day + 10 * Self.day))
        #expect(try filter("modified:2024") == between(1_704_067_200, 1_735_689_600))
        #expect(try filter("modified:2024-12") == between(1_733_011_200, 1_735_689_600))
        #expect(try filter("modified:>2026-11-21") == .modified(.atLeast, day + Self.day))
        #expect(try filter("modified:>=2026-11-21") == .modified(.atLeast, day))
        #expect(try filter("modified:<2026-11-21") == .modified(.less, day))
        #expect(try filter("modified:<=2026-11-21") == .modified(.less, day + Self.day))
        #expect(try filter("modified:!=2026-11-21") == !between(day, day + Self.day))
        #expect(try filter("modified:2024-02-29") != nil)
        let moment = day + 17.5 * 3600
        #expect(try filter("modified:>2026-11-21T17:30") == .modified(.greater, moment))
        #expect(
            try filter("modified:<=2026-11-21T17:30:00.25Z") == .modified(.atMost, moment + 0.25))
        #expect(try filter("modified:@1.5e3") == .modified(.equal, 1500))
        #expect(try filter("modified:<1969-12-31") == .modified(.less, -Self.day))
    }

    @Test("dates are in the local time zone by default")
    func localDates() async {
        await #expect(processExitsWith: .success) {
            setEnvironment("TZ", "XYZ-05:45")
            let now = Timestamp(1_795_282_200)
            guard let local = try? ListQuery(text: "modified:>=2026-11-21", at: now),
                let utc = try? ListQuery(text: "modified:>=2026-11-21T00:00Z", at: now),
                // There it is 23:15 of the same day.
                let today = try? ListQuery(text: "modified:>=today", at: now)
            else { preconditionFailure("refused") }
            precondition(utc.filter == .modified(.atLeast, 1_795_219_200))
            precondition(local.filter == .modified(.atLeast, 1_795_219_200 - 20_700))
            precondition(today == local)
        }
    }

    @Test("is:dropped stays next to its opposite, because it selects the documents")
    func dropped() throws {
        #expect(try read("is:dropped").filter?.json.text == #"["dropped"]"#)
        #expect(try read("-is:dropped").filter?.json.text == #"["not",["dropped"]]"#)
        let all = try read("(is:dropped or -is:dropped)")
        #expect(all.filter?.json.text == #"["anyof",["dropped"],["not",["dropped"]]]"#)
        #expect(try read(all.text) == all)
        let any = try read("(is:dropped or is:any) type:pdf")
        #expect(try read(any.text) == any && any.text == "(is:dropped or is:any) type:pdf")
        #expect(try read("(is:liked or is:any)").filter == nil)
    }

    @Test("a name with a colon is searched for; a missing colon or unknown type is an error")
    func people() throws {
        #expect(try read("Talk: lists").search == "Talk: lists")
        #expect(try read(#""size>1M""#).search == "size>1M")
        #expect(try read("ext:code").filter == .suffix(["code"]))
        #expect(try read(PickerFilter.suffix(["code"]).text).filter == .suffix(["code"]))
        for (text, hint) in [
            ("size>1M", "size:>1M"), ("a modified<7d", "modified:<7d"), ("type:code", "ext:code"),
            ("type:pdf,Images", "ext:Images"), ("typ: x", "type:"),
            ("Folder:x", "'Folder:'. Known"),
        ] {
            let error = #expect(throws: QueryTextError.self) { try read(text) }
            #expect(error?.message.contains(hint) == true, "\(text): \(error?.message ?? "")")
        }
    }

    @Test(
        "with a tilde before each word, or before a text in quotes, the search is fuzzy",
        arguments: [
            ("~rep", "rep", "~rep"), ("~rep  ~'2026", "rep '2026", "~rep ~'2026"),
            ("~^a ~b$ ~!c", "^a b$ !c", "~^a ~b$ ~!c"), (#"~"a | b""#, "a | b", "~a ~| ~b"),
            ("~a ~| ~b", "a | b", "~a ~| ~b"), (#"~"a  b""#, "a  b", #"~"a  b""#),
            (#"~a\ b"#, nil, nil), (#"~"a\ b""#, #"a\ b"#, #"~a\ ~b"#), ("~or", "or", "~or"),
            ("~type:pdf", "type:pdf", "~type:pdf"), ("~-x", "-x", "~-x"), ("~~", "~", "~~"),
            (#"~"(x)""#, "(x)", #"~"(x)""#), ("~é(1)", "é(1)", #"~"é(1)""#),
            (#"~"say \"hi\"""#, #"say "hi""#, #"~"say \"hi\"""#),
            ("~size>1M", "size>1M", "~size>1M"),
        ] as [(String, String?, String?)])
    func fuzzy(_ text: String, _ search: String?, _ printed: String?) throws {
        guard let search, let printed else {
            // A blank ends the term, whatever is before it.
            #expect(throws: QueryTextError.self) { try self.read(text) }
            return
        }
        let query = try read(text)
        #expect(query == ListQuery(search: search, match: .fuzzy))
        #expect(query.text == printed)
        #expect(try read(printed) == query)
    }

    @Test("a tilde elsewhere, or in quotes, is searched for; a fuzzy search may have conditions")
    func tildes() throws {
        #expect(try read("notes.md~") == ListQuery(search: "notes.md~"))
        #expect(try read(#""~a" b"#) == ListQuery(search: "~a b"))
        #expect(ListQuery(search: "~a").text == #""~a""#)
        #expect(ListQuery(search: "b ~").text == #""b ~""#)
        #expect(try read(#"~"""#) == ListQuery())
        let query = try read("~rep type:pdf (is:liked or size:>1M) ~!old sort:score,name limit:9")
        #expect(query.search == "rep !old" && query.match == .fuzzy && query.count == 9)
        #expect(query.sort == ["score", "name"])
        #expect(
            query.filter == .all([.suffix(["pdf"]), .any([.liked, .size(.greater, 1_000_000)])]))
        #expect(try read(query.text) == query)
        // How a text in quotes or words matches has no text, nor have marks.
        let words = ListQuery(search: "a b", match: .words, highlights: true)
        #expect(words.text == "a b")
        #expect(try read(words.text) == ListQuery(search: "a b"))
    }

    @Test("options: sort keys add up, of others the last counts")
    func options() throws {
        let query = try read("sort:-size,name sort:path limit:5 skip:10 limit:7")
        #expect(query == ListQuery(sort: ["-size", "name", "path"], start: 10, count: 7))
        #expect(try read("sort:date").sort == ["date"])
        #expect(try read("sort:size sort:date").sort == ["size", "date"])
        #expect(try read("sort:-liked,-date").sort == ["-liked", "-date"])
    }

    @Test(
        "errors are shown at their place, with what would be valid",
        arguments: [
            ("report typ:pdf", "typ:", "'type:'"), ("a colour:red", "colour:", "type:"),
            ("C:x", "C:", "quotes"), ("size:big x", "big", "size"), ("x size:>", ">", "size"),
            ("size:1.0001K", "1.0001K", "size"), ("size:99999999999G", "99999999999G", "size"),
            ("size:-1", "-1", "size"), ("type:", "type:", "pdf"), ("type:a,,b", "a,,b", "pdf"),
            ("modified:<7", "<7", "min h d"), ("modified:<7m", "<7m", "min h d"),
            ("modified:=7d", "=7d", "old"), ("modified:2026-02-29", "2026-02-29", "date"),
            ("modified:2026-13", "2026-13", "date"),
            ("modified:2026-11-21T25:00", "2026-11-21T25:00", "date"),
            ("liked:maybe", "maybe", "yes or no"), ("is:new", "new", "liked, dropped or any"),
            ("hidden:", "hidden:", "yes or no"),
            ("name:a/b", "a/b", "folders"), ("match:", "match:", "*.txt"),
            ("path:/a", "/a", "drafts/**"), ("sort:sise", "sise", "'size'"),
            ("sort:--date", "--date", "date"), ("limit:x", "x", "number"),
            ("limit:-1", "-1", "number"),
            ("attr:x", "x", "pdf.pages"), ("attr:>5", ">5", "pdf.pages"),
            (#"a "b c"#, "\"", "closed"), (#""a"b"#, "b", "blank"),
            ("(type:a", "(", "closed"), ("type:a)", ")", "none"), ("()", "()", "between"),
            ("or type:a", "or", "two"), ("type:a or", "or", "two"),
            ("type:a or or type:b", "or", "two"),
            ("x type:a or type:b", "x", "brackets"), ("type:a or type:b x", "x", "brackets"),
            ("-draft", "draft", "imatch:*draft*"), ("(draft)", "draft", "imatch:*draft*"),
            ("~a b", "b", "before all"), ("a ~b", "~b", "before all"),
            (#"~a "b""#, #""b""#, "before all"), ("~a Talk: x", "Talk:", "before all"),
            ("~", "~", "~report"), ("~ a", "~", "~report"), ("type:md ~) x", "~", "~report"),
            (#"~"a"#, "\"", "closed"), (#"~"a"b"#, "b", "blank"),
            ("-~draft", "~draft", "~!draft"), ("(~draft)", "~draft", "~!draft"),
            ("~x type:a or type:b", "~x", "brackets"), ("type:a or type:b ~x", "~x", "brackets"),
            ("-sort:size", "sort:", "outside"), ("(sort:size)", "sort:", "outside"),
            ("type:a -", "", ""), ("not:", "", "condition"), ("-)", ")", "condition"),
        ])
    func wrong(_ text: String, _ fault: String, _ hint: String) throws {
        if text == "type:a -" {
            // A lone hyphen is a word.
            #expect(try read(text).search == "-")
            return
        }
        let error = try #require(throws: QueryTextError.self) { try self.read(text) }
        #expect(error.fault == fault, "\(error)")
        #expect(error.message.contains(hint), "\(error)")
        #expect(error.prefix + error.fault + error.suffix == text)
    }

    @Test("parentheses have a depth limit, which can be reached and sent")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            var text = "is:liked"
            for level in 0..<depth {
                text = "(\(text) \(level % 2 == 0 ? "" : "or ")name:\(level))"
            }
            return text
        }
        let deepest = try #require(try filter(nested(14)))
        #expect(deepest.node.depth <= 16)
        #expect(throws: QueryTextError.self) { try self.filter(nested(15)) }
        // However many there are, the stack is not used up.
        #expect(throws: QueryTextError.self) {
            try self.filter(String(repeating: "(", count: 100_000))
        }
        #expect(try filter(String(repeating: "-", count: 100_000) + "is:liked") == .liked)
    }

    @Test("a printed query parses to the same query, at any time and in any zone")
    func roundTrip() throws {
        try withSeed { random in
            for _ in 0..<3000 {
                let query = RandomQueries.query(&random)
                let text = query.text
                let again = try ListQuery(text: text, at: .now, in: .local)
                #expect(again == query, "\(text): seed \(random.seed)")
                let isSame =
                    again.search.map { Array($0.utf8) } == query.search.map { Array($0.utf8) }
                #expect(isSame, "\(text): seed \(random.seed)")
                if again != query { return }
            }
        }
    }

    @Test("any text is parsed or refused with a place")
    func anyText() {
        withSeed { random in
            var taken = 0
            for _ in 0..<3000 {
                var text = ""
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    text += RandomQueries.text(&random)
                    if random.chance(0.3) { text += " " }
                    if random.chance(0.1) { text += "modified:<3d " }
                    if random.chance(0.1) { text += "size:>2K " }
                }
                do throws(QueryTextError) {
                    let query = try ListQuery(text: text, at: Self.now, in: .utc)
                    taken += 1
                    let again = try ListQuery(text: query.text, at: Self.now, in: .utc)
                    #expect(again == query, "\(text): seed \(random.seed)")
                } catch {
                    let whole = error.prefix + error.fault + error.suffix
                    #expect(whole.utf8.elementsEqual(text.utf8), "seed \(random.seed)")
                    #expect(!error.message.isEmpty)
                }
            }
            #expect(taken > 100)
        }
    }

    @Test("filters are printed in their shortest form")
    func printed() throws {
        let rows: [(PickerFilter, String)] = [
            (.size(.greater, 2_000_000), "size:>2M"), (.size(.equal, 2048), "size:2Ki"),
            (.modified(.atLeast, 1_795_282_200), "modified:>=2026-11-21T17:30:00Z"),
            (.modified(.less, 0.5), "modified:<@0.5"), (.suffix(["pdf"]), "type:pdf"),
            (.suffix(DocumentType.video.suffixes), "type:video"), (.suffix(["video"]), "ext:video"),
            (!.name("a b"), #"-name:"a b""#),
            (
                .liked && .any([.name("a"), .name("b")]),
                "is:liked (name:a or name:b)"
            ),
        ]
        for (filter, text) in rows { #expect(filter.text == text) }
    }
}
