import JSONText
import PluginProcesses
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("A running plugin whose folder changes") struct UpgradeTests {
    /// A plugin that was ready, whose folder has changed, and whose new version serves.
    private func upgraded() throws -> HouseFixture {
        let fixture = try HouseFixture()
        _ = try fixture.ready()
        fixture.find(try HouseFixture.found(version: 2))
        try fixture.greet()
        #expect(fixture.launcher.processes.count == 2)
        return fixture
    }

    /// Lets time pass, in which the newest process answers pings.
    private func wait(_ milliseconds: Int, _ fixture: HouseFixture) throws {
        var left = milliseconds
        while left > 0 {
            let step = min(left, 1000)
            left -= step
            fixture.loop.advance(by: .milliseconds(step))
            let process = try fixture.process
            for line in process.read() where line["method"] == "plugin.ping" {
                process.send(["id": line["id"] ?? .null, "result": [:]])
            }
            fixture.loop.turn()
        }
    }

    @Test("one that writes into its own folder is started anew after a pause that grows")
    func writer() throws {
        let fixture = try upgraded()
        for (number, seconds) in [(2, 10), (3, 20), (4, 40)] {
            // Again and again, meanwhile.
            for step in 1...3 {
                try wait(1000, fixture)
                fixture.find(try HouseFixture.found(version: UInt64(number * 10 + step)))
            }
            #expect(fixture.launcher.processes.count == number)
            try wait(seconds * 1000 - 3500, fixture)
            #expect(fixture.launcher.processes.count == number)
            fixture.loop.advance(by: .milliseconds(600))
            #expect(fixture.launcher.processes.count == number + 1)
            try fixture.greet()
            #expect(fixture.state() == "ready")
        }
    }

    @Test("a restart that somebody asked for does not wait, nor does what came before count then")
    func restart() throws {
        let fixture = try upgraded()
        fixture.loop.advance(by: .seconds(1))
        fixture.find(try HouseFixture.found(version: 3))
        #expect(fixture.launcher.processes.count == 2)
        _ = fixture.observer?.call("plugins.restart", ["id": "image"])
        #expect(fixture.launcher.processes.count == 3)
        try fixture.greet()
        // The new version runs already, so nothing is left to do.
        try wait(30_000, fixture)
        #expect(fixture.launcher.processes.count == 3)
        fixture.find(try HouseFixture.found(version: 4))
        #expect(fixture.launcher.processes.count == 4)
    }

    @Test("one that is switched off or falls meanwhile has no second start left over")
    func over() throws {
        let fixture = try upgraded()
        fixture.loop.advance(by: .seconds(1))
        fixture.find(try HouseFixture.found(version: 3))
        try fixture.process.end(.exited(3))
        fixture.loop.turn()
        fixture.loop.advance(by: .seconds(1))
        #expect(fixture.launcher.processes.count == 3)
        try fixture.greet()
        try wait(20_000, fixture)
        #expect(fixture.launcher.processes.count == 3)
        fixture.find(try HouseFixture.found(version: 4))
        fixture.loop.advance(by: .seconds(1))
        fixture.find(try HouseFixture.found(version: 5))
        _ = fixture.observer?.call("plugins.disable", ["id": "image"])
        let count = fixture.launcher.processes.count
        fixture.loop.advance(by: .seconds(60))
        #expect(fixture.launcher.processes.count == count)
    }
}
