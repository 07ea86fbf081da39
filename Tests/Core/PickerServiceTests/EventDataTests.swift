// Published data arrives at a subscriber as the same value, or is refused with an error.

import DataBus
import JSONText
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct EventDataTests {
    private let fixture = ServerFixture(plugins: standardPlugins())

    /// Sends `data` unchanged, and returns the reply and the subscriber's lines.
    private func publish(topic: String = "\"a\"", _ data: String) throws -> (
        reply: JSONValue, events: [JSONValue]
    ) {
        let subscriber = try fixture.connect()
        _ = try subscriber.result("events.subscribe", ["topics": ["*"]], id: 9)
        let publisher = try fixture.connect()
        publisher.send(
            "{\"id\":1,\"method\":\"events.publish\",\"params\":{\"topic\":\(topic),\"data\":\(data)}}"
        )
        let lines = try publisher.exchange()
        #expect(lines.count == 1)
        return (lines.first ?? .null, try subscriber.exchange())
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test(
        "data arrives at a subscriber unchanged",
        arguments: [
            "1234567890123456789012345678901234567890",
            "-0.1234567890123456789012345678901234567890e-400", "1e999999", "-0", "0.10",
            #"{"b":1,"a":{"b":2},"":[{"a":3}]}"#, #"{"A":1,"a":1}"#,
            #"{"\u00e9":1,"e\u0301":2}"#,
            #""\ud83d\ude00\/\u00e9\u0000\"\\""#, "null", "[]", " [ 1 ,\t2 ] ", nested(28),
        ])
    func kept(data: String) throws {
        let (reply, events) = try publish(data)
        #expect(reply["result"] == ["seq": 1])
        let found = try #require(events.first?["params"]?["data"])
        let value = try JSONValue(parsing: Array(data.utf8))
        #expect(found.bytes == value.bytes)
        #expect(events.count == 1)
        let client = try fixture.connect()
        let again = try client.result("events.replay", ["topics": ["a"]])
        #expect(again["events"]?.arrayValue?.first?["data"]?.bytes == found.bytes)
    }

    @Test(
        "data is kept to the byte, even if many JSON readers refuse it",
        arguments: [
            #"{"a\u0000":1,"a\u0000\u0000":2,"a":3}"#, nested(30), #""\u0041\/\u00E9é""#, "1E+05",
        ])
    func verbatim(data: String) throws {
        let publisher = try fixture.connect()
        publisher.send(
            #"{"id":1,"method":"events.publish","params":{"topic":"a","data":\#(data)}}"#)
        #expect(try publisher.exchange().map { $0["result"] } == [["seq": 1]])
        let event = try #require(fixture.bus.kept(sequence: 1)?.event as? WireEvent)
        #expect(event.data?.bytes == Array(data.utf8))
    }

    @Test(
        "data with a repeated key is refused at 'data', however it is written and wherever",
        arguments: [
            #"{"a":1,"a":1}"#, #"[[{"x":{"a":1,"b":2,"a":3}}]]"#, #"{"a":1,"\u0061":2}"#,
            #"{"a/b":1,"a\/b":2}"#, #"{"\u0000":1,"\u0000":2}"#, #"{"\u00e9":1,"é":2}"#,
            #"{"":1,"b":{},"":2}"#, #"{"a":{"c":1},"b":{"c":1,"c":2}}"#,
        ])
    func doubleKeys(data: String) throws {
        let (reply, events) = try publish(data)
        let error = try ProtocolError(line: reply)
        #expect(error.kind == .invalidParams && error.at == "data")
        #expect(events.isEmpty && fixture.bus.lastSequence == 0)
    }

    @Test(
        "invalid JSON is no event",
        arguments: [
            #""\ud800""#, #"{"\udc00":1}"#, #""\udc00\ud800""#, "01", "1.", "+1", "NaN", "'a'",
            "[1,]",
            "\"\u{1}\"", "1 2", "/**/1", nested(31), nested(33), nested(1000),
        ])
    func refused(data: String) throws {
        let (reply, events) = try publish(data)
        let error = try ProtocolError(line: reply)
        #expect(error.kind == (data.hasPrefix("[[") ? .limitExceeded : .parseError))
        #expect(reply["id"] == .null && events.isEmpty && fixture.bus.lastSequence == 0)
    }

    @Test(
        "an invalid topic is refused at 'topic'",
        arguments: [
            "a b", "A", "", ".", "a.", ".a", "a..b", "*", "a.*", #"a\u0000"#, #"a\n"#, "é", "a_b",
            String(repeating: "a", count: 129), String(repeating: "a.", count: 100) + "a",
        ])
    func topics(topic: String) throws {
        let (reply, events) = try publish(topic: "\"\(topic)\"", "1")
        let error = try ProtocolError(line: reply)
        #expect(error.kind == .invalidParams && error.at == "topic")
        #expect(events.isEmpty && fixture.bus.lastSequence == 0)
    }
}
