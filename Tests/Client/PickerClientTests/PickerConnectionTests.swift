import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct PickerConnectionTests {
    @Test("Typed requests carry their parameters and read their results")
    func requests() throws {
        let bench = try Bench()
        let document: JSONValue = [
            "key": "f1", "name": "a.md", "path": "x/a.md", "root": "/r", "size": 12,
            "modified": 1.5, "type": "text/markdown",
        ]
        bench.server.respond = { request, client in
            switch request.method {
            case "daemon.hello":
                client.reply(
                    request,
                    [
                        "server": "pickerd/0.0.9", "protocol": 1, "epoch": "6f1c", "rev": 7,
                        "events": ["epoch": "e", "seq": 3], "capabilities": [:],
                        "limits": [
                            "line": 1_048_576, "queueSoft": 1, "queueHard": 2, "subscriptions": 3,
                        ], "units": "utf8",
                    ])
            case "daemon.info":
                client.reply(
                    request,
                    [
                        "version": "0.0.9", "pid": 42, "uptime": 1.5, "clients": 2,
                        "subscriptions": 3, "memory": ["resident": 1000],
                        "roots": [
                            ["path": "/r", "state": "watching", "documents": 4, "degraded": []]
                        ],
                    ])
            case "documents.get":
                var whole = document.objectValue ?? [:]
                whole["uri"] = "file:///r/x/a.md"
                whole["icon"] = "text-markdown"
                whole["genericIcon"] = "text-x-generic"
                whole["created"] = 0.5
                whole["thumbnail"] = "/t/0.png"
                client.reply(request, .object(whole))
            case "documents.create": client.reply(request, document)
            case "sync": client.reply(request, ["rev": 9])
            case "events.publish": client.reply(request, ["seq": 11])
            case "events.replay":
                let event: JSONValue = ["seq": 1, "time": 2.0, "topic": "a.b", "data": [1]]
                client.reply(request, ["events": [event]])
            case "items.get":
                client.reply(
                    request,
                    ["rev": 1, "total": 1, "start": 0, "items": [["kind": "new", "key": "new"]]])
            default: client.reply(request, [:])
            }
        }
        let connection = try bench.connect()
        let hello = try connection.send(.hello(client: "test")).wait()
        #expect(hello.server == "pickerd/0.0.9")
        #expect(hello.isOlderThanClient)
        #expect(try connection.send(.info).wait().memory == 1000)
        try connection.send(.ping).wait()
        let found = try connection.send(.document(key: "f1")).wait()
        #expect(found.path == "x/a.md" && found.uri == "file:///r/x/a.md")
        #expect(found.icon == "text-markdown" && found.genericIcon == "text-x-generic")
        #expect(found.created == 0.5 && found.thumbnail == "/t/0.png")
        #expect(found.json.text.contains("/t/0.png"))
        let made = try connection.send(.create(name: "n", content: "c")).wait()
        #expect(made.key == "f1" && made.uri == nil && made.created == nil)
        #expect(try connection.send(.sync(timeoutMs: 5)).wait() == 9)
        let data = try RawJSON("[1, 2]")
        #expect(try connection.send(.publish(topic: "a.b", data: data)).wait() == 11)
        #expect(try connection.send(.replay(topics: ["*"])).wait().map(\.topic) == ["a.b"])
        let items = try connection.send(.items(ListQuery(count: 1))).wait().items
        #expect(items.map(\.isNew) == [true])
        try connection.send(.reload).wait()
        let create = try #require(
            bench.server.requests.first { $0.method == "documents.create" })
        #expect(try create.paramsValue() == ["name": "n", "content": "c"])
        let publish = try #require(bench.server.requests.first { $0.method == "events.publish" })
        #expect(try publish.paramsValue() == ["topic": "a.b", "data": [1, 2]])
    }

    @Test("Pipelined requests are answered each with its own, also out of order")
    func pipelined() throws {
        let bench = try Bench()
        var held: [RequestEnvelope] = []
        bench.server.respond = { request, client in
            held.append(request)
            guard held.count == 3 else { return }
            for request in held.reversed() {
                let value = (try? request.paramsValue()) ?? .null
                client.reply(request, value)
            }
        }
        let connection = try bench.connect()
        let replies = try (1...3).map {
            connection.send(.raw("echo", try RawJSON("{\"n\":\($0)}")))
        }
        #expect(try replies.map { try $0.wait().text } == (1...3).map { "{\"n\":\($0)}" })
    }

    @Test("An error of the daemon keeps its kind, code, message and place")
    func refusal() throws {
        let bench = try Bench()
        bench.server.respond = { $1.refuse($0, .invalidParams(at: "key", "no 'key'")) }
        let connection = try bench.connect()
        let error = try #require(throws: ClientError.self) {
            try connection.send(.document(key: "?")).wait()
        }
        #expect(error.code == .refused)
        #expect(error.refusal?.kind == .invalidParams)
        #expect(error.refusal?.kind.code == -32602)
        #expect(error.refusal?.at == "key")
        #expect(connection.isOpen)
    }

    @Test("No socket, and a socket that nobody listens on, are both 'no daemon'")
    func noDaemon() throws {
        let bench = try Bench()
        bench.server.stop()
        for path in [bench.server.path, bench.folder.path("missing.sock")] {
            let error = try #require(throws: ClientError.self) {
                _ = try PickerConnection(to: path, on: bench.loop)
            }
            #expect(error.code == .noDaemon)
            #expect(error.message.contains(path))
        }
        try bench.folder.write("file")
        let long = try #require(throws: ClientError.self) {
            _ = try PickerConnection(
                to: "/" + String(repeating: "x", count: 200), on: bench.loop)
        }
        #expect(long.code == .cannotConnect)
    }

    @Test("The end of a connection fails pending requests, with the daemon's goodbye")
    func goodbye() throws {
        let bench = try Bench()
        bench.server.respond = { _, client in
            client.notify(Goodbye(reason: "stopping"))
            client.close()
        }
        let connection = try bench.connect()
        var closed: [ClientError] = []
        connection.onClose = { closed.append($0) }
        let first = connection.send(.ping)
        let second = connection.send(.ping)
        let error = try #require(throws: ClientError.self) { try first.wait() }
        #expect(error.code == .disconnected)
        #expect(error.message.contains("stopping"))
        #expect(throws: ClientError.self) { try second.wait() }
        #expect(connection.goodbyeReason == "stopping")
        #expect(closed == [error])
        #expect(throws: ClientError.self) { try connection.send(.ping).wait() }
    }

    @Test(
        "A line that violates the protocol ends the connection with an error",
        arguments: ["nonsense\n", "[]\n", "{\"id\":1}\n", "\u{0}\n", "overlong"])
    func badLines(_ line: String) throws {
        let bench = try Bench()
        bench.server.respond = { _, client in
            if line == "overlong" {
                client.send([UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
            } else {
                client.send(text: line)
            }
        }
        let connection = try bench.connect()
        let reply = connection.send(.ping)
        if line == "overlong" {
            // As much as the socket takes at a time, until it is too much.
            #expect(
                bench.loop.reach {
                    bench.server.clients.first?.send([UInt8](repeating: 0x78, count: 50_000))
                    return !connection.isOpen
                })
        }
        let error = try #require(throws: ClientError.self) { try reply.wait() }
        #expect(error.code == .badMessage)
    }

    @Test("A request over the limit of a line is not sent, and the connection stays")
    func longRequest() throws {
        let bench = try Bench()
        let connection = try bench.connect()
        let text = String(repeating: "x", count: 1 << 20)
        let error = try #require(throws: ClientError.self) {
            try connection.send(.create(name: "n", content: text)).wait()
        }
        #expect(error.code == .badArgument)
        try connection.send(.ping).wait()
    }

    @Test("A daemon that reads nothing fills the queue up to its limit and no further")
    func fullQueue() throws {
        let (mine, other) = try UnixSocket.pair().boxed()
        let loop = PollLoop()
        let connection = PickerConnection(adopting: try mine.descriptor.duplicate(), on: loop)
        let content = String(repeating: "x", count: 500_000)
        var failures: [ClientError] = []
        for _ in 0..<40 {
            connection.send(.create(name: "n", content: content)).then {
                if case .failure(let error) = $0 { failures.append(error) }
            }
        }
        #expect(!failures.isEmpty)
        #expect(failures.allSatisfy { $0.code == .tooMuchQueued })
        withExtendedLifetime((mine, other)) {}
    }

    @Test("Waiting has a limit, if one is given")
    func waitLimit() throws {
        let bench = try Bench()
        bench.server.respond = { _, _ in }
        let connection = try bench.connect()
        let error = try #require(throws: ClientError.self) {
            try connection.send(.ping).wait(within: .milliseconds(20))
        }
        #expect(error.code == .timedOut)
    }

    @Test("A feed delivers events and losses, and nothing after it is cancelled")
    func feed() throws {
        let bench = try Bench()
        var sub: RequestID?
        bench.server.respond = { request, client in
            if request.method == "events.subscribe" {
                sub = request.id
                client.reply(
                    request, ["sub": 1, "epoch": "e", "from": 5, "lost": 0, "oldest": 1])
            } else {
                client.reply(request, [:])
            }
        }
        let connection = try bench.connect()
        var seen: [String] = []
        let feed = connection.subscribe(topics: ["a.*"], start: .latest(2)) { message in
            switch message {
            case .subscribed: seen.append("subscribed")
            case .event(let event): seen.append("\(event.topic) \(event.data?.text ?? "-")")
            case .lost(let loss): seen.append("lost \(loss.numbers ?? 0...0) \(loss.reason)")
            case .ended(let error): seen.append("ended \(error.code)")
            }
        }
        #expect(bench.loop.reach { seen == ["subscribed"] })
        let id = try #require(sub)
        let request = try #require(bench.server.requests.last)
        #expect(try request.paramsValue() == ["topics": ["a.*"], "replay": 2])
        let client = bench.server.clients[0]
        client.notify(
            SentEvent(sub: id, seq: 5, time: 1, topic: "a.b", data: JSONFragment([1])))
        client.notify(LostNotice(sub: id, from: 6, to: 8))
        #expect(bench.loop.reach { seen.count == 3 })
        #expect(seen == ["subscribed", "a.b [1]", "lost 6...8 told(\"slow\")"])
        feed.cancel()
        client.notify(SentEvent(sub: id, seq: 9, time: 1, topic: "a.c", data: nil))
        try connection.send(.ping).wait()
        #expect(seen.count == 3)
        #expect(bench.server.methods.contains("events.unsubscribe"))
    }
}

