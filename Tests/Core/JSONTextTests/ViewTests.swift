import JSONText
import Testing

@Suite struct ViewTests {
    @Test("a view finds members and elements without decoding the rest")
    func members() throws {
        let text = " {\"a\" : [1, \"two\", {\"b\":true}] , \"\\u0063\":-2.5e1, \"d\":null} "
        let view = try JSONView(validating: Array(text.utf8))
        let object = try view.object()
        #expect(object.count == 3)
        #expect(object["c"]?.doubleValue == -25)
        #expect(object["c"]?.integerValue == -25)
        #expect(object["c"]?.integerValue(asWritten: ()) == nil)
        #expect(object["d"]?.isNull == true)
        #expect(object["e"] == nil)
        let elements = try #require(try object["a"]?.elements())
        #expect(elements.map(\.kind) == [.number, .string, .object])
        #expect(elements[1].stringValue == "two")
        #expect(try elements[2].object()["b"]?.boolValue == true)
        #expect(try elements[2].value() == ["b": true])
    }

    @Test("elements are read up to a limit, and no further")
    func limitedElements() throws {
        // The fourth element is not JSON, so reading it fails.
        let text = Array("[1,2,3,?]".utf8)
        let view = JSONView(scanned: ByteSlice(text), 0..<text.count, .array)
        #expect(throws: JSONError.self) { try view.elements() }
        for limit in 0...2 {
            let error = #expect(throws: JSONError.self) { try view.elements(atMost: limit) }
            #expect(error?.reason == .size && error?.message == "more than \(limit) elements")
        }
        let whole = try JSONView(validating: Array("[1,2,3]".utf8))
        #expect(try whole.elements(atMost: 3).count == 3)
    }

    @Test("a view refuses repeated keys of its own object, with or without escapes")
    func doubles() throws {
        let view = try JSONView(validating: Array("{\"a\":1,\"\\u0061\":2}".utf8))
        let error = #expect(throws: JSONError.self) { try view.object() }
        #expect(error?.reason == .duplicateKey)
    }

    @Test("a scalar's accessors return values of their own kind only")
    func scalars() throws {
        let string = try JSONView(validating: Array("\"1\"".utf8))
        #expect(string.integerValue == nil)
        #expect(string.boolValue == nil)
        #expect(string.stringValue == "1")
        #expect(try string.elements().isEmpty)
        #expect(try string.object().isEmpty)
        let bool = try JSONView(validating: Array("false".utf8))
        #expect(bool.boolValue == false)
        #expect(bool.stringValue == nil)
    }

    @Test("a fragment is copied unchanged, except that line breaks become spaces")
    func fragments() throws {
        let fragment = try JSONFragment(validating: " {\"a\":\n1.000,\r\n\"b\": 1e2} ")
        #expect(String(decoding: fragment.bytes, as: UTF8.self) == "{\"a\": 1.000,  \"b\": 1e2}")
        #expect(fragment.kind == .object)
        var writer = JSONWriter()
        writer.array { array in
            array.integer(1)
            array.fragment(fragment)
            array.fragment(.null)
        }
        let text = String(decoding: writer.finish(), as: UTF8.self)
        #expect(text == "[1,{\"a\": 1.000,  \"b\": 1e2},null]")
        #expect(throws: JSONError.self) { try JSONFragment(validating: "{\"a\":1") }
        #expect(try fragment.value() == ["a": 1, "b": 100])
    }
}
