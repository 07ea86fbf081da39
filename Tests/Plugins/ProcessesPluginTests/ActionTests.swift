import EventLoops
import JSONText
import PickerModel
import PluginInterface
import PluginProcesses
import SystemInterface
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("Actions of plugins") struct ActionTests {
    private static let actions = """
        "actions":[{"id":"wallpaper","title":"Set as wallpaper","when":["suffix","jpg"]},\
        {"id":"strip","title":"Strip","many":true,"writes":true,"when":["size","ge",10]}]
        """

    private let fixture: HouseFixture

    init() throws {
        fixture = try HouseFixture()
        fixture.documents.apply(inserted: [
            Self.document("a", "sub/a.jpg", 100), Self.document("b", "b.png", 10),
            Self.document("c", "c.jpg", 1),
            Document(
                key: "raw", root: "/r", path: FileName(bytes: [0x78, 0xFF, 0x0A]), size: 10,
                modified: FileTime(seconds: 1), inode: 9),
        ])
    }

    private static func document(_ key: String, _ path: String, _ size: UInt64) -> Document {
        Document(
            key: key, root: "/r", path: FileName(path), size: size,
            modified: FileTime(seconds: 1), inode: 1)
    }

    private func offered(_ keys: [JSONValue]) -> [String]? {
        fixture.call("actions.list", ["keys": .array(keys)])?["result"]?.arrayValue?
            .compactMap { $0["id"]?.stringValue }.filter { !$0.hasPrefix("documents.") }
    }

    @Test("those are listed whose conditions hold for all the documents")
    func list() throws {
        fixture.find(try HouseFixture.found("image", Self.actions))
        #expect(offered(["a"]) == ["image.wallpaper", "image.strip"])
        #expect(offered(["a", "b"]) == ["image.strip"])
        #expect(offered(["a", "c"]) == ["image.wallpaper"])
        #expect(offered(["b", "c"]) == [])
        let all = fixture.call("actions.list", ["keys": ["a"]])?["result"]?.arrayValue ?? []
        #expect(
            all.last == [
                "id": "image.strip", "title": "Strip", "many": true, "writes": true,
            ])
        #expect(fixture.launcher.processes.isEmpty, "nothing is started for a list")
        for keys: JSONValue in [["zz"], [], ["new"], ["a", "a"], "a", .null] {
            let error = fixture.call("actions.list", ["keys": keys])?["error"]
            #expect(error?["code"] == (keys == ["zz"] ? 1011 : -32602), "\(keys)")
        }
        #expect(fixture.call("plugins.disable", ["id": "image"])?["result"] != nil)
        #expect(offered(["a"]) == [])
    }

    @Test("a run is passed on with keys and paths; outcomes come back one for each key")
    func run() throws {
        fixture.find(try HouseFixture.found("image", Self.actions))
        let id = fixture.send(
            "actions.run",
            [
                "action": "image.strip", "keys": ["a", "c", "raw", "zz"], "confirm": true,
                "args": ["level": 3], "progress": true,
            ])
        let process = try fixture.greet(["api": 1, "version": "1", "provides": ["action"]])
        let call = try fixture.asked("action.run", of: process)
        let number = call["id"] ?? .null
        #expect(
            call["params"] == [
                "action": "strip", "args": ["level": 3],
                "items": [
                    ["key": "a", "path": "/r/sub/a.jpg"],
                    ["key": "raw", "path": "/r/x\u{FFFD}\n", "pathB64": "L3IveP8K"],
                ],
            ])
        for progress: JSONValue in [
            ["id": number, "done": 1, "total": 2], ["id": number, "done": 3, "total": 2],
            ["id": 999, "done": 1, "total": 2], ["id": "x"], [:],
        ] {
            process.send(["method": "$/progress", "params": progress])
        }
        process.send([
            "id": number, "result": ["items": [["ok": true], ["error": .string(Self.long)]]],
        ])
        let lines = fixture.client?.read() ?? []
        let told = lines.filter { $0["method"] == "$/progress" }
        #expect(told.map { $0["params"] } == [["id": JSONValue(id), "done": 1, "total": 2]])
        let items = lines.last?["result"]?["items"]?.arrayValue ?? []
        try #require(items.count == 4)
        #expect(items[0] == ["key": "a", "ok": true])
        #expect(items[1] == ["key": "c", "error": "'image.strip' is not offered for it"])
        #expect(items[2]["error"]?.stringValue?.utf8.count == 512 + "…".utf8.count)
        #expect(items[3]["error"] == "there is no document with the key 'zz'")
        let events = fixture.observer?.call("events.replay", ["topics": ["action.*"]])
        #expect(
            events?["result"]?["events"]?.arrayValue?.map { $0["data"] } == [
                ["action": "image.strip", "done": ["a"], "failed": ["c", "raw", "zz"]]
            ])
    }

    private static let long = String(repeating: "x", count: 5000)

    @Test("what was not asked for rightly is refused before the process is asked")
    func refusals() throws {
        fixture.find(try HouseFixture.found("image", Self.actions))
        let wrong: [(JSONValue, Int, String?)] = [
            (["action": "image.strip", "keys": ["a"]], -32602, "confirm"),
            (["action": "image.strip", "keys": ["a"], "confirm": false], -32602, "confirm"),
            (["action": "image.wallpaper", "keys": ["a", "c"]], -32602, "keys"),
            (["action": "image.wallpaper", "keys": []], -32602, "keys"),
            (["action": "image.wallpaper", "keys": ["a"], "args": [1]], -32602, "args"),
            (["action": "image.none", "keys": ["a"]], 1011, nil),
            (["action": "strip", "keys": ["a"]], 1011, nil),
            (["keys": ["a"]], -32602, "action"),
        ]
        for (params, code, place) in wrong {
            let error = fixture.call("actions.run", params)?["error"]
            #expect(error?["code"] == JSONValue(code), "\(params)")
            #expect(error?["data"]?["at"]?.stringValue == place, "\(params)")
        }
        let failed = fixture.call(
            "actions.run", ["action": "image.wallpaper", "keys": ["b"]])?["result"]
        #expect(failed?["items"]?[0]?["error"] != nil)
        #expect(fixture.launcher.processes.isEmpty)
    }

    @Test("a cancelled run is cancelled at the process, and told")
    func cancelled() throws {
        fixture.find(try HouseFixture.found("image", Self.actions))
        let id = fixture.send("actions.run", ["action": "image.wallpaper", "keys": ["a"]])
        let process = try fixture.greet(["api": 1, "version": "1", "provides": ["action"]])
        let call = try fixture.asked("action.run", of: process)
        fixture.client?.cancel(id)
        #expect(fixture.answer(to: id)?["error"]?["code"] == 1002)
        #expect(
            process.read() == [
                [
                    "jsonrpc": "2.0", "method": "$/cancel",
                    "params": ["id": call["id"] ?? .null],
                ]
            ])
        let events = fixture.observer?.call("events.replay", ["topics": ["action.*"]])
        #expect(events?["result"]?["events"]?[0]?["data"]?["error"] != nil)
    }

    @Test("a plugin that falls, is late or answers nonsense fails the run", arguments: 0..<7)
    func faults(_ fault: Int) throws {
        fixture.find(try HouseFixture.found("image", Self.actions))
        let id = fixture.send(
            "actions.run", ["action": "image.strip", "keys": ["a", "b"], "confirm": true])
        let process = try fixture.greet(["api": 1, "version": "1", "provides": ["action"]])
        let call = try fixture.asked("action.run", of: process)
        let ok: JSONValue = ["ok": true]
        switch fault {
        case 0: process.end(.exited(3))
        case 1: fixture.loop.advance(by: .milliseconds(2001))
        default:
            let results: [JSONValue] = [
                ["items": [ok]], ["items": [ok, ok, ok]], ["items": [ok, ["ok": false]]],
                ["items": [ok, "x"]], [],
            ]
            process.send(["id": call["id"] ?? .null, "result": results[fault - 2]])
        }
        fixture.loop.turn()
        let error = fixture.answer(to: id)?["error"]
        #expect(error?["code"] == 1009)
        #expect(error?["data"]?["plugin"] == "image")
        if fault == 0 {
            let refused = fixture.call(
                "actions.run", ["action": "image.wallpaper", "keys": ["a"]])?["error"]
            #expect(refused?["code"] == 1009 && refused?["data"]?["retryAfterMs"] != nil)
        }
    }

    @Test(
        "an action whose condition can't be read is not offered, and the list of plugins says why")
    func unreadable() throws {
        let actions = """
            "actions":[{"id":"big","title":"B","when":["attr","image.width","ge",1920]},\
            {"id":"bad","title":"B","when":["attr","no.thing","eq",1]},{"id":"good","title":"G"}]
            """
        fixture.find(try HouseFixture.found("image", actions))
        #expect(offered(["a"]) == ["image.good"])
        #expect(fixture.state() == "waiting")
        let reason = fixture.record()?["reason"]?.stringValue
        #expect(reason?.contains("'big' is not offered") == true, "\(reason ?? "")")
        #expect(fixture.reports.filter { $0.level == .warning }.count == 2)
        let again = try HouseFixture.found("image", Self.actions, version: 2)
        fixture.find(again)
        #expect(fixture.record()?["reason"] == nil)
        #expect(offered(["a"]) == ["image.wallpaper", "image.strip"])
    }

    @Test("long lists of documents are looked at in parts, and others are served meanwhile")
    func manyDocuments() throws {
        let names = (0..<1000).map { "d\($0)" }
        fixture.documents.apply(inserted: names.map { Self.document($0, $0 + ".jpg", 10) })
        let texts = (0..<200).map { "\"s\($0)\"" }.joined(separator: ",")
        let action = """
            {"id":"slow","title":"S","many":true,\
            "when":["not",["anyof",["suffix",[\(texts)]],["imatch","*a*b*c*d*e*"]]]}
            """
        fixture.find(try HouseFixture.found("image", "\"actions\":[\(action)]"))
        let keys = names.map { JSONValue($0) }
        let before = fixture.loop.handlersRun
        #expect(offered(keys) == ["image.slow"])
        #expect(fixture.loop.handlersRun - before > 5)
    }
}
