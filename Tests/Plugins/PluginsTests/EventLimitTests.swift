// What is kept of events beside the bus, and handed to the disk at once: at both ends of each limit.

import DataBus
import JSONText
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@testable import EventsPlugin

@Suite struct EventLimitTests {
    /// How many events are at hand without asking the bus.
    private static let atHand = 1024

    @Test(
        "a subscriber that lags by the size of the ring or more gets each event once",
        arguments: [atHand - 1, atHand, atHand + 1, 2 * atHand + 1])
    func behind(count: Int) throws {
        let run = try EventRun()
        _ = try run.subscribe(["topics": ["a"]])
        try run.publish("a", count)
        let lines = run.session.read()
        #expect(lines.map { $0["params"]?["seq"] } == (1...count).map { JSONValue($0) })
        #expect(lines.map { $0["params"]?["data"]?["n"] } == (1...count).map { JSONValue($0) })
    }

    @Test("topics of events that are gone are forgotten when they are more than twice 1,024")
    func topics() throws {
        let bus = EventBus(limits: EventBus.Limits(count: 10, bytes: 1 << 20))
        let history = TopicHistory(of: bus)
        func publish(_ number: Int) throws {
            let topic = "t\(number)"
            bus << WireEvent(topic: try Topic(validating: topic), data: nil)
            history.append(topic, as: bus.lastSequence)
        }
        for number in 1...2048 { try publish(number) }
        #expect(history.topicCount == 2048)
        try publish(2049)
        #expect(history.topicCount == 10)
        // What is there is found by its new number.
        let filter = try TopicFilter(["t2045", "t2049"])
        #expect(history.last(5, matching: filter, from: 1) == [2045, 2049])
    }

    /// The numbers through which events are stored, one after another, once a batch of these is due.
    private func parts(_ sizes: [Int], replayBytes: Int = 64 << 20) throws -> [Int64] {
        let run = try EventRun()
        for size in sizes {
            let text = JSONFragment(JSONView(JSONValue(String(repeating: "x", count: size - 2))))
            run.bus << WireEvent(topic: try Topic(validating: "a"), data: text)
        }
        var stored: [Int64] = []
        run.loop.advance(by: .milliseconds(300))
        #expect(
            run.loop.run {
                let through = run.info["stored"]?.integerValue ?? 0
                if through > stored.last ?? 0 { stored.append(through) }
                return through == sizes.count
            })
        return stored
    }

    @Test("8,192 events are handed over at once, and one more in the next part")
    func partCount() throws {
        #expect(try parts(Array(repeating: 3, count: 8192)) == [8192])
        #expect(try parts(Array(repeating: 3, count: 8193)) == [8192, 8193])
    }

    @Test("events are handed over at once until they are 4 MiB, and the others in the next part")
    func partBytes() throws {
        let full = 1 << 20
        #expect(try parts([full, full, full, full - 1, 3]) == [5])
        #expect(try parts([full, full, full, full, 3]) == [4, 5])
    }
}
