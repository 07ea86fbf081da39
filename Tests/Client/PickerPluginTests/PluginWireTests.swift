import JSONText
import PickerClient
import PickerPlugin
import SystemInterface
import TestSupport
import Testing

@Suite struct PluginWireTests {
    /// A plugin with a method of each kind.
    @Sendable static func parts() -> PluginParts {
        var told: [String] = []
        var parts = PluginParts(
            groups: [Group("text") { _ in .none }],
            methods: [
                Method("sample.echo") { $0.parameters },
                Method("sample.ask") { call in
                    let method = call.parameters["method"]?.string ?? "documents.get"
                    do {
                        return try call.daemon.call(
                            method, call.parameters["params"] ?? RawJSON("{}"),
                            timeout: call.parameters["short"] == nil
                                ? nil : .milliseconds(20))
                    } catch let error as PluginError where error.code == .refused {
                        return try RawJSON(
                            encoding: ["kind": error.refusal?.name, "message": error.message])
                    }
                },
                Method("sample.spin") { call in
                    told.append("spinning")
                    while !call.daemon.isCancelled() {}
                    return try RawJSON(#""cancelled""#)
                },
                Method("sample.fail") { _ in throw Fault() },
                Method("sample.refuse") { _ in
                    throw PluginError.refused(.noSuchItem, "there is no such thing", at: "key")
                },
                Method("sample.big") { _ in
                    try RawJSON(encoding: [
                        String(repeating: "x", count: 600_000),
                        String(repeating: "y", count: 400_000),
                        String(repeating: "z", count: 48_560),
                    ])
                },
                Method("sample.publish") { call in
                    let count = try call.parameters.decode(as: [String: Int].self)["count"] ?? 0
                    for number in 0..<count {
                        try call.daemon.publish(
                            "sample.done", RawJSON(encoding: ["number": number]))
                    }
                    return try RawJSON("{}")
                },
                Method("sample.change") { call in
                    let count = try call.parameters.decode(as: [String: Int].self)["count"]
                    try call.daemon.changed(
                        count == -1 ? "else" : "text",
                        keys: count.map { (0..<max(0, $0)).map { "f\($0)" } })
                    return try RawJSON("{}")
                },
                Method("sample.state") { call in
                    try RawJSON(encoding: [
                        "told": told, "roots": call.daemon.roots,
                        "config": [call.daemon.config.text],
                    ])
                },
            ])
        parts.configure = { settings, _ in
            if settings["bad"] != nil { throw PluginError("bad is not good") }
            told.append("configured")
        }
        return parts
    }

    struct Fault: Error {}

    private func daemon(greets: Bool = true, traced: Bool = false) throws -> ScriptedDaemon {
        try ScriptedDaemon(greets: greets, traced: traced, parts: Self.parts)
    }

    @Test("hello is answered with what the program has, and unknown members are ignored")
    func hello() throws {
        let daemon = try daemon(greets: false)
        let answer = try daemon.hello(["later": ["deep": [1, 2]], "roots": ["/r"], "locale": "x"])
        #expect(answer == ["api": 1, "version": "1.2.3", "provides": ["extract"]])
        #expect(try daemon.request("sample.state")["roots"] == ["/r"])
        #expect(try daemon.request("sample.state")["config"] == ["{}"])
    }

    @Test("another version of the interface is refused with both ranges", arguments: [0, 2, 99])
    func otherVersion(_ version: Int) throws {
        let daemon = try daemon(greets: false)
        let error = try daemon.error("plugin.hello", ["api": JSONValue(version), "config": [:]])
        #expect(error["code"] == 1004)
        #expect(error["data"] == ["kind": "unsupported", "min": 1, "max": 1])
        #expect(try daemon.error("sample.echo")["code"] == 1001)
        #expect(try daemon.hello()["api"] == 1)
    }

    @Test("a version that is no integer is refused", arguments: [true, "1", nil] as [JSONValue?])
    func noVersion(_ version: JSONValue?) throws {
        let daemon = try daemon(greets: false)
        let error = try daemon.error("plugin.hello", ["api": version ?? .null])
        #expect(error["code"] == 1004)
    }

    @Test("requests come in one write, in single bytes, and with blank lines between")
    func pieces() throws {
        let daemon = try daemon()
        let lines = (100..<120).map {
            ScriptedDaemon.line($0, "sample.echo", ["n": .integer($0)]) + "\n"
        }
        try daemon.write(Array(lines.joined().utf8))
        for id in Int64(100)..<120 {
            #expect(try daemon.result(of: id) == ["n": .integer(id)])
        }
        for byte in (lines[0] + "\n\r\n" + lines[1]).utf8 { try daemon.write([byte]) }
        #expect(try daemon.result(of: 100) == ["n": 100])
        #expect(try daemon.result(of: 101) == ["n": 101])
    }

    @Test("a line of 1 MiB is taken, and a longer one ends the plugin")
    func longLines() throws {
        let daemon = try daemon()
        let around = ScriptedDaemon.line(7, "sample.echo", ["x": ""]).utf8.count
        let text = String(repeating: "x", count: 1 << 20 - around)
        try daemon.send(ScriptedDaemon.line(7, "sample.echo", ["x": .string(text)]))
        // Its answer is as long without the method.
        #expect(try daemon.result(of: 7)["x"] == .string(text))
        try daemon.send(ScriptedDaemon.line(8, "sample.echo", ["x": .string(text + "y")]))
        try daemon.waitForEnd()
        #expect(waitUntil { daemon.printed.all.contains("status 1") })
        #expect(daemon.printed.all.contains("a line of more than 1048576 bytes"))
    }

    @Test("what is no request is answered with an error, and the next line counts again")
    func badLines() throws {
        let daemon = try daemon()
        try daemon.send("{", "[]", #"{"id":5}"#, #"{"id":6,"method":7}"#, #"{"id":9,"result":1}"#)
        #expect(try daemon.reply(.null)["error"]?["code"] == -32700)
        #expect(try daemon.reply(.null)["error"]?["code"] == -32600)
        #expect(try daemon.error(of: 5)["code"] == -32600)
        #expect(try daemon.error(of: 6)["code"] == -32600)
        try daemon.send(#"{"id":7,"method":"sample.echo","params":[]}"#)
        #expect(try daemon.error(of: 7)["code"] == -32602)
        try daemon.send(#"{"method":"sample.fail"}"#, #"{"id":"a","method":"plugin.ping"}"#)
        #expect(try daemon.reply("a")["result"] == [:])
    }

    @Test("a method that is not there is told of with those that are")
    func unknownMethod() throws {
        let daemon = try daemon()
        let error = try daemon.error("sample.none")
        #expect(error["code"] == -32601)
        #expect(error["message"]?.stringValue?.contains("sample.echo") == true)
    }

    @Test("requests are handled while a call waits, and pings answered")
    func nested() throws {
        let daemon = try daemon()
        let asked = try daemon.ask("sample.ask", ["params": ["key": "f1"]])
        let call = try daemon.hears("documents.get")
        #expect(call["params"] == ["key": "f1"])
        #expect(try daemon.request("sample.echo", ["x": 1]) == ["x": 1])
        #expect(try daemon.request("plugin.ping") == [:])
        try daemon.answer(call, ["name": "a"])
        #expect(try daemon.result(of: asked) == ["name": "a"])
    }

    @Test("eight requests are handled within each other, and the rest waits")
    func depth() throws {
        let daemon = try daemon()
        let asked = try (0..<9).map { _ in try daemon.ask("sample.ask") }
        let calls = try (0..<8).map { _ in try daemon.hears("documents.get") }
        #expect(try daemon.request("plugin.ping") == [:])
        #expect(daemon.told.isEmpty)
        for call in calls.reversed() { try daemon.answer(call) }
        try daemon.answer(try daemon.hears("documents.get"))
        for id in asked { #expect(try daemon.result(of: id) == [:]) }
    }

    @Test("256 requests wait, and a further one is refused")
    func waiting() throws {
        let daemon = try daemon()
        let spinning = try daemon.ask("sample.spin")
        #expect(try daemon.request("plugin.ping") == [:])
        let waiting = try (0..<256).map { _ in try daemon.ask("sample.echo") }
        let error = try daemon.error("sample.echo")
        #expect(error["code"] == 1012)
        #expect(error["data"]?["retryAfterMs"] == 1000)
        try daemon.send(#"{"method":"$/cancel","params":{"id":\#(spinning)}}"#)
        #expect(try daemon.result(of: spinning) == "cancelled")
        for id in waiting { #expect(try daemon.result(of: id) == [:]) }
    }

    @Test("a refusal is told to the caller, and an answer that comes too late is nobody's")
    func outcomes() throws {
        let daemon = try daemon()
        var asked = try daemon.ask("sample.ask", ["method": "documents.get"])
        var call = try daemon.hears("documents.get")
        let id = try #require(call["id"])
        try daemon.send(
            #"{"id":\#(id),"error":{"code":1011,"message":"none","data":{"kind":"noSuchItem"}}}"#)
        #expect(try daemon.result(of: asked) == ["kind": "noSuchItem", "message": "none"])
        asked = try daemon.ask("sample.ask", ["short": true])
        call = try daemon.hears("documents.get")
        #expect(try daemon.hears("$/cancel")["params"]?["id"] == call["id"])
        #expect(try daemon.error(of: asked)["code"] == -32603)
        try daemon.answer(call, ["late": true])
        try daemon.answer(["id": 12_345], ["nobody": true])
        #expect(try daemon.request("sample.echo", ["x": 2]) == ["x": 2])
    }

    @Test("faults, refusals and results that can't be sent are errors")
    func faults() throws {
        let daemon = try daemon()
        let fault = try daemon.error("sample.fail")
        #expect(fault["code"] == -32603)
        #expect(fault["message"]?.stringValue?.hasPrefix("the plugin sample failed") == true)
        let refusal = try daemon.error("sample.refuse")
        #expect(refusal["code"] == 1011)
        #expect(refusal["data"] == ["kind": "noSuchItem", "at": "key"])
        let long = try daemon.error("sample.big")
        #expect(long["code"] == 1008)
        #expect(long["data"]?["limit"] == 1_048_576)
        #expect(waitUntil { daemon.printed.all.contains("sample.fail: Fault()") })
    }

    @Test("a cancelled request is given up: before it is begun, while it runs, while it calls")
    func cancelled() throws {
        let daemon = try daemon()
        let spinning = try daemon.ask("sample.spin")
        let waiting = try daemon.ask("sample.echo")
        try daemon.send(#"{"method":"$/cancel","params":{"id":\#(waiting)}}"#)
        #expect(try daemon.error(of: waiting)["code"] == 1002)
        try daemon.send(
            #"{"method":"$/cancel","params":{"id":9999}}"#, #"{"method":"$/cancel"}"#,
            #"{"method":"$/cancel","params":{"id":\#(spinning)}}"#)
        #expect(try daemon.result(of: spinning) == "cancelled")
        let asking = try daemon.ask("sample.ask")
        let call = try daemon.hears("documents.get")
        try daemon.send(#"{"method":"$/cancel","params":{"id":\#(asking)}}"#)
        #expect(try daemon.error(of: asking)["code"] == 1002)
        #expect(try daemon.hears("$/cancel")["params"]?["id"] == call["id"])
    }

    @Test("64 events are on their way, and the next waits; a refusal is printed")
    func published() throws {
        let daemon = try daemon()
        let asked = try daemon.ask("sample.publish", ["count": 100])
        var events = try (0..<64).map { _ in try daemon.hears("events.publish") }
        #expect(events[63]["params"] == ["topic": "sample.done", "data": ["number": 63]])
        #expect(try daemon.request("plugin.ping") == [:])
        #expect(daemon.told.isEmpty)
        for number in 0..<100 {
            let event = events.isEmpty ? try daemon.hears("events.publish") : events.removeFirst()
            if number == 0 {
                try daemon.send(
                    #"{"id":\#(try #require(event["id"])),"error":{"code":1,"message":"no"}}"#)
            } else {
                try daemon.answer(event)
            }
        }
        #expect(try daemon.result(of: asked) == [:])
        #expect(waitUntil { daemon.printed.all.contains("refused an event of sample.done: no") })
    }

    @Test(
        "changes of attributes are told a thousand documents at a time, or all at once",
        arguments: [
            (nil, [nil]), (0, []), (1, [1]), (1000, [1000]), (1001, [1000, 1]),
        ] as [(Int?, [Int?])])
    func changed(count: Int?, parts: [Int?]) throws {
        let daemon = try daemon()
        let asked = try daemon.ask("sample.change", count.map { ["count": JSONValue($0)] } ?? [:])
        var keys: [String] = []
        for part in parts {
            let call = try daemon.hears("attributes.changed")
            #expect(call["params"]?["group"] == "text")
            let told = call["params"]?["keys"]?.arrayValue
            #expect(told?.count == part)
            keys += (told ?? []).compactMap(\.stringValue)
            try daemon.answer(call)
        }
        #expect(keys == (0..<(count ?? 0)).map { "f\($0)" })
        #expect(try daemon.result(of: asked) == [:])
        #expect(daemon.told.isEmpty)
    }

    @Test("a change of a group that the manifest has not is not told")
    func changedElse() throws {
        let daemon = try daemon()
        let error = try daemon.error("sample.change", ["count": -1])
        #expect(error["message"]?.stringValue?.contains("else") == true, "\(error)")
        #expect(daemon.told.isEmpty)
    }

    @Test("settings that can't be used are refused, and the former ones stay")
    func configured() throws {
        let daemon = try daemon()
        #expect(try daemon.request("plugin.configure", ["config": ["a": 1]]) == [:])
        #expect(
            try daemon.error("plugin.configure", ["config": ["bad": 1]])["code"] == -32602)
        #expect(try daemon.error("plugin.configure", ["config": 1])["code"] == -32602)
        #expect(try daemon.request("sample.state")["config"] == [#"{"a":1}"#])
    }
}
