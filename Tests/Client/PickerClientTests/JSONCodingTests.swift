import PickerClient
import Testing

@Suite struct JSONCodingTests {
    private struct Everything: Codable, Equatable {
        struct Inner: Codable, Equatable {
            var names: [String: Int]
            var none: String?
        }

        enum Colour: String, Codable { case red, green }

        var flag: Bool
        var small: Int8
        var large: UInt64
        var least: Int64
        var half: Double
        var single: Float
        var text: String
        var colour: Colour
        var inner: Inner
        var list: [Inner]
        var nested: [[Int?]]
        var maybe: Double?
    }

    private class Base: Codable {
        var one = 1
    }

    private final class Derived: Base {
        var two = 2

        private enum CodingKeys: CodingKey { case two }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            two = try container.decode(Int.self, forKey: .two)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(two, forKey: .two)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("Encoding and decoding preserve values, to the last bit of each number")
    func roundTrip() throws {
        let inner = Everything.Inner(names: ["é\u{0}\"": -1, "": 0], none: nil)
        let value = Everything(
            flag: true, small: -128, large: .max, least: .min, half: 0.1, single: 1.5,
            text: "\u{1F600}\n", colour: .green, inner: inner, list: [inner, inner],
            nested: [[1, nil], []], maybe: nil)
        let fine = Everything.Inner(names: ["a": 1], none: "x")
        for names in [["é\"": -1, "": 0], [:]] {
            var changed = value
            changed.inner.names = names
            changed.list = [fine]
            let json = try RawJSON(encoding: changed)
            #expect(try json.decode(as: Everything.self) == changed)
        }
        // A key with U+0000 is nothing that the wire's JSON has.
        let json = try RawJSON(encoding: value)
        #expect(throws: ClientError.self) { try json.decode(as: Everything.self) }
    }

    @Test("Single values, empty containers and superclasses are coded too")
    func shapes() throws {
        #expect(try RawJSON(encoding: 7).text == "7")
        #expect(try RawJSON(encoding: [Int]()).text == "[]")
        #expect(try RawJSON(encoding: [String: Int]()).text == "{}")
        #expect(try RawJSON(encoding: Double.nan).text == "null")
        #expect(try RawJSON(encoding: Int?.none).text == "null")
        #expect(try RawJSON("[1,2]").decode(as: [UInt8].self) == [1, 2])
        #expect(try RawJSON("3.0").decode(as: Int.self) == 3)
        #expect(try RawJSON("null").decode(as: Int?.self) == nil)
        for text in ["[256]", "[-1]", "[0.5]"] {
            #expect(throws: ClientError.self) { try RawJSON(text).decode(as: [UInt8].self) }
        }
        let derived = Derived()
        derived.one = 5
        derived.two = 6
        let json = try RawJSON(encoding: derived)
        #expect(json.text == "{\"two\":6,\"super\":{\"one\":5}}")
        let back = try json.decode(as: Derived.self)
        #expect(back.one == 5 && back.two == 6)
    }

    @Test(
        "Out-of-range values are refused with their coding path",
        arguments: [
            ("{\"names\":{\"a\":\"x\"}}", "names.a: \"x\" is not Int"),
            ("{\"names\":{\"a\":1.5}}", "names.a: 1.5 is not Int"),
            ("{\"names\":[]}", "names: [] is not an object"), ("{}", "there is no 'names'"),
            ("{\"names\":{\"a\":99999999999999999999}}", "is not Int"), ("7", "is not an object"),
        ])
    func misfits(_ text: String, _ words: String) throws {
        let json = try RawJSON(text)
        let error = try #require(throws: ClientError.self) {
            _ = try json.decode(as: Everything.Inner.self)
        }
        #expect(error.code == .badMessage)
        #expect(error.message.contains(words), "\(error)")
    }

    @Test("Values beyond the limits of the protocol are not encoded")
    func tooMuch() throws {
        struct Deep: Encodable {
            let levels: Int

            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                if levels > 1 { try container.encode(Deep(levels: levels - 1)) }
            }
        }
        #expect(try RawJSON(encoding: Deep(levels: 32)).text.count == 64)
        for value in [Deep(levels: 33)] {
            let error = try #require(throws: ClientError.self) {
                _ = try RawJSON(encoding: value)
            }
            #expect(error.code == .badArgument)
        }
        #expect(throws: ClientError.self) {
            _ = try RawJSON(encoding: String(repeating: "x", count: 1 << 20))
        }
    }

    @Test("Present members are found, and absent ones are nil")
    func members() throws {
        let json = try RawJSON("{\"a\":{\"b\":\"é\"},\"c\":1}")
        #expect(json["a"]?["b"]?.string == "é")
        #expect(json["c"]?.string == nil)
        #expect(json["c"]?["d"] == nil)
        #expect(json["x"] == nil)
    }
}
