import JSONText
import PluginProcesses
import TestSupport
import Testing

@Suite struct SchemaFaultTests {
    private static let supported =
        "supported are type, const, enum, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, "
        + "maxLength, items, prefixItems, minItems, maxItems, properties, required, additionalProperties, "
        + "anyOf, oneOf, allOf, not"

    private func fault(_ text: String) -> String? {
        do throws(ManifestFault) {
            _ = try CheckedSchema(reading: Array(text.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "a keyword that would have to be checked, and is not supported, is a fault of its line",
        arguments: [
            "$ref", "pattern", "if", "multipleOf", "patternProperties", "uniqueItems", "$defs",
        ])
    func unsupported(_ keyword: String) {
        let text = "{\"properties\":\n{\"a\": {\n\"\(keyword)\": {}}}}"
        #expect(
            fault(text)?.hasPrefix(
                "line 3: 'properties.a.\(keyword)' is a keyword that is not supported; \(Self.supported)"
            )
                == true)
    }

    @Test("a misspelt keyword is a fault with a hint")
    func misspelt() {
        #expect(
            fault(#"{"minLenght": 1}"#)
                == "line 1: 'minLenght' is a keyword that is not supported; \(Self.supported); "
                + "did you mean 'minLength'?"
        )
    }

    @Test(
        "a keyword has a value of its own kind",
        arguments: [
            (#"{"type": []}"#, "'type' must be an array of 1 to 7 types, not []"),
            (#"{"enum": []}"#, "'enum' must be an array of values, not []"),
            (#"{"enum": 1}"#, "'enum' must be an array of values, not 1"),
            (#"{"minimum": "1"}"#, "'minimum' must be a number, not \"1\""),
            (#"{"exclusiveMaximum": true}"#, "'exclusiveMaximum' must be a number, not true"),
            (#"{"maxLength": -1}"#, "'maxLength' must be an integer, 0 or more, not -1"),
            (#"{"minItems": 0.5}"#, "'minItems' must be an integer, 0 or more, not 0.5"),
            (
                #"{"items": [{}]}"#,
                "'items' must be a schema, and 'prefixItems' an array of them, not [{}]"
            ),
            (#"{"prefixItems": []}"#, "'prefixItems' must be an array of schemas, not []"),
            (#"{"anyOf": {}}"#, "'anyOf' must be an array of schemas, not {}"),
            (
                #"{"oneOf": [1]}"#,
                "'oneOf[0]' must be a JSON Schema: an object, true or false, not 1"
            ),
            (#"{"not": null}"#, "'not' must be a JSON Schema: an object, true or false, not null"),
            (#"{"properties": []}"#, "'properties' must be an object of schemas, not []"),
            (#"{"required": true}"#, "'required' must be an array of names, not true"),
            (#"{"required": [1]}"#, "'required[0]' must be a string, not 1"),
            (#"{"required": ["a", "a"]}"#, "'required[1]' must be given once, not twice: \"a\""),
            ("true", "the manifest must be a JSON Schema: an object, not true"),
            (#"{"a\nb": 1}"#, "'a\u{FFFD}b' is a keyword that is not supported; \(Self.supported)"),
        ])
    func kinds(_ text: String, _ message: String) {
        #expect(fault(text) == "line 1: \(message)")
    }

    @Test("schemas are nested 16 deep at most")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"not":"#, count: levels - 1) + "{}"
                + String(repeating: "}", count: levels - 1)
        }
        #expect(fault(nested(16)) == nil)
        let place = Array(repeating: "not", count: 16).joined(separator: ".")
        #expect(fault(nested(17)) == "line 1: '\(place)' is nested deeper than 16 schemas")
    }

    @Test("a schema has 2,048 keywords at most")
    func keywords() {
        func many(_ count: Int) -> String {
            let inner = (1..<count).map { "\"p\($0)\": {\"type\": \"null\"}" }
            return "{\"properties\": {\(inner.joined(separator: ", "))}}"
        }
        #expect(fault(many(2048)) == nil)
        #expect(
            fault(many(2049))
                == "line 1: 'properties.p2048.type' is one keyword too many: 2048 at most in a schema"
        )
    }

    @Test("a check that takes too many steps ends, with a fault that says so")
    func steps() throws {
        let schema = try CheckedSchema(reading: Array(#"{"items": {"type": "integer"}}"#.utf8))
        // Two steps for the array itself, and two for each element.
        let elements = [JSONValue](repeating: 1, count: CheckedSchema.mostSteps / 2 - 1)
        #expect(schema.fault(in: .array(elements)) == nil)
        let fault = schema.fault(in: .array(elements + [1]))
        #expect(
            fault?.message
                == "'params' takes more than 200000 steps to check; it must be smaller, or its schema simpler"
        )
        #expect(fault?.at == "params")
    }

    @Test(
        "no combination of schemas takes long: branches, values, long texts and names count as steps",
        .timeLimit(.minutes(1)))
    func hostileSchemas() throws {
        let wide = (0..<1000).map { _ in #"{"type": "null"}"# }.joined(separator: ",")
        let long = (0..<2000).map { #"{"maxLength": \#($0)}"# }.joined(separator: ",")
        let values = (0..<9000).map { "\($0 + 1000)" }.joined(separator: ",")
        let cases: [(String, JSONValue)] = [
            (
                #"{"items": {"anyOf": [\#(wide), {}]}}"#,
                .array([JSONValue](repeating: 1, count: 100_000))
            ),
            (#"{"anyOf": [\#(long)]}"#, .string(String(repeating: "é", count: 500_000))),
            (
                #"{"items": {"enum": [\#(values)]}}"#,
                .array([JSONValue](repeating: 9_999, count: 100_000))
            ),
        ]
        for (text, value) in cases {
            let schema = try CheckedSchema(reading: Array(text.utf8))
            let spent = ContinuousClock().measure {
                let message = schema.fault(in: value)?.message ?? ""
                #expect(message.contains("steps to check"), "\(text.prefix(40)) \(message)")
            }
            // Hundreds of times what it takes.
            #expect(spent < .seconds(20))
        }
    }
}
