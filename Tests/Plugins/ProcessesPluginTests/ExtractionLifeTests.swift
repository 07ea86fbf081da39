import JSONText
import PickerModel
import PluginProcesses
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("The lives of plugins that have files")
struct ExtractionLifeTests {
    private let fixture: ExtractionFixture

    init() throws { fixture = try ExtractionFixture() }

    private var house: HouseFixture { fixture.house }

    /// The next process, as soon as it is started.
    private func again() throws -> ScriptedLauncher.Process {
        let count = house.launcher.processes.count
        for _ in 0..<140 where house.launcher.processes.count == count {
            house.loop.advance(by: .milliseconds(500))
        }
        return try fixture.ready()
    }

    @Test("A process that falls gives its batches back, and those that wait are sent to the next")
    func ended() throws {
        let had = [try fixture.read(2), try fixture.read(3)]
        let process = try fixture.ready()
        #expect(fixture.asked(process).count == 2)
        process.end(.exited(3))
        house.loop.turn()
        #expect(had.allSatisfy { fixture.outcomes[$0]?.isFault == true })
        #expect(try fixture.reader().room == 0)
        let kept = try fixture.read(4)
        var told = 0
        try fixture.reader().whenReady = { told += 1 }
        let next = try again()
        #expect(told == 1)
        #expect(try fixture.reader().room == 2)
        let request = try #require(fixture.asked(next).first)
        #expect(request["params"]?["files"]?.arrayValue?.count == 4)
        fixture.answer(request, .array([JSONValue](repeating: ["none": true], count: 4)), of: next)
        #expect(fixture.outcomes[kept]?.answers.count == 4)
    }

    @Test("What ended it decides whether it is a fault", arguments: [9, 15, 11, 6] as [Int32])
    func signals(_ signal: Int32) throws {
        let number = try fixture.read(1)
        let process = try fixture.ready()
        #expect(fixture.asked(process).count == 1)
        process.end(.killed(signal: signal))
        house.loop.turn()
        #expect(fixture.outcomes[number]?.isEnd == true)
        #expect(fixture.outcomes[number]?.isFault == (signal == 11 || signal == 6))
    }

    @Test("A process that closes its connection with files gives them back as a fault")
    func closed() throws {
        let number = try fixture.read(1)
        let process = try fixture.ready()
        #expect(fixture.asked(process).count == 1)
        process.end(nil)
        house.loop.turn()
        process.end(.exited(0))
        house.loop.advance(by: .seconds(1))
        #expect(fixture.outcomes[number]?.isFault == true)
    }

    @Test("A process that is stuck over a file is ended; the file was refused before")
    func stuck() throws {
        let number = try fixture.read(1)
        let process = try fixture.ready()
        house.loop.advance(by: .milliseconds(2100))
        #expect(fixture.outcomes[number]?.isRefused == true)
        house.loop.advance(by: .milliseconds(3100))
        #expect(process.isOver)
        #expect(house.state() == "backoff")
    }

