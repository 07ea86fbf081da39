import DirectoryWatching
import PickerModel
import TestSupport
import Testing

@Suite("Roots that come and go")
struct RootTests {
    @Test("A missing root is awaited without a timer, then scanned")
    func missingAtStart() throws {
        let fixture = try WatchFixture()
        let deep = Disk(fixture.folder.path("root/x/y/z"))
        try fixture.watcher.setRoots([deep.path])
        fixture.settle()
        #expect(fixture.reports == [.rootMissing(path: deep.bytes)])
        #expect(fixture.status?.state == .missing)
        #expect(fixture.loop.nextTimer == nil)
        fixture.root.write("other", "1")
        fixture.root.makeFolder("x")
        fixture.loop.turn()
        #expect(fixture.status?.state == .missing)
        fixture.root.makeFolder("x/y")
        fixture.loop.turn()
        fixture.root.removeFolder("x/y")
        fixture.loop.turn()
        fixture.root.makeFolders("x/y/z")
        deep.write("a", "1")
        fixture.loop.turn()
        #expect(fixture.status?.state == .watching)
        #expect(fixture.names == ["a"])
        #expect(fixture.reports.contains(.rootRestored(path: deep.bytes)))
        fixture.expectTruth([deep])
        #expect(fixture.loop.nextTimer == nil)
    }

