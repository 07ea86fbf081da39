import JSONText
import PickerClient
import TestSupport
import Testing
import WireProtocol

@Suite struct RequestTests {
    @Test("Each kind of the protocol has a case, and others are preserved")
    func kinds() {
        #expect(RefusalKind.allKnown.count == ProtocolError.Kind.all.count)
        for kind in ProtocolError.Kind.all {
            let told = RefusalKind(code: kind.code, name: kind.name)
            #expect(told.code == kind.code)
            #expect(told.name == kind.name)
            #expect(RefusalKind.allKnown.contains(told))
        }
        let other = RefusalKind(code: 1099, name: "tooTired")
        #expect(other == .other(code: 1099, name: "tooTired"))
        #expect(other.code == 1099 && "\(other)" == "tooTired")
    }

    @Test("A refusal has all members of the daemon's error")
    func refusals() throws {
        let bench = try Bench()
        var answers: [ProtocolError] = [
            .overloaded(retryAfterMs: 250, "full"), .limitExceeded(limit: 7, "long"),
            .pluginFailed("pdf", "gone"), .badExpression(at: "where[1]", "no 'sise'"),
        ]
        bench.server.respond = { $1.refuse($0, answers.removeFirst()) }
        let connection = try bench.connect()
        func refusal() throws -> ClientError.Refusal? {
            let error = try #require(throws: ClientError.self) { try connection.send(.ping).wait() }
            return error.refusal
        }
        #expect(try refusal()?.retryAfterMs == 250)
        let limit = try refusal()
        #expect(limit?.kind == .limitExceeded && limit?.limit == 7)
        #expect(try refusal()?.plugin == "pdf")
        let place = try refusal()
        #expect(place?.kind == .badExpression && place?.at == "where[1]")
    }

    @Test("A cancelled request fails at once, and the daemon gets its id")
    func cancels() throws {
        let bench = try Bench()
        var held: [(RequestEnvelope, FakeClient)] = []
        bench.server.respond = { request, client in
            if request.method == "sync" { held.append((request, client)) }
            if request.method == "daemon.ping" { client.reply(request, [:]) }
        }
        let connection = try bench.connect()
        let reply = connection.send(.sync())
        var outcomes: [Reply<Int>.Outcome] = []
        reply.then { outcomes.append($0) }
        #expect(bench.loop.reach { held.count == 1 })
        reply.cancel()
        reply.cancel()
        guard case .failure(let error)? = outcomes.first else {
            Issue.record("it goes on")
            return
        }
        #expect(error.code == .cancelled)
        #expect(bench.loop.reach { bench.server.methods.count { $0 == "$/cancel" } == 1 })
        let notice = try #require(bench.server.requests.last { $0.method == "$/cancel" })
        #expect(notice.id == nil)
        #expect(try notice.reader().requestID("id") == held[0].0.id)
        // An answer that comes all the same is nobody's.
        held[0].1.reply(held[0].0, ["rev": 4])
        try connection.send(.ping).wait(within: patience)
        #expect(outcomes.count == 1)
    }

