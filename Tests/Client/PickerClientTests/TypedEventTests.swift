import JSONText
import PickerClient
import TestSupport
import Testing
import WireProtocol

@Suite struct TypedEventTests {
    private struct Saved: PickerEvent, Codable, Equatable {
        static let topics = ["app.saved"]
        let path: String
        var size: Int?
    }

    private func received(_ topic: String, _ data: String?) throws -> ReceivedEvent {
        let event = SentEvent(
            sub: 1, seq: 7, time: 1, topic: topic,
            data: try data.map { try JSONFragment(validating: $0) })
        return ReceivedEvent(try event.record)
    }

    @Test("Events are decoded to their type, with positions; undecodable ones are reported")
    func decodes() throws {
        let bench = try Bench()
        let bus = FakeBus(bench.server)
        let session = try ReconnectingSession(to: bench.server.path, on: bench.loop)
        var texts: [String] = []
        let feed = session.subscribe(to: Saved.self) { message in
            let place = message.position.map { "\($0)" } ?? "-"
            switch message.content {
            case .subscribed: texts.append("subscribed")
            case .event(let event): texts.append("\(event.path) \(place)")
            case .unreadable(let error):
                texts.append("unreadable \(message.received?.seq ?? 0) \(error.code)")
            case .lost(let loss): texts.append("lost \(loss.count)")
            case .interrupted(let error): texts.append("interrupted \(error.code)")
            }
        }
        #expect(bench.loop.reach { texts == ["subscribed"] })
        bus.publish("app.saved", "{\"path\":\"a\",\"size\":3}")
        bus.publish("app.other", "{\"path\":\"b\"}")
        bus.publish("app.saved", "{\"size\":3}")
        bus.publish("app.saved")
        bus.publish("app.saved", "{\"path\":\"c\",\"more\":[]}")
        #expect(bench.loop.reach { texts.count == 5 })
        session.connection?.close()
        #expect(
            texts == [
                "subscribed", "a e:1", "unreadable 3 badMessage", "unreadable 4 badMessage",
                "c e:5", "interrupted disconnected",
            ])
        withExtendedLifetime((session, feed)) {}
    }

    @Test("A value is published as the data of an event")
    func publishes() throws {
        let bench = try Bench()
        bench.server.respond = { $1.reply($0, ["seq": 3]) }
        let connection = try bench.connect()
        let data = try RawJSON(encoding: Saved(path: "a", size: nil))
        let reply = connection.send(.publish(topic: "app.saved", data: data))
        #expect(try reply.wait() == 3)
        let sent = try #require(bench.server.requests.last)
        #expect(try sent.paramsValue() == ["topic": "app.saved", "data": ["path": "a"]])
    }

    @Test("The daemon's own events have types")
    func ownEvents() throws {
        let data = "{\"key\":\"f1\",\"path\":\"a/b\",\"rev\":4,\"from\":\"c\"}"
        let moved = try DocumentEvent(received("documents.moved", data))
        guard case .moved(let what, from: "c") = moved else {
            Issue.record("\(moved)")
            return
        }
        #expect(what.key == "f1" && what.path == "a/b" && what.rev == 4)
        for (topic, word) in [("added", "added"), ("removed", "removed"), ("changed", "changed")] {
            let event = try DocumentEvent(received("documents.\(topic)", data))
            #expect("\(event)".hasPrefix(word))
            #expect(event.document == what)
        }
        #expect(try WatchEvent(received("watch.overflow", "{}")) == .overflow)
        #expect(
            try WatchEvent(received("watch.restored", "{\"path\":\"/r\"}")) == .restored(path: "/r")
        )
        let counts = "{\"root\":\"/r\",\"documents\":3,\"folders\":2,\"foldersWaiting\":1}"
        guard case .progress(let scan) = try WatchEvent(received("watch.progress", counts)) else {
            Issue.record("no progress")
            return
        }
        #expect(scan.root == "/r" && scan.documents == 3)
        #expect(scan.folders == 2 && scan.foldersWaiting == 1)
        guard
            case .degraded(let trouble) = try WatchEvent(
                received("watch.degraded", "{\"path\":\"/r\",\"reason\":\"no\"}"))
        else {
            Issue.record("not degraded")
            return
        }
        #expect(trouble.reason == "no")
        #expect(try DaemonEvent(received("daemon.ready", nil)) == .ready)
        guard
            case .restored(let store) = try DaemonEvent(
                received("daemon.restored", "{\"what\":\"events-store\",\"path\":\"/s\"}"))
        else {
            Issue.record("not restored")
            return
        }
        #expect(store.what == "events-store" && store.reason == nil)
        for topic in ["documents.eaten", "watch.slept", "daemon.bored"] {
            let event = try received(topic, data)
            #expect(throws: ClientError.self) { try DocumentEvent(event) }
            #expect(throws: ClientError.self) { try WatchEvent(event) }
            #expect(throws: ClientError.self) { try DaemonEvent(event) }
        }
    }
}
