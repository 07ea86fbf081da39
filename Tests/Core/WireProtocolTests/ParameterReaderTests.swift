import JSONText
import Testing
import WireProtocol

@Suite struct ParameterReaderTests {
    private let reader: ParameterReader

    init() throws {
        reader = try ParameterReader([
            "text": "abc", "empty": "", "nothing": .null, "yes": true, "count": 50, "whole": 3.0,
            "half": 0.5, "list": ["a", "b"], "mixed": ["a", 1], "pair": [800, 600.5],
            "window": ["start": 0, "count": 200_000, "deep": ["x": "y"]],
            "calls": [["method": "a"], ["method": 2]], "id": "s7", "b64": "AAEC", "bad64": "A",
        ])
    }

    @Test("values of the right type are returned")
    func values() throws {
        #expect(try reader.string("text") == "abc")
        #expect(try reader.optionalString("empty") == "")
        #expect(try reader.bool("yes"))
        #expect(try reader.int("count", in: 0...50) == 50)
        #expect(try reader.int("whole") == 3)
        #expect(try reader.double("half") == 0.5)
        #expect(try reader.strings("list") == ["a", "b"])
        #expect(try reader.doubles("pair", count: 2) == [800, 600.5])
        #expect(try reader.object("window").object("deep").string("x") == "y")
        #expect(try reader.requestID("id") == "s7")
        #expect(try reader.requestID("count") == 50)
        #expect(try reader.optionalBytes("b64") == [0, 1, 2])
        #expect(try reader.objects("calls").count == 2)
        #expect(try reader.optionalValue("mixed") == ["a", 1])
        #expect(reader.optionalFragment("list") == (try JSONFragment(validating: #"["a","b"]"#)))
        #expect(try reader.optionalChoice("text", among: ["abc", "d"]) == "abc")
    }

    @Test("absent and null are the same, except for has")
    func absence() throws {
        for name in ["nothing", "absent"] {
            #expect(try reader.optionalString(name) == nil)
            #expect(try reader.optionalInt(name) == nil)
            #expect(try reader.optionalStrings(name) == nil)
            #expect(try reader.optionalObject(name) == nil)
            #expect(throws: ProtocolError.self) { try reader.string(name) }
        }
        #expect(reader.has("nothing"))
        #expect(!reader.has("absent"))
        #expect(try reader.optionalValue("nothing") == .some(.null))
        #expect(try reader.optionalValue("absent") == nil)
    }

    private func error(_ body: () throws -> Void) -> ProtocolError? {
        #expect(throws: ProtocolError.self) { try body() }
    }

    @Test("errors have the path, the invalid value, and the valid ones")
    func errors() {
        let missing = error { _ = try reader.string("absent") }
        #expect(missing?.code == -32602)
        #expect(missing?.at == "absent")
        #expect(missing?.message == "'absent' is missing; it must be a string")
        let range = error { _ = try reader.object("window").int("count", in: 0...100_000) }
        #expect(range?.at == "window.count")
        #expect(range?.message == "'window.count' must be an integer from 0 to 100000, not 200000")
        let type = error { _ = try reader.int("half") }
        #expect(type?.message == "'half' must be an integer, not 0.5")
        #expect(error { _ = try reader.strings("mixed") }?.at == "mixed[1]")
        #expect(
            error { _ = try reader.objects("calls")[1].string("method") }?.at
                == "calls[1].method")
        #expect(error { _ = try reader.objects("list") }?.at == "list[0]")
        #expect(error { _ = try reader.doubles("pair", count: 3) }?.at == "pair")
        #expect(error { _ = try reader.optionalBytes("bad64") }?.at == "bad64")
        #expect(error { _ = try reader.bool("text") }?.at == "text")
        #expect(error { _ = try reader.double("text") }?.at == "text")
        #expect(error { _ = try reader.requestID("half") }?.at == "half")
        #expect(error { _ = try reader.elements("list", limit: 1) }?.at == "list")
        #expect(
            error { _ = try reader.optionalChoice("text", among: ["x", "y"]) }?.message
                == "'text' must be one of \"x\", \"y\", not \"abc\"")
    }

    @Test("a value that is no object, or has a key twice, has no reader")
    func noObject() throws {
        #expect(error { _ = try ParameterReader([1]) }?.at == "params")
        let twice = try JSONView(validating: Array(#"{"a":{"b":1,"b":2}}"#.utf8))
        let reader = try ParameterReader(twice)
        #expect(error { _ = try reader.object("a") }?.at == "a")
        #expect(error { _ = try reader.optionalValue("a") }?.at == "a")
    }
}
