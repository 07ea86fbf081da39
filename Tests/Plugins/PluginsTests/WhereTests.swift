// `where` on the wire: what is taken, what is refused and where, and that a refusal changes nothing.

import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct WhereTests {
    private func value(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    /// The names that a list with this filter has.
    private func names(
        _ fixture: ListFixture, _ text: String, _ others: JSONObject = [:]
    ) throws -> [String] {
        var params = others
        params["where"] = try value(text)
        let result = try fixture.session.call("items.get", .object(params)).get()
        return (result["items"]?.arrayValue ?? []).map { $0["name"]?.stringValue ?? "new" }
    }

    private func filled() throws -> ListFixture {
        let fixture = try ListFixture()
        let documents = [
            fixture.makeDocument("a.md", size: 10, seconds: 100),
            fixture.makeDocument("drafts/b.MD", size: 2000, seconds: 200),
            fixture.makeDocument("drafts/old/c.txt", size: 3_000_000_000, seconds: 300)
                .with(isLiked: true),
            fixture.makeDocument(".d.md", size: 0, seconds: 400),
        ]
        fixture.documents.apply(inserted: documents)
        return fixture
    }

    @Test(
        "each operator keeps what it says; the item `new` stays while nothing is searched for",
        arguments: [
            (#"["true"]"#, "new .d.md a.md b.MD c.txt"),
            (#"["type","f"]"#, "new .d.md a.md b.MD c.txt"),
            (#"["type","text/plain"]"#, "new c.txt"),
            (#"["type","text/*"]"#, "new .d.md a.md b.MD c.txt"),
            (#"["type",["text/plain","image/png"]]"#, "new c.txt"), (#"["type",[]]"#, "new"),
            (#"["not",["type","text/markdown"]]"#, "new c.txt"),
            (#"["suffix","md"]"#, "new .d.md a.md b.MD"), (#"["suffix",["TXT"]]"#, "new c.txt"),
            (#"["suffix",[]]"#, "new"), (#"["match","*.md"]"#, "new a.md"),
            (#"["imatch","*.md"]"#, "new a.md b.MD"),
            (#"["match","*.md","basename",{"includedotfiles":true}]"#, "new .d.md a.md"),
            (#"["match","drafts/*","wholename"]"#, "new b.MD"),
            (#"["match","drafts\\b.MD","wholename",{"noescape":true}]"#, "new"),
            (#"["name","a.md"]"#, "new a.md"), (#"["name",["a.md","c.txt"]]"#, "new a.md c.txt"),
            (#"["name","A.md"]"#, "new"), (#"["path","drafts/**"]"#, "new b.MD c.txt"),
            (#"["size","gt",1e3]"#, "new b.MD c.txt"), (#"["size","eq",0]"#, "new .d.md"),
            (#"["size","ge",3000000000]"#, "new c.txt"),
            (#"["size","lt",18446744073709551615]"#, "new .d.md a.md b.MD c.txt"),
            (#"["modified","since",200]"#, "new .d.md b.MD c.txt"),
            (#"["modified","gt",200.0]"#, "new .d.md c.txt"),
            (#"["modified","le",-1.5]"#, "new"), (#"["liked"]"#, "new c.txt"),
            (#"["hidden"]"#, "new .d.md"), (#"["not",["hidden"]]"#, "new a.md b.MD c.txt"),
            (#"["not",["liked"]]"#, "new .d.md a.md b.MD"),
            (#"["key","f0"]"#, "new a.md"), (#"["key",["f1","f2","f77","x"]]"#, "new b.MD c.txt"),
            (#"["key",[]]"#, "new"), (#"["not",["key","f0"]]"#, "new .d.md b.MD c.txt"),
            (#"["allof",["liked"],["key",["f1","f2"]]]"#, "new c.txt"),
            (#"["allof"]"#, "new .d.md a.md b.MD c.txt"), (#"["anyof"]"#, "new"),
            (#"["anyof",["liked"],["allof",["suffix","md"],["size","lt",5]]]"#, "new .d.md c.txt"),
        ])
    func operators(_ text: String, _ expected: String) throws {
        let fixture = try filled()
        #expect(try names(fixture, text).joined(separator: " ") == expected)
    }

    @Test("a search and a filter both hold; null is no filter")
    func withSearch() throws {
        let fixture = try filled()
        #expect(try names(fixture, "null", ["search": "D"]) == [".d.md", "a.md", "b.MD"])
        #expect(try names(fixture, #"["path","drafts/**"]"#, ["search": "D"]) == ["b.MD"])
        #expect(try names(fixture, "null", ["search": "b"]) == ["b.MD"])
        #expect(try names(fixture, "null").count == 5)
    }

    @Test(
        "an invalid filter is refused at its place, with what would be valid",
        arguments: [
            (#"5"#, "where", "an array"), (#""true""#, "where", "an array"),
            (#"{}"#, "where", "an array"), (#"[]"#, "where", "allof, anyof"),
            (#"[["true"]]"#, "where", "operator"), (#"["sise","gt",1]"#, "where", "'size'"),
            (#"["allof",["sise","gt",1]]"#, "where[1]", "'size'"),
            (#"["xyzzyx"]"#, "where", "known are allof"),
            (#"["true",1]"#, "where", #"["true"]"#), (#"["liked",true]"#, "where", "1 operand"),
            (#"["hidden","yes"]"#, "where", "1 operand"),
            (#"["not"]"#, "where", "0 operands"), (#"["not",["true"],["true"]]"#, "where", "2"),
            (#"["not",5]"#, "where[1]", "an array"), (#"["type","d"]"#, "where[1]", #""f""#),
            (#"["type","pdf"]"#, "where[1]", "suffix"), (#"["type"]"#, "where", "operands"),
            (#"["suffix",5]"#, "where[1]", "a string"), (#"["suffix",".md"]"#, "where[1]", "dot"),
            (#"["suffix",["md",""]]"#, "where[1][1]", "a suffix"),
            (#"["suffix",["md",5]]"#, "where[1][1]", "a string"),
            (#"["match",5]"#, "where[1]", "a pattern"), (#"["match","["]"#, "where[1]", "']'"),
            (#"["match","a/b"]"#, "where[1]", "path"), (#"["match",""]"#, "where[1]", "empty"),
            (#"["match","a","path"]"#, "where[2]", "wholename"),
            (#"["match","a","basename",{"x":true}]"#, "where[3]", "includedotfiles"),
            (#"["match","a","basename",5]"#, "where[3]", "flags"),
            (#"["path","/a"]"#, "where[1]", "relative"), (#"["path","a/"]"#, "where[1]", "**"),
            (#"["name",{}]"#, "where[1]", "a string"),
            (#"["size","greater",1]"#, "where[1]", "eq, ne, gt"),
            (#"["size","since",1]"#, "where[1]", "eq, ne, gt"),
            (#"["size",1,1]"#, "where[1]", "eq, ne, gt"), (#"["size","gt"]"#, "where", "operand"),
            (#"["size","gt","1"]"#, "where[2]", "bytes"), (#"["size","gt",-1]"#, "where[2]", "0"),
            (#"["size","gt",1.5]"#, "where[2]", "integer"),
            (#"["size","gt",18446744073709551616]"#, "where[2]", "bytes"),
            (#"["modified","since","now"]"#, "where[2]", "seconds"),
            (#"["modified","after",1]"#, "where[1]", "since, eq"),
            (#"["key"]"#, "where", #"["key","f12"]"#), (#"["key",5]"#, "where[1]", "a key"),
            (#"["key",["f1",5]]"#, "where[1][1]", "a string"),
            (#"["attr","pdf.pages","ge",10]"#, "where[1]", "no attributes"),
            (#"["attr",5,"ge",10]"#, "where[1]", "a string"),
            (#"["attr","a","=",10]"#, "where[2]", "eq"),
            (#"["attr","a","eq",[]]"#, "where[3]", "a number"),
            (#"["anyof",["true"],["not",["size","gt",null]]]"#, "where[2][1][2]", "bytes"),
        ])
    func wrong(_ text: String, _ place: String, _ hint: String) throws {
        let fixture = try filled()
        let list: JSONValue = ["where": ["liked"]]
        _ = try fixture.session.call("items.open", list, id: 7).get()
        _ = fixture.session.read()
        for method in ["items.open", "items.get", "items.update"] {
            let params: JSONValue = [
                "where": try value(text), "sub": 7, "search": "b", "gen": 4, "sort": "size",
            ]
            guard case .failure(let error) = fixture.session.call(method, params, id: 8) else {
                Issue.record("\(method) takes \(text)")
                return
            }
            #expect(error.kind == .badExpression && error.at == place, "\(error)")
            #expect(error.message.contains(hint) && error.message.contains(place), "\(error)")
        }
        #expect(!fixture.session.hasWork, "a refused update has something to send")
        #expect(fixture.session.stream(8) == nil)
        fixture.add(["e.md"])
        #expect(fixture.session.read().isEmpty, "the list is filtered as before")
    }

    @Test("depth, conditions and texts are limited, and the limits can be reached")
    func limits() throws {
        let fixture = try filled()
        func nested(_ depth: Int) -> String {
            String(repeating: #"["not","#, count: depth - 1) + #"["true"]"#
                + String(repeating: "]", count: depth - 1)
        }
        func error(_ text: String) throws -> ProtocolError? {
            let params: JSONValue = ["where": try value(text)]
            guard case .failure(let error) = fixture.session.call("items.get", params) else {
                return nil
            }
            #expect(error.kind == .badExpression)
            return error
        }
        #expect(try error(nested(WhereLimits.depth)) == nil)
        let deep = try #require(try error(nested(WhereLimits.depth + 1)))
        #expect(deep.at == "where" + String(repeating: "[1]", count: WhereLimits.depth))
        #expect(deep.message.contains("16"))

        func many(_ count: Int) -> String {
            #"["allof""# + String(repeating: #",["liked"]"#, count: count - 1) + "]"
        }
        #expect(try error(many(WhereLimits.terms)) == nil)
        #expect(try error(many(WhereLimits.terms + 1))?.at == "where[\(WhereLimits.terms)]")
        let suffixes = String(repeating: #","a""#, count: WhereLimits.terms)
        #expect(try error(#"["suffix",["b"\#(suffixes)]]"#)?.at == "where[1][255]")

        let long = String(repeating: "a", count: WhereLimits.bytes)
        #expect(try error(#"["name","\#(long)"]"#) == nil)
        #expect(try error(#"["name",["\#(long)","b"]]"#)?.at == "where[1][1]")
        #expect(try error(#"["match","\#(long)*"]"#)?.at == "where[1]")
    }

    @Test("the JSON text is limited, and each filter within the other limits fits")
    func longTexts() throws {
        let fixture = try filled()
        func answer(_ filter: String) throws -> Result<JSONValue, ProtocolError> {
            let params = #"{"where":\#(filter)}"#
            return try fixture.session.call(
                "items.get", written: JSONView(validating: Array(params.utf8)))
        }
        // The longest that the other limits allow: a list of texts, each character an escape.
        let texts = (0..<(WhereLimits.terms - 1)).map { index in
            let count = WhereLimits.bytes / (WhereLimits.terms - 1)
            return "\"" + String(repeating: #"\u0061"#, count: count) + "\""
        }
        let longest = #"["name",[\#(texts.joined(separator: ","))]]"#
        _ = try answer(longest).get()

        func padded(_ count: Int) -> String {
            let filter = #"["true"]"#
            let blanks = String(repeating: " ", count: count - filter.utf8.count)
            return "[" + blanks + filter.dropFirst()
        }
        _ = try answer(padded(WhereLimits.written)).get()
        let doubleKey = #"["match","a","basename",{"noescape":true,"noescape":true}]"#
        for wrong in [padded(WhereLimits.written + 1), doubleKey] {
            guard case .failure(let error) = try answer(wrong) else {
                Issue.record("\(wrong.prefix(80)) is taken")
                return
            }
            #expect(error.kind == .badExpression && error.at == "where", "\(error)")
        }
    }

    @Test("an edit that affects the filter is one delta, any other none")
    func edits() throws {
        let fixture = try filled()
        let list: JSONValue = ["where": ["size", "gt", 1000], "sort": "size"]
        _ = try fixture.session.call("items.open", list, id: 7).get()
        var copy = ListCopy(sub: 7)
        for line in fixture.session.read() { try copy.take(line) }
        #expect(copy.rows.map { $0.name?.text ?? "new" } == ["new", "b.MD", "c.txt"])

        let small = try #require(fixture.documents.documents.first { $0.name.text == "a.md" })
        let grown = small.with(size: 5000, modified: small.modified)
        fixture.replace(small, with: small.with(size: 11, modified: small.modified))
        #expect(fixture.session.read().isEmpty)
        fixture.replace(fixture.documents[key: small.key] ?? small, with: grown)
        for line in fixture.session.read() { try copy.take(line) }
        #expect(copy.rows.map { $0.name?.text ?? "new" } == ["new", "b.MD", "a.md", "c.txt"])

        let update: JSONValue = ["sub": 7, "gen": 3, "where": ["liked"]]
        #expect(try fixture.session.call("items.update", update).get() == [:])
        for line in fixture.session.read() { try copy.take(line) }
        #expect(copy.gen == 3 && copy.isComplete && copy.total == 2)
        let none: JSONValue = ["sub": 7, "gen": 4, "where": .null]
        _ = try fixture.session.call("items.update", none).get()
        for line in fixture.session.read() { try copy.take(line) }
        #expect(copy.gen == 4 && copy.total == 5)
    }
}

extension WhereTests {
    @Test("4096 keys may be named beside all conditions, and a list follows them")
    func keys() throws {
        let fixture = try ListFixture()
        let made = fixture.add((0..<5000).map { "n\($0)" })
        func filter(_ keys: [String]) throws -> JSONValue {
            .array(["key", .array(keys.map { .string($0) })])
        }
        let all = made.prefix(WhereLimits.keys).map(\.key)
        let most: JSONValue = [
            "where": try filter(all), "window": ["count": .null], "search": "n",
        ]
        var whole = ListCopy(sub: 6)
        _ = try fixture.session.call("items.open", most, id: 6).get()
        for line in fixture.read() { try whole.take(line) }
        #expect(Set(whole.rows.map(\.key)) == Set(all) && whole.total == WhereLimits.keys)
        _ = try fixture.session.call("items.close", ["sub": 6]).get()
        // In two parts of one filter, they are as many.
        let half = WhereLimits.keys / 2
        let parts: JSONValue = [
            "anyof", try filter(Array(all[..<half])), try filter(Array(all[half...])),
        ]
        _ = try fixture.session.call("items.open", ["where": parts], id: 6).get()
        _ = try fixture.session.call("items.close", ["sub": 6]).get()
        let over: JSONValue = ["anyof", parts, ["key", "f1"]]
        let error = #expect(throws: ProtocolError.self) {
            try fixture.session.call("items.get", ["where": over]).get()
        }
        #expect(error?.kind == .badExpression && error?.at == "where[2][1]")
        #expect(error?.message.contains("4096") == true)
        // A list of a few, which are renamed and removed; and of others then.
        var copy = ListCopy(sub: 7)
        let few: JSONValue = ["where": try filter(Array(all[..<3])), "search": "n"]
        _ = try fixture.session.call("items.open", few, id: 7).get()
        for line in fixture.read() { try copy.take(line) }
        #expect(copy.rows.map(\.key) == Array(all[..<3]))
        fixture.replace(made[1], with: fixture.makeDocument("n9", key: made[1].key))
        fixture.documents.apply(removed: [made[0]], inserted: [])
        for line in fixture.read() { try copy.take(line) }
        #expect(copy.rows.map { $0.name?.text } == ["n2", "n9"] && copy.total == 2)
        let others: JSONValue = ["sub": 7, "where": try filter([all[2], all[5]])]
        _ = try fixture.session.call("items.update", others).get()
        for line in fixture.read() { try copy.take(line) }
        #expect(copy.rows.map { $0.name?.text } == ["n2", "n5"])
    }
}

/// The limits as they are documented.
private enum WhereLimits {
    static let depth = 16
    static let terms = 256
    static let keys = 4096
    static let bytes = 4096
    static let written = 65_536
}
