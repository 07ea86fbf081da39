import JSONText
import Testing
import WireProtocol

@Suite struct EnvelopeTests {
    @Test("a request is parsed")
    func request() throws {
        let line =
            #" {"jsonrpc":"2.0","id":7,"method":"items.open","params":{"search":"x"},"y":1} "#
        let request = try RequestEnvelope(parsing: Array(line.utf8))
        #expect(request.id == 7)
        #expect(request.method == "items.open")
        #expect(try request.params?.value() == ["search": "x"])
        #expect(try request.reader().string("search") == "x")
    }

    @Test(
        "parameters may be absent or empty",
        arguments: [
            #"{"id":"a","method":"daemon.ping"}"#,
            #"{"id":"a","method":"daemon.ping","params":{}}"#,
            #"{"id":"a","method":"daemon.ping","params":{ }}"#,
            #"{"\u0069d":"\u0061","m\u0065thod":"daemon\u002eping"}"#,
        ])
    func noParams(_ line: String) throws {
        let request = try RequestEnvelope(parsing: Array(line.utf8))
        #expect(request.id == "a")
        #expect(request.method == "daemon.ping")
        #expect(try request.params?.value() == nil)
        #expect(try request.reader().isEmpty)
    }

    @Test("a request without an id is a notification")
    func notification() throws {
        let line = #"{"method":"$/cancel","params":{"id":3}}"#
        let request = try RequestEnvelope(parsing: Array(line.utf8))
        #expect(request.id == nil)
        #expect(try request.reader().requestID("id") == 3)
    }

    @Test(
        "an invalid request is answered with the right code, and the id if there is one",
        arguments: [
            ("nonsense", -32700, nil), ("{", -32700, nil), ("{\"id\":1,}", -32700, nil),
            ("{\"id\":1,\"method\":\"a\"} x", -32700, nil), ("{\"a\":\"\\ud800\"}", -32700, nil),
            ("[]", -32600, nil), ("[{\"id\":1,\"method\":\"a\"}]", -32600, nil),
            ("1", -32600, nil), ("\"x\"", -32600, nil), ("null", -32600, nil),
            ("{}", -32600, nil), ("{\"id\":5}", -32600, 5), ("{\"id\":5,\"method\":1}", -32600, 5),
            ("{\"id\":null,\"method\":\"a\"}", -32600, nil),
            ("{\"id\":1.5,\"method\":\"a\"}", -32600, nil),
            ("{\"id\":1.0,\"method\":\"a\"}", -32600, nil),
            ("{\"id\":[],\"method\":\"a\"}", -32600, nil),
            ("{\"id\":true,\"method\":\"a\"}", -32600, nil),
            ("{\"id\":99999999999999999999,\"method\":\"a\"}", -32600, nil),
            ("{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"a\"}", -32600, 5),
            ("{\"jsonrpc\":2.0,\"id\":5,\"method\":\"a\"}", -32600, 5),
            ("{\"id\":5,\"id\":5,\"method\":\"a\"}", -32600, nil),
            ("{\"id\":5,\"method\":\"a\",\"method\":\"b\"}", -32600, 5),
            ("{\"id\":5,\"result\":{}}", -32600, 5),
            ("{\"id\":5,\"method\":\"a\",\"params\":[]}", -32602, 5),
            ("{\"id\":5,\"method\":\"a\",\"params\":null}", -32602, 5),
            ("{\"id\":5,\"method\":\"a\",\"params\":3}", -32602, 5),
        ] as [(String, Int, Int64?)])
    func refused(_ line: String, _ code: Int, _ id: Int64?) throws {
        let refused = #expect(throws: RefusedLine.self) {
            try RequestEnvelope(parsing: Array(line.utf8))
        }
        let known = try #require(refused)
        #expect(known.error.code == code)
        #expect(known.id == id.map { .integer($0) })
        #expect(!known.isNotification)
        let answer = try JSONValue(parsing: WireLine.error(known.error, to: known.id))
        #expect(answer["id"] == (id.map { .integer($0) } ?? .null))
        #expect(answer["error"]?["code"] == .integer(Int64(code)))
        if code == -32602 { #expect(answer["error"]?["data"]?["at"] == "params") }
    }

