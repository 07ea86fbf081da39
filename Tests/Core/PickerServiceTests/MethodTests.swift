// Each method in its usual form, and errors besides invalid parameters.

import DataBus
import EventsPlugin
import ItemsPlugin
import JSONText
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

@testable import PickerService

@Suite struct MethodTests {
    private let slow = SlowPlugin()
    private let fixture: ServerFixture
    private let client: TestClient

    init() throws {
        fixture = ServerFixture(plugins: [ItemsPlugin(), EventsPlugin(), slow])
        client = try fixture.connect()
    }

    @Test("daemon.hello returns the server, the epochs, the capabilities, and the limits")
    func hello() throws {
        fixture.add(["a.md"])
        let result = try client.result(
            "daemon.hello",
            [
                "client": "test", "protocol": 1, "required": ["items", "items.open", "batch"],
                "optional": ["layout"], "units": "codepoint",
            ])
        #expect(result["server"] == "pickerd/1.2.3" && result["protocol"] == 1)
        #expect(result["epoch"] == "e" && result["rev"] == 1)
        #expect(result["events"] == ["epoch": "e", "seq": 0])
        #expect(result["capabilities"]?["events.publish"] == true)
        #expect(result["capabilities"]?["documents"] == nil)
        #expect(result["limits"]?["line"] == 1_048_576 && result["limits"]?["queueSoft"] == 262_144)
        #expect(result["limits"]?["queueHard"] == 4_194_304)
        #expect(result["limits"]?["subscriptions"] == 1024)
        #expect(result["units"] == "codepoint")
        #expect(try client.result("daemon.hello")["units"] == "utf8")
    }

    @Test("a missing required capability is named; so is another protocol")
    func missingCapability() throws {
        let error = try client.error(
            "daemon.hello", ["required": ["items", "layout"], "aliveMs": 100])
        #expect(error.kind == .unsupported && error.at == "required")
        #expect(error.message.contains("'layout'"))
        #expect(try client.error("daemon.hello", ["protocol": 2]).kind == .unsupported)
        fixture.loop.advance(by: .seconds(1))
        #expect(try client.exchange().isEmpty)
    }

    @Test("daemon.hello with aliveMs sends $/alive at the last requested interval")
    func alive() throws {
        _ = try client.result("daemon.hello", ["aliveMs": 100])
        fixture.loop.advance(by: .milliseconds(350))
        fixture.add(["a.md"])
        let lines = try client.exchange()
        #expect(lines.count == 3)
        #expect(lines.last == ["jsonrpc": "2.0", "method": "$/alive", "params": ["rev": 0]])
        _ = try client.result("daemon.hello", ["aliveMs": 1000])
        fixture.loop.advance(by: .milliseconds(1500))
        #expect(try client.exchange().map { $0["params"] } == [["rev": 1]])
        let made = fixture.loop.sourcesMade
        fixture.loop.advance(by: .seconds(10))
        #expect(fixture.loop.sourcesMade == made, "one timer is set again and again")
        #expect(try client.exchange().count == 10)
    }

    @Test("daemon.info counts clients, subscriptions, documents, requests and errors")
    func info() throws {
        fixture.add(["a.md", "b.md"])
        _ = try client.result("items.open")
        _ = try client.error("nobody.knows")
        _ = try fixture.connect().result("daemon.ping")
        fixture.loop.advance(by: .seconds(3))
        let info = try client.result("daemon.info")
        #expect(info["version"] == "1.2.3" && info["pid"] == 42 && info["uptime"] == 3.0)
        #expect(info["rev"] == 1 && info["documents"] == 2)
        #expect(info["subscriptions"] == 1)
        #expect(info["counters"]?["requests"] == 4 && info["counters"]?["errors"] == 1)
        #expect(info["counters"]?["notifications"] == 1 && info["counters"]?["accepted"] == 2)
        #expect(info["memory"]?["resident"]?.integerValue ?? 0 > 1 << 20)
    }

    @Test(
        "daemon.info has exact statistics of the cost of requests, and of their lines"
    )
    func statistics() throws {
        func statistics(_ name: String) throws -> [JSONValue?] {
            let statistics = try client.result("daemon.info", id: 7)["statistics"]?[name]
            return ["count", "sum", "mean", "min", "max"].map { statistics?[$0] }
        }
        // Read before its request is handled or answered.
        #expect(try statistics("turnNanoseconds") == [0, 0, .null, .null, .null])
        slow.onSpend = { [fixture] in fixture.loop.spend(.nanoseconds(2_000_001)) }
        _ = try client.result("slow.spend")
        #expect(try statistics("turnNanoseconds") == [2, 2_000_001, 1_000_000, 0, 2_000_001])
        client.send("{\"id\":1,\"method\":\"slow.spend\"}\n{\"id\":2,\"method\":\"slow.spend\"}")
        #expect(try client.exchange().count == 2)
        #expect(try statistics("turnNanoseconds") == [4, 6_000_003, 1_500_001, 0, 4_000_002])
    }

