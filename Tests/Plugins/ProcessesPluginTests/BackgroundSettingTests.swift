import JSONText
import PickerModel
import PluginInterface
import PluginProcesses
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("Plugins that may read although nobody asks")
struct BackgroundSettingTests {
    private let fixture: ExtractionFixture

    init() throws { fixture = try ExtractionFixture() }

    private var house: HouseFixture { fixture.house }

    /// Lets the settings say whether it may, and whether the plugin is on.
    private func set(_ isOn: Bool, isEnabled: Bool = true) {
        var settings = PluginSettings(roots: ["/r"])
        settings.processes.choices["image"] = .init()
        settings.processes.choices["image"]?.isEnabled = isEnabled
        settings.processes.choices["image"]?.worksInBackground = isOn
        house.house.adopt(settings)
    }

    private var offers: [Bool] {
        house.documents.attributes.offers.filter { $0.plugin == "image" }.map(\.isReadInBackground)
    }

    @Test("The setting is followed at once, by a new version, and when the plugin is switched on")
    func setting() throws {
        #expect(offers == [false, false])
        #expect(house.record()?["background"] == nil)
        let reader = try fixture.reader()
        var changes = 0
        house.documents.attributes.whenChanged = { changes += 1 }
        set(true)
        #expect(offers == [true, true])
        #expect(changes == 2)
        #expect(house.record()?["background"] == true)
        #expect(try fixture.reader() === reader, "all else goes on")
        set(true)
        #expect(changes == 2)
        house.find(
            try HouseFixture.found(
                "image", ExtractionFixture.attributes.replacing("image.gps", with: "image.flash"),
                version: 2))
        #expect(offers == [true, true])
        set(true, isEnabled: false)
        #expect(offers.isEmpty)
        set(true)
        #expect(offers == [true, true])
        set(false)
        #expect(offers == [false, false])
        #expect(house.record()?["background"] == nil)
    }

    @Test(
        "What nobody asks for is said to be the least urgent, and starts the process as all else does"
    )
    func priority() throws {
        let number = try fixture.read(1, isBackground: true)
        let process = try fixture.ready()
        let request = try #require(fixture.asked(process).first)
        #expect(request["params"]?["priority"] == 2)
        fixture.answer(request, [["none": true]], of: process)
        #expect(fixture.outcomes[number]?.answers.count == 1)
    }

    @Test("Of batches that a process did not get before it ended, those for nobody are given back")
    func givenBack() throws {
        let had = [try fixture.read(2), try fixture.read(3, isBackground: true)]
        let process = try house.process
        process.end(.exited(1))
        house.loop.turn()
        #expect(fixture.outcomes[had[0]] == nil)
        #expect(
            fixture.outcomes[had[1]]?.isEnd == true && fixture.outcomes[had[1]]?.isFault == false)
        // One that it had is given back as any other is.
        house.loop.advance(by: .seconds(1))
        let next = try fixture.ready()
        #expect(fixture.asked(next).count == 1)
        let third = try fixture.read(1, isBackground: true)
        #expect(fixture.asked(next).count == 1)
        next.end(.killed(signal: 11))
        house.loop.turn()
        #expect(fixture.outcomes[third]?.isFault == true)
    }
}
