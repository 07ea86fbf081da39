import Glibc
import JSONText
import PluginInterface
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@testable import PluginProcesses
@testable import ProcessesPlugin

@Suite("The life of a plugin") struct LifeTests {
    @Test("it waits until it is needed, is greeted, and answers; the call waits meanwhile")
    func life() throws {
        let fixture = try HouseFixture()
        fixture.find(try HouseFixture.found())
        #expect(fixture.state() == "waiting")
        #expect(fixture.launcher.processes.isEmpty)

        let id = fixture.send("image.palette", ["count": 3])
        #expect(fixture.state() == "starting")
        let process = try fixture.process
        #expect(process.launch.absoluteCommand == ["/plugins/image/facts"])
        #expect(
            process.launch.environment == [
                "HOME": "/h", "PATH": "/bin", "PICKERD_API": "1", "PICKERD_PLUGIN": "image",
            ])
        let lines = process.read()
        try #require(lines.count == 1)
        #expect(lines[0]["method"] == "plugin.hello")
        let hello = try #require(lines[0]["params"])
        #expect(hello["api"] == 1)
        #expect(hello["epoch"] == "e")
        #expect(hello["roots"] == ["/r"])
        #expect(hello["config"] == [:])

        process.send(["id": lines[0]["id"] ?? .null, "result": ["api": 1, "version": "1"]])
        let call = try fixture.asked("image.palette", of: process)
        #expect(call["params"] == ["count": 3])
        process.send(["id": call["id"] ?? .null, "result": ["#ff0000"]])
        #expect(fixture.answer(to: id)?["result"] == ["#ff0000"])
        #expect(fixture.state() == "ready")
        #expect(fixture.events == ["plugin.started ready"])
    }

    @Test(
        "parameters are checked before the process is asked, and results before they are passed on")
    func schemas() throws {
        let fixture = try HouseFixture()
        fixture.find(try HouseFixture.found())
        let refused = fixture.call("image.palette", ["count": 0])?["error"]
        #expect(refused?["code"] == -32602)
        #expect(refused?["data"]?["at"] == "count")
        #expect(fixture.call("image.palette")?["error"]?["code"] == -32602)
        #expect(fixture.launcher.processes.isEmpty)

        let id = fixture.send("image.palette", ["count": 1])
        let process = try fixture.greet()
        let call = try fixture.asked("image.palette", of: process)
        process.send(["id": call["id"] ?? .null, "result": "red"])
        let error = fixture.answer(to: id)?["error"]
        #expect(error?["code"] == 1009)
        #expect(error?["data"]?["plugin"] == "image")
    }

    @Test("daemon.schema has its methods while it is on, and topics are its own")
    func schema() throws {
        let fixture = try HouseFixture()
        fixture.find(try HouseFixture.found())
        #expect(fixture.registry.names.contains("image.palette"))
        let definition = try #require(fixture.registry.definition(of: "image.palette"))
        #expect(definition.parameters.map(\.name) == ["count"])
        let refused = fixture.call("events.publish", ["topic": "image.seen"])?["error"]
        #expect(refused?["code"] == 1005)
        fixture.find()
        #expect(!fixture.registry.names.contains("image.palette"))
        #expect(fixture.call("image.palette")?["error"]?["code"] == -32601)
        #expect(fixture.call("events.publish", ["topic": "image.seen"])?["result"] != nil)
        #expect(fixture.record() == nil)
    }

    @Test("a fall refuses calls at once, and it is started again later and later, up to five falls")
    func falls() throws {
        let fixture = try HouseFixture()
        var process = try fixture.ready()
        for (fall, delay) in [(1, 500), (2, 1000), (3, 2000), (4, 4000)] {
            let id = fixture.send("image.palette", ["count": 1])
            process.end(.killed(signal: SIGSEGV))
            let error = fixture.answer(to: id)?["error"]
            #expect(error?["code"] == 1009)
            #expect(fixture.state() == "backoff")
            let refused = fixture.call("image.palette", ["count": 1])?["error"]
            #expect(refused?["code"] == 1009)
            #expect(refused?["data"]?["retryAfterMs"] == JSONValue(delay + 1))
            fixture.loop.advance(by: .milliseconds(delay - 1))
            #expect(fixture.launcher.processes.count == fall)
            fixture.loop.advance(by: .milliseconds(2))
            #expect(fixture.launcher.processes.count == fall + 1)
            #expect(fixture.state() == "starting")
            process = try fixture.greet()
            #expect(fixture.state() == "ready")
            #expect(fixture.record()?["restarts"] == JSONValue(fall))
        }
        process.print("one\nlast words")
        process.end(.exited(3))
        fixture.loop.turn()
        #expect(fixture.state() == "quarantined")
        #expect(fixture.record()?["reason"]?.stringValue?.contains("exit:3") == true)
        #expect(fixture.call("image.palette", ["count": 1])?["error"]?["code"] == 1009)
        fixture.loop.advance(by: .seconds(3600))
        #expect(fixture.launcher.processes.count == 5)
        #expect(
            fixture.events.suffix(2) == [
                "plugin.exited quarantined exit:3", "plugin.quarantined quarantined exit:3",
            ])
        let event = fixture.call("events.replay", ["topics": ["plugin.quarantined"]])
        let data = event?["result"]?["events"]?[0]?["data"]
        #expect(data?["stderr"] == ["one", "last words"])

        #expect(fixture.call("plugins.restart", ["id": "image"])?["result"] == [:])
        #expect(fixture.state() == "waiting")
        _ = fixture.send("image.palette", ["count": 1])
        try fixture.greet()
        #expect(fixture.state() == "ready")
    }

    @Test("a process that is not greeted in time falls; one of another version is incompatible")
    func greeting() throws {
        let fixture = try HouseFixture()
        fixture.find(try HouseFixture.found())
        let id = fixture.send("image.palette", ["count": 1])
        fixture.loop.advance(by: .milliseconds(4990))
        #expect(fixture.state() == "starting")
        fixture.loop.advance(by: .milliseconds(20))
        #expect(fixture.state() == "backoff")
        #expect(fixture.answer(to: id)?["error"]?["code"] == 1009)
        #expect(fixture.record()?["reason"]?.stringValue?.contains("hello") == true)
        fixture.loop.advance(by: .milliseconds(501))
        try fixture.greet(["api": 2])
        #expect(fixture.state() == "incompatible")
        #expect(fixture.record()?["reason"]?.stringValue?.contains("version 2") == true)
        #expect(try fixture.process.isOver)
        // A changed folder gives it another chance.
        fixture.find(try HouseFixture.found(version: 2))
        #expect(fixture.state() == "waiting")
        _ = fixture.send("image.palette", ["count": 1])
        try fixture.greet(["api": 1, "provides": ["extract"]])
        #expect(fixture.state() == "backoff")
        #expect(fixture.record()?["reason"]?.stringValue?.contains("'extract'") == true)
    }

    @Test("a silent process is pinged, and falls if it does not answer")
    func ping() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready()
        for _ in 0..<3 {
            fixture.loop.advance(by: .milliseconds(10_001))
            let ping = try fixture.asked("plugin.ping", of: process)
            process.send(["id": ping["id"] ?? .null, "result": [:]])
            fixture.loop.turn()
        }
        fixture.loop.advance(by: .milliseconds(10_001))
        _ = try fixture.asked("plugin.ping", of: process)
        fixture.loop.advance(by: .milliseconds(4900))
        #expect(fixture.state() == "ready")
        fixture.loop.advance(by: .milliseconds(200))
        #expect(fixture.state() == "backoff")
        #expect(fixture.events.last == "plugin.exited backoff ping")
    }

    @Test(
        "a late call is cancelled and refused, and a process that does not answer even then falls")
    func deadline() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready(HouseFixture.method + #","limits":{"callMs":300}"#)
        let id = fixture.send("image.palette", ["count": 1])
        let call = try fixture.asked("image.palette", of: process)
        fixture.loop.advance(by: .milliseconds(299))
        #expect(fixture.client?.read().isEmpty == true)
        fixture.loop.advance(by: .milliseconds(2))
        let error = fixture.answer(to: id)?["error"]
        #expect(error?["code"] == 1009)
        #expect(error?["message"]?.stringValue?.contains("300 ms") == true)
        let cancel = try fixture.asked("$/cancel", of: process)
        #expect(cancel["params"]?["id"] == call["id"])
        // A late answer is as good as any: it goes on.
        process.send(["id": call["id"] ?? .null, "error": ["code": 1002, "message": "cancelled"]])
        fixture.loop.advance(by: .seconds(4))
        #expect(fixture.state() == "ready")

        _ = fixture.send("image.palette", ["count": 1])
        fixture.loop.advance(by: .milliseconds(301))
        fixture.loop.advance(by: .milliseconds(2990))
        #expect(fixture.state() == "ready")
        fixture.loop.advance(by: .milliseconds(20))
        #expect(fixture.state() == "backoff")
        #expect(fixture.events.last == "plugin.exited backoff deadline")
    }

    @Test("calls beyond what it takes at once wait in order, and a cancelled one makes room")
    func parallel() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready(HouseFixture.method + #","limits":{"parallel":1}"#)
        let other = try fixture.connect()
        let first = fixture.send("image.palette", ["count": 1])
        let second = other.send("image.palette", ["count": 2])
        let call = try fixture.asked("image.palette", of: process)
        #expect(call["params"]?["count"] == 1)
        #expect(process.read().isEmpty)
        fixture.client?.cancel(first)
        #expect(fixture.answer(to: first)?["error"]?["code"] == 1002)
        let lines = process.read()
        #expect(lines.map { $0["method"] } == ["$/cancel", "image.palette"])
        process.send(["id": lines[1]["id"] ?? .null, "result": [2]])
        fixture.loop.turn()
        #expect(other.answer(to: second)?["result"] == [2])
    }

    @Test("nonsense is borne a hundred times, a line that is too long not at all")
    func protocolFaults() throws {
        let fixture = try HouseFixture()
        var process = try fixture.ready()
        for count in 0..<99 {
            process.send(text: count % 2 == 0 ? "nonsense" : #"{"id":9999,"result":1}"#)
        }
        fixture.loop.turn()
        #expect(fixture.state() == "ready")
        process.send(text: "{}")
        fixture.loop.turn()
        #expect(fixture.state() == "backoff")
        #expect(fixture.events.last?.hasPrefix("plugin.exited backoff protocol") == true)
        fixture.loop.advance(by: .milliseconds(501))
        process = try fixture.greet()
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        for _ in 0..<257 {
            process.send(bytes: line)
            fixture.loop.turn()
        }
        #expect(fixture.state() == "backoff")
        #expect(fixture.record()?["reason"]?.stringValue?.contains("1 MiB") == true)
    }

    @Test("one that closes its connection has ended, though its program runs; it is ended, too")
    func closes() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready()
        process.obeys = false
        let id = fixture.send("image.palette", ["count": 1])
        #expect(!process.isDisconnected)
        process.end(nil)
        #expect(fixture.answer(to: id)?["error"]?["code"] == 1009)
        #expect(process.isDisconnected)
        #expect(fixture.state() != "ready")
        fixture.loop.advance(by: .milliseconds(201))
        #expect(process.endings == 1)
        process.end(.killed(signal: SIGKILL))
        fixture.loop.turn()
        #expect(fixture.state() == "backoff")
    }

    @Test("plugins.list says whether it runs as a child or as a unit, and in which sandbox")
    func place() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready()
        #expect(fixture.record()?["pid"] == 4711)
        #expect(fixture.record()?["sandbox"] == "inherited")
        #expect(fixture.record()?["unit"] == nil)
        process.unit = "pickerd-plugin-image-1.service"
        #expect(fixture.record()?["pid"] == nil)
        #expect(fixture.record()?["sandbox"] == "full")
        #expect(fixture.record()?["unit"] == "pickerd-plugin-image-1.service")
        process.end(.exited(0))
        fixture.loop.turn()
        #expect(fixture.record()?["sandbox"] == nil)
        #expect(fixture.record()?["unit"] == nil)
    }

    @Test("it is stopped when nobody has needed it for five minutes, and starts again when needed")
    func unused() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready()
        for _ in 0..<29 {
            fixture.loop.advance(by: .seconds(10))
            for line in process.read() where line["method"] == "plugin.ping" {
                process.send(["id": line["id"] ?? .null, "result": [:]])
            }
            fixture.loop.turn()
        }
        #expect(fixture.state() == "ready")
        fixture.loop.advance(by: .seconds(11))
        #expect(fixture.state() == "waiting")
        #expect(process.read().contains { $0["method"] == "plugin.stop" })
        process.end(.exited(0))
        fixture.loop.turn()
        #expect(fixture.events.last == "plugin.exited waiting stopped")
        _ = fixture.send("image.palette", ["count": 1])
        try fixture.greet()
        #expect(fixture.state() == "ready")
        #expect(fixture.record()?["restarts"] == 0)
    }

    @Test("one that is told to stop and does not is ended after two seconds")
    func stubborn() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready()
        process.obeys = false
        #expect(fixture.call("plugins.disable", ["id": "image"])?["result"] == [:])
        #expect(fixture.state() == "disabled")
        fixture.loop.advance(by: .milliseconds(1999))
        #expect(process.endings == 0)
        fixture.loop.advance(by: .milliseconds(2))
        #expect(process.endings == 1)
    }

    @Test("one that is kept always starts at once, and again after it has ended by itself")
    func always() throws {
        let fixture = try HouseFixture()
        fixture.find(try HouseFixture.found("image", #""keep":"always""#))
        #expect(fixture.state() == "starting")
        let process = try fixture.greet()
        fixture.loop.advance(by: .milliseconds(10))
        process.end(.exited(0))
        fixture.loop.turn()
        #expect(fixture.state() == "backoff")
        fixture.loop.advance(by: .milliseconds(501))
        #expect(fixture.launcher.processes.count == 2)
    }

    @Test("when the host of all is switched off, processes end and calls are answered")
    func hostOff() throws {
        let fixture = try HouseFixture()
        let process = try fixture.ready()
        process.obeys = false
        let id = fixture.send("image.palette", ["count": 1])
        let call = try fixture.asked("image.palette", of: process)
        #expect(fixture.observer?.call("plugins.disable", ["id": "processes"])?["result"] == [:])
        #expect(fixture.record() == nil)
        #expect(fixture.observer?.call("image.palette", ["count": 1])?["error"]?["code"] == -32601)
        #expect(
            fixture.observer?.call("events.publish", ["topic": "image.seen"])?["result"] != nil)
        // What it was doing it may finish.
        #expect(process.read().contains { $0["method"] == "plugin.stop" })
        process.print("a last word\n")
        process.send(["id": call["id"] ?? .null, "result": [7]])
        #expect(fixture.answer(to: id)?["result"] == [7])
        fixture.loop.advance(by: .seconds(3))
        #expect(process.endings > 0)
        process.end(.killed(signal: SIGKILL))
        fixture.loop.turn()
        #expect(fixture.loop.isIdle)
        #expect(fixture.observer?.call("plugins.enable", ["id": "processes"])?["result"] == [:])
    }

    @Test(
        "a folder with the name of a part of the daemon is reported, and takes nothing from that part"
    )
    func nameOfAPart() throws {
        let fixture = try HouseFixture(enabled: ["events", "plugins", "image"])
        let parts = ["events", "processes", "plugins", "daemon", "batch"]
        let found = try parts.map { try HouseFixture.found("image", "").renamed($0) }
        fixture.house.take(PluginFolders.Listing(plugins: found))
        #expect(fixture.call("events.publish", ["topic": "a.b"])?["result"] != nil)
        let list = fixture.observer?.call("plugins.list")?["result"]?.arrayValue ?? []
        #expect(list.map { $0["id"] } == ["events", "actions", "processes"])
        #expect(fixture.reports.count { $0.level == .warning } == parts.count)
        #expect(fixture.reports.last?.message.contains("rename it") == true)
        // Once, not at each search.
        fixture.house.take(PluginFolders.Listing(plugins: found))
        #expect(fixture.reports.count { $0.level == .warning } == parts.count)
    }
}

extension FoundPlugin {
    fileprivate func renamed(_ id: String) -> FoundPlugin {
        FoundPlugin(
            id: id, folder: RawPath("/plugins/\(id)"), place: place, state: state,
            fingerprint: fingerprint)
    }
}
