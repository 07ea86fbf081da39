// Lines: valid and invalid ones, and the order of their answers.

import JSONText
import PickerService
import PluginInterface
import Testing
import WireProtocol

@Suite struct LineTests {
    private let slow = SlowPlugin()
    private let fixture: ServerFixture
    private let client: TestClient

    init() throws {
        fixture = ServerFixture(plugins: [slow])
        client = try fixture.connect()
    }

    private func expectAlive() throws {
        #expect(try client.result("daemon.ping") == [:])
    }

    /// The line that answers `line`.
    private func answer(_ line: String) throws -> JSONValue {
        client.send(line)
        let lines = try client.exchange()
        #expect(lines.count == 1, "\(line.prefix(80)): \(lines)")
        return lines.first ?? .null
    }

    @Test(
        "ids are returned unchanged",
        arguments: ["1", "-7", "\"a\"", "\"\"", "9223372036854775807"])
    func identifiers(id: String) throws {
        let reply = try answer("{\"id\":\(id),\"method\":\"daemon.ping\"}")
        #expect(try reply["id"] == JSONValue(parsing: id))
        #expect(reply["result"] == [:] && reply["jsonrpc"] == "2.0")
    }

    @Test(
        "an id that is neither a string nor an integer is refused, with id null",
        arguments: ["null", "1.5", "1.0", "1e3", "{}", "[]", "true", "9223372036854775808"])
    func wrongIdentifiers(id: String) throws {
        let reply = try answer("{\"id\":\(id),\"method\":\"daemon.ping\"}")
        #expect(reply["id"] == .null)
        #expect(try ProtocolError(line: reply).kind == .invalidRequest)
        try expectAlive()
    }

    @Test("an id longer than 1024 bytes is refused with a short line")
    func longIdentifier() throws {
        let fits = String(repeating: "i", count: 1024)
        #expect(try client.result("daemon.ping", id: JSONValue(fits)) == [:])
        for rest in ["\"method\":\"daemon.ping\"", "\"method\":\"daemon.ping\",\"params\":[]"] {
            let reply = try answer("{\"id\":\"\(fits)i\",\(rest)}")
            #expect(reply["id"] == .null)
            let error = try ProtocolError(line: reply)
            #expect(error.kind == .limitExceeded && error.limit == 1024)
        }
    }

    @Test(
        "a line that is no request is refused with id null and its kind",
        arguments: [
            ("{", ProtocolError.Kind.parseError), ("nonsense", .parseError),
            ("{\"id\":1,\"method\":\"daemon.ping\"} x", .parseError), ("{'id':1}", .parseError),
            ("[]", .invalidRequest), ("[{\"id\":1,\"method\":\"daemon.ping\"}]", .invalidRequest),
            ("1", .invalidRequest), ("\"daemon.ping\"", .invalidRequest), ("null", .invalidRequest),
            ("true", .invalidRequest),
        ])
    func noRequest(line: String, kind: ProtocolError.Kind) throws {
        let reply = try answer(line)
        #expect(reply["id"] == .null)
        #expect(try ProtocolError(line: reply).kind == kind)
        try expectAlive()
    }

