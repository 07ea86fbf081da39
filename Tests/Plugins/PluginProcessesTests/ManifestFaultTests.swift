import Foundation
import PluginProcesses
import TestSupport
import Testing

/// A change of the example, and the fault that it leads to.
struct FaultCase: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let fault: String

    init(_ old: String, _ new: String, _ fault: String) {
        self.old = old
        self.new = new
        self.fault = fault
    }

    var testDescription: String { new }
}

@Suite struct ManifestFaultTests {
    private static let word =
        "a word of a-z, 0-9 and '-' that begins with a letter, 32 letters at most"
    private static let dotted =
        "two or more words of a-z, 0-9 and '-' with dots between, such as \"image.width\"; "
        + "a word alone is a field of the item itself"
    private static let topic =
        "\"image.\" and words of a-z, 0-9 and '-' with dots between"
    private static let method =
        "\"image.\" and words of letters and digits with dots between, that begin small"
    private static func text(_ most: Int) -> String {
        "a text of 1 to \(most) bytes without control characters"
    }
    private static let program =
        "a path in the plugin's folder, such as \"./x\", or an absolute one, 4096 bytes at most "
        + "and without NUL"

    private static let scalars: [FaultCase] = [
        FaultCase(#""id": "image", "#, "", "line 1: 'id' is missing; it must be \(word)"),
        FaultCase(#""image", "#, "7, ", "line 2: 'id' must be \(word), not 7"),
        FaultCase(#""image", "#, #""Image", "#, "line 2: 'id' must be \(word), not \"Image\""),
        FaultCase(#""image", "#, #""-x", "#, "line 2: 'id' must be \(word), not \"-x\""),
        FaultCase(#""image", "#, #""", "#, "line 2: 'id' must be \(word), not \"\""),
        FaultCase(
            #""image", "#, #""items", "#,
            "line 2: 'id' must be none of the daemon's own words, as \"items\" is"),
        FaultCase(#""Image facts""#, #""""#, "line 2: 'name' must be \(text(128)), not \"\""),
        FaultCase(
            #""Image facts""#, #""a\u001bb""#,
            "line 2: 'name' must be \(text(128)), not \"a\\u001bb\""),
        FaultCase(
            #", "version": "1.2.0""#, "", "line 1: 'version' is missing; it must be \(text(64))"),
        FaultCase(#""1.2.0""#, "1.2", "line 2: 'version' must be \(text(64)), not 1.2"),
        FaultCase(
            #""api": {"min": 1, "max": 1},"#, "",
            #"line 1: 'api' is missing; it must be an object such as {"min":1,"max":1}"#),
        FaultCase(#"{"min": 1, "max": 1}"#, "1", "line 3: 'api' must be an object, not 1"),
        FaultCase(
            #""min": 1"#, #""min": 0"#,
            "line 3: 'api.min' must be an integer from 1 to 2147483647, not 0"),
        FaultCase(
            #""min": 1"#, #""min": 2"#,
            "line 3: 'api.max' must be an integer from 2 to 2147483647, not 1"),
        FaultCase(
            #""max": 1}"#, #""max": 1e300}"#,
            "line 3: 'api.max' must be an integer from 1 to 2147483647, not 1e300"),
        FaultCase(
            #"["./image-facts", "--quiet"]"#, "[]",
            "line 4: 'exec' must be an array of 1 to 64 strings: the program and its arguments, not []"
        ),
        FaultCase(
            #""./image-facts""#, #""image-facts""#,
            "line 4: 'exec[0]' must be \(program), not \"image-facts\""),
        FaultCase(
            #""./image-facts""#, #""./../x""#,
            "line 4: 'exec[0]' must be \(program), not \"./../x\""),
        FaultCase(
            #""./image-facts""#, #""./""#, "line 4: 'exec[0]' must be \(program), not \"./\""),
        FaultCase(#""./image-facts""#, #""/""#, "line 4: 'exec[0]' must be \(program), not \"/\""),
        FaultCase(
            #""--quiet""#, #""a\u0000b""#,
            "line 4: 'exec[1]' must be a string, 4096 bytes at most and without NUL, not \"a\\u0000b\""
        ),
        FaultCase(
            #""/bin/sh""#, #""sh""#,
            "line 5: 'requires.files[0]' must be an absolute path, 4096 bytes at most and without NUL, not \"sh\""
        ),
        FaultCase(
            #""always""#, #""sometimes""#,
            "line 24: 'keep' must be one of \"demand\", \"always\", not \"sometimes\""),
    ]

    private static let lists: [FaultCase] = [
        FaultCase(
            #""image.palette""#, #""palette""#,
            "line 7: 'methods[0].name' must be \(method), not \"palette\""),
        FaultCase(
            #""image.palette""#, #""image.""#,
            "line 7: 'methods[0].name' must be \(method), not \"image.\""),
        FaultCase(
            #""image.palette""#, #""other.x""#,
            "line 7: 'methods[0].name' must be \(method), not \"other.x\""),
        FaultCase(
            #""result": {"type": "array"}}"#, #""result": 3}"#,
            "line 9: 'methods[0].result' must be a JSON Schema: an object, not 3"),
        FaultCase(
            #""result": {"type": "array"}}"#, #""result": {"type": "list"}}"#,
            "line 9: 'methods[0].result.type' must be one of \"null\", \"boolean\", \"integer\", \"number\", "
                + "\"string\", \"array\", \"object\", not \"list\""),
        FaultCase(
            #""result": {"type": "array"}}"#,
            #"""
            "result": {}},
            {"name": "image.palette"}
            """#,
            "line 10: 'methods[1].name' must be given once, but 'methods[0].name' is \"image.palette\", too"
        ),
        FaultCase(
            #"["image.unreadable"]"#, #"["image.a", "image.a"]"#,
            "line 11: 'topics[1]' must be given once, but 'topics[0]' is \"image.a\", too"),
        FaultCase(
            #""image.unreadable""#, #""image.Un""#,
            "line 11: 'topics[0]' must be \(topic), not \"image.Un\""),
        FaultCase(
            #""image.unreadable""#, #""imagex.a""#,
            "line 11: 'topics[0]' must be \(topic), not \"imagex.a\""),
        FaultCase(
            #""type": "integer", "for""#, #""type": "int", "for""#,
            "line 13: 'attributes[0].type' must be one of \"boolean\", \"integer\", \"number\", "
                + "\"time\", \"text\", not \"int\""),
        FaultCase(
            #""name": "image.tracked", "type": "boolean""#, #""name": "image.tracked""#,
            "line 15: 'attributes[2].type' is missing; it must be one of \"boolean\", \"integer\", "
                + "\"number\", \"time\", \"text\""),
        FaultCase(
            #""image.tracked""#, #""size""#,
            "line 15: 'attributes[2].name' must be \(dotted), not \"size\""),
        FaultCase(
            #""image.tracked""#, #""image..x""#,
            "line 15: 'attributes[2].name' must be \(dotted), not \"image..x\""),
        FaultCase(
            #""image.tracked""#, #""image.width""#,
            "line 15: 'attributes[2].name' must be given once, but 'attributes[0].name' is \"image.width\", too"
        ),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["modified", "ge", 1]"#,
            "line 14: 'attributes[1].for' has the operator 'modified'; here may be allof, anyof, not, "
                + "true, type, suffix, name, match, imatch, path, size"),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["allof", ["true"], ["sufix", "x"]]"#,
            "line 14: 'attributes[1].for[2]' has the operator 'sufix'; here may be allof, anyof, not, "
                + "true, type, suffix, name, match, imatch, path, size; did you mean 'suffix'?"),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"{"a": 1}"#,
            "line 14: 'attributes[1].for' must be an array that begins with an operator, such as "
                + "[\"suffix\",\"md\"], not {\"a\": 1}"),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["type", "jpeg"]"#,
            "line 14: 'attributes[1].for[1]' must be a media type, such as \"image/png\" or \"image/*\", not \"jpeg\""
        ),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["type", ["image/png", 5]]"#,
            "line 14: 'attributes[1].for[1][1]' must be a media type, such as \"image/png\" or \"image/*\", not 5"
        ),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["type"]"#,
            "line 14: 'attributes[1].for' has 0 operands; right is [\"type\",\"image/png\"]"),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["suffix", ".md"]"#,
            "line 14: 'attributes[1].for[1]' must be a suffix without its dot, such as \"md\", not \".md\""
        ),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["not", ["true"], ["true"]]"#,
            "line 14: 'attributes[1].for' has 2 conditions; right is [\"not\",CONDITION]"),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["anyof", ["size", "over", 5]]"#,
            "line 14: 'attributes[1].for[1][1]' must be one of eq, ne, lt, le, gt, ge, not \"over\""
        ),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["size", "gt", -1]"#,
            "line 14: 'attributes[1].for[2]' must be a size in bytes, an integer from 0 on, not -1"),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["match", 5]"#,
            "line 14: 'attributes[1].for[1]' must be a pattern, such as \"*.txt\", not 5"),
        FaultCase(
            #"["type", "image/jpeg"]"#, #"["true", 1]"#,
            "line 14: 'attributes[1].for' has 1 operand; right is [\"true\"]"),
        FaultCase(
            #""group": "header"}"#, #""group": "He"}"#,
            "line 13: 'attributes[0].group' must be \(word), not \"He\""),
        FaultCase(
            #""name": "albums", "#, "", "line 17: 'sources[0].name' is missing; it must be \(word)"),
        FaultCase(
            #""title": "Albums""#, #""title": ["# + "\n" + #"1]"#,
            "line 17: 'sources[0].title' must be \(text(128)), not [ 1]"),
        FaultCase(
            #""wallpaper""#, #""wall paper""#,
            "line 19: 'actions[0].id' must be \(word), not \"wall paper\""),
        FaultCase(
            #""attr", "image"#, #""attribute", "image"#,
            "line 19: 'actions[0].when' has the operator 'attribute'; here may be allof, anyof, not, true, type, "
                + "suffix, name, match, imatch, path, size, modified, liked, dropped, hidden, attr"),
        FaultCase(
            #""attr", "image.width""#, #""attr", "width""#,
            "line 19: 'actions[0].when[1]' must be the name of an attribute, such as \"image.width\", not \"width\""
        ),
        FaultCase(
            #""many": false"#, #""many": 0"#,
            "line 20: 'actions[0].many' must be true or false, not 0"),
        FaultCase(
            #""roots", "/v"#, #""roots", "v"#,
            "line 22: 'needs.write[1]' must be \"roots\", a path such as \"cache/x\", or an absolute one, "
                + "4096 bytes at most and without NUL, not \"var/tmp/x\""),
        FaultCase(
            #""roots", "/var/tmp/x""#, #""cache/../x""#,
            "line 22: 'needs.write[0]' must be \"roots\", a path such as \"cache/x\", or an absolute one, "
                + "4096 bytes at most and without NUL, not \"cache/../x\""),
        FaultCase(
            #""home""#, #""all""#,
            "line 22: 'needs.read' must be one of \"none\", \"roots\", \"home\", not \"all\""),
        FaultCase(
            #""memoryMiB": 512"#, #""memoryMiB": 15"#,
            "line 23: 'limits.memoryMiB' must be an integer from 16 to 65536, not 15"),
        FaultCase(
            #""parallel": 2"#, #""parallel": 2.5"#,
            "line 23: 'limits.parallel' must be an integer from 1 to 64, not 2.5"),
    ]

    private static let texts: [FaultCase] = [
        FaultCase(ExampleManifest.text, "", "line 1: expected a value, found the end of the text"),
        FaultCase(
            ExampleManifest.text, "\n\n[1]", "line 3: the manifest must be an object, not [1]"),
        FaultCase(ExampleManifest.text, "\u{FEFF}\r\n{]", "line 2: expected a key in quotes"),
        FaultCase(#""keep": "always","#, #""keep": "always""#, "line 25: expected ',' or '}'"),
        FaultCase(#""keep": "always","#, #""id": "x","#, "line 24: key 'id' occurs twice"),
        FaultCase(#""parallel": 2"#, #""tasks": 2"#, "line 23: key 'tasks' occurs twice"),
        FaultCase(
            #""required": ["depth"]"#, #""required": ["depth""#, "line 25: expected ',' or ']'"),
        FaultCase(ExampleManifest.text, "\n\n{\"a\":1,\n\"a\":2}", "line 4: key 'a' occurs twice"),
        FaultCase("Albums", "\u{1}", "line 17: control character in a string: escape it"),
    ]

    @Test(
        "a fault names its line, the member, its value, and what would be right",
        arguments: scalars + lists + texts)
    func faults(_ each: FaultCase) throws {
        let place = try #require(ExampleManifest.text.range(of: each.old))
        let text = ExampleManifest.text.replacingCharacters(in: place, with: each.new)
        let fault = #expect(throws: ManifestFault.self) {
            try ProcessManifest(reading: Array(text.utf8), reserved: ["items", "daemon"])
        }
        #expect(fault?.description == each.fault)
    }

    @Test("bytes that are no UTF-8, and UTF-16, are faults of their line")
    func encodings() throws {
        var bytes = Array(ExampleManifest.text.utf8)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "I")))
        bytes[place] = 0xFF
        var fault = #expect(throws: ManifestFault.self) { try ProcessManifest(reading: bytes) }
        #expect(fault?.description == "line 2: not UTF-8")
        for mark: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF]] {
            fault = #expect(throws: ManifestFault.self) {
                try ProcessManifest(reading: mark + [0x7B, 0])
            }
            #expect(fault?.description == "line 1: the text must be UTF-8, not UTF-16")
        }
    }
}