    @Test("A late request is cancelled, one in time is not")
    func expires() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            if request.method == "daemon.ping" { client.reply(request, [:]) }
        }
        let connection = try bench.connect()
        var late: ClientError?
        connection.send(.sync()).expire(after: .milliseconds(5)).then {
            if case .failure(let error) = $0 { late = error }
        }
        #expect(bench.loop.reach { late != nil })
        #expect(late?.code == .timedOut)
        #expect(bench.loop.reach { bench.server.methods.contains("$/cancel") })
        var answered = false
        connection.send(.ping).expire(after: .seconds(100)).then { _ in answered = true }
        #expect(bench.loop.reach { answered })
        #expect(bench.server.methods.count { $0 == "$/cancel" } == 1)
    }

    @Test("Pending requests are limited, and the next one fails at once")
    func unanswered() throws {
        let bench = try Bench()
        bench.server.respond = { _, _ in }
        let connection = try bench.connect()
        var failures: [ClientError] = []
        for _ in 0..<(PickerConnection.mostUnanswered + 3) {
            connection.send(.ping).then {
                if case .failure(let error) = $0 { failures.append(error) }
            }
        }
        #expect(failures.map(\.code) == [.tooMuchQueued, .tooMuchQueued, .tooMuchQueued])
    }

    @Test("A batch has its answers in order, each with its type, refused ones too")
    func batch() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            client.reply(
                request,
                [
                    "rev": 12,
                    "results": [
                        ["result": ["rev": 12]],
                        [
                            "error": [
                                "code": 1011, "message": "none", "data": ["kind": "noSuchItem"],
                            ]
                        ],
                        ["result": ["events": []]], ["result": ["x": 1]],
                    ],
                ])
        }
        let connection = try bench.connect()
        let answer = try connection.send(
            .batch(
                .sync(timeoutMs: 0), .document(key: "f9"), .replay(topics: ["*"]),
                .raw("odd.method", try RawJSON("{\"a\":1}")))
        ).wait()
        #expect(answer.rev == 12)
        let (rev, document, events, raw) = answer.results
        #expect(try rev.get() == 12)
        let error = try #require(throws: ClientError.self) { try document.get() }
        #expect(error.isRefusal(.noSuchItem))
        #expect(try events.get().isEmpty)
        #expect(try raw.get().text == "{\"x\":1}")
        let sent = try #require(bench.server.requests.last)
        #expect(
            try sent.paramsValue() == [
                "calls": [
                    ["method": "sync", "params": ["timeoutMs": 0]],
                    ["method": "documents.get", "params": ["key": "f9"]],
                    ["method": "events.replay", "params": ["topics": ["*"]]],
                    ["method": "odd.method", "params": ["a": 1]],
                ]
            ])
    }

    @Test(
        "A batch with too few, too many or invalid answers is an error",
        arguments: [
            "[]", "[{\"result\":{}},{\"result\":{}}]", "[7]", "[{}]", "[{\"error\":3}]",
            "[{\"result\":7}]",
        ])
    func wrongBatch(_ results: String) throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            let id = request.id.map { "\($0)" } ?? "0"
            client.send(text: "{\"id\":\(id),\"result\":{\"rev\":1,\"results\":\(results)}}\n")
        }
        let connection = try bench.connect()
        let reply = connection.send(.batch(.sync()))
        let error = try #require(throws: ClientError.self) {
            _ = try reply.wait(within: patience).results.get()
        }
        #expect(error.code == .badMessage)
        #expect(connection.isOpen)
    }

    @Test("Progress is told to the request that asked for it, until its answer")
    func progress() throws {
        let bench = try Bench()
        func line(_ id: String, _ folders: Int) -> String {
            "{\"method\":\"$/progress\",\"params\":{\"id\":\(id),\"documents\":9,"
                + "\"folders\":\(folders),\"foldersWaiting\":3}}\n"
        }
        bench.server.respond = { request, client in
            let id = request.id.map { "\($0)" } ?? "0"
            client.send(text: line("77", 1) + line(id, 2) + line(id, 3))
            client.reply(request, ["rev": 5])
            client.send(text: line(id, 4))
        }
        let connection = try bench.connect()
        var told: [ScanProgress] = []
        let reply = connection.send(.sync(timeoutMs: 7), onProgress: { told.append($0) })
        #expect(try reply.wait(within: patience) == 5)
        #expect(try connection.send(.sync()).wait(within: patience) == 5)
        #expect(told.map(\.folders) == [2, 3] && told.allSatisfy { $0.foldersWaiting == 3 })
        let sent = try bench.server.requests.map { try $0.paramsValue() }
        #expect(sent == [["timeoutMs": 7, "progress": true], [:]])
    }

    @Test("A hello requests capabilities, and returns those of the daemon")
    func hello() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            client.reply(
                request,
                [
                    "server": "pickerd/9.9.9", "protocol": 1, "epoch": "6f1c", "rev": 7,
                    "events": ["epoch": "e", "seq": 3],
                    "capabilities": ["items": true, "items.like": true, "layout": false],
                    "limits": ["line": 10, "queueSoft": 1, "queueHard": 2, "subscriptions": 3],
                    "units": "utf8",
                ])
            client.send(text: "{\"method\":\"$/alive\",\"params\":{\"rev\":8}}\n")
        }
        let connection = try bench.connect()
        var revs: [Int] = []
        connection.onAlive = { revs.append($0) }
        let hello = try connection.send(.hello(required: ["items"], aliveMs: 100)).wait()
        #expect(hello.capabilities == ["items", "items.like"])
        #expect(hello.newestEvent == EventPosition("e:3"))
        #expect(hello.mostSubscriptions == 3)
        #expect(bench.loop.reach { revs == [8] })
        let sent = try #require(bench.server.requests.first)
        #expect(
            try sent.paramsValue() == ["protocol": 1, "required": ["items"], "aliveMs": 100])
    }

    @Test("The answers about a daemon have all their members, or an error names one")
    func results() throws {
        let hello: JSONObject = [
            "server": "pickerd/0.1.0", "protocol": 1, "epoch": "6f1c", "rev": 1,
            "events": ["epoch": "e", "seq": 8], "capabilities": ["fuzzy": true],
            "limits": [
                "line": 1_048_576, "queueSoft": 262_144, "queueHard": 4_194_304,
                "subscriptions": 64,
            ],
            "units": "utf8",
        ]
        let result = try DaemonHello(decoding: .object(hello))
        #expect(result.server == "pickerd/0.1.0" && result.epoch == "6f1c" && result.rev == 1)
        #expect(result.newestEvent == EventPosition("e:8") && result.capabilities == ["fuzzy"])
        #expect(result.longestLine == 1_048_576 && result.mostSubscriptions == 64)
        let info: JSONObject = [
            "version": "0.1.0", "pid": 4, "uptime": 1.5,
            "roots": [
                ["path": "/r", "state": "watching", "documents": 3, "degraded": ["x"]]
            ],
            "clients": 1, "subscriptions": 2, "memory": ["rss": 5],
        ]
        let status = try DaemonStatus(decoding: .object(info))
        #expect(status.version == "0.1.0" && status.pid == 4 && status.uptime == 1.5)
        #expect(status.roots.map(\.degraded) == [["x"]] && status.degraded.isEmpty)
        #expect(status.clients == 1 && status.subscriptions == 2)
        #expect(status.memory == 5)
        #expect(status.roots.map(\.degradedCount) == [1] && status.roots[0].rules == nil)
        #expect(status.settingsFile == nil && status.storeFaults == [:])
        var more = info
        more["roots"] = [
            [
                "path": "/r", "state": "polling", "documents": 3, "degraded": ["x"],
                "degradedCount": 9,
                "rules": [
                    "hidden": "keep", "ignore": ["*.o"], "ignoreCount": 2, "gitignore": true,
                    "symlinks": "report",
                ],
            ]
        ]
        more["settings"] = ["path": "/c.toml", "read": true]
        more["events"] = ["degraded": "full"]
        more["feed"] = ["marked": 0]
        let full = try DaemonStatus(decoding: .object(more))
        let rules = try #require(full.roots.first?.rules)
        #expect(full.roots.map(\.degradedCount) == [9])
        #expect(rules.hidden == "keep" && rules.ignore == ["*.o"] && rules.gitignore)
        #expect(rules.ignoreCount == 2 && rules.symlinks == "report")
        #expect(full.settingsFile?.path == "/c.toml" && full.settingsFile?.isRead == true)
        #expect(full.storeFaults == ["events": "full"])
        for key in hello.keys where key != "capabilities" {
            var wrong = hello
            wrong[key] = [[["x"]]]
            let error = #expect(throws: MessageError.self) {
                try DaemonHello(decoding: .object(wrong))
            }
            #expect(error?.path == key)
        }
        for key in info.keys where key != "memory" {
            var wrong = info
            wrong[key] = [[["x"]]]
            #expect(throws: MessageError.self) { try DaemonStatus(decoding: .object(wrong)) }
        }
    }
}
