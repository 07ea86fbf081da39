import JSONText
import Testing

@Suite struct GrammarTests {
    @Test(
        "valid texts are accepted by the scanner, the view and the value alike",
        arguments: [
            "{}", "[]", "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "-0.25",
            "1e3", "1E3", "1e+3", "1e-3", "0e0", "0.0", "1.0e10", "\"\"", "\"a\"", " 1 ",
            "\t\r\n[ ]\n", "[1]", "[1,2 , 3]", "[[],[[]],{}]", "{\"a\":1}", "{ \"a\" : 1 }",
            "{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":false}", "{\"\":0}", "{\"a\\u0062\":1}",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u00E9\"", "\"\\ud83d\\ude00\"", "\"\\u0000\"",
            "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"", "\"é漢😀\"",
            "\"\\uFFFF\"", "123456789012345678901234567890", "1e400", "-1e-400",
            "[\"12345678\",\"123456\\\"\",\"1234567é\"]", "\"/\"", "[0,-0,0.1]",
        ])
    func takes(_ text: String) throws {
        let bytes = Array(text.utf8)
        _ = try JSONView(validating: bytes)
        _ = try JSONValue(parsing: bytes)
        let value = try JSONValue(parsing: text)
        #expect(try JSONValue(parsing: value.bytes) == value)
    }

    @Test(
        "invalid texts are refused, with the offset of the error",
        arguments: [
            ("", 0), (" ", 1), ("{", 1), ("[", 1), ("}", 0), ("]", 0), (",", 0), ("[1", 2),
            ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("{1:2}", 1),
            ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("{\"a\":1", 6), ("{\"a\" 1}", 5),
            ("{\"a\":1 \"b\":2}", 7), ("{a:1}", 1), ("{'a':1}", 1), ("{\"a\":1]", 6), ("1 2", 2),
            ("{}x", 2), ("{} {}", 3), ("nul", 0), ("nulL", 0), ("True", 0), ("truee", 4),
            ("NaN", 0), ("Infinity", 0), ("-Infinity", 1), ("-", 1), ("+1", 0), ("01", 0),
            ("-01", 1), ("00", 0), ("1.", 2), (".5", 0), ("1.e1", 2), ("1e", 2), ("1e+", 3),
            ("0x10", 1), ("1_000", 1), ("\"", 0), ("\"a", 0), ("\"\\\"", 0), ("\"\\x41\"", 1),
            ("\"\\u12\"", 1), ("\"\\u12G4\"", 1), ("\"\\u\"", 1), ("\"\\", 1), ("\"\u{0}\"", 1),
            ("\"\u{1F}\"", 1), ("\"a\tb\"", 2), ("\"a\nb\"", 2), ("\"\\ud800\"", 1),
            ("\"\\udc00\"", 1), ("\"\\ud800\\u0041\"", 1), ("\"\\ud800x\"", 1),
            ("\"\\ud83d\\ud83d\"", 1), ("/*c*/1", 0), ("1//c", 1), ("[1]]", 3),
            ("\u{FEFF}1", 0), ("\u{A0}1", 0), ("{\"a\":1,\"b\"}", 10), ("'a'", 0),
        ])
    func refuses(_ text: String, _ offset: Int) {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: text)
        }
        #expect(error?.offset == offset)
        #expect(throws: JSONError.self) { try JSONView(validating: Array(text.utf8)) }
    }

    @Test(
        "bytes that are not UTF-8 are refused at their offset",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE1, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xF1, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func refusesBadUTF8(_ bad: [UInt8]) {
        let bytes = Array("\"abcdefgh".utf8) + bad + Array("\"".utf8)
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
        #expect(error?.reason == .encoding)
        #expect(error?.offset == 9)
    }

    @Test("scalars of all planes pass as UTF-8 and as escapes, and are read back unchanged")
    func everyScalar() throws {
        for start in stride(from: 0x20, to: 0x110000, by: 0x400) {
            var plain = ""
            var escaped = ""
            // The whole first plane, and one in 17 of the others.
            for code in stride(from: start, to: start + 0x400, by: start < 0x10000 ? 1 : 17) {
                guard let scalar = Unicode.Scalar(UInt32(code)), scalar != "\"", scalar != "\\"
                else { continue }
                plain.unicodeScalars.append(scalar)
                for unit in String(scalar).utf16 {
                    let hex = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                }
            }
            // Compared by flags, because the texts would make the messages unreadable.
            let wanted: JSONValue = [.string(plain), .object([plain: 1])]
            let one = try JSONValue(parsing: "[\"\(plain)\",{\"\(plain)\":1}]") == wanted
            let other = try JSONValue(parsing: "[\"\(escaped)\",{\"\(escaped)\":1}]") == wanted
            let view = try JSONView(validating: Array("\"\(escaped)\"".utf8))
            let alone = view.stringValue?.utf8.elementsEqual(plain.utf8) ?? false
            #expect(one && other && alone, "block \(String(start, radix: 16))")
        }
    }

    @Test("messages have the expected text and the offset")
    func messages() {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: "{\"abc\":12345678 x}")
        }
        #expect(error?.description == "expected ',' or '}' at byte 16")
    }

    @Test("32 levels pass and 33 do not; a value does not count as a level")
    func depth() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ levels: Int) -> String {
                String(repeating: open, count: levels) + "1"
                    + String(repeating: close, count: levels)
            }
            _ = try JSONValue(parsing: nested(32))
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: nested(33)) }
            #expect(error?.reason == .depth)
            #expect(error?.offset == 32 * open.utf8.count)
            let deep = nested(100)
            _ = try JSONValue(parsing: deep, limits: JSONLimits(depth: 100))
        }
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: String(repeating: "[", count: 1_000_000))
        }
        #expect(error?.reason == .depth)
    }

    @Test("a text over the byte limit is refused, one at the limit is not")
    func size() throws {
        let text = "\"" + String(repeating: "x", count: 98) + "\""
        _ = try JSONValue(parsing: text, limits: JSONLimits(bytes: 100))
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: text, limits: JSONLimits(bytes: 99))
        }
        #expect(error?.reason == .size)
    }

    @Test(
        "a key that occurs twice in one object is refused, at its second offset",
        arguments: [
            ("{\"a\":1,\"a\":2}", 7), ("[{\"b\":{\"a\":1,\"c\":[],\"a\":1}}]", 20),
            ("{\"a\":1,\"\\u0061\":2}", 7), ("{\"\":1,\"\":2}", 6),
            (" [ [{\"x\":0}], {\"x\":0,\"x\":0}]", 21),
        ])
    func doubleKeys(_ text: String, _ offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.reason == .duplicateKey)
        #expect(error?.offset == offset)
    }

    @Test("canonically equivalent keys with other bytes are different")
    func equivalentKeys() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
        #expect(value.objectValue?.count == 2)
    }

    @Test("U+0000 is refused in keys and kept in strings")
    func zero() throws {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: "{\"a\\u0000b\":1}")
        }
        #expect(error?.reason == .zeroInKey)
        #expect(try JSONValue(parsing: "[\"a\\u0000b\"]") == ["a\0b"])
    }
}
