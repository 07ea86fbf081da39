// `where`, `sort` and `fields` with attributes: what is taken, and what is refused and where.

import JSONText
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite("Lists that are filtered and sorted by attributes")
struct AttributeFilterTests {
    private let bench: AttributeBench
    private let wanted: AttributeUse

    init() throws {
        bench = try AttributeBench(["a", "b", "c", "d"])
        wanted = try bench.wantAll()
        try bench.give(
            "a",
            [
                .integer: .integer(10), .number: .number(0.5), .time: .time(100),
                .text: .text("Canon EOS"), .boolean: .boolean(true),
            ])
        try bench.give(
            "b",
            [
                .integer: .integer(-3), .number: .number(2), .time: .time(200.5),
                .text: .text("éclair"), .boolean: .boolean(false),
            ])
        try bench.give("c", [.integer: .integer(10), .text: .text("a10")])
    }

    private func parse(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    @Test(
        "Each operator keeps what it says, and nothing that has no value",
        arguments: [
            (#"["attr","x.integer","eq",10]"#, "a c"), (#"["attr","x.integer","ne",10]"#, "b"),
            (#"["attr","x.integer","lt",0]"#, "b"), (#"["attr","x.integer","le",10]"#, "a b c"),
            (#"["attr","x.integer","gt",-3]"#, "a c"), (#"["attr","x.integer","ge",11]"#, ""),
            (#"["attr","x.number","gt",1]"#, "b"), (#"["attr","x.number","le",0.5]"#, "a"),
            (#"["attr","x.time","ge",200.5]"#, "b"), (#"["attr","x.time","lt",200.5]"#, "a"),
            (#"["attr","x.boolean","eq",true]"#, "a"), (#"["attr","x.boolean","ne",true]"#, "b"),
            (#"["attr","x.text","eq","a10"]"#, "c"), (#"["attr","x.text","eq","A10"]"#, ""),
            (#"["attr","x.text","contains","eos"]"#, "a"),
            (#"["attr","x.text","prefix","ECL"]"#, "b"),
            (#"["attr","x.text","contains",""]"#, "a b c"),
            (#"["attr","x.text","lt","canon"]"#, "c"),
            (#"["attr","x.text","ge","canon eos"]"#, "a b"),
            (#"["attr","x.integer","known",true]"#, "a b c"),
            (#"["attr","x.time","known",false]"#, "c d"),
            (#"["not",["attr","x.integer","eq",10]]"#, "b d"),
            (#"["allof",["attr","x.integer","eq",10],["attr","x.text","prefix","a"]]"#, "c"),
            (#"["anyof",["attr","x.integer","lt",0],["name","d"]]"#, "b d"),
        ])
    func operators(_ text: String, _ expected: String) throws {
        let names = try bench.names(["where": parse(text), "fields": ["name"]])
        #expect(names.joined(separator: " ") == expected)
    }

    @Test(
        "A condition that can't be is refused at its place, with what would be right",
        arguments: [
            (#"["attr"]"#, "where", #"["attr","pdf.pages","ge",10]"#),
            (#"["attr","x.integer","eq"]"#, "where", "2 operands"),
            (#"["attr","x.integer","eq",1,2]"#, "where", "4 operands"),
            (#"["attr",5,"eq",1]"#, "where[1]", "the name of an attribute"),
            (#"["attr","x.intger","eq",1]"#, "where[1]", "x.integer"),
            (#"["attr","name","eq","a"]"#, "where[1]", "no plugin contributes"),
            (#"["attr","x.integer","is",1]"#, "where[2]", "eq"),
            (#"["attr","x.integer",1,1]"#, "where[2]", "known"),
            (#"["attr","x.integer","contains",1]"#, "where[2]", "an operator for integers"),
            (#"["attr","x.boolean","prefix",true]"#, "where[2]", "an operator for booleans"),
            (#"["attr","x.integer","eq",1.5]"#, "where[3]", "an integer, as 'x.integer' is"),
            (#"["attr","x.integer","eq","1"]"#, "where[3]", "an integer"),
            (#"["attr","x.number","eq","1"]"#, "where[3]", "a number, as 'x.number' is"),
            (#"["attr","x.time","eq",true]"#, "where[3]", "seconds since 1970"),
            (#"["attr","x.text","eq",1]"#, "where[3]", "a string, as 'x.text' is"),
            (#"["attr","x.boolean","eq",1]"#, "where[3]", "true or false, as 'x.boolean' is"),
            (#"["attr","x.text","known","yes"]"#, "where[3]", "true or false"),
            (#"["attr","x.text","eq",null]"#, "where[3]", "a string, a number"),
            (#"["attr","x.text","eq",["a"]]"#, "where[3]", "a string, a number"),
            (#"["not",["attr","x.y","eq",1]]"#, "where[1][1]", "attributes.list"),
        ])
    func refused(_ text: String, _ place: String, _ right: String) throws {
        let answer = bench.lists.session.call(
            "items.get", .object(["where": try parse(text)]))
        guard case .failure(let error) = answer else {
            Issue.record("it was taken")
            return
        }
        #expect(error.code == 1007)
        let written = try JSONValue(parsing: error.wireBytes)
        #expect(written["data"]?["at"] == .string(place))
        #expect(error.message.contains(right), "\(error.message)")
    }

    @Test("Without any attributes the message says so")
    func none() throws {
        let fixture = try ListFixture()
        let answer = fixture.session.call(
            "items.get", ["where": ["attr", "x.y", "eq", 1]])
        guard case .failure(let error) = answer else {
            Issue.record("it was taken")
            return
        }
        #expect(error.message.contains("there are no attributes now"))
    }

    @Test(
        "A list is sorted by attributes; documents without a value come last in both directions",
        arguments: [
            ("x.integer", "b a c d"), ("-x.integer", "a c b d"), ("x.number", "a b c d"),
            ("-x.number", "b a c d"), ("-x.time", "b a c d"), ("x.text", "c a b d"),
            ("-x.text", "b a c d"), ("x.boolean", "b a c d"), ("-x.boolean", "a b c d"),
        ])
    func sorted(_ key: String, _ expected: String) throws {
        let names = try bench.names(["sort": [.string(key)], "fields": ["name"]])
        #expect(names.joined(separator: " ") == expected, "with the item for a new one in front")
    }

    @Test("A key or a field that nobody offers is refused at its place")
    func unknown() throws {
        for (params, place) in [
            (["sort": ["x.what"]], "sort[0]"), (["fields": ["name", "x.what"]], "fields[1]"),
        ] as [(JSONValue, String)] {
            guard case .failure(let error) = bench.lists.session.call("items.get", params) else {
                Issue.record("it was taken")
                continue
            }
            let written = try JSONValue(parsing: error.wireBytes)
            #expect(written["data"]?["at"] == .string(place))
            #expect(error.message.contains("x.what"))
        }
    }

    @Test("Items have the attributes that 'fields' names, all that are known, or the query's")
    func fields() throws {
        func first(_ params: JSONObject) throws -> JSONValue? {
            var params = params
            params["search"] = "a"
            let items = try bench.get(params)["items"]?.arrayValue
            var item = items?.first { $0["name"] == "a" }?.objectValue
            for name in ["kind", "key"] { item?[name] = nil }
            return item.map { .object($0) }
        }
        #expect(
            try first(["fields": ["name", "x.integer", "x.text"]])
                == ["name": "a", "x.integer": 10, "x.text": "Canon EOS"])
        #expect(
            try first(["fields": ["name", "attributes"]])
                == [
                    "name": "a", "x.boolean": true, "x.integer": 10, "x.number": 0.5, "x.time": 100,
                    "x.text": "Canon EOS",
                ])
        let plain = try #require(try first(["sort": ["-x.time"]]))
        #expect(plain["x.time"] == 100 && plain["x.integer"] == nil && plain["size"] == 1)
        #expect(try first(["fields": ["name"], "sort": ["x.time"]]) == ["name": "a"])
        #expect(try first([:])?["x.time"] == nil)
    }
}
