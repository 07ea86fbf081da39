import Foundation
import JSONText
import Testing

@Suite struct WriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 0)
        body(&writer)
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    @Test("commas are correct at any nesting")
    func commas() {
        let written = text { writer in
            writer.object { object in
                object.member("a", 1)
                object.member(array: "b") { array in
                    array.array { _ in }
                    array.object { _ in }
                    array.null()
                    array.bool(true)
                    array.bool(false)
                }
                object.member(object: "c") { _ in }
                object.member("d", "x")
                object.member("e", 2.5)
                object.member("f", ["y", "z"])
                object.key(escaping: "g\"\n")
                object.value([1, ["h": .null]])
                object.member("i", false)
            }
        }
        #expect(
            written == "{\"a\":1,\"b\":[[],{},null,true,false],\"c\":{},\"d\":\"x\",\"e\":2.5,"
                + "\"f\":[\"y\",\"z\"],\"g\\\"\\n\":[1,{\"h\":null}],\"i\":false}")
    }

    @Test("every ASCII character is escaped if necessary, at every position in a word of eight")
    func escapes() throws {
        for code in UInt8(0)..<0x80 {
            for lead in 0..<10 {
                for trail in [0, 1, 9] {
                    let string =
                        String(repeating: "x", count: lead) + String(Unicode.Scalar(code))
                        + String(repeating: "é", count: trail)
                    let written = text { $0.string(string) }
                    #expect(!written.utf8.contains { $0 < 0x20 })
                    #expect(try JSONValue(parsing: written) == .string(string))
                }
            }
        }
        #expect(
            text { $0.string("\u{8}\t\n\u{C}\r\u{1}\u{1F}/") }
                == "\"\\b\\t\\n\\f\\r\\u0001\\u001f/\"")
    }

    @Test("strings of only escapes grow the buffer sufficiently")
    func longEscapes() throws {
        for count in [1, 7, 8, 9, 100, 5_000] {
            let string = String(repeating: "\u{1}", count: count)
            #expect(try JSONValue(parsing: text { $0.string(string) }) == .string(string))
        }
    }

    @Test(
        "doubles are written as the shortest text that reads back the same",
        arguments: [
            (0, "0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (1.5, "1.5"), (1e15, "1000000000000000"),
            (1_763_690_101.25, "1763690101.25"), (Double.leastNonzeroMagnitude, "5e-324"),
            (1e22, "1e+22"),
            (-2.5e-7, "-2.5e-07"), (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)])
    func doubles(_ number: Double, _ expected: String) {
        #expect(text { $0.double(number) } == expected)
    }

    @Test("random doubles and integers read back to the bit", arguments: 1...3)
    func numbers(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<2_000 {
            let double = Double(bitPattern: random.next())
            if double.isFinite {
                let back = try JSONValue(parsing: text { $0.double(double) }).doubleValue
                #expect(back?.bitPattern == double.bitPattern, "seed \(seed)")
            }
            let integer = Int64(bitPattern: random.next() >> UInt64(random.below(64)))
            #expect(text { $0.integer(integer) } == "\(integer)")
        }
        for integer in [Int64.min, .max, 0, 9, 10, 99, 100, -10] {
            #expect(text { $0.integer(integer) } == "\(integer)")
        }
        #expect(text { $0.integer(UInt64.max) } == "\(UInt64.max)")
    }

    @Test("Base64 is Foundation's, both ways", arguments: 0...40)
    func base64(_ length: Int) throws {
        var random = SeededNumbers(seed: UInt64(length))
        let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let encoded = Base64.encode(bytes)
        #expect(encoded == Data(bytes).base64EncodedString())
        #expect(Base64.decode(encoded) == bytes)
        #expect(text { $0.base64(bytes) } == "\"\(encoded)\"")
    }

    @Test(
        "invalid Base64 is refused",
        arguments: [
            "A", "AA", "AAA", "A===", "====", "AA=A", "AB==", "AAB=", "AA-_", "A A=", "é===",
        ])
    func badBase64(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("a writer is empty after a line")
    func reuse() {
        var writer = JSONWriter()
        writer.string("ok")
        #expect(writer.finishLine() == Array("\"ok\"\n".utf8))
        writer.integer(7)
        writer.removeAll()
        writer.integer(8)
        #expect(writer.bytes == Array("8".utf8))
        #expect(writer.finish() == Array("8".utf8))
    }
}
