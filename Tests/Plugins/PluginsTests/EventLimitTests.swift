// What is kept of events beside the bus, and handed to the disk at once: at both ends of each limit.

import DataBus
import JSONText
import Observables
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
        let (index, connection) = followed(bus)
        defer { connection.disconnect() }
        func publish(_ number: Int) throws {
            bus << WireEvent(topic: try Topic(validating: "t\(number)"), data: nil)
        }
        for number in 1...2048 { try publish(number) }
        #expect(index.topicCount == 2048)
        try publish(2049)
        #expect(index.topicCount == 10)
        // What is there is found by its new number.
        let filter = try TopicFilter(["t2045", "t2049"])
        #expect(index.last(5, matching: filter, from: 1) == [2045, 2049])
        // Answers that were found out by the numbers before are not taken for these.
        var answers = EventIndex.Answers(of: filter)
        #expect(numbers(of: &answers, in: index) == [2045, 2049])
        for number in 2050...4088 { try publish(number) }
        #expect(index.topicCount == 10)
        #expect(numbers(of: &answers, in: index).isEmpty)
        try publish(2049)
        #expect(numbers(of: &answers, in: index) == [4089])
    }

    @Test("what a filter says is kept for 1,024 topics, and those beyond are found all the same")
    func answers() throws {
        let bus = EventBus(limits: EventBus.Limits(count: 3000, bytes: 1 << 20))
        let (index, connection) = followed(bus)
        defer { connection.disconnect() }
        for number in 1...3000 {
            bus << WireEvent(topic: try Topic(validating: "t\(number % 1500)"), data: nil)
        }
        let wanted = [1, 1023, 1024, 1025, 1499]
        let filter = try TopicFilter(wanted.map { "t\($0)" })
        var answers = EventIndex.Answers(of: filter)
        let expected = wanted + wanted.map { $0 + 1500 }
        #expect(numbers(of: &answers, in: index) == expected)
        #expect(index.last(.max, matching: filter, from: 1) == expected)
        // A reader that keeps up asks for what lies beyond each time.
        let newest = expected.filter { $0 > 2000 }
        #expect(numbers(of: &answers, in: index, from: 2001) == newest)
        #expect(numbers(of: &answers, in: index, from: 2001) == newest)
    }

    @Test("an event that the bus drops is not at hand any more")
    func dropped() throws {
        let bus = EventBus(limits: EventBus.Limits(count: 3, bytes: 1 << 20))
        let (index, connection) = followed(bus)
        defer { connection.disconnect() }
        weak var first: WireEvent?
        for number in 1...4 {
            let event = WireEvent(topic: try Topic(validating: "a"), data: nil)
            if number == 1 { first = event }
            bus << event
        }
        #expect(first == nil)
        var answers = EventIndex.Answers(of: try TopicFilter(["a"]))
        #expect(numbers(of: &answers, in: index) == [2, 3, 4])
        bus.limits = EventBus.Limits(count: 1, bytes: 1 << 20)
        bus << WireEvent(topic: try Topic(validating: "a"), data: nil)
        #expect(numbers(of: &answers, in: index) == [5])
    }

    /// An index that is told of the events of a bus.
    private func followed(_ bus: EventBus) -> (EventIndex, Connection) {
        let index = EventIndex(of: bus)
        let connection = bus.subscribe(numbered: { (event: WireEvent, stamp) in
            index.append(event, stamp)
        })
        return (index, connection)
    }

    private func numbers(
        of answers: inout EventIndex.Answers, in index: EventIndex, from sequence: Int = 1
    ) -> [Int] {
        var found: [Int] = []
        let next = index.forEach(from: sequence, wantedBy: &answers) { number, _ in
            found.append(number)
            return true
        }
        #expect(found.allSatisfy { $0 < next })
        return found
    }

    /// The numbers through which events are stored, one after another, once a batch of these is due.
    private func parts(_ sizes: [Int], replayBytes: Int = 64 << 20) throws -> [Int64] {
        let run = try EventRun()
        for size in sizes {
            let text = JSONFragment(JSONView(JSONValue(String(repeating: "x", count: size - 2))))
            run.bus << WireEvent(topic: try Topic(validating: "a"), data: text)
        }
        var stored: [Int64] = []
        // The batch is due in the turns below, between which is looked: a fast worker has stored two parts otherwise.
        run.loop.advance(by: .zero)
        run.loop.spend(.milliseconds(300))
        #expect(
            run.loop.run {
                let through = run.info["stored"]?.integerValue ?? 0
                if through > stored.last ?? 0 { stored.append(through) }
                return through == sizes.count
            })
        return stored
    }

    @Test("1,024 events are handed over at once, and one more in the next part")
    func partCount() throws {
        #expect(try parts(Array(repeating: 3, count: 1024)) == [1024])
        #expect(try parts(Array(repeating: 3, count: 1025)) == [1024, 1025])
    }

    @Test("events are handed over at once until they are 4 MiB, and the others in the next part")
    func partBytes() throws {
        let full = 1 << 20
        #expect(try parts([full, full, full, full - 1, 3]) == [5])
        #expect(try parts([full, full, full, full, 3]) == [4, 5])
    }
}
