import PickerClient
import Testing

@Suite struct QueryWordsTests {
    private let attributes = ["image.width", "image.height", "pdf.pages", "uri"]

    /// The texts that are offered at the bar.
    private func offered(_ line: String) -> [String] {
        let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        let typed = TypedQuery(text: parts.joined(), caret: parts[0].utf8.count)
        return QueryWords.completions(for: typed, attributes: attributes).map(\.text)
    }

    @Test(
        "Words that begin with what is before the caret are offered",
        arguments: [
            ("typ|", ["type:"]), ("rep typ|", ["type:"]), ("TYP|", ["type:"]),
            ("s|", ["size:", "sort:"]), ("-s|", ["size:"]), ("(s|", ["size:"]),
            ("(type:pdf or s|", ["size:"]), ("é typ| x", ["type:"]), ("(typ|)", ["type:"]),
            ("im|", ["imatch:", "image.width:", "image.height:"]), ("sk|", []), ("suff|", []),
            ("type:p|", ["pdf", "png"]), ("type:pdf,ar|", ["archive"]), ("type:pdf,pd|", []),
            ("(type:ar|", ["archive"]), ("-type:ar|", ["archive"]),
            ("x (is:liked or type:ar|)", ["archive"]),
            ("ext:md,mark|", ["markdown"]), ("ext:vid|", []),
            ("is:|", ["liked", "dropped", "any"]),
            ("is:l|", ["liked"]), ("is:liked|", []), ("hidden:|", ["yes", "no"]),
            ("sort:si|", ["size"]), ("sort:-si|", ["-size"]), ("sort:size,na|", ["name"]),
            ("sort:-name,na|", []), ("sort:pdf|", ["pdf.pages"]), ("modified:to|", ["today"]),
            ("modified:<7|", ["<7d"]), ("size:>1M|", []), ("size:>1|", [">1M", ">100M", ">1G"]),
            ("attr:u|", ["uri"]), ("pdf.pages:|", ["*"]), ("name:|", []),
            // Nothing is typed of a word, or it is none, or the caret is within it.
            ("|", []), ("rep |", []), ("rep|", []), ("ty|p", []), ("ty|pe:pdf", []),
            ("'typ|", []), ("^s|", []), ("\"typ|", []), ("name:\"a typ|", []), ("-|", []),
            ("(|", []), ("type:\"p|", []), ("or|", []), ("type:pdf |", []),
        ] as [(String, [String])])
    func completions(_ line: String, _ words: [String]) {
        #expect(offered(line) == words)
    }

    @Test("What is typed of a word is what its completion replaces")
    func range() throws {
        let typed = TypedQuery(text: "é (type:md,ht x", caret: 14)
        let completions = QueryWords.completions(for: typed)
        #expect(completions.map(\.text) == ["html", "htm"])
        #expect(completions.allSatisfy { $0.range == 12..<14 && !$0.note.isEmpty })
        let key = QueryWords.completions(for: TypedQuery(text: "-ty"))
        #expect(key.map(\.range) == [1..<3] && key.map(\.text) == ["type:"])
    }

    @Test("Each word that is offered is one of a query")
    func offeredWords() throws {
        let values = [
            "type:": "pdf", "ext:": "md", "size:": "1", "modified:": "1d", "hidden:": "yes",
            "attr:": "a=1", "sort:": "name", "limit:": "1", "skip:": "1",
        ]
        for word in QueryWords.offered {
            let text = word.hasSuffix(":") ? word + (values[word] ?? "x") : word
            #expect(throws: Never.self) { _ = try ListQuery(text: text) }
        }
        #expect(QueryWords.offered.contains("is:liked") && !QueryWords.offered.contains("not:"))
    }

    @Test("Each value that is offered is one that its key takes")
    func values() {
        for key in ["type:", "ext:", "size:", "modified:", "is:", "hidden:", "sort:", "a.b:"] {
            let typed = TypedQuery(text: key)
            let completions = QueryWords.completions(for: typed, attributes: ["a.b"])
            #expect(!completions.isEmpty)
            for completion in completions {
                let text = key + completion.text
                #expect(throws: Never.self, "\(text)") { try ListQuery(text: text) }
                #expect(TypedQuery(text: text).fault == nil, "\(text)")
            }
        }
    }
}
