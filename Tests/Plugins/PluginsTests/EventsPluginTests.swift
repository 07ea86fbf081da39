// Topics, replay, and what is told of what was lost.

import DataBus
import EventLoops
import EventsPlugin
import JSONText
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct EventsPluginTests {
    private let bus = EventBus(now: { 12.5 })
    private let registry = MethodRegistry()
    private let session: FakeSession
    private let plugin = EventsPlugin()

    init() throws {
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: FakeLoop(), bus: bus,
                documents: DocumentStore(epoch: "e"), settings: PluginSettings(roots: []),
                registry: registry, report: { _ in }))
        session = FakeSession(registry: registry)
    }

    private func publish(_ topic: String, _ data: JSONValue = .null) throws -> Int {
        let reply = try session.call(
            "events.publish", ["topic": JSONValue(topic), "data": data]
        ).get()
        return Int(try #require(reply["seq"]?.integerValue))
    }

    private func sequences(_ lines: [JSONValue]) -> [Int64] {
        lines.compactMap { $0["params"]?["seq"]?.integerValue }
    }

    @Test("numbers grow by one over all topics, and subscribers get their topics in order")
    func numbers() throws {
        _ = try session.call("events.subscribe", ["topics": ["a.*", "!a.secret"]], id: 9).get()
        #expect(try publish("a.one", ["x": 1]) == 1)
        #expect(try publish("b.one") == 2)
        #expect(try publish("a.secret") == 3)
        #expect(try publish("a") == 4)
        #expect(try publish("a.two.three") == 5)
        let lines = session.read()
        #expect(sequences(lines) == [1, 5])
        #expect(
            lines.first == [
                "jsonrpc": "2.0", "method": "event",
                "params": ["sub": 9, "seq": 1, "time": 12.5, "topic": "a.one", "data": ["x": 1]],
            ])
        #expect(!session.hasWork)
    }

    @Test("an event without subscribers causes no work")
    func unwanted() throws {
        _ = try session.call("events.subscribe", ["topics": ["a.*"]], id: 9).get()
        _ = try publish("b.one")
        #expect(!session.hasWork)
    }

    @Test("replay sends the last matches, marked, then continues without gap or repetition")
    func replay() throws {
        for topic in ["a.1", "b.1", "a.2", "b.2", "a.3"] { _ = try publish(topic) }
        let reply = try session.call(
            "events.subscribe", ["topics": ["a.*"], "replay": 2], id: "s"
        ).get()
        #expect(reply == ["sub": "s", "epoch": "e", "from": 3, "lost": 0, "oldest": 1])
        _ = try publish("a.4")
        let lines = session.read()
        #expect(sequences(lines) == [3, 5, 6])
        #expect(lines.map { $0["params"]?["replayed"] } == [true, true, nil])
    }

    @Test("events.replay returns the last matches, oldest first, and opens nothing")
    func replayOnce() throws {
        for topic in ["a.1", "b.1", "a.2", "a.3"] { _ = try publish(topic) }
        let reply = try session.call("events.replay", ["topics": ["a.*"], "count": 2]).get()
        let events = try #require(reply["events"]?.arrayValue)
        #expect(events.map { $0["topic"] } == ["a.2", "a.3"])
        #expect(events.allSatisfy { $0["sub"] == nil && $0["replayed"] == nil })
        #expect(
            try session.call("events.replay", ["topics": ["*"], "count": 0]).get()["events"] == [])
        #expect(!session.hasWork)
    }

    @Test("events no longer kept when the client reads are reported as lost")
    func lost() throws {
        _ = try session.call("events.subscribe", ["topics": ["*"]], id: 9).get()
        bus.limits.count = 4
        for number in 0..<10 { _ = try publish("a.\(number)") }
        let lines = session.read()
        #expect(
            lines.first?["params"] == ["sub": 9, "from": 1, "to": 6, "reason": "slow"])
        #expect(lines.first?["method"] == "$/lost")
        #expect(sequences(lines) == [7, 8, 9, 10])
    }

    @Test("one event too many for the buffer is one event lost, none too many is none")
    func lostByOne() throws {
        _ = try session.call("events.subscribe", ["topics": ["*"]], id: 9).get()
        bus.limits.count = 4
        for number in 0..<4 { _ = try publish("a.\(number)") }
        #expect(sequences(session.read()) == [1, 2, 3, 4])
        for number in 0..<5 { _ = try publish("a.\(number)") }
        let lines = session.read()
        #expect(lines.first?["params"] == ["sub": 9, "from": 5, "to": 5, "reason": "slow"])
        #expect(sequences(lines) == [6, 7, 8, 9])
    }

    @Test("unwanted events that are no longer kept are not reported as lost")
    func notLost() throws {
        _ = try session.call("events.subscribe", ["topics": ["a.*"]], id: 9).get()
        bus.limits.count = 4
        for number in 0..<10 { _ = try publish("b.\(number)") }
        _ = try publish("a.x")
        #expect(sequences(session.read()) == [11])
    }

    @Test("a reader interrupted in the middle continues where it was")
    func partialReads() throws {
        _ = try session.call("events.subscribe", ["topics": ["*"]], id: 9).get()
        for number in 0..<10 { _ = try publish("a.\(number)") }
        #expect(sequences(session.read(lines: 3)) == [1, 2, 3])
        _ = try publish("a.more")
        #expect(sequences(session.read(lines: 2)) == [4, 5])
        #expect(sequences(session.read()) == [6, 7, 8, 9, 10, 11])
    }

    @Test("without replay, active readers still get each event")
    func withoutReplay() throws {
        try plugin.adopt(PluginSettings(["replay": 0, "replay-bytes": 0]))
        _ = try session.call("events.subscribe", ["topics": ["*"]], id: 9).get()
        for number in 0..<100 { _ = try publish("a.\(number)") }
        let lines = session.read()
        #expect(sequences(lines) == Array(1...100))
        #expect(lines.allSatisfy { $0["method"] == "event" })
        #expect(try session.call("events.replay", ["topics": ["*"]]).get()["events"] == [])
        _ = try session.call("events.subscribe", ["topics": ["*"], "replay": 5], id: 10).get()
        #expect(!session.hasWork)
    }

    @Test("an event too large for a line is refused when it is published")
    func largeEvent() throws {
        _ = try session.call("events.subscribe", ["topics": ["*"]], id: 9).get()
        let data = JSONValue(String(repeating: "x", count: (1 << 20) - 100))
        guard
            case .failure(let error) = session.call(
                "events.publish", ["topic": "a", "data": data])
        else {
            Issue.record("it was taken")
            return
        }
        #expect(error.kind == .limitExceeded)
        #expect(bus.lastSequence == 0)
        _ = try publish("a", JSONValue(String(repeating: "x", count: (1 << 20) - (16 << 10))))
        #expect(session.read().count == 1)
        #expect(session.longestLine <= 1 << 20)
    }

    @Test("reserved first words are refused, words that only begin alike are not")
    func reserved() throws {
        registry.reserve(["documents", "daemon"])
        for word in ["documents", "daemon"] {
            let result = session.call("events.publish", ["topic": JSONValue("\(word).x")])
            guard case .failure(let error) = result else {
                Issue.record("\(word) was taken")
                continue
            }
            #expect(error.kind == .permissionDenied)
        }
        #expect(bus.lastSequence == 0)
        _ = try publish("documentsx.y")
    }

    @Test(
        "invalid topics are refused at their place, with what would be valid",
        arguments: [
            (
                ["a", "b..c"], "topics[1]",
                "'b..c' must be '*', a topic, or a topic and '.*', with or"
            ),
            (["!a"], "topics", "no topic is asked for; '*' is everything"),
            (.init(repeating: "a", count: 257), "topics", "257 topics; 256 at most"),
        ] as [([String], String, String)])
    func badTopics(_ topics: [String], _ path: String, _ message: String) {
        let topics = JSONValue.array(topics.map { JSONValue($0) })
        guard
            case .failure(let error) = session.call("events.subscribe", ["topics": topics], id: 9)
        else {
            Issue.record("it was taken")
            return
        }
        #expect(error.kind == .invalidParams)
        #expect(error.at == path)
        #expect(error.message.contains(message))
        #expect(session.stream(9) == nil)
    }

    @Test("an event that is sent twice has its own number each time")
    func sentTwice() throws {
        _ = try session.call("events.subscribe", ["topics": ["*"]], id: 9).get()
        let event = WireEvent(topic: try Topic(validating: "a"), data: nil)
        bus << event
        bus << event
        #expect(sequences(session.read()) == [1, 2])
    }

    @Test("after unsubscribing nothing comes; a list is not an event subscription")
    func unsubscribe() throws {
        _ = try session.call("events.subscribe", ["topics": ["*"]], id: 9).get()
        _ = try publish("a")
        #expect(try session.call("events.unsubscribe", ["sub": 9]).get() == [:])
        #expect(session.read().isEmpty)
        guard case .failure(let error) = session.call("events.unsubscribe", ["sub": 9]) else {
            Issue.record("it was taken twice")
            return
        }
        #expect(error.kind == .noSuchSubscription)
    }

    @Test("one-time topics are found as long as their events are kept")
    func passingTopics() throws {
        bus.limits.count = 100
        for number in 1...5000 {
            _ = try publish("t.\(number)")
            guard number % 97 == 0 else { continue }
            for asked in [1, number - 100, number - 99, number - 1, number] where asked > 0 {
                let topics: JSONValue = [JSONValue("t.\(asked)"), "no.*"]
                let events = try session.call("events.replay", ["topics": topics]).get()["events"]
                let found = events?.arrayValue?.map { $0["seq"] }
                #expect(found == (asked > number - 100 ? [JSONValue(asked)] : []), "of \(number)")
            }
            _ = try session.call("events.subscribe", ["topics": ["*"], "since": "e:0"], id: 9).get()
            #expect(sequences(session.read()) == Array(Int64(max(1, number - 99))...Int64(number)))
            session.close(9)
        }
    }
}