    @Test("daemon.info counts the bytes of requests and replies, not those of notifications")
    func sizes() throws {
        let ping = "{\"id\":1,\"method\":\"daemon.ping\"}"
        client.send(ping)
        let reply = try #require(try client.exchange().first)
        let info = "{\"id\":2,\"method\":\"daemon.info\"}"
        client.send(info)
        let statistics = try client.exchange().first?["result"]?["statistics"]
        let bytes = ping.utf8.count + info.utf8.count
        #expect(statistics?["requestBytes"]?["count"] == 2)
        #expect(statistics?["requestBytes"]?["sum"] == JSONValue(bytes))
        #expect(statistics?["requestBytes"]?["min"] == JSONValue(ping.utf8.count))
        #expect(statistics?["replyBytes"]?["count"] == 1)
        #expect(statistics?["replyBytes"]?["max"] == JSONValue(reply.bytes.count))
    }

    @Test(
        "daemon.reload returns the errors of the new settings; daemon.stop is answered first")
    func reloadAndStop() throws {
        var asked: [String] = []
        fixture.server.onReload = {
            asked.append("reload")
            return asked.count > 1 ? .conflict("line 3") : nil
        }
        #expect(try client.result("daemon.reload") == [:])
        #expect(try client.error("daemon.reload").kind == .conflict)
        fixture.server.onStop = { [server = fixture.server] in
            asked.append("stop")
            server.stop { asked.append("stopped") }
        }
        client.send("daemon.stop", id: 1)
        let lines = try client.exchange()
        #expect(lines.first == ["jsonrpc": "2.0", "id": 1, "result": [:]])
        #expect(
            lines.last
                == ["jsonrpc": "2.0", "method": "$/goodbye", "params": ["reason": "stopping"]])
        #expect(client.comesToEnd() && asked == ["reload", "reload", "stop", "stopped"])
    }

    @Test("items.get answers the rows of a window, once")
    func itemsGet() throws {
        fixture.add(["b.md", "a10.md", "a2.md", "notes/c.txt"])
        let result = try client.result(
            "items.get", ["window": ["start": 1, "count": 2], "fields": ["name"]])
        #expect(result["rev"] == 1 && result["total"] == 5 && result["start"] == 1)
        let names = result["items"]?.arrayValue?.map { $0["name"] }
        #expect(names == ["a2.md", "a10.md"])
        #expect(result["items"]?[0]?.objectValue?.keys == ["kind", "key", "name"])
        let all = try client.result("items.get", ["search": "A", "sort": ["-name"]])
        #expect(all["items"]?.arrayValue?.map { $0["name"] } == ["a10.md", "a2.md"])
        let beyond = try client.result("items.get", ["window": ["start": 50]])
        #expect(beyond["items"] == [] && beyond["total"] == 5 && beyond["start"] == 50)
        // The same request after a change returns the new state.
        fixture.add(["a1.md"])
        let again = try client.result("items.get", ["search": "A", "sort": ["-name"]])
        #expect(again["total"] == 3)
    }

    @Test("the reply to items.open comes before its first notification, its id names the list")
    func openOrder() throws {
        fixture.add(["a.md"])
        client.send("items.open", id: "x")
        client.send("events.subscribe", ["topics": ["*"], "replay": 5], id: 2)
        client.send("events.publish", ["topic": "a"], id: 3)
        let lines = try client.exchange()
        func place(_ matches: (JSONValue) -> Bool) -> Int { lines.firstIndex(where: matches) ?? -1 }
        let open = place { $0["id"] == "x" }
        let reset = place { $0["method"] == "items.reset" }
        let subscribed = place { $0["id"] == 2 }
        let event = place { $0["method"] == "event" }
        #expect(open >= 0 && reset > open && subscribed > open && event > subscribed)
        #expect(lines[open]["result"] == ["sub": "x", "token": "e:1", "resumed": false])
        #expect(lines[reset]["params"]?["sub"] == "x")
    }

    @Test("after the reply to close and unsubscribe nothing of the stream follows")
    func closeOrder() throws {
        let documents = fixture.add(["a.md"])
        client.send("items.open", id: 1)
        client.send("events.subscribe", ["topics": ["*"], "replay": 5], id: 2)
        _ = try client.exchange()
        // All in one turn: a change, an event, and the end of both.
        _ = fixture.touch(documents[0], size: 5)
        client.send("events.publish", ["topic": "a"], id: 3)
        client.send("items.close", ["sub": 1], id: 4)
        client.send("events.unsubscribe", ["sub": 2], id: 5)
        let lines = try client.exchange()
        for (reply, sub) in [(4, 1), (5, 2)] as [(JSONValue, JSONValue)] {
            let end = try #require(lines.firstIndex { $0["id"] == reply })
            #expect(lines[end...].allSatisfy { $0["params"]?["sub"] != sub })
        }
        fixture.add(["b.md"])
        #expect(try client.exchange().isEmpty)
    }

    @Test("after the reply to an update nothing of an older gen follows")
    func updateOrder() throws {
        let documents = fixture.add((0..<3000).map { "file \($0).md" })
        client.send("items.open", ["window": ["count": .null]], id: 1)
        _ = fixture.touch(documents[0], size: 5)
        for gen in 1...5 {
            client.send(
                "items.update", ["sub": 1, "gen": JSONValue(gen)], id: JSONValue(100 + gen))
        }
        var lines = try client.exchange()
        _ = fixture.touch(documents[1], size: 5)
        client.send("items.update", ["sub": 1, "gen": 6, "sort": "-name"], id: 106)
        lines += try client.exchange()
        var gen: Int64 = 0
        for line in lines {
            if let id = line["id"]?.integerValue, id > 100 { gen = id - 100 }
            if let told = line["params"]?["gen"]?.integerValue { #expect(told >= gen) }
        }
        #expect(lines.last?["params"]?["gen"] == 6 && lines.last?["params"]?["complete"] == true)
    }

    @Test("an id that names something open is a conflict, and keeps its meaning")
    func conflict() throws {
        _ = try client.result("items.open", id: 1)
        #expect(try client.error("items.open", id: 1).kind == .conflict)
        #expect(try client.error("events.subscribe", ["topics": ["*"]], id: 1).kind == .conflict)
        #expect(try client.result("items.close", ["sub": 1]) == [:])
        _ = try client.result("events.subscribe", ["topics": ["*"]], id: 1)
        // It is now a subscription, not a list.
        #expect(try client.error("items.close", ["sub": 1]).kind == .noSuchSubscription)
        #expect(try client.error("items.update", ["sub": 1]).kind == .noSuchSubscription)
        #expect(try client.error("items.close", ["sub": "1"]).kind == .noSuchSubscription)
    }

    @Test("a request that opens a stream needs an id")
    func openWithoutID() throws {
        client.send("{\"method\":\"items.open\"}")
        client.send("{\"method\":\"events.subscribe\",\"params\":{\"topics\":[\"*\"]}}")
        #expect(try client.exchange().isEmpty)
        #expect(try client.result("daemon.info")["subscriptions"] == 0)
    }

    @Test("subscriptions have a limit, and the error has its number")
    func subscriptionLimit() throws {
        var limits = ServiceLimits()
        limits.subscriptions = 2
        let fixture = ServerFixture(limits: limits)
        let client = try fixture.connect()
        _ = try client.result("items.open", id: 1)
        _ = try client.result("events.subscribe", ["topics": ["*"]], id: 2)
        let error = try client.error("items.open", id: 3)
        #expect(error.kind == .limitExceeded && error.limit == 2)
        _ = try client.result("items.close", ["sub": 1])
        _ = try client.result("items.open", id: 3)
    }

    // MARK: batch

    @Test("a batch answers all its calls at one revision, in order, each with its own error")
    func batch() throws {
        fixture.add(["a.md"])
        let calls: JSONValue = [
            ["method": "daemon.ping"], ["method": "events.publish", "params": ["topic": "a"]],
            ["method": "events.publish", "params": ["topic": "A"]], ["method": "nobody.knows"],
            ["method": "slow.broken"], ["method": "items.open"],
            ["method": "events.subscribe", "params": ["topics": ["*"]]],
            ["method": "batch", "params": ["calls": []]], ["method": "slow.never"],
            ["method": "events.publish", "params": ["topic": "b"]],
        ]
        let result = try client.result("batch", ["calls": calls])
        #expect(result["rev"] == 1)
        let results = try #require(result["results"]?.arrayValue)
        #expect(results.map { $0.objectValue?.count } == Array(repeating: 1, count: 10))
        #expect(results[0] == ["result": [:]] && results[1] == ["result": ["seq": 1]])
        #expect(results[9] == ["result": ["seq": 2]])
        let kinds = try results[2...8].map { try ProtocolError(line: $0).kind }
        #expect(
            kinds == [
                .invalidParams, .methodNotFound, .pluginFailed, .unsupported, .unsupported,
                .invalidParams, .timeout,
            ])
        #expect(try client.result("daemon.info")["subscriptions"] == 0)
        #expect(try client.result("batch", ["calls": []])["results"] == [])
    }

    @Test("a batch of more calls than the limit executes none of them")
    func batchLimit() throws {
        let call: JSONValue = ["method": "events.publish", "params": ["topic": "a"]]
        let many = JSONValue.array(Array(repeating: call, count: 1025))
        let error = try client.error("batch", ["calls": many])
        #expect(error.kind == .limitExceeded && error.limit == 1024)
        #expect(fixture.bus.lastSequence == 0)
        let most = JSONValue.array(Array(repeating: call, count: 1024))
        #expect(try client.result("batch", ["calls": most])["results"]?.arrayValue?.count == 1024)
    }

    @Test("a batch ends as soon as its answers don't fit a line")
    func batchTooLong() throws {
        let large: JSONValue = ["method": "slow.large", "params": ["count": 400_000]]
        let publish: JSONValue = ["method": "events.publish", "params": ["topic": "a"]]
        let error = try client.error(
            "batch", ["calls": [publish, large, large, large, publish]])
        #expect(error.kind == .limitExceeded && error.limit == 1 << 20)
        #expect(fixture.bus.lastSequence == 1)
        let result = try client.result("batch", ["calls": [large, large, publish]])
        #expect(result["results"]?[2] == ["result": ["seq": 2]])
    }
}