    @Test("A batch that must be read alone is sent when no other is read, and others wait for it")
    func alone() throws {
        let first = try fixture.read(2)
        let lone = try fixture.read(1, isAlone: true)
        let other = try fixture.read(1, "whole")
        let process = try fixture.ready()
        // The one that is alone comes first, as nothing is read yet.
        let begun = fixture.asked(process)
        #expect(begun.count == 1)
        #expect(begun.first?["params"]?["files"]?.arrayValue?.count == 2)
        fixture.answer(try #require(begun.first), [["none": true], ["none": true]], of: process)
        let second = fixture.asked(process)
        #expect(second.count == 1 && second.first?["params"]?["group"] == "header")
        let third = try fixture.read(1)
        #expect(fixture.asked(process).isEmpty)
        fixture.answer(try #require(second.first), [["none": true]], of: process)
        let rest = fixture.asked(process)
        #expect(rest.count == 2)
        for request in rest { fixture.answer(request, [["none": true]], of: process) }
        #expect([first, lone, other, third].allSatisfy { fixture.outcomes[$0] != nil })
    }

    @Test("Of two batches alone that fall, only the one that was read is a fault")
    func twoAlone() throws {
        let first = try fixture.read(1, isAlone: true)
        let second = try fixture.read(1, "whole", isAlone: true)
        let process = try fixture.ready()
        #expect(fixture.asked(process).count == 1)
        process.end(.killed(signal: 11))
        house.loop.turn()
        #expect(fixture.outcomes[first]?.isFault == true)
        #expect(fixture.outcomes[second] == nil)
        let next = try again()
        let request = try #require(fixture.asked(next).first)
        fixture.answer(request, [["none": true]], of: next)
        #expect(fixture.outcomes[second]?.answers.count == 1)
    }

    @Test("Nine falls with files do not lead to quarantine, and five more do")
    func forgiven() throws {
        var process: ScriptedLauncher.Process?
        for fall in 1...14 {
            let number = try fixture.read(1)
            process = try fall == 1 ? fixture.ready() : again()
            let running = try #require(process)
            #expect(fixture.asked(running).count == 1)
            running.end(.killed(signal: 11))
            house.loop.turn()
            #expect(fixture.outcomes[number]?.isFault == true)
            #expect(house.state() == (fall < 14 ? "backoff" : "quarantined"), "fall \(fall)")
        }
        #expect(try fixture.reader().room == 0)
        // Restarted by somebody, it goes on with what waits.
        let kept = try fixture.read(1)
        _ = house.call("plugins.restart", ["id": "image"])
        let next = try fixture.ready()
        #expect(fixture.asked(next).count == 1)
        #expect(fixture.outcomes[kept] == nil)
    }

    @Test("Five falls without files lead to quarantine, though it also has files for others' falls")
    func notForgiven() throws {
        _ = try fixture.read(1)
        var process = try fixture.ready()
        fixture.answer(try #require(fixture.asked(process).first), [["none": true]], of: process)
        for fall in 1...5 {
            process.end(.exited(1))
            house.loop.turn()
            #expect(house.state() == (fall < 5 ? "backoff" : "quarantined"), "fall \(fall)")
            if fall < 5 { process = try again() }
        }
    }

    @Test("A new version of other attributes gives back what the old one was to read")
    func upgrade() throws {
        let had = try fixture.read(2)
        let old = try fixture.ready()
        let request = try #require(fixture.asked(old).first)
        let reader = try fixture.reader()
        let more = ExtractionFixture.attributes.replacing("\"image.gps\"", with: "\"image.flash\"")
        house.find(try HouseFixture.found("image", more, version: 2))
        #expect(try fixture.reader() === reader, "the old one goes on until the new one is ready")
        let new = try house.greet()
        #expect(try fixture.reader() !== reader)
        #expect(fixture.outcomes[had]?.isFault != true)
        fixture.answer(request, [["none": true], ["none": true]], of: old)
        old.end(.exited(0))
        house.loop.advance(by: .seconds(3))
        #expect(fixture.outcomes[had] != nil)
        let next = try fixture.read(1)
        fixture.answer(try #require(fixture.asked(new).first), [["none": true]], of: new)
        #expect(fixture.outcomes[next]?.answers.count == 1)
        #expect(house.state() == "ready")
    }

    @Test(
        "A process that is replaced answers what it has, or gives it back",
        arguments: [true, false])
    func sameAttributes(_ answers: Bool) throws {
        let had = try fixture.read(2)
        let old = try fixture.ready()
        let request = try #require(fixture.asked(old).first)
        house.find(try HouseFixture.found("image", ExtractionFixture.attributes, version: 2))
        let new = try house.greet()
        let next = try fixture.read(1)
        #expect(fixture.asked(new).count == 1)
        #expect(fixture.asked(old).isEmpty)
        if answers {
            fixture.answer(request, [["none": true], ["none": true]], of: old)
            #expect(fixture.outcomes[had]?.answers.count == 2)
        }
        old.end(.killed(signal: 11))
        house.loop.advance(by: .seconds(1))
        if !answers {
            #expect(fixture.outcomes[had]?.isEnd == true && fixture.outcomes[had]?.isFault == false)
        }
        #expect(fixture.outcomes[next] == nil)
        #expect(house.state() == "ready")
    }

    @Test("A plugin that is switched off gives back what it has and what waits, and offers nothing")
    func disabled() throws {
        let had = try fixture.read(2)
        let process = try fixture.ready()
        #expect(fixture.asked(process).count == 1)
        let reader = try fixture.reader()
        _ = house.observer?.call("plugins.disable", ["id": "image"])
        house.loop.turn()
        #expect(house.documents.attributes.offers.isEmpty)
        process.end(.exited(0))
        house.loop.advance(by: .seconds(3))
        #expect(fixture.outcomes[had]?.isFault != true)
        withExtendedLifetime(reader) {}
        _ = house.observer?.call("plugins.enable", ["id": "image"])
        house.loop.turn()
        #expect(house.documents.attributes.offers.map(\.group) == ["header", "whole"])
    }

    // MARK: Calls beside files

    /// Lets the process answer one request after the other, in the order in which they come.
    /// - Returns: the methods.
    private func answer(_ count: Int, by process: ScriptedLauncher.Process) -> [String] {
        var waiting: [JSONValue] = []
        var methods: [String] = []
        while methods.count < count {
            house.loop.turn()
            waiting += process.read()
            guard !waiting.isEmpty else { break }
            let request = waiting.removeFirst()
            let method = request["method"]?.stringValue ?? ""
            methods.append(method)
            let files: JSONValue = ["files": [["none": true]]]
            process.send([
                "id": request["id"] ?? .null,
                "result": method == "attributes.extract" ? files : [:],
            ])
        }
        house.loop.turn()
        return methods
    }

    @Test("Calls and files that wait are sent in turn, so neither waits for all of the other")
    func calls() throws {
        for _ in 0..<2 { _ = try fixture.read(1) }
        let process = try fixture.ready()
        let clients = try (0..<2).map { _ in try house.connect() }
        let calls = clients.map { $0.send("image.look") }
        for _ in 0..<4 { _ = try fixture.read(1) }
        let files = "attributes.extract"
        // Those that were sent before; one call; the files that have waited; the other one.
        #expect(
            answer(8, by: process) == [
                files, files, "image.look", files, files, files, files, "image.look",
            ])
        for (client, call) in zip(clients, calls) {
            #expect(client.answer(to: call)?["result"] == [:])
        }
        #expect(fixture.outcomes.count == 6)
    }

    @Test("A call that comes while a ping is under way is sent after it")
    func ping() throws {
        _ = try fixture.read(1)
        let process = try fixture.ready()
        #expect(answer(1, by: process).count == 1)
        house.loop.advance(by: .seconds(11))
        let ping = try house.asked("plugin.ping", of: process)
        let call = house.send("image.look")
        house.loop.turn()
        process.send(["id": ping["id"] ?? .null, "result": [:]])
        #expect(answer(1, by: process) == ["image.look"])
        #expect(house.answer(to: call)?["result"] == [:])
    }

    @Test("Files go on if the call that they wait for is taken back")
    func takenBack() throws {
        for _ in 0..<2 { _ = try fixture.read(1) }
        let process = try fixture.ready()
        let call = house.send("image.look")
        _ = try fixture.read(1)
        #expect(fixture.asked(process).count == 2)
        house.client?.cancel(call)
        house.loop.turn()
        #expect(fixture.asked(process).count == 1)
    }
}
