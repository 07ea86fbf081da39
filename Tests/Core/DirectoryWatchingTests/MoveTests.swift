import DirectoryWatching
import Glibc
import PickerModel
import TestSupport
import Testing

@Suite("Moves keep keys")
struct MoveTests {
    @Test("A renamed file keeps its key, in one transaction")
    func rename() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        fixture.root.makeFolder("f")
        try fixture.start()
        let key = fixture.key("a")
        fixture.root.move("a", "b")
        fixture.loop.turn()
        #expect(fixture.names == ["b"])
        #expect(fixture.key("b") == key)
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.first?.moved.map(\.old.path.text) == ["a"])
        fixture.root.move("b", "f/c")
        fixture.root.move("f/c", "f/d")
        fixture.root.append("f/d", "23")
        fixture.loop.turn()
        #expect(fixture.key("f/d") == key)
        #expect(fixture.transactions.count == 2)
        #expect(fixture.transactions.last?.moved.map(\.new.size) == [3])
        fixture.expectTruth()
    }

    @Test("A save by rename is one change of the document, and nothing else")
    func atomicSave() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        let key = fixture.key("a")
        fixture.root.save("a", "22")
        fixture.loop.turn()
        #expect(fixture.key("a") == key)
        #expect(fixture.transactions.count == 1)
        let transaction = fixture.transactions.last
        #expect(transaction?.changed.map(\.new.size) == [2])
        #expect(transaction?.added.isEmpty == true)
        #expect(transaction?.removed.isEmpty == true)
        fixture.expectTruth()
    }

    @Test("A save by rename keeps the key also when the new file was seen before the rename")
    func slowAtomicSave() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        let key = fixture.key("a")
        fixture.root.write("a.tmp", "22")
        fixture.loop.turn()
        fixture.root.move("a.tmp", "a")
        fixture.loop.turn()
        #expect(fixture.names == ["a"])
        #expect(fixture.key("a") == key)
        #expect(fixture.transactions.last?.removed.map(\.path.text) == ["a.tmp"])
        #expect(fixture.transactions.last?.changed.map(\.new.size) == [2])
        fixture.expectTruth()
    }

    @Test("A save that moves the old file aside keeps the key")
    func backupSave() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        let key = fixture.key("a")
        fixture.root.move("a", "a~")
        fixture.root.write("a", "22")
        fixture.root.remove("a~")
        fixture.loop.turn()
        #expect(fixture.names == ["a"])
        #expect(fixture.key("a") == key)
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.last?.changed.count == 1)
        fixture.root.remove("a")
        fixture.root.write("a", "333")
        fixture.loop.turn()
        #expect(fixture.key("a") == key)
        fixture.root.remove("a")
        fixture.root.write("b", "333")
        fixture.root.move("b", "a")
        fixture.loop.turn()
        #expect(fixture.key("a") == key)
        fixture.expectTruth()
    }

    @Test("A file renamed before another takes its name keeps its key")
    func succession() throws {
        let fixture = try WatchFixture()
        fixture.root.write("log", "1")
        try fixture.start()
        let key = fixture.key("log")
        fixture.root.move("log", "log.1")
        fixture.root.write("log", "22")
        fixture.loop.turn()
        #expect(fixture.key("log.1") == key)
        #expect(fixture.key("log") != key)
        fixture.expectTruth()
    }

    @Test("A moved folder keeps all its documents, and stays watched")
    func folderMoved() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("a/b")
        fixture.root.makeFolders("other/deep")
        fixture.root.write("a/1", "1")
        fixture.root.write("a/b/2", "1")
        try fixture.start()
        let keys = [fixture.key("a/1"), fixture.key("a/b/2")]
        let watches = fixture.access.watchCount
        fixture.root.move("a", "other/deep/c")
        fixture.loop.turn()
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.first?.moved.count == 2)
        #expect([fixture.key("other/deep/c/1"), fixture.key("other/deep/c/b/2")] == keys)
        #expect(fixture.access.watchCount == watches)
        fixture.expectTruth()
        fixture.root.write("other/deep/c/b/3", "1")
        fixture.root.move("other/deep/c/b", "b")
        fixture.loop.turn()
        #expect(fixture.key("b/2") == keys[1])
        fixture.expectTruth()
    }

    @Test("A folder that takes an empty one's name is read as itself")
    func folderOverFolder() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("a")
        fixture.root.makeFolder("b")
        fixture.root.write("a/1", "1")
        try fixture.start()
        let key = fixture.key("a/1")
        fixture.root.move("a", "b")
        fixture.settle()
        #expect(fixture.key("b/1") == key)
        fixture.root.write("b/2", "1")
        fixture.settle()
        #expect(fixture.names == ["b/1", "b/2"])
        fixture.expectTruth()
    }

    @Test("A move out of the tree is pending for a moment, then a removal")
    func movedOut() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("f")
        fixture.root.write("f/a", "1")
        fixture.root.write("b", "1")
        try fixture.start()
        fixture.root.move("b", outTo: fixture.folder.path("b"))
        fixture.root.move("f", outTo: fixture.folder.path("f"))
        fixture.loop.turn()
        #expect(fixture.names == ["b", "f/a"])
        #expect(!fixture.watcher.isSettled)
        fixture.loop.advance(by: .milliseconds(2))
        #expect(fixture.names == [])
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.first?.removed.count == 2)
        fixture.loop.advance(by: .seconds(10))
        #expect(fixture.loop.nextTimer == nil)
        Disk(fixture.folder.path("f")).write("later", "1")
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("A sync does not wait for that moment")
    func movedOutAndSync() throws {
        let fixture = try WatchFixture()
        fixture.root.write("b", "1")
        try fixture.start()
        fixture.root.move("b", outTo: fixture.folder.path("b"))
        fixture.watcher.drainNow()
        #expect(fixture.names == [])
        #expect(fixture.watcher.isSettled)
    }

    @Test("A file that returns within a second keeps its key; later it gets another")
    func comesBack() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        fixture.root.makeFolder("f")
        fixture.root.write("f/b", "1")
        try fixture.start()
        let keys = [fixture.key("a"), fixture.key("f/b")]
        fixture.root.move("a", outTo: fixture.folder.path("a"))
        fixture.root.move("f", outTo: fixture.folder.path("f"))
        fixture.settle()
        #expect(fixture.names == [])
        fixture.loop.advance(by: .milliseconds(900))
        fixture.root.move(from: fixture.folder.path("a"), "a2")
        fixture.root.move(from: fixture.folder.path("f"), "f2")
        fixture.settle()
        #expect([fixture.key("a2"), fixture.key("f2/b")] == keys)
        fixture.root.move("a2", outTo: fixture.folder.path("a"))
        fixture.settle()
        fixture.loop.advance(by: .milliseconds(1100))
        fixture.root.move(from: fixture.folder.path("a"), "a")
        fixture.settle()
        #expect(fixture.key("a") != keys[0])
        fixture.expectTruth()
    }

    @Test("A new file on the inode of a removed one is another document")
    func reusedInode() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        for round in 0..<20 {
            fixture.root.write("a\(round)", "1")
            fixture.settle()
            let key = fixture.key("a\(round)")
            fixture.root.remove("a\(round)")
            fixture.root.write("b\(round)", "1")
            fixture.settle()
            #expect(fixture.key("b\(round)") != key)
        }
    }

    @Test("A half-seen move that the next read completes is a move")
    func split() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        let key = fixture.key("a")
        let other = fixture.folder.path("held")
        // Out and in again while the move is pending.
        fixture.root.move("a", outTo: other)
        fixture.loop.turn()
        fixture.root.move(from: other, "b")
        fixture.loop.turn()
        fixture.loop.advance(by: .milliseconds(5))
        #expect(fixture.names == ["b"])
        #expect(fixture.key("b") == key)
        fixture.expectTruth()
    }

    @Test("A file at the path of a half-seen move is listed at once, and the other not lost")
    func displaced() throws {
        let fixture = try WatchFixture()
        fixture.root.write("log", "1")
        fixture.root.makeFolder("f")
        fixture.root.write("f/a", "1")
        try fixture.start()
        let keys = [fixture.key("log"), fixture.key("f/a")]
        fixture.root.move("log", outTo: fixture.folder.path("log"))
        fixture.root.move("f", outTo: fixture.folder.path("f"))
        fixture.root.write("log", "22")
        fixture.root.makeFolder("f")
        fixture.root.write("f/a", "22")
        fixture.loop.turn()
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.first?.added.count == 2)
        #expect(fixture.transactions.first?.removed.count == 2)
        fixture.expectTruth()
        fixture.root.move(from: fixture.folder.path("log"), "log.1")
        fixture.root.move(from: fixture.folder.path("f"), "f.1")
        fixture.settle()
        #expect([fixture.key("log.1"), fixture.key("f.1/a")] == keys)
        fixture.expectTruth()
    }

    @Test("Half-seen moves beyond the limit are removals")
    func manyHeld() throws {
        var limits = WatchLimits()
        limits.pendingRenames = 4
        let fixture = try WatchFixture(limits: limits)
        for number in 0..<10 { fixture.root.write("\(number)", "1") }
        try fixture.start()
        for number in 0..<10 {
            fixture.root.move("\(number)", outTo: fixture.folder.path("\(number)"))
        }
        fixture.loop.turn()
        #expect(fixture.store.documents.count == 4)
        fixture.settle()
        #expect(fixture.names == [])
    }

    @Test("Three names are swapped in one go")
    func rotation() throws {
        let fixture = try WatchFixture()
        for name in ["a", "b", "c"] { fixture.root.write(name, name) }
        try fixture.start()
        let keys = ["a", "b", "c"].map(fixture.key)
        fixture.root.move("a", "t")
        fixture.root.move("b", "a")
        fixture.root.move("c", "b")
        fixture.root.move("t", "c")
        fixture.loop.turn()
        #expect([fixture.key("c"), fixture.key("a"), fixture.key("b")] == keys)
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.first?.moved.count == 3)
        fixture.expectTruth()
    }

    @Test("A new link followed by the removal of the first name is a rename")
    func linkAndUnlink() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        let key = fixture.key("a")
        fixture.root.link("a", "b")
        fixture.root.remove("a")
        fixture.loop.turn()
        #expect(fixture.key("b") == key)
        fixture.expectTruth()
    }

    /// The files that left wait for the second halves of their moves; a moved folder's files are recorded by commits.
    @Test("As many half-seen moves as one commit takes hold off no others", arguments: [1, 4])
    func halvesBesideFolder(changes: Int) throws {
        let limits = WatchLimits().committing(changes)
        let fixture = try WatchFixture(limits: limits)
        let other = Disk(fixture.folder.path)
        fixture.root.makeFolder("sub")
        fixture.root.makeFolder("gone")
        for number in 0..<6 {
            fixture.root.write("f\(number)", "1")
            fixture.root.write("sub/\(number)", "1")
            fixture.root.write("gone/\(number)", "1")
        }
        try fixture.start()
        let keys = (0..<6).map { fixture.key("sub/\($0)") }
        for number in 0..<6 { other.move("root/f\(number)", "f\(number)") }
        fixture.root.move("sub", "moved")
        fixture.root.removeTree("gone")
        #expect(fixture.loop.turn(limit: 1000) < 1000)
        fixture.loop.advance(by: limits.renameTimeout)
        #expect(fixture.loop.turn(limit: 1000) < 1000 && fixture.watcher.isSettled)
        #expect((0..<6).map { fixture.key("moved/\($0)") } == keys)
        #expect(fixture.store.documents.count == 6)
        fixture.expectTruth()
    }

    /// The tree has the folder below the one that is moved into it.
    @Test("A folder that is moved into one that it contained, as far as is known, is read again")
    func movedIntoItsOwn() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("outer")
        fixture.root.makeFolder("outer/inner")
        fixture.root.write("outer/a", "1")
        fixture.root.write("outer/inner/b", "1")
        try fixture.start()
        fixture.root.move("outer/inner", "inner")
        // These events are lost.
        while try fixture.access.readEvents({ _ in }) {}
        fixture.root.move("outer", "inner/outer")
        fixture.settle()
        fixture.loop.turn()
        fixture.settle()
        fixture.expectTruth()
        #expect(fixture.key("inner/b") != nil && fixture.key("inner/outer/a") != nil)
    }
}
