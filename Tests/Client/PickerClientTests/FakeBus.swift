// The events of a daemon, by script: numbers, what is kept, subscriptions that go on from a place.
//
// As plain as can be, to compare with: every event ever published stays in `published`, and what is
// "kept" is a range of its numbers.

import JSONText
import PickerClient
import WireProtocol

/// Answers `events.*` and `daemon.hello` of a fake server.
final class FakeBus {
    private final class Subscription {
        let sub: RequestID
        let client: FakeClient
        let topics: [String]
        let replayedUpTo: Int
        var next: Int

        init(
            _ sub: RequestID, _ client: FakeClient, _ topics: [String], from next: Int,
            replayedUpTo: Int
        ) {
            self.sub = sub
            self.client = client
            self.topics = topics
            self.next = next
            self.replayedUpTo = replayedUpTo
        }
    }

    struct Published {
        let seq: Int
        let topic: String
        let data: JSONFragment?
        /// The number was given and its event is gone, as after a daemon was killed.
        var isMissing = false
    }

    var epoch = "e"
    /// Whether `since` is done, as by daemons to come, or refused.
    var doesSince = true
    /// How many are kept.
    var capacity = 1000
    /// A client that has not read so many bytes is sent no more.
    var mostWaiting = 256 << 10
    /// All of this epoch; number 1 is first.
    private(set) var published: [Published] = []
    private(set) var subscribeParams: [JSONValue] = []
    private var subscriptions: [Subscription] = []

    init(_ server: FakeServer) {
        server.respond = { [weak self] request, client in
            do {
                try self?.answer(request, client)
            } catch let error as ProtocolError {
                client.refuse(request, error)
            } catch {
                client.close()
            }
        }
    }

    var newest: Int { published.count }
    var oldest: Int { max(1, newest - capacity + 1) }

    func numbers(of topics: [String], after seq: Int = 0) -> [Int] {
        published.filter { $0.seq > seq && !$0.isMissing && Self.matches(topics, $0.topic) }.map(
            \.seq)
    }

    @discardableResult
    func publish(_ topic: String, _ data: String? = nil) -> Int {
        let fragment = data.flatMap { try? JSONFragment(validating: $0) }
        published.append(Published(seq: newest + 1, topic: topic, data: fragment))
        pump()
        return newest
    }

    /// Leaves out numbers.
    func skip(_ count: Int) {
        for _ in 0..<count {
            published.append(
                Published(seq: newest + 1, topic: "none", data: nil, isMissing: true))
        }
    }

    /// As if all that was kept had been thrown away.
    func beginAnew(as epoch: String) {
        self.epoch = epoch
        published = []
        subscriptions = []
    }

    /// Ends the connections, as a daemon does that is started again and keeps its events.
    func cutConnections(of server: FakeServer) {
        subscriptions = []
        for client in server.clients { client.close() }
    }

    static func matches(_ topics: [String], _ topic: String) -> Bool {
        func fits(_ pattern: some StringProtocol) -> Bool {
            pattern == "*" || pattern == topic
                || (pattern.hasSuffix(".*") && topic.hasPrefix(pattern.dropLast()))
        }
        let isTakenAway = topics.contains { $0.hasPrefix("!") && fits($0.dropFirst()) }
        return topics.contains { !$0.hasPrefix("!") && fits($0) } && !isTakenAway
    }

    private func answer(_ request: RequestEnvelope, _ client: FakeClient) throws {
        switch request.method {
        case "events.subscribe": try subscribe(request, client)
        case "events.unsubscribe":
            let sub = try request.reader().requestID("sub")
            subscriptions.removeAll { $0.sub == sub && $0.client === client }
            client.reply(request, [:])
        case "events.replay":
            let reader = try request.reader()
            let topics = try reader.strings("topics")
            let count = try reader.optionalInt("count") ?? Int.max
            let all = kept.filter { Self.matches(topics, $0.topic) }.suffix(count)
            let events = try all.map { try record($0, nil, false).record }
            client.send(
                text: "{\"id\":\(request.id?.value.text ?? "0"),\"result\":{\"events\":["
                    + events.map { "\(ReceivedEvent($0).json)" }.joined(separator: ",") + "]}}\n")
        case "daemon.hello":
            client.reply(
                request,
                [
                    "server": "pickerd/0.1.0", "protocol": 1, "epoch": "d", "rev": 1,
                    "events": ["epoch": .string(epoch), "seq": JSONValue(newest)],
                    "capabilities": [:],
                    "limits": ["line": 1, "queueSoft": 1, "queueHard": 2, "subscriptions": 3],
                    "units": "utf8",
                ])
        default: client.reply(request, [:])
        }
    }

    private var kept: [Published] { published[(oldest - 1)...].filter { !$0.isMissing } }

    private func subscribe(_ request: RequestEnvelope, _ client: FakeClient) throws {
        subscribeParams.append(try request.paramsValue())
        let reader = try request.reader()
        let topics = try reader.strings("topics")
        guard let id = request.id else { return }
        var next = newest + 1
        var lost = 0
        if let since = try reader.optionalString("since") {
            guard doesSince else { throw ProtocolError.unsupported("no 'since'", at: "since") }
            let place = EventPosition(since)
            if let place, place.epoch == epoch {
                if place.seq > newest {
                    throw ProtocolError.invalidParams(
                        at: "since", "number \(place.seq) is of the future: the newest is \(newest)"
                    )
                }
                lost = newest - place.seq
                next = place.seq + 1
            } else {
                lost = newest
                next = 1
            }
            lost -= kept.count { $0.seq >= next }
            next = kept.first { $0.seq >= next }?.seq ?? newest + 1
        } else {
            let count = try reader.optionalInt("replay") ?? 0
            let matching = kept.filter { Self.matches(topics, $0.topic) }
            next = matching.suffix(count).first?.seq ?? next
        }
        client.reply(
            request,
            [
                "sub": id.value, "epoch": .string(epoch), "from": JSONValue(next),
                "lost": JSONValue(lost), "oldest": JSONValue(oldest),
            ])
        subscriptions.append(
            Subscription(id, client, topics, from: next, replayedUpTo: newest))
        client.onDrained = { [weak self] in self?.pump() }
        pump()
    }

    private func record(_ event: Published, _ sub: RequestID?, _ replayed: Bool) -> SentEvent {
        SentEvent(
            sub: sub, seq: event.seq, time: 1.5, topic: event.topic, data: event.data,
            replayed: replayed)
    }

    private var isPumping = false

    private func pump() {
        // Sending may drain a client, which asks for more.
        if isPumping { return }
        isPumping = true
        defer { isPumping = false }
        for one in subscriptions {
            if one.next < oldest {
                guard one.client.waitingBytes < mostWaiting else { continue }
                one.client.notify(LostNotice(sub: one.sub, from: one.next, to: oldest - 1))
                one.next = oldest
            }
            while one.next <= newest, one.client.waitingBytes < mostWaiting {
                let event = published[one.next - 1]
                if !event.isMissing, Self.matches(one.topics, event.topic) {
                    one.client.notify(record(event, one.sub, one.next <= one.replayedUpTo))
                }
                one.next += 1
            }
        }
    }
}

extension JSONValue {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
