import JSONText
import Testing
import WireProtocol

/// Keys that occur twice in one object, anywhere in a request.
@Suite struct DoubleKeyTests {
    private func carried(_ line: String) throws -> JSONFragment? {
        try RequestEnvelope(parsing: Array(line.utf8)).reader()
            .optionalText(refusingDoubleKeysIn: "data")?.fragment
    }

    @Test(
        "a forwarded value with a repeated key is refused with its path",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":1}"#, #"[{"a":1},{"b":1,"b":1}]"#,
            #"{"x":{"y":[[{"a":{},"a":{}}]]}}"#, #"{"é":1,"\u00e9":2}"#,
            #"{"a":1,"b":{"c":1},"d":{"c":1,"c":2}}"#,
            #"{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"3":1}"#,
        ])
    func refused(data: String) {
        let line = #"{"method":"m","params":{"topic":"t","data":\#(data)}}"#
        let error = #expect(throws: ProtocolError.self) { try carried(line) }
        #expect(error?.at == "data")
        #expect(error?.message.contains("occurs twice") == true, "\(error?.message ?? "")")
    }

    @Test(
        "the same key in different objects is no repeated key",
        arguments: [
            #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":1,"A":1}"#, "1", "[]", "{}",
            #"{"b":{"a":1},"c":{"a":1},"a":[{"b":1,"c":{"b":1}}]}"#,
        ])
    func kept(data: String) throws {
        let line = #"{"method":"m","params":{"data":\#(data),"topic":"t"}}"#
        #expect(try carried(line)?.bytes == Array(data.utf8))
    }

    @Test("a repeated key outside the value does not affect it")
    func beside() throws {
        let line = #"{"method":"m","params":{"other":{"a":1,"a":1},"data":{"a":1}}}"#
        #expect(try carried(line)?.bytes == Array(#"{"a":1}"#.utf8))
    }

    @Test("a repeated parameter is refused, even if it is not read")
    func parameters() throws {
        let request = try RequestEnvelope(
            parsing: Array(#"{"method":"m","params":{"x":1,"y":{},"x":2}}"#.utf8))
        let error = #expect(throws: ProtocolError.self) { try request.reader() }
        #expect(error?.message.contains("'x' occurs twice") == true)
    }
}
