import Foundation
import JSONText
import Testing

@Suite struct ValueTests {
    @Test("members keep their order and are found by key")
    func order() throws {
        let value = try JSONValue(parsing: "{\"z\":1,\"a\":[true,null,\"x\"],\"m\":{\"n\":2.5}}")
        #expect(value.objectValue?.keys == ["z", "a", "m"])
        #expect(value["a"]?[2] == "x")
        #expect(value["m"]?["n"] == 2.5)
        #expect(value["none"] == nil)
        #expect(value["a"]?[3] == nil)
    }

    @Test("equality ignores the order of members, and the form of numbers")
    func equality() throws {
        #expect(try JSONValue(parsing: "{\"a\":1,\"b\":2}") == ["b": 2.0, "a": 1])
        #expect(try JSONValue(parsing: "{\"a\":1,\"b\":2}") != ["a": 1, "c": 2])
        #expect(try JSONValue(parsing: "[1,2]") != [2, 1])
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        // 2⁵³+1 has no Double of its own.
        #expect(JSONValue.integer(9_007_199_254_740_993) != .double(9_007_199_254_740_992))
    }

    @Test(
        "integers within 64 bits are integers of any size",
        arguments: [0, 1, -1, 999_999_999_999_999, 1_000_000_000_000_000_000, .max, .min] as [Int64]
    )
    func integers(_ number: Int64) throws {
        #expect(try JSONValue(parsing: "\(number)").integerValue == number)
        guard case .array(let list) = try JSONValue(parsing: "[0.5,\(number),7]"),
            case .integer(let read) = list[1]
        else {
            Issue.record("not an integer")
            return
        }
        #expect(read == number)
        #expect(list[2] == 7)
    }

    @Test(
        "numbers beyond Int64 and Double keep their digits, alone and within a tree",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "18446744073709551615",
            "18446744073709551616", "123456789012345678901234567890", "1e400", "-1e400", "1e-400",
            "0.12345678901234567891", "3.14159265358979323846264338327950288",
        ])
    func exactNumbers(_ digits: String) throws {
        guard case .number(let alone) = try JSONValue(parsing: digits) else {
            Issue.record("digits lost")
            return
        }
        #expect(alone.digits == digits)
        let text = "{\"a\":[1,\(digits),2.5],\"b\":\(digits),\"c\":-0,\"d\":1e3}"
        let value = try JSONValue(parsing: text)
        #expect(value["a"]?[1] == .number(alone))
        #expect(value["b"] == .number(alone))
        #expect(value["a"]?[2] == 2.5)
        #expect(value["d"]?.integerValue == 1000)
        #expect(value.description.contains(digits))
        #expect(try JSONValue(parsing: value.bytes) == value)
    }

    @Test("negative zero keeps its sign")
    func minusZero() throws {
        for text in ["-0", "-0.0"] {
            let zero = try JSONValue(parsing: "[\(text)]")[0]
            #expect(zero?.doubleValue?.sign == .minus)
            #expect(try JSONValue(parsing: text).doubleValue?.sign == .minus)
        }
        #expect(JSONValue.double(-0.0).description == "-0.0")
    }

    @Test("accessors return values of their own kind only")
    func accessors() throws {
        #expect(JSONValue.integer(3).integerValue == 3)
        #expect(JSONValue.double(3).integerValue == 3)
        #expect(JSONValue.double(3.5).integerValue == nil)
        #expect(JSONValue.double(1e300).integerValue == nil)
        #expect(JSONValue.string("3").integerValue == nil)
        #expect(JSONValue.bool(true).integerValue == nil)
        #expect(JSONValue.integer(3).doubleValue == 3)
        #expect(JSONNumber("18446744073709551615")?.unsignedValue == .max)
        #expect(JSONNumber("1e5x") == nil)
        #expect(JSONNumber(" 1") == nil)
        #expect(JSONNumber("\"1\"") == nil)
    }

    @Test("a member can be set, replaced and removed")
    func mutation() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        object["none"] = nil
        #expect(JSONValue.object(object).description == "{\"a\":3,\"c\":4}")
    }

    @Test("random values survive a round trip, directly and through Foundation", arguments: 1...8)
    func roundTrip(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<300 {
            let extreme = random.value()
            #expect(try JSONValue(parsing: extreme.bytes) == extreme, "seed \(seed)")
            let value = random.value(extremes: false)
            let bytes = value.bytes
            #expect(try JSONValue(parsing: bytes) == value, "seed \(seed)")
            // Foundation reads our output, and we read its output.
            let theirs = try JSONSerialization.jsonObject(
                with: Data(bytes), options: .fragmentsAllowed)
            let back = try JSONSerialization.data(
                withJSONObject: theirs, options: [.fragmentsAllowed, .prettyPrinted])
            let read = try JSONValue(parsing: Array(back))
            #expect(read == value, "seed \(seed)")
        }
    }

    @Test("random texts are accepted exactly if Foundation accepts them", arguments: 1...4)
    func agreement(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let pieces = ["{", "}", "[", "]", ",", ":", "1", "-", ".5", "e3", "\"a\"", "\"b\"", "null"]
        for _ in 0..<4_000 {
            let text = (0..<(1 + random.below(7))).map { _ in pieces[random.below(pieces.count)] }
                .joined()
            // Foundation accepts a trailing comma.
            if text.contains(",]") || text.contains(",}") { continue }
            // It keeps one of two equal keys, which we refuse.
            let ours: Bool
            do {
                _ = try JSONValue(parsing: text)
                ours = true
            } catch {
                ours = error.reason == .duplicateKey
            }
            let theirs =
                (try? JSONSerialization.jsonObject(
                    with: Data(text.utf8), options: .fragmentsAllowed)) != nil
            #expect(ours == theirs, "\(text) (seed \(seed))")
        }
    }
}
