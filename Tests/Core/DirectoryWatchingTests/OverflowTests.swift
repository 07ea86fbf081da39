import DirectoryWatching
import Glibc
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Lost events")
struct OverflowTests {
    @Test("After an overflow everything is read again, reported once, and keys are kept")
    func rescan() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("a/b")
        fixture.root.makeFolder("c")
        for name in ["a/1", "a/b/2", "c/3", "4", "5"] { fixture.root.write(name, "1") }
        try fixture.start()
        let moved = fixture.key("4")
        let changed = fixture.key("c/3")
        let inFolder = fixture.key("a/b/2")
        fixture.root.move("4", "a/b/four")
        fixture.root.remove("5")
        fixture.root.append("c/3", "23")
        fixture.root.move("a", "z")
        fixture.root.makeFolders("new/x")
        fixture.root.write("new/x/6", "1")
        fixture.access.loseQueue = true
        fixture.loop.turn()
        #expect(fixture.watcher.isSettled)
        // 4, a/1, a/b/2 moved and c/3 changed; 5 removed; new/x/6 added.
        #expect(fixture.reports == [.overflow, .rescanned(added: 1, removed: 1, changed: 4)])
        #expect(fixture.transactions.count == 1)
        #expect(fixture.key("z/b/four") == moved)
        #expect(fixture.key("c/3") == changed)
        #expect(fixture.key("z/b/2") == inFolder)
        fixture.expectTruth()
        fixture.root.write("z/b/7", "1")
        fixture.root.write("new/x/8", "1")
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("A folder that is away when the rescan ends is read when it is back", arguments: 0..<4)
    func awayAtTheEnd(index: Int) throws {
        var limits = WatchLimits()
        limits.entriesInline = 1
        limits.entriesPerSlice = 1
        let fixture = try WatchFixture(limits: limits)
        for folder in 0..<4 {
            fixture.root.makeFolders("\(folder)/inner")
            fixture.root.write("\(folder)/inner/known", "1")
        }
        try fixture.start()
        // The events of these are lost.
        for folder in 0..<4 { fixture.root.write("\(folder)/inner/new", "12") }
        fixture.access.loseQueue = true
        #expect(fixture.loop.runOne() && fixture.reports == [.overflow])
        let key = fixture.key("\(index)/inner/known")
        fixture.root.move("\(index)", outTo: fixture.folder.path("away"))
        // No time passes, so the second half of the move is still waited for.
        fixture.loop.turn()
        #expect(fixture.reports.count == 2)
        fixture.root.move(from: fixture.folder.path("away"), "back")
        fixture.settle()
        #expect(fixture.key("back/inner/known") == key)
        fixture.expectTruth()
    }

    @Test("A rescan in slices applies nothing before its end, and sees what happens meanwhile")
    func slicedRescan() throws {
        var limits = WatchLimits()
        limits.entriesInline = 10
        limits.entriesPerSlice = 10
        let fixture = try WatchFixture(limits: limits)
        for folder in 0..<10 {
            fixture.root.makeFolder("\(folder)")
            for file in 0..<10 { fixture.root.write("\(folder)/\(file)", "1") }
        }
        try fixture.start()
        let before = Set(fixture.store.documents.map(\.key))
        for folder in 0..<10 {
            fixture.root.move("\(folder)/0", "\(9 - folder)/moved\(folder)")
        }
        fixture.access.loseQueue = true
        var steps = 0
        while fixture.loop.runOne() {
            steps += 1
            if steps == 3 { fixture.root.write("3/during", "1") }
            if steps == 5 { fixture.access.loseQueue = true }
            if steps == 6 { fixture.root.move("5", "five") }
            if steps == 7 {
                #expect(fixture.transactions.isEmpty)
                #expect(fixture.watcher.drainNow() == 1)
                #expect(!fixture.watcher.isSettled)
            }
            #expect(steps < 1000)
        }
        fixture.settle()
        #expect(fixture.reports.count { $0 == .overflow } >= 1)
        #expect(Set(fixture.store.documents.map(\.key)).isSuperset(of: before))
        #expect(fixture.store.documents.count == 101)
        fixture.expectTruth()
    }

