// Fairness between clients, and pending output when the daemon stops.

import DataBus
import EventLoops
import JSONText
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct FairnessTests {
    /// The duration of each `costly.work`.
    private final class CostlyPlugin: Plugin {
        let manifest = PluginManifest.test("costly", "costly.work")
        var spend: () -> Void = {}
        private(set) var calls = 0

        func activate(in context: PluginContext) throws(PluginError) {
            context.register(.test("costly.work")) {
                [unowned self] (call, writer) throws(ProtocolError) in
                calls += 1
                spend()
                writer.null()
                return .answered
            }
        }
    }

    @Test("a client with many requests keeps no other waiting for long", arguments: [false, true])
    func slices(endsAtOnce: Bool) throws {
        let costly = CostlyPlugin()
        let fixture = ServerFixture(plugins: [costly])
        costly.spend = { fixture.loop.spend(.milliseconds(10)) }
        let greedy = try fixture.connect()
        let modest = try fixture.connect()
        let lines = (0..<500).map { "{\"id\":\($0),\"method\":\"costly.work\"}\n" }
        greedy.send(bytes: Array(lines.joined().utf8))
        if endsAtOnce { try greedy.finishSending() }
        modest.send("daemon.ping", id: 1)
        while modest.readBytes() == 0 {
            guard fixture.loop.runOne() else { break }
        }
        #expect(try modest.takeLines().map { $0["id"] } == [1])
        #expect(costly.calls < 100)
        let answers = try greedy.exchange()
        #expect(answers.map { $0["id"] } == (0..<500).map { JSONValue($0) })
        #expect((endsAtOnce ? greedy.comesToEnd() : !greedy.sawEnd))
    }

    @Test(
        "on stop a subscriber that reads is sent everything, then goodbye; another, no more"
    )
    func stopInFlood() throws {
        let fixture = ServerFixture(plugins: standardPlugins())
        let reader = try fixture.connect()
        let deaf = try fixture.connect()
        let publisher = try fixture.connect()
        for client in [reader, deaf] {
            client.send("events.subscribe", ["topics": ["*"]], id: 9)
        }
        fixture.loop.turn()
        let text = JSONValue(String(repeating: "x", count: 1000))
        for _ in 0..<3000 {
            fixture.bus
                << WireEvent(topic: try Topic(validating: "a"), data: JSONFragment(JSONView(text)))
        }
        publisher.send("events.publish", ["topic": "late"], id: 1)
        var stopped = 0
        fixture.server.stop { stopped += 1 }
        let lines = try reader.exchange()
        let numbers = lines.compactMap { $0["params"]?["seq"]?.integerValue }
        #expect(numbers == Array(1...3000), "what comes when the stop is called for isn't read")
        #expect(lines.last?["params"] == ["reason": "stopping"])
        #expect(reader.comesToEnd() && stopped == 0)
        fixture.loop.advance(by: fixture.server.limits.partingGrace)
        #expect(stopped == 1 && fixture.loop.liveSourceCount == 0)
    }
}