    @Test("a notification with invalid parameters is not answered")
    func silentRefusal() throws {
        let refused = #expect(throws: RefusedLine.self) {
            try RequestEnvelope(parsing: Array(#"{"method":"a","params":[]}"#.utf8))
        }
        #expect(try #require(refused).isNotification)
    }

    @Test("bytes that are not UTF-8 are a parse error")
    func notUTF8() {
        let line = Array(#"{"id":1,"method":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        let refused = #expect(throws: RefusedLine.self) { try RequestEnvelope(parsing: line) }
        #expect(refused?.error.kind == .parseError)
        #expect(refused?.id == nil)
    }

    @Test(
        "a line that is no object but too deep exceeds the limit, whatever follows",
        arguments: ["[", "{\"a\":", " [[{\"a\":["])
    func deep(_ opening: String) throws {
        for end in ["", String(repeating: "]", count: 500)] {
            let line = Array((String(repeating: opening, count: 500) + end).utf8)
            for parse in [
                { (line: [UInt8]) throws in _ = try RequestEnvelope(parsing: line) },
                { (line: [UInt8]) throws in _ = try WireMessage(parsing: line) },
            ] {
                let refused = #expect(throws: RefusedLine.self) { try parse(line) }
                #expect(refused?.error.kind == .limitExceeded, "\(opening)")
                #expect(refused?.id == nil)
            }
        }
        // At the limit it is valid JSON, but no request.
        let sound = Array(
            (String(repeating: "[", count: 32) + String(repeating: "]", count: 32)).utf8)
        let wrong = #expect(throws: RefusedLine.self) { try RequestEnvelope(parsing: sound) }
        #expect(wrong?.error.kind == .invalidRequest)
    }

    @Test("32 levels pass; deeper and longer lines exceed a limit, with id null")
    func limits() throws {
        func line(_ levels: Int) -> [UInt8] {
            // The line's own object is one level, params another.
            let open = String(repeating: "[", count: levels - 2)
            let close = String(repeating: "]", count: levels - 2)
            return Array("{\"id\":1,\"method\":\"a\",\"params\":{\"x\":\(open)\(close)}}".utf8)
        }
        let request = try RequestEnvelope(parsing: line(32))
        #expect(try request.reader().has("x"))
        let deep = #expect(throws: RefusedLine.self) { try RequestEnvelope(parsing: line(33)) }
        #expect(deep?.error.kind == .limitExceeded)
        #expect(deep?.error.limit == 32)
        #expect(deep?.id == nil)
        let long = RefusedLine.overlong()
        #expect(long.error.kind == .limitExceeded)
        #expect(long.error.limit == 1_048_576)
        #expect(long.id == nil)
    }

    @Test("a repeated parameter is refused when the parameters are read")
    func doubleParameter() throws {
        let line = #"{"id":1,"method":"a","params":{"x":1,"x":2}}"#
        let request = try RequestEnvelope(parsing: Array(line.utf8))
        let error = #expect(throws: ProtocolError.self) { try request.reader() }
        #expect(error?.kind == .invalidParams)
    }

    @Test("replies are distinguished from requests")
    func replies() throws {
        guard
            case .reply(let good) = try WireMessage(
                parsing: Array(#"{"id":"a","result":{"x":[1,2]}}"#.utf8))
        else {
            Issue.record("not a reply")
            return
        }
        #expect(good.id == "a")
        #expect(try good.outcome.get().value() == ["x": [1, 2]])
        let error = ProtocolError.overloaded(retryAfterMs: 50, "too many at once")
        guard case .reply(let bad) = try WireMessage(parsing: WireLine.error(error, to: nil))
        else {
            Issue.record("not a reply")
            return
        }
        #expect(bad.id == nil)
        #expect(throws: error) { try bad.outcome.get() }
        let request = WireLine.request(id: 1, method: "daemon.ping")
        guard case .request(let asked) = try WireMessage(parsing: request) else {
            Issue.record("not a request")
            return
        }
        #expect(asked.method == "daemon.ping")
    }

    @Test("garbage only leads to errors", arguments: 1...10)
    func garbage(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let sound = Array(
            #"{"jsonrpc":"2.0","id":"a","method":"b.c","params":{"d":[1,2.5,"é\n"]}}"#.utf8)
        for _ in 0..<2_000 {
            var line = sound
            for _ in 0...random.below(4) {
                let at = random.below(line.count)
                if random.below(2) == 0 {
                    line[at] = UInt8(truncatingIfNeeded: random.next())
                } else {
                    line.removeSubrange(at..<min(line.count, at + 1 + random.below(8)))
                }
                if line.isEmpty { line = [0x7B] }
            }
            if let request = try? RequestEnvelope(parsing: line) {
                #expect(!line.isEmpty && (try? JSONView(validating: line)) != nil)
                _ = try? request.params?.value()
            }
        }
    }

    @Test("an answer may contain a request's data, with some more levels around it")
    func deepAnswer() throws {
        let deep = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        let event = "{\"id\":1,\"method\":\"events.publish\",\"params\":{\"data\":\(deep)}}"
        _ = try RequestEnvelope(parsing: Array(event.utf8))
        let replay = "{\"result\":{\"events\":[{\"data\":\(deep)}]}}"
        for answer in [replay, "{\"results\":[\(replay)]}"] {
            let line = "{\"id\":1,\"result\":\(answer)}"
            guard case .reply = try WireMessage(parsing: Array(line.utf8)) else {
                Issue.record("\(line) is no reply")
                continue
            }
            #expect(throws: RefusedLine.self) {
                try RequestEnvelope(parsing: Array(line.utf8))
            }
        }
    }
}

extension RequestEnvelope {
    /// Parses a line, the first of its sender.
    convenience init(parsing line: [UInt8]) throws(RefusedLine) {
        var method = NamedMethod()
        try self.init(parsing: ByteSlice(line), after: &method)
    }
}