    @Test(
        "Files that a rescan does not find are gone without a look at each, in slices",
        arguments: [false, true])
    func swept(byThreads: Bool) throws {
        var limits = WatchLimits()
        limits.entriesInline = 10
        limits.entriesPerSlice = 10
        limits.entriesPerSliceElsewhere = 10
        let fixture = try WatchFixture(limits: limits)
        if byThreads { fixture.access.useThreads() }
        fixture.root.makeFolder("d")
        for file in 0..<300 { fixture.root.write("d/\(file)", "1") }
        try fixture.watcher.setRoots([fixture.root.path])
        #expect(fixture.loop.run { fixture.watcher.isSettled })
        let kept = fixture.key("d/299")
        for file in 0..<299 { fixture.root.remove("d/\(file)") }
        fixture.access.loseQueue = true
        fixture.forget()
        fixture.access.resetCounts()
        var steps = 0
        #expect(
            fixture.loop.run {
                steps += 1
                return !fixture.transactions.isEmpty && fixture.watcher.isSettled
            })
        #expect(steps > 30)
        // Of the root, and of few folders.
        #expect(fixture.access.looks < 10)
        #expect(fixture.names == ["d/299"] && fixture.key("d/299") == kept)
        #expect(fixture.reports == [.overflow, .rescanned(added: 0, removed: 299, changed: 0)])
        fixture.expectTruth()
    }

    @Test(
        "After an overflow files get their keys back, a few in each turn",
        arguments: [false, true])
    func matched(byThreads: Bool) throws {
        let count = 1000
        var limits = WatchLimits().committing(count)
        limits.turnTime = .zero
        let fixture = try WatchFixture(limits: limits)
        if byThreads { fixture.access.useThreads() }
        fixture.root.makeFolder("a")
        fixture.root.makeFolder("b")
        for file in 0..<count { fixture.root.write("a/\(file)", "1") }
        try fixture.watcher.setRoots([fixture.root.path])
        #expect(fixture.loop.run { fixture.watcher.isSettled })
        let keys = (0..<count).map { fixture.key("a/\($0)") }
        // One is another file at the same path.
        for file in 1..<count { fixture.root.move("a/\(file)", "b/\(file)") }
        fixture.root.remove("a/0")
        fixture.root.write("a/0", "another")
        fixture.access.loseQueue = true
        var turns = 0
        var scanned: Int?
        fixture.forget()
        #expect(
            fixture.loop.run {
                // Those after the last folder was read.
                let count = fixture.status?.foldersScanned
                turns = count == scanned ? turns + 1 : 0
                scanned = count
                return fixture.reports.count == 2
            })
        #expect(turns > 2 * count / 64)
        #expect(fixture.key("a/0") == keys[0])
        #expect((1..<count).allSatisfy { fixture.key("b/\($0)") == keys[$0] })
        fixture.expectTruth()
    }

    /// Steps after which a file comes back: all of a rescan, and for one that stays open those before its folder is swept.
    private static let returns = (0..<12).map { ($0, true) } + (0..<5).map { ($0, false) }

    @Test(
        "A file that comes back during a rescan keeps its key, be it open or closed",
        arguments: returns)
    func backDuringRescan(after steps: Int, isClosed: Bool) throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        limits.entriesPerSlice = 2
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("d")
        for file in 0..<8 { fixture.root.write("d/\(file)", "1") }
        try fixture.start()
        let keys = (0..<8).map { fixture.key("d/\($0)") }
        for file in 4..<8 { fixture.root.remove("d/\(file)") }
        fixture.access.loseQueue = true
        for _ in 0..<steps { _ = fixture.loop.runOne() }
        let isOver = fixture.key("d/6") == nil
        let file = fixture.root.openForWriting("d/6")
        if isClosed { close(file) }
        // A sync would not wait for the end of the save.
        fixture.loop.turn()
        fixture.settle()
        if !isClosed { close(file) }
        fixture.loop.advance(by: limits.holdTime)
        #expect(isOver || fixture.key("d/6") == keys[6])
        #expect((0..<4).allSatisfy { fixture.key("d/\($0)") == keys[$0] })
        fixture.expectTruth()
    }

    /// The last file of a folder takes the place of one that is removed, where the sweep may have been already.
    @Test("A file that is removed while a rescan sweeps hides no other", arguments: 0..<30)
    func removedDuringSweep(after steps: Int) throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        limits.entriesPerSlice = 2
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("d")
        for file in 0..<20 { fixture.root.write("d/\(file)", "1") }
        try fixture.start()
        // Of any place, the first and the last among them.
        for file in 0..<20 where file % 4 != 0 { fixture.root.remove("d/\(file)") }
        fixture.access.loseQueue = true
        for _ in 0..<steps { _ = fixture.loop.runOne() }
        for file in stride(from: 0, to: 20, by: 8) { fixture.root.remove("d/\(file)") }
        fixture.settle()
        fixture.expectTruth()
    }

    @Test(
        "A save that leaves a backup keeps the key, if no event tells of it",
        arguments: 0..<2)
    func unseenBackup(way: Int) throws {
        let fixture = try WatchFixture()
        for name in ["a.md", "b.md"] { fixture.root.write(name, "1") }
        try fixture.start()
        let (a, b) = (fixture.key("a.md"), fixture.key("b.md"))
        fixture.root.move("a.md", "a.md.bak")
        fixture.root.write("a.md", "new")
        // Of a file with another name the key goes with it, as ever.
        fixture.root.move("b.md", "c.md")
        fixture.root.write("b.md", "new")
        if way == 1 { fixture.root.move("a.md.bak", "elsewhere") }
        fixture.access.loseQueue = true
        fixture.loop.turn()
        #expect(fixture.key("c.md") == b)
        #expect(fixture.key(way == 0 ? "a.md" : "elsewhere") == a)
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("A folder that is half moved when events are lost is read when it is back")
    func heldMeanwhile() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("f/g")
        fixture.root.write("f/g/a", "1")
        try fixture.start()
        let key = fixture.key("f/g/a")
        fixture.root.move("f", outTo: fixture.folder.path("f"))
        fixture.loop.turn()
        #expect(!fixture.watcher.isSettled)
        Disk(fixture.folder.path("f")).append("g/a", "23")
        fixture.access.loseQueue = true
        fixture.loop.turn()
        fixture.root.move(from: fixture.folder.path("f"), "back")
        fixture.settle()
        #expect(fixture.document("back/g/a")?.size == 3)
        #expect(fixture.key("back/g/a") == key)
        fixture.expectTruth()
    }

    @Test("A rescan repairs the kernel's own overflow")
    func realOverflow() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        for number in 0..<9000 { fixture.root.write("f\(number)", "1") }
        for number in 0..<4500 { fixture.root.remove("f\(number)") }
        fixture.loop.turn()
        fixture.settle()
        #expect(fixture.reports.contains(.overflow))
        #expect(fixture.store.documents.count == 4500)
        fixture.expectTruth()
        fixture.root.write("after", "1")
        fixture.settle()
        fixture.expectTruth()
    }
}

