import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct EventFeedTests {
    /// What a feed told, as short texts.
    private final class Log {
        var texts: [String] = []

        func note(_ message: FeedMessage) {
            switch message {
            case .subscribed: texts.append("subscribed")
            case .event(let event): texts.append("\(event.seq)")
            case .lost(let loss):
                let range = loss.numbers.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "none"
                let numbers = loss.gaps > 0 ? "\(range)+\(loss.gaps)" : range
                let place = loss.position.map { "\($0)" } ?? "nowhere"
                texts.append("lost \(numbers) \(loss.reason.word) \(place)")
            case .ended(let error): texts.append("ended \(error.code)")
            }
        }
    }

    private func place(_ text: String) throws -> EventPosition {
        try #require(EventPosition(text))
    }

    @Test(
        "A position is EPOCH:NUMBER, and nothing else",
        arguments: [
            ("e:0", true), ("a:b:7", true), ("é:9007199254740992", true), ("", false),
            ("7", false), (":7", false), ("e:", false), ("e:-1", false), ("e:+1", false),
            ("e:9007199254740993", false), ("e:99999999999999999999", false), ("e f:1", false),
            ("e\n:1", false), ("e:1 ", false), ("e:٣", false),
        ])
    func places(_ text: String, _ isPlace: Bool) throws {
        let position = EventPosition(text)
        #expect((position != nil) == isPlace)
        if let position { #expect("\(position)" == text) }
        #expect(EventPosition(epoch: String(repeating: "x", count: 129), seq: 1) == nil)
    }

    @Test(
        "From a position on, all kept matches come, and then new events",
        arguments: [true, false])
    func resumes(_ doesSince: Bool) throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        bus.doesSince = doesSince
        for number in 1...10 { bus.publish(number % 2 == 0 ? "a.even" : "b.odd") }
        let connection = try bench.connect()
        let log = Log()
        let feed = connection.subscribe(topics: ["a.*"], start: .after(try place("e:4"))) {
            log.note($0)
        }
        #expect(bench.loop.reach { log.texts.count == 4 })
        bus.publish("a.new")
        #expect(bench.loop.reach { log.texts.count == 5 })
        #expect(log.texts == ["subscribed", "6", "8", "10", "11"])
        #expect(feed.position == EventPosition("e:11"))
        let first = try #require(bus.subscribeParams.first)
        #expect(first == ["topics": ["a.*"], "since": "e:4"])
        #expect(bus.subscribeParams.count == (doesSince ? 1 : 2))
    }

    @Test("Without a position a feed begins with new, latest or all events, and learns it")
    func starts() throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        for number in 1...6 { bus.publish(number % 2 == 0 ? "a.even" : "b.odd") }
        let connection = try bench.connect()
        let cases: [(EventFeed.Start, [String], String)] = [
            (.latest(0), ["subscribed"], "e:6"), (.latest(2), ["subscribed", "4", "6"], "e:6"),
            (.kept, ["subscribed", "2", "4", "6"], "e:6"),
        ]
        for (start, expected, position) in cases {
            let log = Log()
            let feed = connection.subscribe(topics: ["a.*"], start: start) { log.note($0) }
            #expect(bench.loop.reach { log.texts.count >= expected.count })
            #expect(log.texts == expected)
            #expect(feed.position == EventPosition(position))
        }
    }

    @Test(
        "Events no longer kept are reported with their numbers, before kept ones",
        arguments: [true, false])
    func losses(_ doesSince: Bool) throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        bus.doesSince = doesSince
        bus.capacity = 3
        for _ in 1...10 { bus.publish("a.b") }
        let connection = try bench.connect()
        let log = Log()
        let feed = connection.subscribe(topics: ["*"], start: .after(try place("e:4"))) {
            log.note($0)
        }
        #expect(bench.loop.reach { log.texts.count == 5 })
        #expect(log.texts == ["subscribed", "lost 5-7 notKept e:7", "8", "9", "10"])
        withExtendedLifetime(feed) {}
    }

    @Test("Gaps among kept events are reported once, and hide no event")
    func gaps() throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        for _ in 1...4 { bus.publish("a.b") }
        bus.skip(3)
        for _ in 8...9 { bus.publish("a.b") }
        var connection = try bench.connect()
        let log = Log()
        let feed = connection.subscribe(topics: ["*"], start: .after(try place("e:2"))) {
            log.note($0)
        }
        #expect(bench.loop.reach { log.texts.count == 6 })
        #expect(log.texts == ["subscribed", "lost none+3 notKept e:2", "3", "4", "8", "9"])
        #expect(feed.knownGaps == 3)
        bus.publish("a.b")
        #expect(bench.loop.reach { log.texts.last == "10" })
        #expect(feed.knownGaps == 0)

        // From before the gap, with what was told: nothing is news but more of it.
        for (known, news) in [(3, []), (2, ["lost none+3 notKept e:2"])] {
            let other = Log()
            let again = connection.subscribe(
                topics: ["*"], start: .after(try place("e:2"), knownGaps: known)
            ) { other.note($0) }
            #expect(bench.loop.reach { other.texts.last == "10" })
            #expect(other.texts == ["subscribed"] + news + ["3", "4", "8", "9", "10"])
            withExtendedLifetime(again) {}
        }
        // At the gap its numbers can be named; a feed that comes back is not told of it again.
        bus.mostWaiting = 0
        let third = Log()
        let lagging = connection.subscribe(topics: ["*"], start: .after(try place("e:2"))) {
            third.note($0)
        }
        #expect(bench.loop.reach { third.texts.count == 2 })
        bus.mostWaiting = 1 << 20
        connection = try bench.connect()
        lagging.attach(to: connection)
        #expect(bench.loop.reach { third.texts.last == "10" })
        #expect(third.texts.filter { $0.hasPrefix("lost") } == ["lost none+3 notKept e:2"])
        let fourth = Log()
        let late = connection.subscribe(topics: ["*"], start: .after(try place("e:5"))) {
            fourth.note($0)
        }
        #expect(bench.loop.reach { fourth.texts.last == "10" })
        #expect(fourth.texts == ["subscribed", "lost 6-7 notKept e:7", "8", "9", "10"])
        withExtendedLifetime((feed, late)) {}
    }

    @Test(
        "Another epoch is reported, and all its kept events come", arguments: [true, false])
    func newEpoch(_ doesSince: Bool) throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        bus.doesSince = doesSince
        bus.beginAnew(as: "f")
        bus.publish("a.b")
        let connection = try bench.connect()
        let log = Log()
        let feed = connection.subscribe(topics: ["*"], start: .after(try place("e:400"))) {
            log.note($0)
        }
        #expect(bench.loop.reach { log.texts.count == 3 })
        #expect(log.texts == ["subscribed", "lost none newEpoch(e:400) f:0", "1"])
        bus.capacity = 2
        for _ in 2...5 { bus.publish("a.b") }
        let other = Log()
        let later = connection.subscribe(topics: ["*"], start: .after(try place("e:400"))) {
            other.note($0)
        }
        #expect(bench.loop.reach { other.texts.count == 4 })
        #expect(other.texts == ["subscribed", "lost 1-3 newEpoch(e:400) f:3", "4", "5"])
        withExtendedLifetime((feed, later)) {}
    }

    @Test("A future number is refused with the daemon's message")
    func future() throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        bus.publish("a.b")
        let connection = try bench.connect()
        var refusal: ClientError?
        let feed = connection.subscribe(topics: ["*"], start: .after(try place("e:9"))) {
            if case .ended(let error) = $0 { refusal = error }
        }
        #expect(bench.loop.reach { refusal != nil })
        #expect(refusal?.isRefusal(.invalidParams) == true)
        #expect(refusal?.refusal?.at == "since")
        #expect(bus.subscribeParams.count == 1)
        withExtendedLifetime(feed) {}
    }

    @Test("A delivered event is not repeated; a loss moves the position")
    func repeats() throws {
        let bench = try Bench()
        var sub: RequestID?
        bench.server.respond = { request, client in
            if request.method == "events.subscribe" { sub = request.id }
            client.reply(request, ["epoch": "e", "from": 5, "lost": 0, "oldest": 1])
        }
        let connection = try bench.connect()
        let log = Log()
        let feed = connection.subscribe(topics: ["*"]) { log.note($0) }
        #expect(bench.loop.reach { log.texts.count == 1 })
        #expect(feed.position == EventPosition("e:4"))
        let id = try #require(sub)
        let client = bench.server.clients[0]
        for seq in [5, 5, 4, 7] {
            client.notify(SentEvent(sub: id, seq: seq, time: 1, topic: "a", data: nil))
        }
        client.notify(LostNotice(sub: id, from: 8, to: 20))
        client.notify(SentEvent(sub: id, seq: 20, time: 1, topic: "a", data: nil))
        client.notify(SentEvent(sub: id, seq: 21, time: 1, topic: "a", data: nil))
        #expect(bench.loop.reach { log.texts.last == "21" })
        #expect(log.texts == ["subscribed", "5", "7", "lost 8-20 told(slow) e:20", "21"])
        #expect(feed.position == EventPosition("e:21"))
    }

    @Test(
        "Invalid answers and notifications end the connection or the feed",
        arguments: [
            #""epoch":"e","from":-1"#, #""epoch":"a b","from":1"#, #""epoch":"e","lost":-5"#,
            #""epoch":"e","oldest":9007199254740993"#, #""epoch":7"#,
            #""epoch":"e"},"x":{"#,
        ])
    func nonsense(_ members: String) throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            let id = request.id?.value ?? .null
            client.send(text: "{\"id\":\(JSONFragment(id)),\"result\":{\(members)}}\n")
            client.send(
                text: "{\"method\":\"$/lost\",\"params\":{\"sub\":\(JSONFragment(id)),"
                    + "\"from\":9,\"to\":3,\"reason\":\"\"}}\n")
        }
        let connection = try bench.connect()
        let log = Log()
        let feed = connection.subscribe(topics: ["*"], start: .after(try place("e:5"))) {
            log.note($0)
        }
        #expect(bench.loop.reach { log.texts.contains("ended badMessage") })
        #expect(!log.texts.contains { $0.hasPrefix("lost") })
        #expect(feed.position?.seq == 5)
    }

    @Test("A paused feed reads nothing, a flood waits in the daemon, and all comes later")
    func pauses() throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        bus.capacity = 100_000
        let connection = try bench.connect()
        let log = Log()
        var feed: EventFeed?
        feed = connection.subscribe(topics: ["*"]) { [weak bench = bench.server] message in
            log.note(message)
            if log.texts.count == 11 { feed?.pause() }
            withExtendedLifetime(bench) {}
        }
        #expect(bench.loop.reach { log.texts.count == 1 })
        let text = "\"\(String(repeating: "x", count: 1000))\""
        for _ in 1...5000 { bus.publish("a.b", text) }
        #expect(bench.loop.reach { log.texts.count == 11 })
        // Some turns more change nothing: what is not read waits in the server, up to its limit.
        for _ in 1...20 {
            var isNext = false
            bench.loop.schedule(after: .zero) { isNext = true }
            bench.loop.run { isNext }
        }
        #expect(log.texts.count == 11)
        #expect(connection.bufferedBytes < 200_000)
        let client = bench.server.clients[0]
        #expect(client.waitingBytes >= bus.mostWaiting)
        feed?.resume()
        #expect(log.texts.count == 11)
        #expect(bench.loop.reach { log.texts.count == 5001 })
        #expect(log.texts.dropFirst().compactMap { Int($0) } == Array(1...5000))
    }

    @Test("A reattached paused feed stays paused; a released one pauses nothing")
    func pausesEnd() throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        bus.publish("a.b")
        let first = try bench.connect()
        let second = try bench.connect()
        let log = Log()
        var feed: EventFeed? = first.subscribe(topics: ["*"], start: .kept) { log.note($0) }
        feed?.pause()
        feed?.attach(to: second)
        try first.send(.ping).wait(within: patience)
        #expect(throws: ClientError.self) { try second.send(.ping).wait(within: .milliseconds(50)) }
        #expect(log.texts.isEmpty)
        feed?.resume()
        #expect(bench.loop.reach { log.texts == ["subscribed", "1"] })
        feed?.pause()
        feed = nil
        try second.send(.ping).wait(within: patience)
    }

    @Test("The position of a quiet topic advances when no match can be missed")
    func advances() throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        let connection = try bench.connect()
        let log = Log()
        let feed = connection.subscribe(topics: ["quiet"]) { log.note($0) }
        #expect(bench.loop.reach { log.texts.count == 1 })
        func advance() -> EventPosition? {
            var isDone = false
            feed.advance { isDone = true }
            #expect(bench.loop.reach { isDone })
            return feed.position
        }
        for _ in 1...50 { bus.publish("loud") }
        #expect(feed.position == EventPosition("e:0"))
        #expect(advance() == EventPosition("e:50"))
        bus.publish("quiet")
        bus.publish("loud")
        #expect(advance() == EventPosition("e:52"))
        #expect(log.texts == ["subscribed", "51"])
        // One that matches is on its way and can't come: the daemon sends no more.
        bus.mostWaiting = 0
        bus.publish("quiet")
        bus.publish("loud")
        #expect(advance() == EventPosition("e:52"))
        // Another epoch's numbers say nothing.
        bus.beginAnew(as: "f")
        for _ in 1...100 { bus.publish("loud") }
        #expect(advance() == EventPosition("e:52"))
        connection.close()
        #expect(advance() == EventPosition("e:52"))
    }

    @Test(
        "Over random cuts and pauses each event comes once and in order", arguments: [true, false])
    func randomCuts(_ doesSince: Bool) throws {
        try withSeed { random in
            let bench = try Bench()
            let bus = FakeBus(bench.server)
            bus.doesSince = doesSince
            bus.mostWaiting = 4096
            let session = try ReconnectingSession(
                to: bench.server.path, on: bench.loop,
                backoff: .init(first: .milliseconds(1), longest: .milliseconds(2)))
            let topics = ["a.*", "!a.no"]
            var got: [Int] = []
            var lost = 0
            let feed = session.subscribe(topics: topics, start: .kept) { message in
                if case .event(let event) = message { got.append(event.seq) }
                if case .lost = message { lost += 1 }
            }
            for _ in 0..<300 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0: bus.cutConnections(of: bench.server)
                case 1: feed.pause()
                case 2, 3: feed.resume()
                case 4:
                    var isNext = false
                    bench.loop.schedule(after: .milliseconds(1)) { isNext = true }
                    bench.loop.run { isNext }
                default:
                    let topic = ["a.yes", "a.no", "b"].randomElement(using: &random) ?? "b"
                    let size = Int.random(in: 0..<2000, using: &random)
                    bus.publish(topic, "\"\(String(repeating: "y", count: size))\"")
                }
                let expected = bus.numbers(of: topics)
                #expect(got == Array(expected.prefix(got.count)), "seed \(random.seed)")
            }
            feed.resume()
            let expected = bus.numbers(of: topics)
            #expect(bench.loop.reach { got == expected }, "seed \(random.seed)")
            #expect(lost == 0, "seed \(random.seed)")
        }
    }
}

extension EventLoss.Reason {
    fileprivate var word: String {
        switch self {
        case .notKept: "notKept"
        case .newEpoch(let place): "newEpoch(\(place))"
        case .told(let reason): "told(\(reason))"
        }
    }
}
