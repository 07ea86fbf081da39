import EventLoops
import Foundation
import JSONText
import PickerClient
import SystemInterface
import TestSupport
import Testing
import WireProtocol

/// The built pickerctl against a daemon by script, or none.
@Suite struct CommandTests {
    /// Runs `pickerctl` while the loop serves it.
    private func run(
        _ bench: Bench, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (code: Int32?, out: String, err: String) {
        var variables = ["PICKERD_SOCKET": bench.server.path, "TZ": "UTC"]
        variables.merge(environment) { $1 }
        let process = try SpawnedProcess(
            try SpawnedProcess.built("pickerctl"), arguments, environment: variables)
        return finish(process, bench)
    }

    /// Runs a line of bash, in which `pickerctl` is the built one.
    private func shell(
        _ bench: Bench, _ script: String
    ) throws -> (code: Int32?, out: String, err: String) {
        let program = try SpawnedProcess.built("pickerctl")
        let process = try SpawnedProcess(
            "/bin/bash", ["-c", "pickerctl() { '\(program)' \"$@\"; }; \(script)"],
            environment: ["PICKERD_SOCKET": bench.server.path, "PATH": "/usr/bin:/bin"])
        return finish(process, bench)
    }

    private func finish(
        _ process: SpawnedProcess, _ bench: Bench
    ) -> (code: Int32?, out: String, err: String) {
        let hasEnded = bench.loop.reach { !process.isRunning }
        #expect(hasEnded, "it runs for ever")
        var code: Int32?
        if case .exited(let number)? = process.waitForExit(within: .zero) { code = number }
        return (code, process.standardOutput, process.standardError)
    }

    private func withList(_ items: [ItemRecord], inChunksOf size: Int = 100) throws -> Bench {
        let bench = try Bench()
        bench.server.respond = { request, client in
            guard let id = request.id else { return }
            client.reply(request, [:])
            guard request.method == "items.open" else { return }
            let gen = (try? request.reader().int("gen")) ?? 0
            let chunks = stride(from: 0, to: max(1, items.count), by: size)
            for (number, start) in chunks.enumerated() {
                let part = Array(items[start..<min(start + size, items.count)])
                let isLast = start + size >= items.count
                // As the daemon does: only the last chunk says that the list is complete.
                client.notify(
                    ItemsReset(
                        sub: id, gen: gen, rev: 1, token: "e:1", total: items.count,
                        chunk: number, last: isLast, complete: isLast, reason: "open",
                        items: part))
            }
        }
        return bench
    }

    @Test("Exit status 3 without a daemon, saying how to start one")
    func noDaemon() throws {
        let bench = try Bench()
        bench.server.stop()
        for arguments in [["list"], ["status"], ["watch"], ["events"], ["raw"]] {
            let result = try run(bench, arguments)
            #expect(result.code == 3, "\(arguments)")
            #expect(result.err.contains("pickerctl: no daemon listens at \(bench.server.path)"))
            #expect(result.err.contains("systemctl --user start pickerd.socket"))
            #expect(result.out == "")
        }
        let lost = try run(bench, ["list"], environment: ["PICKERD_SOCKET": ""])
        #expect(lost.code == 3)
        #expect(lost.err.contains("XDG_RUNTIME_DIR"))
    }

    @Test(
        "Exit status 2 for wrong arguments, before anything is sent",
        arguments: [
            ["lsit"], ["list", "--limit", "x"], ["list", "--limit", "-1"], ["get"],
            ["publish", "a.b", "{oops"], ["events", "--replay", "-3"], ["list", "--color", "red"],
            ["list", "typ:pdf"], ["watch", "size:big"], ["watch", "--bogus"],
            ["sync", "--timeout", "soon"],
        ])
    func usage(_ arguments: [String]) throws {
        let bench = try Bench()
        let result = try run(bench, arguments)
        #expect(result.code == 2)
        #expect(result.err.hasPrefix("pickerctl: "))
        #expect(result.out == "")
        #expect(bench.server.methods == [])
    }

    @Test(
        "Help and version are no failures",
        arguments: [["--help"], ["--version"], ["help", "list"]])
    func help(_ arguments: [String]) throws {
        let result = try run(try Bench(), arguments)
        #expect(result.code == 0)
        #expect(!result.out.isEmpty)
        #expect(result.err == "")
    }

    @Test("Exit status 1 when the daemon refuses, with its message")
    func refused() throws {
        let bench = try Bench()
        bench.server.respond = { $1.refuse($0, .conflict("there is a 'n.md' already")) }
        let result = try run(bench, ["new", "n.md", "--content", "x"])
        #expect(result.code == 1)
        #expect(result.err == "pickerctl: there is a 'n.md' already\n")
        let request = try #require(bench.server.requests.first)
        #expect(try request.paramsValue() == ["name": "n.md", "content": "x"])
    }

    @Test("Small commands print little and send the right requests")
    func small() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            switch request.method {
            case "sync": client.reply(request, ["rev": 17])
            case "events.publish": client.reply(request, ["seq": 5])
            default: client.reply(request, [:])
            }
        }
        #expect(try run(bench, ["sync", "--timeout", "50"]).out == "17\n")
        #expect(try run(bench, ["publish", "a.b", "[1]"]).out == "5\n")
        #expect(try run(bench, ["reload"]) == (0, "", ""))
        #expect(try run(bench, ["stop"]) == (0, "", ""))
        #expect(try run(bench, ["socket-path"]).out == bench.server.path + "\n")
        #expect(try run(bench, ["--socket", "/x", "socket-path"]).out == "/x\n")
        #expect(try run(bench, ["socket-path", "--socket", "/x"]).out == "/x\n")
        #expect(
            bench.server.methods == ["sync", "events.publish", "daemon.reload", "daemon.stop"])
        #expect(try bench.server.requests[0].paramsValue() == ["timeoutMs": 50])
    }

    @Test("A daemon that says goodbye instead of answering 'stop' has stopped")
    func stopByGoodbye() throws {
        let bench = try Bench()
        bench.server.respond = { _, client in
            client.notify(Goodbye(reason: "stopping"))
            client.close()
        }
        #expect(try run(bench, ["stop"]).code == 0)
        #expect(try run(bench, ["sync"]).code == 1)
    }

    @Test("A list in chunks is printed in columns, hostile names made visible")
    func list() throws {
        let bench = try withList(
            [
                .new, .sample("日本.md", size: 1200, modified: 0),
                .sample("a\n\u{1b}[2Jb", size: 7, modified: 0), .sample("z", modified: 0),
            ], inChunksOf: 2)
        let result = try run(bench, ["list"])
        #expect(result.code == 0)
        #expect(
            result.out == """
                日本.md      1.2 kB  1970-01-01
                a\\n\\x1b[2Jb     7 B  1970-01-01
                z               1 B  1970-01-01

                """)
        let json = try run(bench, ["list", "--json", "--sort", "-size,name", "--limit", "9"])
        let lines = json.out.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix(#"{"kind":"document""#))
        let open = try #require(bench.server.requests.last { $0.method == "items.open" })
        let reader = try open.reader()
        #expect(try reader.optionalStrings("sort") == ["-size", "name"])
        #expect(
            try reader.object("window").int("count") == 10, "one more, for the row that is hidden")
        let all = try run(bench, ["list", "--json", "--with-new", "--limit", "9"]).out
        #expect(all.hasPrefix("{\"kind\":\"new\",\"key\":\"new\"}\n"))
        let wrong = try run(bench, ["list", "--sort", "-liked,sise"])
        #expect(wrong.code == 2 && wrong.err.contains("did you mean 'size'? They are"))
        let unlike = try run(bench, ["list", "--sort", "zebra"])
        #expect(unlike.code == 2 && unlike.err.contains("'zebra' is no sort key. They are"))
    }

    @Test("Colour is for terminals, and for those who insist")
    func colour() throws {
        let bench = try withList([.sample("a", modified: 0)])
        #expect(try !run(bench, ["list"]).out.contains("\u{1b}"))
        #expect(try run(bench, ["list", "--color", "always"]).out.contains("\u{1b}["))
        #expect(
            try !run(bench, ["list", "--color", "always", "--no-color"]).out.contains("\u{1b}"))
    }

    /// The parameters of the last list that was opened.
    private func opened(_ bench: Bench) throws -> JSONValue {
        try #require(bench.server.requests.last { $0.method == "items.open" }).paramsValue()
    }

    @Test("--fuzzy, --words and '~' say how to search, and a fuzzy search is sorted by score")
    func matching() throws {
        let bench = try withList([.sample("a", modified: 0)])
        let rows: [([String], search: JSONValue?, match: JSONValue?, sort: JSONValue?)] = [
            (["list", "a", "b"], "a b", nil, nil),
            (["list", "--words", "a", "b"], "a b", "words", nil),
            (["list", "--fuzzy", "a", "'b"], "a 'b", "fuzzy", ["score"]),
            (["list", "~a ~'b"], "a 'b", "fuzzy", ["score"]),
            (["list", "--fuzzy", "~a"], "a", "fuzzy", ["score"]),
            (["list", "--fuzzy", "--search", "a | b"], "a | b", "fuzzy", ["score"]),
            (["list", "--search", "~a"], "~a", nil, nil),
            (["list", "--fuzzy", "a", "--sort", "size"], "a", "fuzzy", ["size"]),
            (["list", "~a sort:-score,path"], "a", "fuzzy", ["-score", "path"]),
            (["list", "--fuzzy"], nil, "fuzzy", nil),
        ]
        for (arguments, search, match, sort) in rows {
            #expect(try run(bench, arguments).code == 0, "\(arguments)")
            let params = try opened(bench)
            #expect(params["search"] == search, "\(arguments)")
            #expect(params["match"] == match, "\(arguments)")
            #expect(params["sort"] == sort, "\(arguments)")
            #expect(params["highlights"] == nil, "\(arguments)")
        }
    }

    @Test("What is found is bold where there is colour, and only there it is asked for")
    func marks() throws {
        var item = ItemRecord.sample("a-report.md", modified: 0)
        item.matches = [2, 5]
        let bench = try withList([item])
        let marked = try run(bench, ["list", "--fuzzy", "rep", "--color", "always"])
        #expect(marked.out.hasPrefix("a-\u{1b}[1mrep\u{1b}[0mort.md  "))
        #expect(try opened(bench)["highlights"] == true)
        for arguments in [
            [], ["--color", "always", "--no-color"], ["--color", "always", "--json"],
            ["--color", "always", "--paths"], ["--color", "always", "--format", "{name}"],
        ] {
            let plain = try run(bench, ["list", "rep"] + arguments)
            #expect(plain.out.contains("report") && !plain.out.contains("\u{1b}"))
            #expect(try opened(bench)["highlights"] == nil, "\(arguments)")
        }
        // Without a search there is nothing to be found.
        _ = try run(bench, ["list", "--color", "always"])
        #expect(try opened(bench)["highlights"] == nil)
    }

    @Test("Pages are not sorted by score, and other searches than fuzzy ones have none")
    func scores() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            client.reply(
                request,
                [
                    "count": 0, "results": [], "nextPageIndex": .null, "previousPageIndex": .null,
                    "rev": 1,
                ])
        }
        #expect(try run(bench, ["feed", "--fuzzy", "a"]).code == 0)
        let page = try #require(bench.server.requests.last { $0.method == "items.page" })
        #expect(try page.paramsValue()["match"] == "fuzzy")
        #expect(try page.paramsValue()["sort"] == nil)
        let sent = bench.server.requests.count
        for (arguments, says) in [
            (["feed", "--fuzzy", "a", "--sort", "score"], "pickerctl list"),
            (["feed", "~a sort:-score"], "pickerctl list"),
            (["list", "a", "--sort", "score"], "--fuzzy"),
            (["list", "--words", "a", "--sort", "size,-score"], "--fuzzy"),
            (["list", "--fuzzy", "--words", "a"], "both"),
            (["stats", "--fuzzy", "--words", "a"], "both"),
            (["list", "--words", "~a"], "both"), (["list", "~a", "b"], "before all"),
            (["list", "--fuzzy", "~a", "b"], "before all"),
        ] {
            let result = try run(bench, arguments)
            #expect(result.code == 2 && result.err.contains(says), "\(arguments): \(result.err)")
        }
        #expect(bench.server.requests.count == sent)
    }

    @Test("A reader that exits early is not a failure")
    func brokenPipe() throws {
        let bench = try withList(
            (0..<20_000).map { .sample("name-\($0)", modified: 0) }, inChunksOf: 500)
        let result = try shell(bench, "pickerctl list | head -1; echo ${PIPESTATUS[@]}")
        #expect(result.out == "name-0    1 B  1970-01-01\n0 0\n")
        #expect(result.err == "")
        // Without a line to write it is noticed all the same.
        let watching = try shell(bench, "pickerctl watch --limit 0 | true; echo ${PIPESTATUS[0]}")
        #expect(watching.out == "0\n")
    }

    @Test("raw passes bytes unchanged, ends its side, and prints the pending output")
    func raw() throws {
        let bench = try Bench()
        bench.server.keepsEndedClients = true
        var client: FakeClient?
        /// When the end of input has come, the connection is still good for answers.
        func answerAtEnd(_ from: FakeClient) {
            guard from.hasEnded else {
                bench.loop.schedule(after: .milliseconds(2)) { answerAtEnd(from) }
                return
            }
            from.send(text: "{\"id\":2, \"result\":true}\n")
            from.close()
        }
        bench.server.respond = { request, from in
            client = from
            if request.method == "last" {
                answerAtEnd(from)
            } else {
                from.send(text: "{ \"id\" : 1, \"result\":{} }\r\n")
            }
        }
        let input = #"{"id":1,"method":"x"}\n  \xff\n{"id":2,"method":"last"}"#
        let result = try shell(bench, "printf '\(input)\\n' | pickerctl raw; echo $?")
        #expect(
            result.out == "{ \"id\" : 1, \"result\":{} }\r\n{\"id\":2, \"result\":true}\n0\n")
        let sent = try #require(client).received
        #expect(
            sent == Array("{\"id\":1,\"method\":\"x\"}\n  ".utf8) + [0xFF]
                + Array("\n{\"id\":2,\"method\":\"last\"}\n".utf8))
    }

    @Test("raw fails with a message when the daemon ends before answering")
    func rawUnanswered() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            if request.method == "y" { client.close() } else { client.reply(request, [:]) }
        }
        let lines = #"{"id":1,"method":"x"}\n{"id":"b","method":"y"}"#
        let result = try shell(bench, "printf '\(lines)\\n' | pickerctl raw; echo $?")
        #expect(result.out.hasSuffix("\n1\n"))
        #expect(
            result.err
                == "pickerctl: the daemon closed the connection, and has not answered a request\n")
        let sound = try shell(bench, #"echo '{"id":1,"method":"x"}' | pickerctl raw; echo $?"#)
        #expect(sound.out.hasSuffix("\n0\n") && sound.err == "")
    }

    @Test("A restarted daemon removes no rows during its first scan")
    func watchRestart() throws {
        let bench = try Bench()
        var lives = 0
        bench.server.respond = { request, client in
            client.reply(request, [:])
            guard request.method == "items.open", let id = request.id else { return }
            lives += 1
            let gen = (try? request.reader().int("gen")) ?? 0
            let life = lives
            let names = life == 1 ? ["a", "b"] : []
            client.notify(
                ItemsReset(
                    sub: id, gen: gen, rev: 1, token: "life-\(life):1", total: names.count,
                    complete: life == 1, reason: "open",
                    items: names.map { .sample($0, life: life) }))
            if life == 1 { return client.close() }
            let found = ["b", "c"].enumerated().map { index, name in
                ItemsDelta.Insertion(index: index, item: .sample(name, life: life))
            }
            client.notify(
                ItemsDelta(
                    sub: id, gen: gen, from: 1, to: 2, token: "life-2:2", total: 2,
                    complete: true, inserted: found))
        }
        let process = try SpawnedProcess(
            try SpawnedProcess.built("pickerctl"), ["watch", "--search", "x"],
            environment: ["PICKERD_SOCKET": bench.server.path])
        #expect(bench.loop.reach { process.standardOutput.contains("+ c\n") })
        process.kill(SIGTERM)
        _ = bench.loop.reach { !process.isRunning }
        #expect(process.standardOutput == "+ a\n+ b\n- a\n+ c\n")
    }

    @Test("raw carries megabytes both ways at once")
    func rawVolume() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            client.send(text: String(repeating: "y", count: 1000) + "\n")
        }
        let line = #"{"id":1,"method":"x"}"#
        let result = try shell(
            bench,
            "yes '\(line)' | head -3000 | pickerctl raw | head -3000 | sort -u | wc -lc")
        #expect(result.out.split(separator: " ").map { $0.filter(\.isNumber) } == ["1", "1001"])
    }

    @Test("watch prints changes as lines, reconnects, and tells only the difference")
    func watch() throws {
        let bench = try Bench()
        var lives = 0
        var printed: () -> String = { "" }
        /// Ends the connection, once all that was sent over it is told.
        func closeWhenTold(_ client: FakeClient) {
            guard printed().hasSuffix("+ x\\ny\n") else {
                bench.loop.schedule(after: .milliseconds(2)) { closeWhenTold(client) }
                return
            }
            client.close()
        }
        bench.server.respond = { request, client in
            guard request.method == "items.open", let id = request.id else {
                client.reply(request, [:])
                return
            }
            lives += 1
            let gen = (try? request.reader().int("gen")) ?? 0
            client.reply(request, [:])
            let names = lives == 1 ? ["a", "b"] : ["b", "c"]
            client.notify(
                ItemsReset(
                    sub: id, gen: gen, rev: 1, token: "life-\(lives):1", total: 3,
                    reason: "open", items: [.new] + names.map { .sample($0, life: lives) }))
            guard lives == 1 else { return }
            client.notify(
                ItemsDelta(
                    sub: id, gen: gen, from: 1, to: 2, token: "life-1:2", total: 4,
                    moved: [.init(from: 2, to: 1)],
                    inserted: [.init(index: 3, item: .sample("x\ny"))],
                    updated: [.init(index: 2, changes: ["name": "a2", "path": "a2"])]))
            closeWhenTold(client)
        }
        let process = try SpawnedProcess(
            try SpawnedProcess.built("pickerctl"), ["watch"],
            environment: ["PICKERD_SOCKET": bench.server.path])
        printed = { process.standardOutput }
        #expect(bench.loop.reach { process.standardOutput.contains("+ c\n") })
        process.kill(SIGTERM)
        _ = bench.loop.reach { !process.isRunning }
        #expect(
            process.standardOutput
                == "+ a\n+ b\n~ a2 (was a)\n> b moved\n+ x\\ny\n- a2\n- x\\ny\n+ c\n")
        #expect(
            process.standardError == """
                pickerctl: the daemon closed the connection; trying to connect again
                pickerctl: connected again

                """)
    }

    @Test("watch --json and events --json print notifications unchanged")
    func notifications() throws {
        let bench = try Bench()
        let odd = #"{"method" : "event","params":{"sub":1,"seq":3,"time":1.50,"topic":"a.b"}}"#
        bench.server.respond = { request, client in
            client.reply(request, ["epoch": "e", "from": 3, "lost": 0])
            client.send(text: odd + "\n")
        }
        let process = try SpawnedProcess(
            try SpawnedProcess.built("pickerctl"), ["events", "--json"],
            environment: ["PICKERD_SOCKET": bench.server.path])
        #expect(bench.loop.reach { process.standardOutput == odd + "\n" })
        let subscribe = try #require(bench.server.requests.first)
        #expect(try subscribe.paramsValue() == ["topics": ["*"]])
        process.kill(SIGTERM)
    }

    @Test("An older daemon is warned about, on standard error")
    func older() throws {
        let bench = try Bench()
        bench.server.respond = { request, client in
            if request.method == "daemon.hello" {
                client.reply(
                    request,
                    [
                        "server": "pickerd/0.0.1", "protocol": 1, "epoch": "e", "rev": 1,
                        "events": ["epoch": "e", "seq": 0], "capabilities": [:],
                        "limits": [
                            "line": 1, "queueSoft": 1, "queueHard": 1, "subscriptions": 1,
                        ], "units": "utf8",
                    ])
            } else {
                client.reply(
                    request,
                    [
                        "version": "0.0.1", "pid": 1, "uptime": 90, "roots": [], "clients": 1,
                        "subscriptions": 0,
                    ])
            }
        }
        let result = try run(bench, ["status"])
        #expect(result.code == 0)
        #expect(result.err.contains("warning"))
        #expect(result.out.contains("up 1 min"))
    }

    @Test("stats shows what a query selects, to the byte; --json is the daemon's own answer")
    func stats() throws {
        let bench = try Bench()
        var asked: [JSONValue] = []
        let wire: JSONValue = [
            "count": 3,
            "size": ["sum": "73786976294838206460", "mean": 6, "min": 0, "max": 1_234_567],
            "modified": ["mean": 86_400.25, "min": 0, "max": 172_800],
        ]
        bench.server.respond = { request, client in
            asked.append((try? request.paramsValue()) ?? .null)
            client.reply(request, wire)
        }
        let result = try run(bench, ["stats", "draft", "size:>5"])
        #expect(result.code == 0)
        #expect(bench.server.methods == ["documents.stats"])
        #expect(asked == [["search": "draft", "where": ["size", "gt", 5]]])
        #expect(try run(bench, ["stats", "--words", "a", "b"]).code == 0)
        #expect(asked.last == ["search": "a b", "match": "words"])
        #expect(try run(bench, ["stats", "~a"]).code == 0)
        #expect(asked.last == ["search": "a", "match": "fuzzy"])
        #expect(result.out.contains("documents       3\n"))
        #expect(result.out.contains("(73786976294838206460 bytes)"))
        #expect(result.out.contains("mean          6 B\n"))
        #expect(result.out.contains("1.2 MB (1234567 bytes)"))
        #expect(result.out.contains("1970-01-02"))
        let json = try run(bench, ["stats", "--json"])
        #expect(json.out == String(decoding: wire.bytes, as: UTF8.self) + "\n")
        #expect(asked.last == [:])
    }

    @Test("stats --attribute shows the values of an attribute, and how many are not known")
    func attributeStats() throws {
        let bench = try Bench()
        var asked: [JSONValue] = []
        var values: [String: JSONValue] = [:]
        var pending: JSONValue?
        bench.server.respond = { request, client in
            let params = (try? request.paramsValue()) ?? .null
            asked.append(params)
            var answer: JSONObject = [
                "count": 3, "size": ["sum": 6, "mean": 2, "min": 1, "max": 3],
                "modified": ["mean": 1, "min": 1, "max": 1],
            ]
            if let name = params["attribute"]?.stringValue { answer[name] = values[name] }
            answer["pending"] = pending
            client.reply(request, .object(answer))
        }
        values["image.width"] = ["count": 2, "sum": 7, "mean": 3.5, "min": -1, "max": 8]
        let width = try run(bench, ["stats", "--attribute", "image.width", "a"])
        #expect(width.code == 0 && width.err.isEmpty)
        #expect(asked == [["search": "a", "attribute": "image.width"]])
        let lines = width.out.split(separator: "\n").suffix(5).map(String.init)
        #expect(
            lines == [
                "image.width     2 documents", "  sum           7", "  mean          3.5",
                "  least         -1", "  greatest      8",
            ])
        values["image.width"] = [
            "count": 1, "sum": "-36893488147419103232", "mean": -3.7e19, "min": .null, "max": 2.5,
        ]
        pending = ["image.width": 4]
        let large = try run(bench, ["stats", "--attribute", "image.width"])
        #expect(large.out.contains("1 document\n") && large.out.contains("-36893488147419103232\n"))
        #expect(large.err.contains("image.width of 4 documents is not known yet"))
        values["x.taken"] = ["count": 2, "mean": 86_400.25, "min": 0, "max": 172_800]
        let taken = try run(bench, ["stats", "--attribute", "x.taken"]).out
        #expect(taken.contains("  mean          1970-01-02") && taken.contains("  last "))
        #expect(!taken.contains("sum"))
        values["x.name"] = ["count": 2]
        let name = try run(bench, ["stats", "--attribute", "x.name"]).out
        #expect(name.hasSuffix("x.name          2 documents\n"))
        let json = try run(bench, ["stats", "--attribute", "x.name", "--json"]).out
        #expect(json.contains(#""x.name":{"count":2}"#))
    }

    @Test("stats without documents says so, and shows no mean")
    func emptyStats() throws {
        let bench = try Bench()
        let none: JSONValue = ["mean": .null, "min": .null, "max": .null]
        let sizes: JSONValue = ["sum": 0, "mean": .null, "min": .null, "max": .null]
        bench.server.respond = { request, client in
            client.reply(request, ["count": 0, "size": sizes, "modified": none])
        }
        let result = try run(bench, ["stats"])
        #expect(result.code == 0)
        #expect(result.out == "documents  0\nsize       0 B\n")
    }
}
