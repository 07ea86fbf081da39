import JSONText
import PickerClient
import TestSupport
import Testing

@Suite struct PickerFilterTests {
    @Test("keys are sent once each; none is nothing, and there is no text for them")
    func keys() {
        let filter = PickerFilter.keys(["f1", "f2", "f1"])
        #expect(filter.json.text == #"["key",["f1","f2"]]"#)
        #expect((!filter).json.text == #"["not",["key",["f1","f2"]]]"#)
        #expect(PickerFilter.keys([]) == .nothing)
        #expect(filter.text == "is:any" && (!filter).text == "is:any")
        #expect((filter && .liked).text == "is:any is:liked")
    }

    @Test("a simplified filter means the same as the original")
    func meaning() {
        withSeed { random in
            var shorter = 0
            for _ in 0..<5000 {
                let written = RandomQueries.filter(&random)
                let folded = written.folded
                for _ in 0..<6 {
                    let sample = SampleDocument(&random)
                    #expect(
                        folded.node.holds(sample) == written.holds(sample),
                        "\(written) of \(sample): seed \(random.seed)")
                }
                if folded == .everything || folded == .nothing { shorter += 1 }
                Self.check(folded.node)
            }
            #expect(shorter > 100)
        }
    }

    /// The invariants that PickerFilter.swift states.
    private static func check(_ node: PickerFilter.Node) {
        switch node {
        case .all(let parts), .any(let parts):
            #expect(parts.count > 1 && Set(parts).count == parts.count)
            for part in parts {
                #expect(part != .everything && part != .nothing)
                #expect(!parts.contains(.not(part)))
                switch (node, part) {
                case (.all, .all), (.any, .any): Issue.record("not flat: \(node)")
                default: check(part)
                }
            }
        case .not(let part):
            switch part {
            case .not, .everything, .nothing, .size, .modified:
                Issue.record("has an opposite: \(part)")
            default: check(part)
            }
        default: break
        }
    }

    @Test("constants, double negations, nested lists and duplicates are removed")
    func folding() {
        let a = PickerFilter.liked
        let b = PickerFilter.name("b")
        let c = PickerFilter.size(.greater, 5)
        #expect((true && a) == a)
        #expect((a && false) == .nothing)
        #expect((a || true) == .everything)
        #expect((false || a) == a)
        #expect(!(!a) == a)
        #expect(!c == .size(.atMost, 5))
        #expect((a && (b && c)) == .all([a, b, c]))
        #expect(((a || b) || (b || c)) == .any([a, b, c]))
        #expect((a && a) == a)
        #expect((a && !a) == .nothing)
        #expect((a || !a) == .everything)
        #expect((c && !c) == .nothing)
        #expect(PickerFilter.all([]) == .everything)
        #expect(PickerFilter.any([]) == .nothing)
        #expect(
            (.suffix(["md"]) || b || .suffix(["TXT", "md"])) == .any([.suffix(["md", "txt"]), b]))
        #expect(PickerFilter.suffix([]) == .nothing)
    }

    @Test("names that only look alike are two")
    func looks() {
        let one = PickerFilter.name("\u{e9}")
        let other = PickerFilter.name("e\u{301}")
        #expect(one != other)
        #expect((one || other) != one)
    }

    @Test("filters are written as the protocol has them")
    func wire() {
        let rows: [(PickerFilter, String)] = [
            (.everything, #"["true"]"#), (.nothing, #"["not",["true"]]"#),
            (.liked && .name("a"), #"["allof",["liked"],["name","a"]]"#),
            (.liked || .path("x/**"), #"["anyof",["liked"],["path","x/**"]]"#),
            (!.match("*.a"), #"["not",["match","*.a"]]"#),
            (.match("*.a", ignoringCase: true), #"["imatch","*.a"]"#),
            (.suffix(["PDF"]), #"["suffix","pdf"]"#),
            (.suffix(["a", "b"]), #"["suffix",["a","b"]]"#),
            (.size(.greater, 1_000_000), #"["size","gt",1000000]"#),
            (.size(.atMost, .max), #"["size","le",18446744073709551615]"#),
            (.modified(.atLeast, 1.5), #"["modified","ge",1.5]"#),
            (.attribute("pdf.pages", .atLeast, 10), #"["attr","pdf.pages","ge",10]"#),
            (.attribute("a", .equal, "x"), #"["attr","a","eq","x"]"#),
            (.attribute("a", .notEqual, true), #"["attr","a","ne",true]"#),
        ]
        for (filter, text) in rows { #expect(filter.json.text == text) }
    }

    @Test("a query with a filter asks for it, and an update for a changed one only")
    func parameters() {
        var query = ListQuery(search: "a", filter: .liked)
        #expect(query.parameters["where"] == ["liked"])
        let before = query
        query.filter = .name("x")
        #expect(query.parameters(from: before) == ["where": ["name", "x"]])
        query.filter = nil
        #expect(query.parameters(from: before) == ["where": .null])
        query.filter = .everything
        #expect(query.filter == nil && ListQuery(filter: .everything) == ListQuery())
        query.filter = .liked
        #expect(query.parameters(from: before) == [:])
    }

    @Test("a window follows an item or begins at a row, and an update names a changed one only")
    func anchored() {
        let plain = ListQuery(start: 3, count: 10)
        var query = plain
        query.anchor = "f81"
        query.offset = 4
        let window: JSONValue = ["anchor": "key:f81", "offset": 4, "count": 10]
        #expect(query.parameters["window"] == window)
        #expect(query.parameters(from: plain) == ["window": window])
        #expect(plain.parameters(from: query) == ["window": ["start": 3, "count": 10]])
        #expect(query == ListQuery(start: 3, count: 10, anchor: "f81", offset: 4))
        let before = query
        query.start = 7
        #expect(query.parameters(from: before) == [:], "'start' has no effect with an anchor")
        query.offset = 5
        #expect(query.parameters(from: before)?["window"] != nil)
    }

    @Test("a query says how it matches and whether it wants marks, and an update what has changed")
    func matching() {
        let plain = ListQuery(search: "a")
        #expect(plain.parameters["match"] == nil && plain.parameters["highlights"] == nil)
        var query = plain
        query.match = .words
        query.highlights = true
        #expect(query.parameters["match"] == "words" && query.parameters["highlights"] == true)
        #expect(query.parameters(from: plain) == ["match": "words", "highlights": true])
        let before = query
        query.match = .fuzzy
        #expect(query.parameters(from: before) == ["match": "fuzzy"])
        query.highlights = false
        #expect(query.parameters(from: before) == ["match": "fuzzy", "highlights": false])
        // Marks are a field: with a list of fields, only another list has them, or has none.
        var few = ListQuery(search: "a", fields: ["name"])
        #expect(few.parameters["fields"] == ["name"])
        let without = few
        few.highlights = true
        #expect(few.parameters["fields"] == ["name", "m"])
        #expect(few.parameters(from: without) == nil && without.parameters(from: few) == nil)
        few.fields = ["m", "name"]
        #expect(few.parameters["fields"] == ["m", "name"])
    }
}