    @Test(
        "a request with an invalid envelope is answered under its id",
        arguments: [
            ("{\"id\":1}", ProtocolError.Kind.invalidRequest),
            ("{\"id\":1,\"method\":7}", .invalidRequest),
            ("{\"id\":1,\"method\":null}", .invalidRequest),
            ("{\"id\":1,\"jsonrpc\":\"1.0\",\"method\":\"daemon.ping\"}", .invalidRequest),
            ("{\"id\":1,\"method\":\"daemon.ping\",\"params\":[]}", .invalidParams),
            ("{\"id\":1,\"method\":\"daemon.ping\",\"params\":\"x\"}", .invalidParams),
            ("{\"id\":1,\"method\":\"nobody.knows\"}", .methodNotFound),
            ("{\"id\":1,\"method\":\"\"}", .methodNotFound),
        ])
    func wrongEnvelope(line: String, kind: ProtocolError.Kind) throws {
        let reply = try answer(line)
        #expect(reply["id"] == 1)
        let error = try ProtocolError(line: reply)
        #expect(error.kind == kind)
        if kind == .invalidParams { #expect(error.at == "params") }
        try expectAlive()
    }

    @Test("a line that is not UTF-8 is refused, and the next one is served")
    func notUTF8() throws {
        let start = Array("{\"id\":1,\"method\":\"daemon.ping\",\"x\":\"".utf8)
        client.send(bytes: start + [0xFF, 0xFE] + Array("\"}\n".utf8))
        let lines = try client.exchange()
        #expect(lines.count == 1 && lines.first?["id"] == .null)
        #expect(try ProtocolError(line: lines.first ?? .null).kind == .parseError)
        try expectAlive()
    }

    @Test("2 MiB without a line end are skipped with one error; the next line is served")
    func overlong() throws {
        client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20))
        client.send("")
        client.send("daemon.ping", id: 5)
        let lines = try client.exchange()
        #expect(lines.count == 2)
        #expect(lines.first?["id"] == .null)
        let error = try ProtocolError(line: lines.first ?? .null)
        #expect(error.kind == .limitExceeded && error.limit == 1 << 20)
        #expect(lines.last?["id"] == 5 && lines.last?["result"] == [:])
    }

    @Test("a line of 1 MiB is served, one byte more is refused")
    func longestLine() throws {
        let start = "{\"id\":1,\"method\":\"daemon.ping\",\"x\":\""
        let room = (1 << 20) - start.utf8.count - 2
        let fits = start + String(repeating: "x", count: room) + "\"}"
        #expect(try answer(fits)["result"] == [:])
        let reply = try answer(start + String(repeating: "x", count: room + 1) + "\"}")
        #expect(try ProtocolError(line: reply).kind == .limitExceeded)
        try expectAlive()
    }

    @Test("32 levels are served, 40 are too deep")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            let inner = levels - 2  // the line's object, and that of the parameters
            return "{\"id\":1,\"method\":\"daemon.ping\",\"params\":{\"x\":"
                + String(repeating: "[", count: inner) + String(repeating: "]", count: inner) + "}}"
        }
        #expect(try answer(nested(32))["result"] == [:])
        for levels in [33, 40, 100_000] {
            let reply = try answer(nested(levels))
            #expect(reply["id"] == .null)
            #expect(try ProtocolError(line: reply).kind == .limitExceeded)
        }
        try expectAlive()
    }

    @Test("empty lines are skipped, and so is a CR before the LF")
    func emptyLines() throws {
        client.send("\n\n\r\n{\"id\":1,\"method\":\"daemon.ping\"}\r\n\r")
        let lines = try client.exchange()
        try #require(lines.map { $0["id"] } == [1])
    }

    @Test("a line that arrives byte by byte is one line")
    func inPieces() throws {
        for byte in Array("{\"id\":1,\"method\":\"daemon.ping\"}".utf8) {
            client.send(bytes: [byte])
            #expect(try client.exchange().isEmpty)
        }
        client.send("")
        #expect(try client.exchange().map { $0["id"] } == [1])
    }

    @Test("an error in a handler discards its earlier output")
    func halfWritten() throws {
        let error = try client.error("slow.broken")
        #expect(error.kind == .pluginFailed && error.plugin == "slow")
    }

    @Test("requests sent together are answered in order, including refused ones")
    func pipelining() throws {
        var text = ""
        for number in 0..<300 {
            switch number % 3 {
            case 0: text += "{\"id\":\(number),\"method\":\"daemon.ping\"}\n"
            case 1: text += "{\"id\":\(number),\"method\":\"nobody.knows\"}\n"
            default: text += "{\"id\":\(number),\"method\":\"daemon.ping\",\"params\":3}\n"
            }
        }
        client.send(bytes: Array(text.utf8))
        #expect(try client.exchange().map { $0["id"] } == (0..<300).map { JSONValue($0) })
    }

    @Test("a request without an id is never answered, whatever its errors")
    func notifications() throws {
        client.send("{\"method\":\"daemon.ping\"}")
        client.send("{\"method\":\"nobody.knows\"}")
        client.send("{\"method\":\"daemon.hello\",\"params\":{\"protocol\":\"x\"}}")
        client.send("{\"method\":\"daemon.ping\",\"params\":[]}")
        client.send("{\"method\":\"slow.broken\"}")
        client.send("{\"method\":\"slow.never\"}")
        client.send("{\"method\":\"slow.large\",\"params\":{\"count\":2000000}}")
        #expect(try client.exchange().isEmpty)
        try expectAlive()
    }

    @Test("an answer one byte longer than a line is replaced by an error")
    func longAnswer() throws {
        // {"jsonrpc":"2.0","id":1,"result":"…"}
        let frame = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\"}".utf8.count
        let fits = JSONValue((1 << 20) - frame)
        #expect(try client.result("slow.large", ["count": fits], id: 1).stringValue != nil)
        let over = JSONValue((1 << 20) - frame + 1)
        let error = try client.error("slow.large", ["count": over], id: 1)
        #expect(error.kind == .limitExceeded && error.limit == 1 << 20)
    }

    @Test("an error that quotes a megabyte is truncated to fit a line")
    func longError() throws {
        // One letter with half a million marks counts as one character.
        let method = "a" + String(repeating: "\u{301}", count: (1 << 19) - 100)
        #expect(try client.error(method).kind == .methodNotFound)
    }

    // MARK: Answers that are still to come

    @Test("requests behind a waiting one wait their turn")
    func waiting() throws {
        client.send("slow.wait", id: 1)
        client.send("daemon.ping", id: 2)
        client.send("slow.wait", id: 3)
        client.send("{")
        client.send("daemon.ping", id: 4)
        #expect(try client.exchange().isEmpty)
        #expect(slow.replies.count == 1, "the second is not even begun")
        slow.replies[0].resolve { $0.string("first") }
        #expect(try client.exchange().map { $0["id"] } == [1, 2])
        slow.replies[1].fail(.notReady("no"))
        let lines = try client.exchange()
        try #require(lines.map { $0["id"] } == [3, .null, 4])
        #expect(try ProtocolError(line: lines[0]).kind == .notReady)
        #expect(slow.ended == 2)
    }

    @Test("other clients are served while a request waits")
    func waitingAlone() throws {
        client.send("slow.wait", id: 1)
        _ = try client.exchange()
        #expect(try fixture.connect().result("daemon.ping") == [:])
    }

    @Test("an answer given at once counts, even if it was announced as pending")
    func earlyAnswer() throws {
        #expect(try client.error("slow.never").kind == .timeout)
        try expectAlive()
    }

    @Test("$/cancel overtakes: the waiting request is answered with 1002, the next begins")
    func cancelWaiting() throws {
        client.send("slow.wait", id: 1)
        client.send("slow.wait", id: "two")
        _ = try client.exchange()
        client.send("{\"method\":\"$/cancel\",\"params\":{\"id\":1}}")
        let lines = try client.exchange()
        try #require(lines.map { $0["id"] } == [1])
        #expect(try ProtocolError(line: lines[0]).kind == .cancelled)
        #expect(slow.ended == 1 && slow.replies.count == 2)
        // Its answer comes too late, and is dropped.
        slow.replies[0].resolve { $0.null() }
        slow.replies[1].resolve { $0.null() }
        #expect(try client.exchange().map { $0["id"] } == ["two"])
    }

    @Test("$/cancel of a request that has not begun answers it at its turn")
    func cancelBehind() throws {
        for id in 1...3 { client.send("slow.wait", id: JSONValue(id)) }
        client.send("{\"method\":\"$/cancel\",\"params\":{\"id\":2}}")
        #expect(try client.exchange().isEmpty)
        slow.replies[0].resolve { $0.null() }
        let lines = try client.exchange()
        try #require(lines.map { $0["id"] } == [1, 2])
        #expect(try ProtocolError(line: lines[1]).kind == .cancelled)
        #expect(slow.replies.count == 2)
    }

    @Test("$/cancel of an answered or unknown request, or with invalid content, is ignored")
    func cancelNothing() throws {
        #expect(try client.result("daemon.ping", id: 1) == [:])
        for params in ["{\"id\":1}", "{\"id\":99}", "{}", "{\"id\":1.5}", "{\"id\":[]}", "[]"] {
            client.send("{\"method\":\"$/cancel\",\"params\":\(params)}")
        }
        #expect(try client.exchange().isEmpty)
        try expectAlive()
    }

    @Test("$/cancel with an id is answered, and cancels nothing")
    func cancelAsRequest() throws {
        client.send("slow.wait", id: 1)
        client.send("$/cancel", ["id": 1], id: 2)
        try #require(try client.exchange().isEmpty)
        slow.replies[0].resolve { $0.null() }
        let lines = try client.exchange()
        try #require(lines.map { $0["id"] } == [1, 2])
        #expect(lines[0]["result"] == .null)
        #expect(try ProtocolError(line: lines[1]).kind == .invalidRequest)
    }
}
