import JSONText
import Testing
import WireProtocol

@Suite struct ErrorTests {
    @Test("codes and names are those of the protocol's table")
    func table() {
        let table = Dictionary(
            uniqueKeysWithValues: ProtocolError.Kind.all.map { ($0.code, $0.name) })
        #expect(
            table == [
                -32700: "parseError", -32600: "invalidRequest", -32601: "methodNotFound",
                -32602: "invalidParams", -32603: "internalError", 1001: "notReady",
                1002: "cancelled", 1003: "timeout", 1004: "unsupported",
                1005: "permissionDenied", 1006: "noSuchSubscription", 1007: "badExpression",
                1008: "limitExceeded", 1009: "pluginFailed", 1010: "outsideRoot",
                1011: "noSuchItem", 1012: "overloaded", 1013: "conflict",
            ])
    }

    @Test(
        "each error survives a round trip",
        arguments: [
            .parseError("a"), .invalidRequest("b"), .methodNotFound("x.y"),
            .invalidParams(at: "window.count", "c"), .internalError("d"), .notReady("e"),
            .cancelled(), .timeout("f"), .unsupported("g", at: "units"), .permissionDenied("h"),
            .noSuchSubscription("s"), .badExpression(at: "where[1]", "i"),
            .limitExceeded(limit: 7, "j"), .pluginFailed("feed", "k"), .outsideRoot("l"),
            .noSuchItem("m"), .overloaded(retryAfterMs: 20, "n"), .conflict("o"),
        ] as [ProtocolError])
    func roundTrip(_ error: ProtocolError) throws {
        let value = try JSONValue(parsing: error.wireBytes)
        #expect(value["data"]?["kind"]?.stringValue == error.kind.name)
        #expect(try ProtocolError(decoding: value) == error)
    }

    @Test("an error on the wire is as the protocol shows it")
    func shape() {
        let error = ProtocolError.badExpression(at: "where[1]", "unknown field 'sise'")
        let line =
            #"{"jsonrpc":"2.0","id":3,"error":{"code":1007,"message":"unknown field 'sise'","#
            + #""data":{"kind":"badExpression","at":"where[1]"}}}"# + "\n"
        #expect(text(WireLine.error(error, to: 3)) == line)
    }

    @Test("errors of other programs are accepted with the members they have")
    func foreign() throws {
        let bare = try ProtocolError(decoding: ["code": -32601, "message": "no"] as JSONValue)
        #expect(bare.kind == .methodNotFound)
        let odd = try ProtocolError(
            decoding: ["code": 77, "message": "x", "data": [1, 2]] as JSONValue)
        #expect(odd.code == 77)
        #expect(odd.kind.name == "unknown")
    }

    @Test("untrusted text is truncated in messages")
    func quoting() {
        let error = ProtocolError.methodNotFound(String(repeating: "x", count: 100_000))
        #expect(error.message.utf8.count < 200)
    }
}