    @Test("A root moved away loses its documents at once, and regains them with their keys")
    func movedAway() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("f")
        fixture.root.write("f/a", "1")
        fixture.root.write("b", "1")
        fixture.root.write("c", "1")
        try fixture.start()
        let keys = [fixture.key("f/a"), fixture.key("b")]
        let parent = Disk(fixture.folder.path)
        parent.move("root", "away")
        fixture.loop.turn()
        #expect(fixture.names == [])
        #expect(fixture.transactions.count == 1)
        #expect(fixture.reports == [.rootMissing(path: fixture.root.bytes)])
        #expect(fixture.status?.state == .missing)
        Disk(fixture.folder.path("away")).remove("c")
        Disk(fixture.folder.path("away")).move("b", "moved")
        fixture.loop.advance(by: .seconds(60))
        parent.move("away", "root")
        fixture.loop.turn()
        #expect([fixture.key("f/a"), fixture.key("moved")] == keys)
        #expect(fixture.names == ["f/a", "moved"])
        fixture.root.write("f/new", "1")
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("A root removed and created again keeps the keys of its paths")
    func removedAndMade() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("f")
        fixture.root.write("f/a", "1")
        try fixture.start()
        let key = fixture.key("f/a")
        let parent = Disk(fixture.folder.path)
        for _ in 0..<3 {
            parent.removeTree("root")
            fixture.settle()
            #expect(fixture.names == [])
            parent.makeFolder("root")
            fixture.root.makeFolder("f")
            fixture.root.write("f/a", "22")
            fixture.settle()
            #expect(fixture.key("f/a") == key)
            fixture.expectTruth()
        }
        // All within one read of the queue.
        parent.removeTree("root")
        parent.makeFolder("root")
        fixture.root.write("g", "1")
        fixture.settle()
        #expect(fixture.names == ["g"])
        fixture.expectTruth()
    }

    @Test("A root larger than the remembered limit returns with new keys")
    func forgotten() throws {
        var limits = WatchLimits()
        limits.documentsRemembered = 1
        let fixture = try WatchFixture(limits: limits)
        fixture.root.write("a", "1")
        fixture.root.write("b", "1")
        try fixture.start()
        let key = fixture.key("a")
        let parent = Disk(fixture.folder.path)
        parent.move("root", "away")
        fixture.settle()
        fixture.loop.advance(by: .seconds(2))
        parent.move("away", "root")
        fixture.settle()
        #expect(fixture.key("a") != key)
        fixture.expectTruth()
    }

    @Test("The next sync notices a renamed folder above a root")
    func ancestorMoved() throws {
        let fixture = try WatchFixture()
        let deep = Disk(fixture.folder.path("root/x/y"))
        fixture.root.makeFolders("x/y")
        deep.write("a", "1")
        try fixture.watcher.setRoots([deep.path])
        fixture.settle()
        #expect(fixture.names == ["a"])
        fixture.root.move("x", "z")
        fixture.settle()
        #expect(fixture.names == [])
        fixture.root.move("z", "x")
        fixture.loop.turn()
        #expect(fixture.names == ["a"])
    }

    @Test("A file and a folder moved between two roots keep their keys")
    func betweenRoots() throws {
        let fixture = try WatchFixture()
        let one = Disk(fixture.folder.path("root/one"))
        let two = Disk(fixture.folder.path("root/two"))
        for disk in [one, two] { disk.makeFolder("") }
        one.makeFolder("f")
        one.write("f/a", "1")
        one.write("b", "1")
        try fixture.watcher.setRoots([one.path, two.path])
        fixture.settle()
        let keys = Set(fixture.store.documents.map(\.key))
        one.move("f", outTo: two.path + "/f")
        one.move("b", outTo: two.path + "/c")
        fixture.loop.turn()
        #expect(Set(fixture.store.documents.map(\.key)) == keys)
        #expect(fixture.store.documents.allSatisfy { $0.root == two.path })
        #expect(fixture.watcher.roots.map(\.documents) == [0, 2])
        fixture.expectTruth([one, two])
    }

    @Test("A root within another, or given twice, is left to the other")
    func overlap() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("in/ner")
        fixture.root.write("in/ner/a", "1")
        let inner = fixture.root.path + "/in"
        try fixture.watcher.setRoots([
            inner, fixture.root.path + "/./", fixture.root.path, fixture.root.path + "//in/ner",
        ])
        fixture.settle()
        #expect(fixture.watcher.roots.map(\.path) == [fixture.root.bytes])
        let covered = fixture.reports.count { report in
            if case .rootCovered(_, let by) = report { return by == fixture.root.bytes }
            return false
        }
        #expect(covered == 3)
        fixture.expectTruth()
        // By a link, which is visible only on disk.
        let parent = Disk(fixture.folder.path)
        parent.symlink(inner, "link")
        try fixture.watcher.setRoots([fixture.root.path, fixture.folder.path("link")])
        fixture.settle()
        #expect(fixture.watcher.roots.map(\.path) == [fixture.root.bytes])
        fixture.expectTruth()
        // The outer one is removed: the inner one is followed by itself.
        try fixture.watcher.setRoots([inner])
        fixture.settle()
        fixture.expectTruth([Disk(inner)])
        #expect(fixture.names == ["ner/a"])
    }

    @Test("A root that is a link is followed to its target")
    func linkedRoot() throws {
        let fixture = try WatchFixture()
        let parent = Disk(fixture.folder.path)
        fixture.root.write("a", "1")
        parent.symlink("root", "link")
        let link = Disk(fixture.folder.path("link"))
        try fixture.watcher.setRoots([link.path])
        fixture.settle()
        fixture.root.write("b", "1")
        fixture.settle()
        #expect(fixture.names == ["a", "b"])
        fixture.expectTruth([link])
        parent.move("root", "elsewhere")
        fixture.settle()
        #expect(fixture.names == [])
        // The link dangles, and its target may come from an unwatched folder.
        #expect(fixture.loop.nextTimer != nil)
        parent.move("elsewhere", "root")
        fixture.loop.advance(by: .seconds(5))
        #expect(fixture.names == ["a", "b"])
        #expect(fixture.loop.nextTimer == nil)
    }

    @Test("Setting roots again keeps those that stay and removes the others at once")
    func reload() throws {
        let fixture = try WatchFixture()
        let disks = ["one", "two", "three"].map { Disk(fixture.folder.path("root/\($0)")) }
        for disk in disks {
            disk.makeFolder("")
            disk.write("a", "1")
        }
        try fixture.watcher.setRoots([disks[0].path, disks[1].path])
        fixture.settle()
        let kept = fixture.store.documents.first { $0.root == disks[1].path }
        fixture.forget()
        try fixture.watcher.setRoots([disks[1].path, disks[2].path])
        fixture.settle()
        fixture.expectTruth([disks[1], disks[2]])
        #expect(fixture.store.documents.contains { $0 == kept })
        #expect(fixture.transactions.map(\.removed.count) == [1, 0])
        disks[0].write("b", "1")
        fixture.settle()
        fixture.expectTruth([disks[1], disks[2]])
        try fixture.watcher.setRoots([[UInt8]]())
        #expect(fixture.store.documents.isEmpty)
        #expect(fixture.watcher.isSettled)
    }

    @Test(
        "An invalid root changes nothing",
        arguments: ["", "relative", "/a/../b", "..", "/.."])
    func wrong(_ path: String) throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        #expect(throws: WatchError.rootNotAbsolute(Array(path.utf8))) {
            try fixture.watcher.setRoots([path])
        }
        #expect(throws: WatchError.rootNotAbsolute([47, 0])) {
            try fixture.watcher.setRoots([[47, 0]])
        }
        #expect(throws: WatchError.tooManyRoots(65, limit: 64)) {
            try fixture.watcher.setRoots((0..<65).map { "/\($0)" })
        }
        fixture.expectTruth()
    }

    @Test("Nothing is left of a released watcher")
    func letGo() throws {
        let folder = try TemporaryFolder()
        let disk = Disk(folder.path)
        disk.makeFolders("a/b")
        let loop = FakeLoop()
        weak var gone: DirectoryWatcher?
        do {
            let watcher = DirectoryWatcher(loop: loop, store: DocumentStore(epoch: "test"))
            try watcher.setRoots([disk.path])
            watcher.drainNow()
            gone = watcher
        }
        #expect(gone == nil)
        loop.turn()
        #expect(loop.liveSourceCount == 0)
    }

    @Test("A remembered folder that comes back after its root was read is read, too")
    func lateFolder() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("other")
        fixture.root.write("other/known", "1")
        try fixture.start()
        fixture.root.move("", outTo: fixture.folder.path("away"))
        fixture.settle()
        #expect(fixture.names == [])
        // It is made between the reading of the root and the check of what was not found there.
        let path = fixture.root.bytes + Array("/other".utf8)
        var isMade = false
        fixture.access.onStatus = { asked in
            if isMade || asked != path { return }
            isMade = true
            fixture.root.makeFolder("other")
            fixture.root.write("other/new", "1")
        }
        fixture.root.makeFolder("")
        fixture.settle()
        fixture.settle()
        #expect(isMade && fixture.names == ["other/new"])
        fixture.expectTruth()
    }
}