@Suite("Folders that cannot be watched or read")
struct DegradedTests {
    private static let noWatchLeft = SystemError(.noSpace, operation: "watch")
    private let limitReached: ([UInt8]) -> SystemError? = { path in
        path.count > 5 && path.suffix(4) == Array("/bad".utf8) ? Self.noWatchLeft : nil
    }

    @Test("Without a free watch a folder is polled and reported, and watched again later")
    func watchLimit() throws {
        let fixture = try WatchFixture()
        fixture.access.watchFault = limitReached
        fixture.root.makeFolders("bad/sub")
        fixture.root.makeFolder("good")
        for name in ["bad/1", "bad/sub/2", "good/3"] { fixture.root.write(name, "1") }
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        let bad = Array("\(fixture.root.path)/bad".utf8)
        #expect(fixture.names == ["bad/1", "bad/sub/2", "good/3"])
        #expect(fixture.reports.contains(.degraded(path: bad, reason: .watchLimit)))
        #expect(fixture.status?.state == .polling)
        #expect(fixture.status?.degraded.map(\.path) == [bad])
        fixture.root.write("good/4", "1")
        fixture.root.write("bad/5", "1")
        fixture.root.append("bad/1", "1")
        fixture.loop.turn()
        #expect(fixture.document("good/4") != nil)
        #expect(fixture.document("bad/5") == nil)
        fixture.loop.advance(by: .seconds(5))
        #expect(fixture.document("bad/5") != nil)
        fixture.expectTruth()
        fixture.root.remove("bad/5")
        fixture.settle()
        fixture.expectTruth()
        fixture.access.watchFault = nil
        fixture.loop.advance(by: .seconds(5))
        #expect(fixture.reports.last == .restored(path: bad))
        #expect(fixture.status?.state == .watching)
        #expect(fixture.loop.nextTimer == nil)
        fixture.root.write("bad/6", "1")
        fixture.loop.turn()
        fixture.expectTruth()
    }