@Suite struct SocketPathTests {
    private func resolve(
        _ explicit: String? = nil, _ variables: [String: String]
    ) throws -> String {
        try SocketPath.resolve(explicit: explicit) { variables[$0] }
    }

    @Test("--socket beats $PICKERD_SOCKET, which beats $XDG_RUNTIME_DIR")
    func order() throws {
        let all = ["PICKERD_SOCKET": "/p.sock", "XDG_RUNTIME_DIR": "/run/user/1"]
        #expect(try resolve("x.sock", all) == "x.sock")
        #expect(try resolve(nil, all) == "/p.sock")
        #expect(
            try resolve(nil, ["XDG_RUNTIME_DIR": "/run/user/1", "PICKERD_SOCKET": ""])
                == "/run/user/1/pickerd/pickerd.sock")
        #expect(try resolve(nil, ["XDG_RUNTIME_DIR": "/r/"]) == "/r/pickerd/pickerd.sock")
    }

    @Test("With nothing set, the error says what to set", arguments: [nil, "", "relative"])
    func nothing(_ folder: String?) throws {
        let error = try #require(throws: ClientError.self) {
            _ = try resolve(nil, folder.map { ["XDG_RUNTIME_DIR": $0] } ?? [:])
        }
        #expect(error.code == .noSocketPath)
        for word in ["XDG_RUNTIME_DIR", "PICKERD_SOCKET", "--socket"] {
            #expect(error.message.contains(word))
        }
    }
}
