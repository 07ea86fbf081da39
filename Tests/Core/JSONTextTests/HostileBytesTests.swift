import JSONText
import Testing

@Suite struct HostileBytesTests {
    @Test(
        "a valid text with a few changed bytes is refused, or read and written correctly",
        arguments: 1...8)
    func mutations(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        var taken = 0
        for _ in 0..<400 {
            let original = random.value().bytes
            for _ in 0..<6 {
                var bytes = original
                for _ in 0...random.below(3) {
                    let at = random.below(bytes.count)
                    switch random.below(3) {
                    case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                    case 1: bytes.insert(UInt8(random.below(128)), at: at)
                    default: if bytes.count > 1 { bytes.remove(at: at) }
                    }
                }
                let view = try? JSONView(validating: bytes)
                guard let value = try? JSONValue(parsing: bytes) else {
                    // The value also refuses repeated keys; nothing else.
                    if let view,
                        let full = #expect(
                            throws: JSONError.self,
                            performing: {
                                try view.value()
                            })
                    {
                        #expect(
                            full.reason == .duplicateKey || full.reason == .zeroInKey,
                            "seed \(seed): \(full)")
                    }
                    continue
                }
                taken += 1
                #expect(view != nil)
                #expect(try JSONValue(parsing: value.bytes) == value, "seed \(seed)")
            }
        }
        #expect(taken > 0)
    }

    @Test("a million bytes of garbage are refused")
    func garbage() {
        var random = SeededNumbers(seed: 99)
        let bytes = (0..<1_000_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for length in [1, 2, 3, 10, 1_000, 1_000_000] {
            for start in 0..<(length < 1_000 ? 500 : 1) {
                let part = ByteSlice(bytes, start..<min(start + length, bytes.count))
                if (try? JSONView(validating: part)) != nil {
                    // A digit may occur by chance.
                    #expect(length < 3)
                }
            }
        }
    }

    @Test("a valid text truncated anywhere is refused, without reading beyond its end")
    func truncation() throws {
        let text = Array("{\"key\":[1.5e3,\"é\\ud83d\\ude00\",true,{\"n\":null}],\"b\":\"\"}".utf8)
        _ = try JSONValue(parsing: text)
        for length in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: ByteSlice(text, 0..<length)) }
        }
    }

    @Test("a slice is read from its own start, and error offsets count from there")
    func slices() throws {
        let bytes = Array("xx[1,2]yy".utf8)
        #expect(try JSONValue(parsing: ByteSlice(bytes, 2..<7)) == [1, 2])
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: ByteSlice(bytes, 2..<8))
        }
        #expect(error?.offset == 5)
    }

    @Test("an object of 50,000 members is read, and a repeated key among them found")
    func manyMembers() throws {
        var text = "{" + (0..<50_000).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
        let value = try JSONValue(parsing: text + "}")
        #expect(value.objectValue?.count == 50_000)
        text += ",\"key25000\":1}"
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.reason == .duplicateKey)
    }
}
