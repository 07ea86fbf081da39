import EventLoops
import Foundation
import Glibc
import PickerModel
import SystemInterface
import TestSupport
import Testing

@testable import AttributesPlugin

@Suite("Batteries")
struct PowerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes the files of supplies, such as `AC: type=Mains online=1`.
    private func write(_ supplies: [String]) throws {
        try? FileManager.default.removeItem(atPath: folder.path("power"))
        try FileManager.default.createDirectory(
            atPath: folder.path("power"), withIntermediateDirectories: false)
        for supply in supplies {
            let parts = supply.split(separator: " ")
            let name = "power/\(parts[0].dropLast())"
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: false)
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=").map { String($0) }
                try folder.write("\(name)/\(pair[0])", pair[1] + "\n")
            }
        }
    }

    private var isOnBattery: Bool { PowerSupplies.isOnBattery(folder.rawPath("power")) }

    @Test(
        "The machine is on a battery if one is discharged and nothing comes from outside",
        arguments: [
            ([], false),
            (["AC: type=Mains online=1", "B: type=Battery status=Charging"], false),
            (["AC: type=Mains online=1", "B: type=Battery status=Discharging"], false),
            (["AC: type=Mains online=0", "B: type=Battery status=Discharging"], true),
            (["AC: type=Mains online=0", "B: type=Battery status=Unknown"], true),
            (["AC: type=Mains online=0"], false),
            (["B: type=Battery status=Discharging"], true),
            (["B: type=Battery status=Full"], false),
            (["B: type=Battery status=Full", "C: type=Battery status=Discharging"], true),
            (["U: type=USB online=1", "B: type=Battery status=Discharging"], false),
            (["U: type=UPS status=Discharging"], true),
            (["M: type=Battery scope=Device status=Discharging"], false),
            (["X: type=Unheard status=Discharging"], false),
            (["AC: online=1", "B: type=Battery status=Discharging"], true),
        ])
    func supplies(_ supplies: [String], _ expected: Bool) throws {
        try write(supplies)
        #expect(isOnBattery == expected)
    }

    @Test("What can't be read does not count, and nothing waits for it")
    func hostile() throws {
        #expect(!isOnBattery, "no folder")
        try write(["B: type=Battery status=Discharging", "L: type=Mains", "D: status=x"])
        // A pipe without a writer, a folder, a link to nothing, a file without an end, bytes that are no text.
        // The path is a C string for the length of the call.
        let made = unsafe mkfifo(folder.path("power/L/online"), 0o600)
        #expect(made == 0)
        try FileManager.default.createDirectory(
            atPath: folder.path("power/D/type"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("power/gone"), withDestinationPath: "nowhere")
        try folder.write("power/file", "Battery")
        for (name, text) in [("E", String(repeating: "Mains", count: 1_000_000)), ("N", "\u{0}\n")]
        {
            try FileManager.default.createDirectory(
                atPath: folder.path("power/\(name)"), withIntermediateDirectories: false)
            try folder.write("power/\(name)/type", text)
            try folder.write("power/\(name)/online", "1")
        }
        #expect(isOnBattery)
        // More than are looked at.
        try write((0..<300).map { "b\($0): type=Battery status=Discharging" })
        #expect(isOnBattery)
        try FileManager.default.removeItem(atPath: folder.path("power"))
        try folder.write("power", "no folder")
        #expect(!isOnBattery)
    }

    @Test("On a battery nothing is read, and it is looked at once a minute")
    func battery() throws {
        try write(["AC: type=Mains online=0", "B: type=Battery status=Discharging"])
        let fixture = try BackgroundFixture(in: folder, powerFolder: folder.path("power"))
        fixture.base.add(0..<6400)
        fixture.run(for: .seconds(600))
        #expect(fixture.asked.isEmpty)
        let power = try fixture.background.power
        #expect(9...11 ~= power.looks)
        try write(["AC: type=Mains online=1", "B: type=Battery status=Charging"])
        let begin = fixture.loop.now
        fixture.run { !fixture.asked.isEmpty }
        #expect(begin.duration(to: fixture.loop.now) <= .seconds(61))
        // Unplugged: at most a minute later nothing more is read.
        fixture.readingTime = .milliseconds(500)
        fixture.run { fixture.asked.count >= 640 }
        try write(["AC: type=Mains online=0", "B: type=Battery status=Discharging"])
        fixture.run(for: .seconds(61))
        let count = fixture.asked.count
        #expect(count < 6400)
        fixture.run(for: .seconds(300))
        #expect(fixture.asked.count == count)
        // Somebody who asks is served.
        let use = try fixture.base.need()
        fixture.readingTime = .zero
        fixture.run { use.isSettled }
        #expect(try fixture.base.known().count == 6400)
    }

    @Test("It is looked at once a minute at most while much is done, and never when all is")
    func looks() throws {
        let fixture = try BackgroundFixture(in: folder)
        fixture.readingTime = .milliseconds(300)
        fixture.base.add(0..<6400)
        let begin = fixture.loop.now
        try fixture.runUntilDone()
        let minutes = Int(begin.duration(to: fixture.loop.now) / .seconds(60))
        #expect(try 1...(minutes + 1) ~= fixture.background.power.looks)
        let looks = try fixture.background.power.looks
        fixture.run(for: .seconds(3600))
        #expect(try fixture.background.power.looks == looks)
    }
}
