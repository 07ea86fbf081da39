import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct ReconnectingSessionTests {
    private static let quick = ReconnectingSession.Backoff(
        first: .milliseconds(1), longest: .milliseconds(4))

    /// Answers lists with one item named after the connection's number, and subscriptions.
    private func script(_ server: FakeServer, refusingSince: Bool = false) {
        server.respond = { [weak server] request, client in
            guard let server, let id = request.id else { return }
            let number = (server.clients.firstIndex { $0 === client } ?? 0) + server.epoch
            switch request.method {
            case "items.open":
                let gen = (try? request.reader().int("gen")) ?? 0
                client.reply(request, ["sub": id.value, "token": "e:1", "resumed": false])
                client.notify(
                    ItemsReset(
                        sub: id, gen: gen, rev: 1, token: "e:1", total: 1, reason: "open",
                        items: [.sample("from-\(number)")]))
            case "events.subscribe":
                if refusingSince, (try? request.reader().has("since")) == true {
                    client.refuse(request, .unsupported("no 'since'", at: "since"))
                    return
                }
                client.reply(
                    request,
                    ["sub": id.value, "epoch": "e", "from": 1, "lost": 0, "oldest": 1])
                client.notify(
                    SentEvent(sub: id, seq: 40 + number, time: 1, topic: "a.b", data: nil))
            default: client.reply(request, [:])
            }
        }
    }

    @Test("A lost connection is restored with its list and its feed")
    func reconnects() throws {
        let bench = try Bench()
        script(bench.server, refusingSince: true)
        let session = try ReconnectingSession(
            to: bench.server.path, on: bench.loop, backoff: Self.quick)
        var states: [ReconnectingSession.State] = []
        session.onState = { states.append($0) }
        let list = session.openList(ListQuery())
        var events: [Int] = []
        let feed = session.subscribe(topics: ["*"]) {
            if case .event(let event) = $0 { events.append(event.seq) }
        }
        #expect(bench.loop.reach { list.isComplete && events.count == 1 })
        #expect(list.items.map(\.name) == ["from-0"])

        // Gone, like a daemon that was killed: the file stays and nobody listens.
        bench.server.stop()
        #expect(bench.loop.reach { states.count >= 5 })
        #expect(list.items.map(\.name) == ["from-0"])
        #expect(!list.isComplete)
        #expect(session.connection == nil)
        let pauses = states.compactMap { state -> Duration? in
            if case .retrying(_, let pause) = state { pause } else { nil }
        }
        #expect(
            pauses.prefix(4) == [
                .milliseconds(1), .milliseconds(2), .milliseconds(4), .milliseconds(4),
            ])
        guard case .lost(let error)? = states.first else {
            Issue.record("first state is \(String(describing: states.first))")
            return
        }
        #expect(error.code == .disconnected)

        bench.server.epoch = 7
        try bench.server.start()
        #expect(bench.loop.reach { list.isComplete && events.count == 2 })
        #expect(states.last == .connected)
        #expect(list.items.map(\.name) == ["from-7"])
        #expect(events == [40, 47])
        // First from where it was, then, as that is refused, without.
        let asked = bench.server.requests.filter { $0.method == "events.subscribe" }
        #expect(asked.count == 3)
        #expect(try asked[1].reader().string("since") == "e:40")
        #expect(try !asked[2].reader().has("since"))
        session.close()
        #expect(session.state == .closed)
        withExtendedLifetime(feed) {}
    }

    @Test("A daemon that drops connections is retried with growing delays")
    func growingPauses() throws {
        let bench = try Bench()
        bench.server.respond = { _, client in client.close() }
        let session = try ReconnectingSession(
            to: bench.server.path, on: bench.loop,
            // A connection that lasts for the longest pause has the pauses begin anew, and on a busy machine
            // one may last for any time that is short.
            backoff: .init(first: .milliseconds(1), longest: patience))
        var pauses: [Duration] = []
        session.onState = { if case .retrying(_, let pause) = $0 { pauses.append(pause) } }
        let list = session.openList(ListQuery())
        #expect(bench.loop.reach { pauses.count >= 6 })
        #expect(pauses.prefix(6) == [1, 2, 4, 8, 16, 32].map { .milliseconds($0) }[...])
        session.close()
        withExtendedLifetime(list) {}
    }

    @Test("A failed first connection is not retried")
    func firstFails() throws {
        let folder = try TemporaryFolder()
        let error = try #require(throws: ClientError.self) {
            _ = try ReconnectingSession(to: folder.path("no.sock"), on: PollLoop())
        }
        #expect(error.code == .noDaemon)
    }

    @Test("A closed session does not retry, and its loop has nothing to wait for")
    func closes() throws {
        let bench = try Bench()
        script(bench.server)
        let session = try ReconnectingSession(
            to: bench.server.path, on: bench.loop, backoff: Self.quick)
        bench.server.stop()
        #expect(
            bench.loop.reach {
                if case .retrying = session.state { true } else { false }
            })
        session.close()
        // Returns at once, as there is neither a watch nor a timer.
        #expect(bench.loop.run() == false)
        #expect(session.state == .closed)
    }
}
