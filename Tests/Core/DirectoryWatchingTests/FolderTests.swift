import DirectoryWatching
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Folders that come and go")
struct FolderTests {
    @Test("A chain of new folders with files loses none, in one transaction")
    func chain() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        fixture.root.makeFolders("a/b/c/d/e")
        fixture.root.write("a/1", "1")
        fixture.root.write("a/b/c/2", "1")
        fixture.root.write("a/b/c/d/e/3", "1")
        fixture.loop.turn()
        #expect(fixture.names == ["a/1", "a/b/c/2", "a/b/c/d/e/3"])
        #expect(fixture.transactions.count == 1)
        fixture.root.write("a/b/c/d/e/4", "1")
        fixture.settle()
        fixture.expectTruth()
        #expect(fixture.store.documents.count == 4)
    }

    @Test("Files made while the new folder is being read are there once", arguments: 0..<20)
    func race(_ step: Int) throws {
        let fixture = try WatchFixture()
        try fixture.start()
        fixture.root.makeFolders("a/b")
        var calls = 0
        fixture.access.watchFault = { _ in
            // Between the opening of a new folder and its watch.
            calls += 1
            if calls <= 2 {
                for number in 0..<step { fixture.root.write("a/b/\(calls)-\(number)", "1") }
                fixture.root.makeFolders("a/b/\(calls)/x")
                fixture.root.write("a/b/\(calls)/x/y", "1")
            }
            return nil
        }
        fixture.settle()
        fixture.settle()
        fixture.expectTruth()
        #expect(fixture.store.documents.count == 2 * step + 2)
    }

    @Test("A removed tree is gone in one transaction, with its watches")
    func removedTree() throws {
        let fixture = try WatchFixture()
        for folder in 0..<10 {
            fixture.root.makeFolders("t/\(folder)/x")
            for file in 0..<10 { fixture.root.write("t/\(folder)/x/\(file)", "1") }
        }
        try fixture.start()
        #expect(fixture.store.documents.count == 100)
        fixture.root.removeTree("t")
        fixture.loop.turn()
        #expect(fixture.store.documents.isEmpty)
        #expect(fixture.transactions.count == 1)
        fixture.root.makeFolders("t/0/x")
        fixture.root.write("t/0/x/0", "1")
        fixture.settle()
        #expect(fixture.names == ["t/0/x/0"])
        fixture.expectTruth()
    }

    @Test("A folder that replaces a removed one, with its inode, is read and watched")
    func madeAgain() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("d")
        fixture.root.write("d/old", "1")
        try fixture.start()
        let former = try FileStatus.of(RawPath("\(fixture.root.path)/d")).inode
        // Not all file systems reuse the inode at once; a later folder may get it.
        for _ in 0..<100 {
            fixture.root.removeTree("d")
            fixture.root.makeFolder("d")
            if try FileStatus.of(RawPath("\(fixture.root.path)/d")).inode == former { break }
        }
        fixture.root.write("d/new", "1")
        fixture.settle()
        fixture.expectTruth()
        fixture.root.write("d/later", "1")
        fixture.loop.turn()
        fixture.expectTruth()
    }

    @Test("A folder moved in is read with all its contents")
    func movedIn() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        let outside = Disk(fixture.folder.path("outside"))
        outside.makeFolder("")
        outside.makeFolders("a/b")
        for number in 0..<3000 { outside.write("a/b/\(number)") }
        fixture.root.move(from: outside.path, "in")
        fixture.watcher.drainNow()
        #expect(!fixture.watcher.isSettled)
        fixture.loop.turn()
        #expect(fixture.watcher.isSettled)
        #expect(fixture.store.documents.count == 3000)
        fixture.expectTruth()
    }

    @Test("A folder moved while it waits to be read is read where it is")
    func movedUnread() throws {
        var limits = WatchLimits()
        limits.entriesInline = 1
        limits.entriesPerSlice = 3
        let fixture = try WatchFixture(limits: limits)
        try fixture.start()
        let outside = Disk(fixture.folder.path("outside"))
        outside.makeFolder("")
        for folder in 0..<10 {
            outside.makeFolders("\(folder)/x")
            for file in 0..<10 { outside.write("\(folder)/x/\(file)") }
        }
        fixture.root.move(from: outside.path, "in")
        for round in 0..<40 {
            fixture.loop.runOne()
            let from = round % 2 == 0 ? "in" : "moved"
            fixture.root.move(from, round % 2 == 0 ? "moved" : "in")
            if round == 11 { fixture.root.move("in/3", "three") }
            if round == 21 { fixture.root.removeTree("in/4") }
            if round == 23 { fixture.root.move("in/5", outTo: fixture.folder.path("5")) }
        }
        fixture.settle()
        #expect(fixture.store.documents.count == 80)
        fixture.expectTruth()
    }

    @Test("A scan runs in slices and parts, with other events in between")
    func slices() throws {
        var limits = WatchLimits()
        limits.entriesPerSlice = 50
        limits.changesPerTransaction = 100
        let fixture = try WatchFixture(limits: limits)
        for number in 0..<1000 { fixture.root.write("f\(number)") }
        try fixture.watcher.setRoots([fixture.root.path])
        var handlers = 0
        while fixture.status?.state == .scanning {
            #expect(fixture.loop.runOne())
            handlers += 1
            if handlers == 5 {
                #expect(fixture.store.documents.count >= 100)
                fixture.root.remove("f0")
                fixture.root.write("new", "1")
                fixture.root.move("f1", "g1")
            }
            #expect(handlers < 1000)
        }
        fixture.settle()
        #expect(handlers >= 20)
        #expect(fixture.transactions.count >= 10)
        #expect(fixture.transactions.allSatisfy { $0.added.count <= 200 })
        #expect(fixture.store.documents.count == 1000)
        fixture.expectTruth()
    }

    @Test("Folders nested deeper than the limit are reported, and not read")
    func depth() throws {
        var limits = WatchLimits()
        limits.depth = 3
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolders("1/2/3/4/5")
        fixture.root.write("1/2/3/in", "1")
        fixture.root.write("1/2/3/4/out", "1")
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        let deep = Array("\(fixture.root.path)/1/2/3/4".utf8)
        #expect(fixture.names == ["1/2/3/in"])
        #expect(fixture.reports.contains(.degraded(path: deep, reason: .depth)))
        #expect(fixture.status?.degraded.map(\.path) == [deep])
        #expect(fixture.loop.nextTimer == nil)
        fixture.root.move("1/2/3/4", "4")
        fixture.settle()
        #expect(fixture.names == ["1/2/3/in", "4/out"])
        #expect(fixture.status?.degraded == [])
        fixture.expectTruth()
    }

    @Test("Paths longer than the kernel takes in one call are followed")
    func longPaths() throws {
        let fixture = try WatchFixture()
        let name = String(repeating: "n", count: 250)
        // Built from the inside out, because no call accepts the whole path.
        fixture.root.makeFolder("0")
        fixture.root.write("0/deep", "1")
        for level in 1...20 {
            fixture.root.makeFolder("\(level)")
            fixture.root.move("\(level - 1)", "\(level)/\(name)")
        }
        try fixture.start()
        let first = fixture.store.documents.first
        #expect(first?.path.bytes.count == 20 * 251 + 3 + 4)
        fixture.root.move("20/\(name)/\(name)", "up")
        fixture.settle()
        #expect(fixture.store.documents.first?.key == first?.key)
        fixture.root.move("up", "20/\(name)/\(name)")
        fixture.settle()
        #expect(fixture.store.documents.first?.path == first?.path)
        // A change made meanwhile shows once it is within reach again.
        #expect(fixture.status?.state == .watching)
        for level in (1...20).reversed() {
            fixture.root.move("\(level)/\(name)", "\(level - 1)")
            fixture.root.removeFolder("\(level)")
        }
        fixture.root.write("0/deep", "12345")
        fixture.settle()
        #expect(fixture.document("0/deep")?.size == 5)
        #expect(fixture.store.documents.first?.key == first?.key)
        fixture.expectTruth()
    }
}
