import DirectoryWatching
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Setting roots at an awkward moment")
struct SetRootsTests {
    /// Roots a and b, with two files in each folder, are scanned; then the kernel's queue overflows, and a
    /// rescan of many small slices is under way.
    private func startRescan() throws -> (fixture: WatchFixture, a: Disk, b: Disk) {
        var limits = WatchLimits()
        limits.entriesInline = 1
        limits.entriesPerSlice = 1
        let fixture = try WatchFixture(limits: limits)
        let a = Disk(fixture.root.path + "/a")
        let b = Disk(fixture.root.path + "/b")
        for disk in [a, b] {
            for folder in ["one/deep", "two", "three"] {
                fixture.root.makeFolders("\(disk.path.suffix(1))/\(folder)")
                disk.write("\(folder)/x", "1")
                disk.write("\(folder)/y", "1")
            }
        }
        try fixture.watcher.setRoots([b.path, a.path])
        fixture.settle()
        fixture.access.loseQueue = true
        b.write("lost", "1")
        fixture.loop.runOne()
        #expect(!fixture.watcher.isSettled)
        return (fixture, a, b)
    }

    @Test("A remembered root may be removed during a rescan")
    func rememberedDuringRescan() throws {
        let (fixture, a, b) = try startRescan()
        a.move("one", "renamed")
        fixture.loop.runOne()
        fixture.root.move("a", "away")
        fixture.loop.runOne()
        fixture.loop.runOne()
        #expect(!fixture.watcher.isSettled, "the rescan is still under way")
        try fixture.watcher.setRoots([b.path])
        fixture.settle()
        fixture.expectTruth([b])
    }

    @Test("A root may be removed and added again during a rescan")
    func leftOutDuringRescan() throws {
        let (fixture, a, b) = try startRescan()
        a.move("one", "renamed")
        b.move("one/deep", "deep")
        fixture.loop.runOne()
        try fixture.watcher.setRoots([a.path])
        a.move("renamed", "again")
        fixture.loop.runOne()
        try fixture.watcher.setRoots([b.path, a.path])
        fixture.settle()
        fixture.expectTruth([a, b])
    }

    @Test("A remembered root may become part of another one")
    func rememberedIsCovered() throws {
        let (fixture, a, _) = try startRescan()
        a.move("one", "renamed")
        fixture.loop.runOne()
        fixture.root.move("a", "away")
        fixture.loop.runOne()
        fixture.loop.runOne()
        try fixture.watcher.setRoots([fixture.root.path, a.path])
        fixture.root.move("away", "a")
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("The documents of a half-moved folder count, also while its root is removed")
    func halfMovedFolder() throws {
        let fixture = try WatchFixture()
        let disk = Disk(fixture.root.path + "/a")
        fixture.root.makeFolders("a/folder")
        fixture.root.makeFolder("away")
        disk.write("x", "1")
        disk.write("folder/y", "1")
        try fixture.watcher.setRoots([disk.path])
        fixture.settle()
        fixture.root.move("a/folder", "away/folder")
        fixture.loop.runOne()
        #expect(fixture.store.documents.count == 2, "the other half may come yet")
        try fixture.watcher.setRoots([String]())
        #expect(fixture.store.documents.count == 1)
        try fixture.watcher.setRoots([disk.path])
        fixture.settle()
        fixture.expectTruth([disk])
    }

    @Test("A root that is away for the moment in which it is scanned is scanned when it is back")
    func awayForAMoment() throws {
        let (fixture, a, b) = try startRescan()
        var isAway = true
        fixture.access.openFault = { path in
            guard isAway, path == Array(b.path.utf8) else { return nil }
            isAway = false
            return SystemError(.noSuchFile, operation: "open")
        }
        fixture.settle()
        #expect(!isAway, "it was opened, and then probed")
        fixture.expectTruth([a, b])
    }

    @Test("A rename that was pending when its root was lost is in effect when the root returns")
    func pendingRenameOfLostRoot() throws {
        let (fixture, a, b) = try startRescan()
        fixture.loop.runOne()
        a.move("two/x", "two/renamed")
        a.move("three", "moved")
        fixture.loop.runOne()
        fixture.root.move("a", "away")
        fixture.loop.runOne()
        fixture.root.move("away", "a")
        fixture.settle()
        fixture.expectTruth([a, b])
    }

    @Test("Roots may be set at any moment")
    func random() throws {
        try withSeed { random in
            for round in 0..<80 {
                var limits = WatchLimits()
                limits.entriesInline = round % 2 == 0 ? 1 : 30
                limits.entriesPerSlice = round % 4 == 0 ? 1 : 3
                limits.eventsPerTurn = 20
                limits.documentsRemembered = round % 3 == 0 ? 3 : 1000
                try run(&random, limits)
            }
        }
    }

    private func run(_ random: inout SeededRandom, _ limits: WatchLimits) throws {
        let fixture = try WatchFixture(limits: limits)
        let names = ["a", "b", "b/inner", "c"]
        let disks = names.map { Disk("\(fixture.root.path)/\($0)") }
        for disk in disks { disk.makeFolder("") }
        fixture.root.makeFolder("away")
        var given: [Disk] = []
        var next = 0
        for _ in 0..<80 {
            next += 1
            let disk = disks[Int.random(in: 0..<disks.count, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                given = disks.filter { _ in random.chance(0.6) }.shuffled(using: &random)
                try fixture.watcher.setRoots(given.map(\.path))
            case 2: fixture.access.loseQueue = true
            case 3:
                // The folder of a root is removed, or one returns, from the same path or another.
                let name = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
                if fixture.root.exists(name) {
                    fixture.root.move(name, "away/\(name)")
                } else {
                    fixture.root.move("away/\(name)", name)
                }
            case 4, 5:
                if disk.exists("") {
                    disk.makeFolders("f\(next)/g")
                    disk.write("f\(next)/g/h", "1")
                }
            case 6:
                if disk.exists(""), let folder = disk.folders.randomElement(using: &random),
                    !folder.isEmpty, folder != "inner"
                {
                    disk.move(folder, "moved\(next)")
                }
            case 7:
                if disk.exists(""), let file = disk.files.randomElement(using: &random) {
                    disk.move(file, "file\(next)")
                }
            case 8: if disk.exists("") { disk.write("w\(next)", "1") }
            default:
                for _ in 0..<Int.random(in: 1...4, using: &random) { fixture.loop.runOne() }
            }
        }
        fixture.settle()
        let covering = given.filter { disk in
            !given.contains { disk.path.hasPrefix($0.path + "/") }
        }
        fixture.expectTruth(covering.filter { $0.exists("") })
    }
}
