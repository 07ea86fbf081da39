import JSONText
import PickerClient
import PickerPlugin
import SystemInterface
import TestSupport
import Testing

@Suite struct PluginActionTests {
    @Sendable static func parts() -> PluginParts {
        PluginParts(actions: [
            Action("touch") { file, arguments in
                if file.name == "no" { throw PluginError("not this one") }
                if file.name == "fault" { throw PluginWireTests.Fault() }
                if file.name == "ask" { try file.daemon.call("documents.get", ["a": 1]) }
                guard arguments["to"]?.string == "now" else { throw PluginError("when?") }
            }
        ])
    }

    private func items(_ names: String...) -> JSONValue {
        .array(names.map { ScriptedDaemon.file(RawPath("/\($0)")) })
    }

    @Test("an action says what became of each item, and how far it is")
    func outcomes() throws {
        let daemon = try ScriptedDaemon(parts: Self.parts)
        let answer = try daemon.request(
            "action.run",
            ["action": "touch", "items": items("a", "no", "fault"), "args": ["to": "now"]])
        #expect(
            answer == ["items": [["ok": true], ["error": "not this one"], ["error": "Fault()"]]])
        let last = try #require(daemon.told.last)
        #expect(last["method"] == "$/progress")
        #expect(last["params"] == ["id": 2, "done": 3, "total": 3])
        let bad = try daemon.request(
            "action.run", ["action": "touch", "items": [1, ["path": "x"]]])
        #expect(bad["items"]?[0]?["error"] == "a file of the request is no object")
        #expect(bad["items"]?[1]?["error"] == "a file of the request has no absolute path")
    }

    @Test("after a cancellation the rest is not done, and what was done is told")
    func cancelled() throws {
        let daemon = try ScriptedDaemon(parts: Self.parts)
        let id = try daemon.ask(
            "action.run",
            ["action": "touch", "items": items("a", "ask", "b"), "args": ["to": "now"]])
        #expect(try daemon.hears("$/progress")["params"]?["done"] == 1)
        _ = try daemon.hears("documents.get")
        try daemon.send(#"{"method":"$/cancel","params":{"id":\#(id)}}"#)
        #expect(
            try daemon.result(of: id)["items"] == [
                ["ok": true], ["error": "the request was cancelled"],
                ["error": "it was cancelled before it was begun"],
            ])
    }

    @Test("an action that is not there, and parameters that are none, are refused")
    func refused() throws {
        let daemon = try ScriptedDaemon(parts: Self.parts)
        #expect(try daemon.error("action.run", ["action": "none", "items": []])["code"] == 1011)
        #expect(try daemon.error("action.run", ["action": "touch", "items": 1])["code"] == -32602)
        let bad: JSONValue = ["action": "touch", "items": [], "args": []]
        #expect(try daemon.error("action.run", bad)["code"] == -32602)
    }
}
