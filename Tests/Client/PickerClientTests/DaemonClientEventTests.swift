import JSONText
import PickerClient
import TestSupport
import Testing
import WireProtocol

/// Event sequences, against a bus by script on another thread.
@Suite(.timeLimit(.minutes(20))) struct DaemonClientEventTests {
    private struct Tick: PickerEvent, Codable, Equatable {
        static let topics = ["app.tick"]
        let number: Int
    }

    private static let options = DaemonClient.Options(
        backoff: .init(first: .milliseconds(1), longest: .milliseconds(4)), timeout: nil,
        eventBuffer: 8)

    private func withClient(
        _ body: (DaemonClient, ThreadedServer) async throws -> Void
    ) async throws {
        let server = try ThreadedServer { server in server.companion = FakeBus(server) }
        defer { server.stop() }
        let client = try await DaemonClient.connect(to: server.path, options: Self.options)
        defer { client.close() }
        try await body(client, server)
    }

    private func publish(
        _ numbers: ClosedRange<Int>, on server: ThreadedServer, padding: Int = 0
    ) {
        server.post { server in
            guard let bus = server.companion as? FakeBus else { return }
            let text = String(repeating: "x", count: padding)
            for number in numbers {
                bus.publish("app.tick", "{\"number\":\(number),\"padding\":\"\(text)\"}")
            }
        }
    }

    @Test("Events are decoded, in order, with positions to resume from")
    func typed() async throws {
        try await withClient { client, server in
            var messages = client.events(of: Tick.self).makeAsyncIterator()
            guard case .subscribed? = try await messages.next()?.content else {
                Issue.record("not subscribed")
                return
            }
            publish(1...3, on: server)
            var place: EventPosition?
            for number in 1...3 {
                let message = try #require(try await messages.next())
                #expect(message.event == Tick(number: number))
                place = message.position
            }
            #expect(place == EventPosition("e:3"))
            publish(4...5, on: server)
            let start = try EventFeed.Start.after(#require(EventPosition("e:2")))
            var later = client.events(of: Tick.self, start: start).makeAsyncIterator()
            _ = try await later.next()
            for number in 3...5 {
                #expect(try await later.next()?.event == Tick(number: number))
            }
        }
    }

    @Test(
        "For a slow reader a flood waits in the daemon; nothing else waits or is lost"
    )
    func backPressure() async throws {
        try await withClient { client, server in
            server.post { ($0.companion as? FakeBus)?.capacity = 100_000 }
            var messages = client.events(of: Tick.self).makeAsyncIterator()
            _ = try await messages.next()
            publish(1...5000, on: server, padding: 1000)
            // The bus sends no more than a client reads.
            #expect(
                await server.reach { server in
                    server.clients.contains { $0.waitingBytes >= 256 << 10 }
                })
            // Turns of the client's loop in which it could read it all.
            for _ in 0..<300 { try await client.send(.ping) }
            #expect(
                await server.ask { server in
                    server.clients.contains { $0.waitingBytes >= 256 << 10 }
                })
            for number in 1...5000 {
                let event = try await messages.next()?.event
                if event?.number != number {
                    Issue.record("\(String(describing: event)) in place of \(number)")
                    return
                }
            }
        }
    }

    @Test("Events dropped for a slow reader are reported as lost, at their position")
    func losses() async throws {
        try await withClient { client, server in
            server.post { ($0.companion as? FakeBus)?.capacity = 100 }
            var messages = client.events(of: Tick.self).makeAsyncIterator()
            _ = try await messages.next()
            publish(1...5000, on: server, padding: 1000)
            // Nothing is read before all is published, so that the reader is slow on any machine.
            #expect(await server.ask { ($0.companion as? FakeBus)?.newest } == 5000)
            var next = 1
            var lost = 0
            while next <= 5000 {
                let message = try #require(try await messages.next())
                switch message.content {
                case .event(let tick):
                    #expect(tick.number == next)
                    next = tick.number + 1
                case .lost(let loss):
                    #expect(loss.numbers?.lowerBound == next)
                    next += loss.count
                    lost += loss.count
                default: Issue.record("\(message)")
                }
            }
            #expect(lost > 0)
        }
    }

    @Test("Across restarts each event comes once, and interruptions are reported")
    func restarts() async throws {
        try await withClient { client, server in
            var messages = client.events(of: Tick.self, start: .kept).makeAsyncIterator()
            var seen: [Int] = []
            var interruptions = 0
            for round in 0..<10 {
                let first = round * 20 + 1
                publish(first...first + 9, on: server)
                server.post { server in
                    (server.companion as? FakeBus)?.cutConnections(of: server)
                }
                publish(first + 10...first + 19, on: server)
                while seen.count < first + 19 {
                    let message = try #require(try await messages.next())
                    switch message.content {
                    case .event(let tick): seen.append(tick.number)
                    case .interrupted: interruptions += 1
                    case .subscribed: break
                    default:
                        Issue.record("\(message)")
                        return
                    }
                }
            }
            #expect(seen == Array(1...200))
            #expect(interruptions > 0)
        }
    }

    @Test("A cancelled reader ends, and a refused subscription throws")
    func ends() async throws {
        try await withClient { client, server in
            let events = client.events(["app.*"])
            let task = Task {
                var count = 0
                for try await _ in events { count += 1 }
                return count
            }
            #expect(await server.reach { $0.methods.contains("events.subscribe") })
            task.cancel()
            _ = try await task.value
            server.post { server in
                server.respond = { $1.refuse($0, .invalidParams(at: "topics[0]", "no 'A'")) }
            }
            var refused = client.events(["A"]).makeAsyncIterator()
            do {
                while let message = try await refused.next() { Issue.record("\(message)") }
                Issue.record("nothing was thrown")
            } catch {
                #expect((error as? ClientError)?.isRefusal(.invalidParams) == true)
            }
            #expect(try await refused.next() == nil)
        }
    }

    @Test(
        "Events wait for a missing daemon, and end after an invalid message")
    func nonsense() async throws {
        try await withClient { client, server in
            server.post { server in
                server.respond = { _, client in client.send(text: "nonsense\n") }
            }
            var messages = client.events().makeAsyncIterator()
            do {
                while try await messages.next() != nil {}
                Issue.record("nothing was thrown")
            } catch {
                #expect((error as? ClientError)?.code == .badMessage)
            }
        }
    }
}
