import JSONText
import PluginProcesses
import TestSupport
import Testing

/// A schema, a value, and what is wrong with it.
struct SchemaCase: Sendable, CustomTestStringConvertible {
    let schema: String
    let value: String
    let message: String?

    init(_ schema: String, _ value: String, _ message: String?) {
        self.schema = schema
        self.value = value
        self.message = message
    }

    var testDescription: String { "\(schema) \(value)" }
}

@Suite struct CheckedSchemaTests {
    private static let size =
        #"{"properties": {"size": {"type": "object", "required": ["width"], "additionalProperties": false,"#
        + #""properties": {"width": {"type": "integer", "minimum": 0}, "height": {"type": "number"}}}}}"#

    private static let scalars: [SchemaCase] = [
        SchemaCase("{}", "[1,{}]", nil),
        SchemaCase(#"{"type": "object"}"#, "{}", nil),
        SchemaCase(#"{"type": "object"}"#, "[]", "'params' must be an object, not []"),
        SchemaCase(#"{"type": "null"}"#, "false", "'params' must be null, not false"),
        SchemaCase(#"{"type": ["string", "null"]}"#, "null", nil),
        SchemaCase(
            #"{"type": ["string", "null"]}"#, "7", "'params' must be null or a string, not 7"),
        SchemaCase(#"{"type": "integer"}"#, "3.0", nil),
        SchemaCase(#"{"type": "integer"}"#, "1e400", nil),
        SchemaCase(
            #"{"type": "integer"}"#, "12345678901234567890.5",
            "'params' must be an integer, not 12345678901234567890.5"),
        SchemaCase(#"{"type": "integer"}"#, "3.5", "'params' must be an integer, not 3.5"),
        SchemaCase(#"{"type": "boolean"}"#, "0", "'params' must be true or false, not 0"),
        SchemaCase(#"{"const": {"a": [1]}}"#, #"{"a": [1.0]}"#, nil),
        SchemaCase(#"{"const": "x"}"#, #""y""#, #"'params' must be "x", not "y""#),
        SchemaCase(#"{"enum": [1, "a", null]}"#, "null", nil),
        SchemaCase(
            #"{"enum": [1, "a", null]}"#, "2", #"'params' must be one of 1, "a", null, not 2"#),
        SchemaCase(#"{"const": 1, "enum": [1, 2]}"#, "2", "'params' must be 1, not 2"),
        SchemaCase(#"{"minimum": 3}"#, #""x""#, nil),
        SchemaCase(#"{"minimum": 3}"#, "2", "'params' must be a number, 3 or more, not 2"),
        SchemaCase(
            #"{"type": "integer", "minimum": 3, "maximum": 5}"#, "6",
            "'params' must be an integer from 3 to 5, not 6"),
        SchemaCase(#"{"exclusiveMinimum": 3, "exclusiveMaximum": 4}"#, "3.5", nil),
        SchemaCase(
            #"{"exclusiveMinimum": 3, "exclusiveMaximum": 4}"#, "4",
            "'params' must be a number, more than 3 and less than 4, not 4"),
        SchemaCase(
            #"{"maximum": 9007199254740992}"#, "9007199254740993",
            "'params' must be a number, 9007199254740992 or less, not 9007199254740993"),
        SchemaCase(
            #"{"maximum": 1e308}"#, "1e400", "'params' must be a number, 1e+308 or less, not 1e400"),
        SchemaCase(
            #"{"minimum": -1e400}"#, "-1e401",
            "'params' must be a number, -1e400 or more, not -1e401"),
        SchemaCase(#"{"minimum": 0}"#, "-0.0", nil),
        SchemaCase(#"{"exclusiveMinimum": 0}"#, "1e-999999999999999999999", nil),
        SchemaCase(
            #"{"maximum": 0.1}"#, "0.10000000000000000000001",
            "'params' must be a number, 0.1 or less, not 0.10000000000000000000001"),
        SchemaCase(#"{"minLength": 2, "maxLength": 3}"#, #""日本語""#, nil),
        SchemaCase(
            #"{"minLength": 2}"#, #""é""#,
            "'params' must be a string of at least 2 characters, not \"é\""),
        SchemaCase(
            #"{"type": "string", "maxLength": 1}"#, #""ab""#,
            "'params' must be a string of at most 1 character, not \"ab\""),
    ]

    private static let compounds: [SchemaCase] = [
        SchemaCase(size, #"{"size": {"width": 1, "height": 0.5}}"#, nil),
        SchemaCase(
            size, #"{"size": {"width": "x"}}"#,
            "'size.width' must be an integer, 0 or more, not \"x\""),
        SchemaCase(
            size, #"{"size": {}}"#, "'size.width' is missing; it must be an integer, 0 or more"),
        SchemaCase(
            size, #"{"size": {"width": 1, "heigth": 2}}"#,
            "'size.heigth' is not known; known are 'width', 'height'; did you mean 'height'?"),
        SchemaCase(
            #"{"additionalProperties": false}"#, #"{"a": 1}"#, "'a' is not known; there may be none"
        ),
        SchemaCase(
            #"{"additionalProperties": {"type": "string"}}"#, #"{"a": 1}"#,
            "'a' must be a string, not 1"),
        SchemaCase(#"{"properties": {"a": false}}"#, #"{"a": 1}"#, "'a' must be absent, not 1"),
        SchemaCase(#"{"required": ["a", "b"]}"#, #"{"b": 1}"#, "'a' is missing"),
        SchemaCase(##"{"required": ["\u00e9"]}"##, ##"{"e\u0301": 1}"##, "'\u{E9}' is missing"),
        SchemaCase(
            #"{"items": {"type": "string"}}"#, #"["a", 1]"#, "'params[1]' must be a string, not 1"),
        SchemaCase(
            #"{"properties": {"a": {"items": {"type": "string"}}}}"#, #"{"a": [1]}"#,
            "'a[0]' must be a string, not 1"),
        SchemaCase(#"{"prefixItems": [{"type": "string"}], "items": false}"#, #"["a"]"#, nil),
        SchemaCase(
            #"{"prefixItems": [{"type": "string"}], "items": false}"#, #"["a", 1]"#,
            "'params[1]' must be absent, not 1"),
        SchemaCase(#"{"prefixItems": [{}, {"type": "string"}]}"#, "[1]", nil),
        SchemaCase(
            #"{"minItems": 1, "maxItems": 2}"#, "[]",
            "'params' must be an array of 1 to 2 elements, not []"),
        SchemaCase(
            #"{"minItems": 2, "maxItems": 2}"#, "[1]",
            "'params' must be an array of 2 elements, not [1]"),
    ]

    private static let branches: [SchemaCase] = [
        SchemaCase(#"{"anyOf": [{"type": "integer"}, {"type": "string"}]}"#, "\"a\"", nil),
        SchemaCase(
            #"{"anyOf": [{"type": "integer"}, {"type": "string"}]}"#, "true",
            "'params' must be an integer or a string, not true"),
        SchemaCase(
            #"{"anyOf": [{"type": "null"}, {"type": "object", "required": ["a"]}]}"#, "{}",
            "'a' is missing"),
        SchemaCase(
            #"{"anyOf": [{"const": "roots"}, {"type": "integer"}]}"#, "\"x\"",
            "'params' must be \"roots\" or an integer, not \"x\""),
        SchemaCase(#"{"oneOf": [{"type": "integer"}, {"minimum": 3}]}"#, "2", nil),
        SchemaCase(#"{"oneOf": [{"type": "integer"}, {"minimum": 3}]}"#, "3.5", nil),
        SchemaCase(
            #"{"oneOf": [{"type": "integer"}, {"minimum": 3}]}"#, "4",
            "'params' must fit one of 2 schemas, not 2 of them: 4"),
        SchemaCase(
            #"{"allOf": [{"type": "integer"}, {"minimum": 3}]}"#, "2",
            "'params' must be a number, 3 or more, not 2"),
        SchemaCase(#"{"not": {"type": "null"}}"#, "1", nil),
        SchemaCase(
            #"{"not": {"type": "null"}}"#, "null", "'params' must be anything but null, not null"),
        SchemaCase(
            #"{"type": "integer", "not": {"const": 0}}"#, "0",
            "'params' must be an integer, but not 0, not 0"),
        SchemaCase(
            #"{"properties": {"a": {"not": {"properties": {"b": {"type": "null"}}}}}}"#,
            #"{"a": {"b": 1}}"#, nil),
        SchemaCase(
            #"{"title": "t", "description": "d", "default": 1, "examples": [], "$comment": "c", "#
                + #""deprecated": true, "readOnly": true, "format": "uri", "x-widget": 3}"#, "2",
            nil),
    ]

    @Test(
        "a value fits, or the message names its place, what it is and what would be right",
        arguments: scalars + compounds + branches)
    func values(_ each: SchemaCase) throws {
        let schema = try CheckedSchema(reading: Array(each.schema.utf8))
        let fault = schema.fault(in: try JSONValue(parsing: each.value))
        #expect(fault?.message == each.message)
        if let fault { #expect(fault.message.hasPrefix("'\(fault.at)' ")) }
        let view = try JSONView(validating: Array(each.value.utf8))
        #expect(schema.fault(in: view) == fault)
    }

    @Test("the value has the name that the caller gives it, its members have not")
    func names() throws {
        let schema = try CheckedSchema(reading: Array(Self.size.utf8))
        #expect(schema.fault(in: ["size": 1], called: "config")?.at == "size")
        let list = try CheckedSchema(reading: Array(#"{"type": "array", "items": false}"#.utf8))
        #expect(list.fault(in: 1, called: "config")?.message == "'config' must be an array, not 1")
        #expect(list.fault(in: [1], called: "config")?.at == "config[0]")
    }

    @Test("a key twice is a fault of the text")
    func doubleKeys() throws {
        let view = try JSONView(validating: Array(#"{"a": 1, "a": 2}"#.utf8))
        #expect(
            CheckedSchema.anything.fault(in: view)?.message == "in 'params', key 'a' occurs twice")
    }

    @Test("names and values of any length and content make short messages of one line")
    func hostileNames() throws {
        let schema = try CheckedSchema(
            reading: Array(#"{"additionalProperties": {"type": "null"}}"#.utf8))
        let name = "a\u{1B}\n" + String(repeating: "x", count: 100_000)
        let fault = schema.fault(in: .object([name: .string(name)]))
        #expect(fault?.message.utf8.count ?? .max < 300)
        #expect(fault?.message.hasPrefix("'a\u{FFFD}\u{FFFD}xxx") == true)
    }

    @Test("the schema is kept as it is written")
    func kept() throws {
        let text = #"{"title": "t", "properties": {"a": {"description": "d"}}, "x-y": [1]}"#
        let schema = try CheckedSchema(reading: Array(text.utf8))
        #expect(JSONValue.object(schema.json) == (try JSONValue(parsing: text)))
        #expect(schema.json.keys == ["title", "properties", "x-y"])
    }
}
