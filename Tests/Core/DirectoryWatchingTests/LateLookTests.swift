import DirectoryWatching
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Changes found only by a second check")
struct LateLookTests {
    @Test("A root that loses its permissions loses its documents at once, and regains them")
    func rootWithoutRights() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        let path = fixture.root.bytes
        fixture.access.openFault = {
            $0 == path ? SystemError(.permissionDenied, operation: "open") : nil
        }
        fixture.root.setMode("", 0o000)
        // By its own event: a sync would check each root anyway.
        fixture.loop.turn()
        #expect(fixture.names == [])
        fixture.access.openFault = nil
        fixture.root.setMode("", 0o755)
        fixture.loop.turn()
        #expect(fixture.names == ["a"])
        #expect(fixture.status?.state == .watching)
    }

    @Test("A folder found missing by the last check before a commit is in that commit")
    func goneAtLastLook() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("d")
        fixture.root.write("d/x", "1")
        try fixture.start()
        // Each check finds something new, until the rounds with checks are used up.
        var made = 0
        fixture.access.onStatus = { path in
            guard path.contains(UInt8(ascii: "n")), path.starts(with: fixture.root.bytes),
                path.count == fixture.root.bytes.count + 3
            else { return }
            made += 1
            if made < 5 {
                fixture.root.write("n\(made)", "1")
            } else if made == 5 {
                fixture.root.removeTree("d")
            }
        }
        fixture.root.write("n0", "1")
        fixture.watcher.drainNow()
        #expect(made >= 5)
        #expect(fixture.names == ["n0", "n1", "n2", "n3", "n4"])
        fixture.expectTruth()
    }

    private func inode(_ path: String) throws -> UInt64 {
        try FileStatus.of(RawPath(path)).inode
    }

    @Test("A folder whose time of birth changes, as an overlay's does, is the same folder")
    func copiedUp() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("sub/deep")
        fixture.root.write("sub/old", "1")
        fixture.root.write("sub/deep/x", "1")
        try fixture.start()
        let keys = [fixture.key("sub/old"), fixture.key("sub/deep/x")]
        for path in ["", "/sub", "/sub/deep"] {
            fixture.access.copiedUp[try inode(fixture.root.path + path)] = 5
        }
        fixture.root.write("sub/new", "1")
        fixture.root.append("sub/old", "23")
        fixture.root.remove("sub/deep/x")
        fixture.root.write("sub/deep/x", "1")
        fixture.loop.turn()
        #expect(fixture.watcher.isSettled)
        #expect([fixture.key("sub/old"), fixture.key("sub/deep/x")] == keys)
        fixture.expectTruth()
        #expect(fixture.reports.isEmpty)
        fixture.root.write("sub/deep/later", "1")
        fixture.loop.turn()
        fixture.expectTruth()
    }

    @Test("A folder replaced without an event is found after some milliseconds")
    func otherFolder() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("sub")
        fixture.root.write("sub/old", "1")
        try fixture.start()
        // As after a mount: another folder is at the path, with another watch.
        let inside = try inode(fixture.root.path + "/sub")
        fixture.access.copiedUp[inside] = 7
        let other = try TemporaryFolder()
        fixture.access.watchFault = nil
        fixture.access.watchElsewhere = { path in
            path.suffix(4) == Array("/sub".utf8) ? Array(other.path.utf8) : nil
        }
        fixture.root.write("sub/new", "1")
        // Adding a watch and removing it is an event of its own: with one at each check, this would never
        // settle.
        #expect(fixture.loop.turn(limit: 1000) < 20)
        #expect(!fixture.watcher.isSettled)
        fixture.loop.advance(by: .milliseconds(10))
        #expect(fixture.watcher.isSettled)
        fixture.expectTruth()
    }

    private func mount(_ number: Int, _ place: String) -> String {
        "\(number) 1 0:\(number) / \(place) rw - tmpfs none rw\n"
    }

    @Test("A mount over a folder is read, and the folder under it after the unmount")
    func mounts() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("a b/m")
        fixture.root.write("a b/m/under", "1")
        try fixture.start()
        // No inotify event: only the mount table leads to each check.
        let place = fixture.root.path.replacing(" ", with: "\\040") + "/a\\040b/m"
        var looks: [[UInt8]] = []
        fixture.access.onStatus = { looks.append($0) }
        for text in [
            mount(7, place), "", mount(8, "/elsewhere"), mount(8, "/elsewhere") + mount(9, place),
        ] {
            looks = []
            fixture.access.mountsText = Array(text.utf8)
            fixture.watcher.drainNow()
            let looked = looks.contains(Array("\(fixture.root.path)/a b/m".utf8))
            #expect(looked == (text != mount(8, "/elsewhere")), "\(text)")
        }
        fixture.expectTruth()
    }

    @Test("A folder that was missing at its turn to be read is read when it is back")
    func missingWhenRead() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        let new = fixture.root.bytes + Array("/new".utf8)
        var faults = 1
        fixture.access.openFault = { path in
            guard path == new, faults > 0 else { return nil }
            faults -= 1
            return SystemError(.noSuchFile, operation: "open")
        }
        fixture.root.makeFolder("new")
        fixture.root.write("new/a", "1")
        fixture.settle()
        #expect(faults == 0)
        fixture.expectTruth()
    }

    /// A file is moved to an unread folder, another one takes its path in the list, and the half-seen move is
    /// given up before the first one is found.
    @Test(
        "A file displaced by another before it is found keeps its key",
        arguments: [false, true])
    func displaced(isFolderMoved: Bool) throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        limits.entriesPerSlice = 2
        limits.changesPerTransaction = 1
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("sub")
        fixture.root.write("sub/a", "1")
        try fixture.start()
        let key = try #require(fixture.key("sub/a"))
        fixture.root.makeFolders("new/deep")
        if isFolderMoved {
            fixture.root.move("sub", "new/deep/sub")
            fixture.root.makeFolder("sub")
        } else {
            fixture.root.makeFolder("new/deep/sub")
            fixture.root.move("sub/a", "new/deep/sub/a")
        }
        fixture.root.write("sub/a", "another")
        // The events, and the first slice of the scan.
        #expect(fixture.loop.runOne())
        #expect(fixture.loop.runOne())
        let other = try #require(fixture.key("sub/a"))
        #expect(other != key)
        fixture.settle()
        #expect(fixture.key("new/deep/sub/a") == key)
        #expect(fixture.key("sub/a") == other)
        fixture.expectTruth()
    }

    /// The files of a moved folder are committed one by one. Meanwhile a new file takes the former path of one, and
    /// another is saved over that one.
    @Test("A file displaced by another is saved under its key", arguments: 0..<12)
    func savedWhileDisplaced(after turns: Int) throws {
        let limits = WatchLimits().committing(1)
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("sub")
        for name in ["a", "b", "c", "d", "e"] { fixture.root.write("sub/\(name)", name) }
        try fixture.start()
        let keys = ["a", "b", "c", "d", "e"].map { fixture.key("sub/\($0)") }
        #expect(!keys.contains(nil))
        fixture.root.write("sub/beside", "saved")
        fixture.root.move("sub", "moved")
        fixture.root.makeFolder("sub")
        for name in ["a", "b", "c", "d", "e"] { fixture.root.write("sub/\(name)", "another") }
        for _ in 0..<turns { _ = fixture.loop.runOne() }
        fixture.root.move("moved/beside", "moved/e")
        fixture.settle()
        #expect(["a", "b", "c", "d", "e"].map { fixture.key("moved/\($0)") } == keys)
        fixture.expectTruth()
    }

    /// As above. The displaced files have gone on before they are found where the folder was moved, and are saved there.
    @Test("A file displaced by another is moved on and saved under its key", arguments: 0..<24)
    func movedOnWhileDisplaced(after turns: Int) throws {
        let fixture = try WatchFixture(limits: WatchLimits().committing(1))
        let names = ["a", "b", "c", "d", "e"]
        fixture.root.makeFolder("sub")
        fixture.root.makeFolder("beside")
        for name in names {
            fixture.root.write("sub/\(name)", name)
            fixture.root.write("beside/other \(name)", name)
        }
        try fixture.start()
        let keys = names.map { fixture.key("sub/\($0)") }
        let others = names.map { fixture.key("beside/other \($0)") }
        #expect(!keys.contains(nil) && !others.contains(nil))
        fixture.root.move("sub", "moved")
        fixture.root.move("beside", "sub")
        for name in names { fixture.root.move("sub/other \(name)", "sub/\(name)") }
        for _ in 0..<turns { _ = fixture.loop.runOne() }
        for name in names {
            fixture.root.move("moved/\(name)", "new \(name)")
            fixture.root.save("new \(name)", "saved")
        }
        // Commits that are due come before the events.
        for _ in 0..<24 { _ = fixture.loop.runOne() }
        fixture.settle()
        #expect(names.map { fixture.key("new \($0)") } == keys)
        #expect(names.map { fixture.key("sub/\($0)") } == others)
        fixture.expectTruth()
    }

    /// The save is checked when the file has left its name already, and the event of that is unread.
    @Test("A saved file whose place a folder took keeps its key")
    func replacedByFolder() throws {
        let fixture = try fixtureWithDueCommits { root in
            root.write("a", "1")
            root.makeFolder("folder")
            root.write("folder/x", "1")
        }
        let keys = ["a", "folder/x"].map { fixture.key($0) }
        fixture.root.save("a", "saved")
        gatherEvents(fixture)
        fixture.root.move("a", "b")
        fixture.root.move("folder", "a")
        fixture.settle()
        #expect(["b", "a/x"].map { fixture.key($0) } == keys)
        fixture.expectTruth()
    }

    /// Its second name was left by another file before, so that it is marked by an event of that.
    @Test("A saved file that is moved on from a name that was left keeps its key")
    func movedOnFromLeftName() throws {
        let fixture = try fixtureWithDueCommits { root in
            for name in ["a", "b"] { root.write(name, name) }
        }
        let keys = ["a", "b"].map { fixture.key($0) }
        fixture.root.save("a", "saved")
        fixture.root.move("b", "c")
        fixture.root.move("a", "b")
        gatherEvents(fixture)
        fixture.root.move("b", "d")
        fixture.settle()
        #expect(["d", "c"].map { fixture.key($0) } == keys)
        fixture.expectTruth()
    }

    /// When a save is checked, the file is in a new folder already, and another one is at its name. The event of the move
    /// takes that one out of the tree, and the folder is read when the first one is long there.
    @Test(
        "A file that is found moved, where the check of its save found another, keeps its key",
        arguments: [false, true])
    func replacedBeforeItsCheck(isGivenUp: Bool) throws {
        var limits = WatchLimits()
        if isGivenUp { limits.entriesInline = 0 }
        let fixture = try WatchFixture(limits: limits)
        fixture.root.write("a", "1")
        try fixture.start()
        let key = try #require(fixture.key("a"))
        var isMoved = false
        fixture.access.onStatus = { path in
            guard !isMoved, path == fixture.root.bytes + Array("/a".utf8) else { return }
            isMoved = true
            fixture.root.makeFolder("new")
            fixture.root.move("a", "new/b")
            fixture.root.write("a", "another")
        }
        fixture.root.append("a", "2")
        if isGivenUp {
            #expect(fixture.loop.runOne())
            fixture.loop.spend(limits.renameTimeout)
        }
        fixture.settle()
        #expect(isMoved)
        #expect(fixture.key("new/b") == key)
        #expect(fixture.key("a") != key)
        fixture.expectTruth()
    }

    /// Another file is made at its old path meanwhile, and the half-seen move is given up before the folder is read.
    @Test("A file that is moved to an unread folder keeps its key, whatever takes its path")
    func movedToUnreadFolder() throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        let fixture = try WatchFixture(limits: limits)
        fixture.root.write("a", "1")
        try fixture.start()
        let key = try #require(fixture.key("a"))
        fixture.root.makeFolder("new")
        fixture.root.move("a", "new/b")
        #expect(fixture.loop.runOne())
        #expect(fixture.key("a") == key)
        fixture.root.write("a", "another")
        fixture.loop.spend(limits.renameTimeout)
        fixture.settle()
        #expect(fixture.key("new/b") == key)
        #expect(fixture.key("a") != key)
        fixture.expectTruth()
    }

    /// The file is another one by then, so that only the folder says whose key it has.
    @Test("A file that is saved by a rename in a folder moved to an unread folder keeps its key")
    func savedInUnreadFolder() throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("sub")
        fixture.root.write("sub/a", "1")
        try fixture.start()
        let key = try #require(fixture.key("sub/a"))
        fixture.root.makeFolder("new")
        fixture.root.move("sub", "new/sub")
        #expect(fixture.loop.runOne())
        fixture.root.save("new/sub/a", "saved")
        fixture.loop.spend(limits.renameTimeout)
        fixture.settle()
        #expect(fixture.key("new/sub/a") == key)
        fixture.expectTruth()
    }

    @Test("A folder that was moved out waits for folders to be read, but not for ever")
    func movedOutInLongScan() throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        limits.entriesPerSlice = 1
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("sub")
        fixture.root.write("sub/a", "1")
        try fixture.start()
        fixture.root.makeFolder("new")
        for number in 0..<1000 { fixture.root.write("new/\(number)", "1") }
        fixture.root.move("sub", outTo: fixture.folder.path("out"))
        #expect(fixture.loop.runOne())
        fixture.loop.spend(limits.renameTimeout)
        for _ in 0..<20 { #expect(fixture.loop.runOne()) }
        #expect(fixture.key("sub/a") != nil)
        fixture.loop.spend(limits.midwayTime)
        for _ in 0..<20 { #expect(fixture.loop.runOne()) }
        #expect(fixture.key("sub/a") == nil && !fixture.watcher.isSettled)
        fixture.settle()
        fixture.expectTruth()
    }

    /// The file that was saved is the one that leaves, not the one before.
    @Test("A file that is saved by a rename, checked and moved to a new folder keeps its key")
    func savedThenMoved() throws {
        let fixture = try WatchFixture()
        for name in ["a", "z"] { fixture.root.write(name, "1") }
        try fixture.start()
        let key = try #require(fixture.key("a"))
        var isMoved = false
        fixture.access.onStatus = { path in
            // Names are checked in their order.
            guard !isMoved, path == fixture.root.bytes + Array("/z".utf8) else { return }
            isMoved = true
            fixture.root.makeFolder("new")
            fixture.root.move("a", "new/b")
        }
        fixture.root.save("a", "saved")
        fixture.root.append("z", "2")
        fixture.settle()
        #expect(isMoved)
        #expect(fixture.key("new/b") == key)
        fixture.expectTruth()
    }

    /// A watcher that commits the files of a moved folder one by one, and reads few events at once between checks.
    private func fixtureWithDueCommits(_ prepare: (Disk) -> Void) throws -> WatchFixture {
        var limits = WatchLimits().committing(1)
        limits.eventsPerTurn = 1
        let fixture = try WatchFixture(limits: limits)
        prepare(fixture.root)
        fixture.root.makeFolder("many")
        for number in 0..<10 { fixture.root.write("many/\(number)", "1") }
        try fixture.start()
        fixture.root.move("many", "moved")
        #expect(fixture.loop.runOne())
        return fixture
    }

    /// Takes the events so far out of the kernel's queue, to be read and checked before later ones: a commit is due.
    private func gatherEvents(_ fixture: WatchFixture) {
        #expect(fixture.loop.runOne())
    }

    /// The folder was moved when its save is checked, and commits keep the event of the move in the queue.
    @Test("A misplaced folder is not given up while commits are due", arguments: 0..<8)
    func misplacedWhileDue(after turns: Int) throws {
        var limits = WatchLimits().committing(1)
        limits.eventsPerTurn = 20
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("sub")
        fixture.root.write("sub/a", "1")
        // More events than one read takes.
        for number in 0..<400 { fixture.root.write("f\(number)", "1") }
        try fixture.start()
        let key = try #require(fixture.key("sub/a"))
        fixture.root.save("sub/a", "saved")
        for number in 0..<400 { fixture.root.setModified("f\(number)", 1000, number) }
        fixture.root.move("sub", "moved")
        for _ in 0..<turns { _ = fixture.loop.runOne() }
        fixture.loop.spend(limits.misplacedWait + .milliseconds(1))
        fixture.loop.turn()
        fixture.settle()
        #expect(fixture.key("moved/a") == key)
        fixture.expectTruth()
    }

    /// Every look for a folder takes as long as a whole turn, so that the turn of the first one ends before the others.
    @Test(
        "The event that moved misplaced folders is read, however long it takes to look for them",
        arguments: [2, 40])
    func manyMisplaced(count: Int) throws {
        var limits = WatchLimits().committing(2)
        limits.eventsPerTurn = count
        let fixture = try WatchFixture(limits: limits)
        // More events than one read takes.
        for number in 0..<400 { fixture.root.write("f\(number)", "1") }
        for number in 0..<count {
            fixture.root.makeFolders("old/\(number)")
            fixture.root.write("old/\(number)/a", "1")
            fixture.root.write("old/\(number)/b", "1")
        }
        try fixture.start()
        let keys = (0..<count).map { fixture.key("old/\($0)/b") }
        for number in 0..<count { fixture.root.remove("old/\(number)/a") }
        for number in 0..<400 { fixture.root.setModified("f\(number)", 1000, number) }
        fixture.root.move("old", "new")
        for number in 0..<count { fixture.root.append("new/\(number)/b", "2") }
        fixture.access.openFault = { _ in
            fixture.loop.spend(limits.turnTime)
            return nil
        }
        var isDone = false
        let wait = fixture.watcher.drain { isDone = true }
        #expect(fixture.loop.turn(limit: 10_000) < 10_000)
        fixture.loop.advance(by: limits.misplacedWait)
        #expect(isDone)
        wait.cancel()
        fixture.access.openFault = nil
        fixture.settle()
        #expect((0..<count).map { fixture.key("new/\($0)/b") } == keys)
        fixture.expectTruth()
    }

    @Test("A folder that is moved past a rescan is still read again", arguments: 0..<8)
    func movedPastRescan(after slices: Int) throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        limits.entriesPerSlice = 1
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolders("b/sub/deep")
        fixture.root.write("b/sub/deep/x", "1")
        try fixture.start()
        let key = fixture.key("b/sub/deep/x")
        fixture.access.loseQueue = true
        fixture.root.append("b/sub/deep/x", "23")
        for _ in 0..<slices { #expect(fixture.loop.runOne()) }
        // From a folder that is read later to one that may have been read already.
        fixture.root.move("b/sub", "sub")
        fixture.settle()
        #expect(fixture.key("sub/deep/x") == key)
        fixture.expectTruth()
    }
}