    @Test("An unreadable folder is reported once, and listed when it is readable")
    func permission() throws {
        let fixture = try WatchFixture()
        fixture.access.openFault = { path in
            path.suffix(4) == Array("/bad".utf8)
                ? SystemError(.permissionDenied, operation: "open") : nil
        }
        fixture.root.makeFolder("bad")
        fixture.root.write("bad/1", "1")
        fixture.root.write("2", "1")
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        #expect(fixture.names == ["2"])
        let bad = Array("\(fixture.root.path)/bad".utf8)
        fixture.loop.advance(by: .seconds(30))
        let told = fixture.reports.count { $0 == .degraded(path: bad, reason: .permission) }
        #expect(told == 1)
        // Its attributes change: no need to wait for the poll.
        fixture.access.openFault = nil
        fixture.root.setMode("bad", 0o700)
        fixture.loop.turn()
        #expect(fixture.names == ["2", "bad/1"])
        #expect(fixture.reports.last == .restored(path: bad))
        #expect(fixture.status?.state == .watching)
        fixture.expectTruth()
    }

    @Test("A folder whose permission is lost loses its documents")
    func permissionLost() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("bad/sub")
        fixture.root.write("bad/1", "1")
        fixture.root.write("bad/sub/2", "1")
        try fixture.start()
        fixture.access.openFault = { path in
            path.suffix(4) == Array("/bad".utf8)
                ? SystemError(.permissionDenied, operation: "open") : nil
        }
        fixture.root.setMode("bad", 0o000)
        fixture.settle()
        #expect(fixture.names == [])
        fixture.access.openFault = nil
        fixture.root.setMode("bad", 0o755)
        fixture.settle()
        #expect(fixture.names == ["bad/1", "bad/sub/2"])
        fixture.root.write("bad/sub/3", "1")
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("Too many open files is a pause, not an end")
    func openFiles() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("a")
        fixture.root.write("a/1", "1")
        try fixture.start()
        fixture.access.openFault = { _ in
            SystemError(.tooManyOpenFiles, operation: "open")
        }
        fixture.root.makeFolder("b")
        fixture.root.write("b/2", "1")
        fixture.watcher.drainNow()
        fixture.loop.turn()
        #expect(fixture.names == ["a/1"])
        #expect(fixture.status?.state == .polling)
        #expect(!fixture.watcher.isSettled, "what is in the new folder is not known")
        #expect(fixture.watcher.shortage?.path == fixture.root.bytes + Array("/b".utf8))
        fixture.access.openFault = nil
        fixture.loop.advance(by: .seconds(5))
        #expect(fixture.watcher.isSettled && fixture.watcher.shortage == nil)
        #expect(fixture.names == ["a/1", "b/2"])
        #expect(fixture.status?.state == .watching)
        fixture.expectTruth()
    }

    @Test("When no folder can be watched, only some are reported, and all are listed")
    func none() throws {
        var limits = WatchLimits()
        limits.degradedNamed = 8
        let fixture = try WatchFixture(limits: limits)
        fixture.access.watchFault = { _ in Self.noWatchLeft }
        for number in 0..<50 {
            fixture.root.makeFolder("\(number)")
            fixture.root.write("\(number)/x", "1")
        }
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        #expect(fixture.reports.count { if case .degraded = $0 { true } else { false } } == 8)
        #expect(fixture.status?.degraded.count == 8)
        #expect(fixture.store.documents.count == 50)
        fixture.root.remove("3/x")
        fixture.root.write("new", "1")
        fixture.root.removeTree("4")
        fixture.settle()
        fixture.expectTruth()
        fixture.access.watchFault = nil
        fixture.loop.advance(by: .seconds(5))
        #expect(fixture.status?.state == .watching)
        fixture.root.write("5/y", "1")
        fixture.loop.turn()
        fixture.expectTruth()
    }
}
