import JSONText
import Observables
import PickerClient
import Synchronization
import TestSupport
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(20))) struct DaemonClientTests {
    /// Requests may take as long as they like: how late one is counts in the test of that alone.
    private static let quick = DaemonClient.Options(
        backoff: .init(first: .milliseconds(1), longest: .milliseconds(4)), timeout: nil,
        eventBuffer: 8)

    /// Answers as a daemon does; `sync` is never answered.
    @Sendable private static func script(_ server: FakeServer) {
        server.respond = { [unowned server] request, client in
            guard let id = request.id else { return }
            switch request.method {
            case "daemon.hello":
                client.reply(
                    request,
                    [
                        "server": "pickerd/0.1.0", "protocol": 1, "epoch": "e", "rev": 1,
                        "events": ["epoch": "e", "seq": 0], "capabilities": [:],
                        "limits": ["line": 1, "queueSoft": 1, "queueHard": 2, "subscriptions": 3],
                        "units": "utf8",
                    ])
            case "sync": break
            case "items.open":
                client.reply(request, ["sub": id.value, "token": "e:1", "resumed": false])
                let gen = (try? request.reader().int("gen")) ?? 0
                if (try? request.reader().optionalString("search")) == "bad" { return }
                client.notify(
                    ItemsReset(
                        sub: id, gen: gen, rev: 0, token: "e:0", total: 1, reason: "open",
                        items: [.sample("life-\(server.epoch)")]))
            default: client.reply(request, [:])
            }
        }
    }

    private func withClient(
        _ script: @escaping ThreadedServer.Job = Self.script,
        options: DaemonClient.Options = Self.quick,
        _ body: (DaemonClient, ThreadedServer) async throws -> Void
    ) async throws {
        let server = try ThreadedServer(script)
        defer { server.stop() }
        let client = try await DaemonClient.connect(to: server.path, options: options)
        defer { client.close() }
        try await body(client, server)
    }

    @Test("Requests of many tasks are answered each with its own")
    func requests() async throws {
        try await withClient { client, server in
            server.post { server in
                server.respond = { request, client in
                    client.reply(request, (try? request.paramsValue()) ?? .null)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let json = try RawJSON("{\"n\":\(number)}")
                        let answer = try await client.send(.raw("echo", json))
                        #expect(answer == json)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A missing daemon is an immediate error")
    func noDaemon() async throws {
        let folder = try TemporaryFolder()
        let error = try await #require(throws: ClientError.self) {
            _ = try await DaemonClient.connect(to: folder.path("none"))
        }
        #expect(error.code == .noDaemon)
    }

    @Test("A cancelled task ends at once, and its request is cancelled at the daemon")
    func cancellation() async throws {
        try await withClient { client, server in
            let task = Task { try await client.send(.sync()) }
            #expect(await server.reach { $0.methods.contains("sync") })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await server.reach { $0.methods.contains("$/cancel") })
            // One that is cancelled before it has begun is not even sent.
            let early = Task {
                while !Task.isCancelled { await Task.yield() }
                try await client.send(.ping)
            }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
            #expect(await server.ask { !$0.methods.contains("daemon.ping") })
            try await client.send(.ping)
        }
    }

    @Test("A late request fails, and the others continue")
    func deadline() async throws {
        try await withClient { client, server in
            let error = try await #require(throws: ClientError.self) {
                try await client.send(.sync(), within: .milliseconds(10))
            }
            #expect(error.code == .timedOut)
            try await client.send(.ping)
            #expect(await server.reach { $0.methods.contains("$/cancel") })
        }
    }

    @Test("A lost connection fails pending requests, is reported, and is restored")
    func reconnects() async throws {
        // Few tries fit between the end and the new start, however long the two take: a reader that is
        // late would miss the loss behind many.
        let patient = DaemonClient.Options(
            backoff: .init(first: .milliseconds(1), longest: patience), timeout: nil,
            eventBuffer: 8)
        try await withClient(options: patient) { client, server in
            let task = Task { try await client.send(.sync()) }
            #expect(await server.reach { $0.methods.contains("sync") })
            var states = client.states.makeAsyncIterator()
            #expect(await states.next() == .connected)
            server.post { $0.restart(as: 7) }
            let error = try await #require(throws: ClientError.self) { try await task.value }
            #expect(error.code == .disconnected)
            guard case .lost? = await states.next() else {
                Issue.record("the loss is not told")
                return
            }
            while let state = await states.next(), state != .connected {}
            try await client.send(.ping)
        }
    }

    @Test("A list comes as states, of which each has the change since the last, over a restart")
    func list() async throws {
        try await withClient { client, server in
            let list = client.list(ListQuery())
            var copy: [ListItem] = []
            var states: [String] = []
            for try await update in list {
                update.change.apply(on: &copy)
                #expect(copy == update.items)
                let names = update.items.compactMap(\.name).joined(separator: " ")
                states.append("\(names) \(update.isComplete) \(update.isConnected)")
                if states.count == 1 {
                    server.post { $0.restart(as: 7) }
                }
                if update.isComplete, update.items.first?.name == "life-7" { break }
            }
            #expect(states.first == "life-0 true true")
            #expect(states.last == "life-7 true true")
        }
    }

    @Test("A slow reader of a list gets later changes as one update")
    func slowList() async throws {
        try await withClient { client, server in
            let list = client.list(ListQuery())
            var updates = list.makeAsyncIterator()
            var copy: [ListItem] = []
            try await updates.next()?.change.apply(on: &copy)
            server.post { server in
                guard let open = server.requests.last(where: { $0.method == "items.open" }),
                    let sub = open.id, let gen = try? open.reader().int("gen")
                else { return }
                for rev in 1...500 {
                    server.clients.last?.notify(
                        ItemsDelta(
                            sub: sub, gen: gen, from: rev - 1, to: rev, token: "e:\(rev)",
                            total: rev + 1, inserted: [.init(index: 0, item: .sample("r\(rev)"))]))
                }
            }
            // Behind the deltas on the same connection.
            try await client.send(.ping)
            let update = try #require(try await updates.next())
            #expect(update.rev == 500)
            #expect(update.items.count == 501)
            update.change.apply(on: &copy)
            #expect(copy == update.items)
        }
    }

    @Test("A refused list throws, and a released one is closed in the daemon")
    func endsOfLists() async throws {
        try await withClient { client, server in
            do {
                let list = client.list(ListQuery())
                var updates = list.makeAsyncIterator()
                _ = try await updates.next()
            }
            #expect(await server.reach { $0.methods.contains("items.close") })
            server.post { server in
                server.respond = { $1.refuse($0, .invalidParams(at: "sort[0]", "no 'sise'")) }
            }
            var updates = client.list(ListQuery(sort: ["sise"])).makeAsyncIterator()
            do {
                _ = try await updates.next()
                Issue.record("nothing was thrown")
            } catch {
                #expect((error as? ClientError)?.isRefusal(.invalidParams) == true)
            }
            #expect(try await updates.next() == nil)
        }
    }

    @Test("A list shows another query after an update, and stays if that is refused")
    func updates() async throws {
        try await withClient { client, server in
            let list = client.list(ListQuery(sort: ["name"]))
            var updates = list.makeAsyncIterator()
            _ = try await updates.next()
            try await list.update(to: ListQuery(sort: ["size"]))
            let sent = await server.ask { server in
                server.requests.last { $0.method == "items.update" }
                    .flatMap { try? $0.paramsValue() }
            }
            #expect(sent?["sort"] == ["size"])
            server.post { server in
                server.respond = { $1.refuse($0, .invalidParams(at: "sort[0]", "no 'sise'")) }
            }
            let error = try await #require(throws: ClientError.self) {
                try await list.update(to: ListQuery(sort: ["sise"]))
            }
            #expect(error.isRefusal(.invalidParams))
        }
    }

    @Test("A closed client ends lists and events, and its requests fail")
    func close() async throws {
        try await withClient { client, server in
            let list = client.list(ListQuery())
            let events = client.events()
            var updates = list.makeAsyncIterator()
            _ = try await updates.next()
            let waiting = Task {
                var messages = events.makeAsyncIterator()
                while try await messages.next() != nil {}
            }
            let request = Task { try await client.send(.sync()) }
            #expect(await server.reach { $0.methods.contains("sync") })
            client.close()
            try await waiting.value
            #expect(try await updates.next() == nil)
            let error = try await #require(throws: ClientError.self) { try await request.value }
            #expect(error.code == .disconnected)
            await #expect(throws: ClientError.self) { try await client.send(.ping) }
            var none = client.list(ListQuery()).makeAsyncIterator()
            #expect(try await none.next() == nil)
            var silence = client.events().makeAsyncIterator()
            #expect(try await silence.next() == nil)
        }
    }

    @Test(
        "Observables of the client's thread can be followed, and their lists are closed after that")
    func follows() async throws {
        try await withClient { client, server in
            do {
                let names = client.follow { session, yield in
                    let list = session.openList(ListQuery())
                    let names = list.observableItems.map { $0.name ?? "" }
                    return names.connect { _ in yield(names.value) }
                }
                for await names in names {
                    #expect(names == ["life-0"])
                    break
                }
            }
            #expect(await server.reach { $0.methods.contains("items.close") })
            #expect(await server.ask { $0.methods.count { $0 == "items.open" } == 1 })
            var left = client.follow { session, yield in
                yield(1)
                return session
            }.makeAsyncIterator()
            #expect(await left.next() == 1)
            client.close()
            #expect(await left.next() == nil)
            var none =
                client.follow { session, _ in session }.makeAsyncIterator()
                as AsyncStream<Int>.Iterator
            #expect(await none.next() == nil)
        }
    }

    @Test("The thread and the connections end with the last reference to a client")
    func release() async throws {
        let server = try ThreadedServer(Self.script)
        defer { server.stop() }
        do {
            let client = try await DaemonClient.connect(to: server.path, options: Self.quick)
            let list = client.list(ListQuery())
            var updates = list.makeAsyncIterator()
            _ = try await updates.next()
            #expect(await server.ask { $0.clients.allSatisfy { !$0.hasEnded } })
        }
        #expect(await server.reach { $0.clients.allSatisfy(\.hasEnded) })
    }
}
