import DirectoryWatching
import Glibc
import PickerModel
import TestSupport
import Testing

@Suite("One change of a folder")
struct ChangeTests {
    @Test("The first scan lists every regular file, hidden ones too, and nothing else")
    func firstScan() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "12345")
        fixture.root.write(".hidden", "1")
        fixture.root.makeFolders("b/c")
        fixture.root.write("b/c/d", "12")
        fixture.root.symlink("a", "link")
        fixture.root.symlink("b", "folderlink")
        fixture.root.symlink("nowhere", "dangling")
        fixture.root.makePipe("pipe")
        try fixture.watcher.setRoots([fixture.root.path])
        #expect(fixture.status?.state == .scanning)
        #expect(!fixture.watcher.isSettled)
        fixture.loop.turn()
        #expect(fixture.names == [".hidden", "a", "b/c/d"])
        #expect(fixture.status?.state == .watching)
        #expect(fixture.status?.documents == 3)
        #expect(
            fixture.reports == [.scanFinished(root: fixture.root.bytes, documents: 3)])
        fixture.expectTruth()
    }

    @Test("A transaction is reported in the same order in every process")
    func order() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        let names = (10..<60).map { "file\($0)" }
        for name in names.shuffled() { fixture.root.write(name, "1") }
        fixture.settle()
        #expect(fixture.transactions.flatMap { $0.added.map(\.path.text) } == names)
        fixture.forget()
        for name in names.shuffled() { fixture.root.write(name, "longer") }
        fixture.settle()
        #expect(fixture.transactions.flatMap { $0.changed.map(\.new.path.text) } == names)
    }

    @Test("A new file, a longer one and a removed one are one transaction each")
    func createChangeRemove() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        fixture.root.write("a", "1")
        fixture.settle()
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.last?.added.map(\.path.text) == ["a"])
        let key = fixture.key("a")
        fixture.root.append("a", "2")
        fixture.settle()
        #expect(fixture.transactions.count == 2)
        #expect(fixture.transactions.last?.changed.map(\.new.size) == [2])
        #expect(fixture.transactions.last?.changed.map(\.old.size) == [1])
        #expect(fixture.key("a") == key)
        fixture.root.remove("a")
        fixture.settle()
        #expect(fixture.transactions.count == 3)
        #expect(fixture.transactions.last?.removed.map(\.path.text) == ["a"])
        #expect(fixture.store.rev == fixture.transactions.last?.rev)
        fixture.expectTruth()
    }

    @Test("Many changes between two reads of the queue are one transaction")
    func oneTransaction() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        for number in 0..<100 { fixture.root.write("f\(number)", "x") }
        for number in 0..<50 { fixture.root.remove("f\(number)") }
        fixture.loop.turn()
        #expect(fixture.transactions.count == 1)
        #expect(fixture.transactions.first?.added.count == 50)
        #expect(fixture.transactions.first?.removed.count == 0)
        fixture.expectTruth()
    }

    @Test("A change costs one read of the queue, one check, one handler")
    func cost() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        fixture.root.write("b", "1")
        try fixture.start()
        // The first removal in a folder asks once whether git works there.
        fixture.root.remove("b")
        fixture.loop.turn()
        fixture.access.resetCounts()
        fixture.root.remove("a")
        #expect(fixture.loop.turn() == 1)
        #expect(fixture.access.reads == 1)
        #expect(fixture.access.looks == 1)
        #expect(fixture.loop.nextTimer == nil)
        #expect(fixture.loop.isIdle)
    }

    @Test("Events without a change make no transaction")
    func nothing() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        fixture.root.setMode("a", 0o600)
        fixture.root.write("b", "1")
        fixture.root.remove("b")
        fixture.root.symlink("a", "link")
        fixture.settle()
        #expect(fixture.transactions.isEmpty)
        #expect(fixture.store.rev == 1)
    }

    @Test("A change of only the time is seen")
    func touched() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        fixture.root.setModified("a", 1_000_000, 123_456_789)
        fixture.settle()
        #expect(fixture.transactions.count == 1)
        #expect(fixture.document("a")?.modified.nanoseconds == 123_456_789)
        fixture.expectTruth()
    }

    @Test("A file that is written and not closed is seen at intervals")
    func longWriter() throws {
        let fixture = try WatchFixture()
        fixture.root.write("log", "")
        try fixture.start()
        let descriptor = fixture.root.openForAppending("log")
        func write() {
            let bytes: [UInt8] = [1]
            #expect(unsafe Glibc.write(descriptor, bytes, 1) == 1)
            fixture.loop.turn()
        }
        for round in 1...3 {
            for _ in 0..<10 { write() }
            fixture.loop.advance(by: .milliseconds(49))
            #expect(fixture.document("log")?.size == UInt64((round - 1) * 10))
            fixture.loop.advance(by: .milliseconds(1))
            #expect(fixture.document("log")?.size == UInt64(round * 10))
            #expect(fixture.transactions.count == round)
        }
        write()
        #expect(fixture.document("log")?.size == 30)
        fixture.settle()
        #expect(fixture.document("log")?.size == 31)
        // Closing it ends the wait.
        write()
        closeWritten(descriptor)
        fixture.loop.turn()
        #expect(fixture.document("log")?.size == 32)
        fixture.loop.advance(by: .seconds(1))
        #expect(fixture.loop.nextTimer == nil)
        fixture.expectTruth()
    }

    @Test("Files written and closed at once leave no later checks")
    func closedWrites() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        for round in 0..<5 {
            fixture.root.write("a", String(repeating: "x", count: round))
            fixture.loop.turn()
            #expect(fixture.watcher.isSettled)
            #expect(fixture.loop.nextTimer == nil)
            fixture.expectTruth()
        }
    }

    @Test("A file that is gone when it is checked is no document")
    func vanishes() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        fixture.root.write("a", "1")
        fixture.root.write("b", "1")
        fixture.access.onStatus = { path in
            if path.suffix(2) == [47, 97] { _ = unsafe unlink(fixture.folder.path("root/a")) }
        }
        fixture.settle()
        #expect(fixture.names == ["b"])
        #expect(fixture.transactions.count == 1)
        fixture.expectTruth()
    }

    @Test("A file is replaced by a folder of its name, and a folder by a file")
    func kindChanges() throws {
        let fixture = try WatchFixture()
        fixture.root.write("x", "1")
        fixture.root.makeFolder("y")
        fixture.root.write("y/in", "1")
        try fixture.start()
        fixture.root.remove("x")
        fixture.root.makeFolder("x")
        fixture.root.write("x/in", "22")
        fixture.root.removeTree("y")
        fixture.root.write("y", "333")
        fixture.settle()
        #expect(fixture.names == ["x/in", "y"])
        fixture.expectTruth()
        fixture.root.removeTree("x")
        fixture.root.symlink("y", "x")
        fixture.settle()
        #expect(fixture.names == ["y"])
        fixture.expectTruth()
    }

    @Test("Names of any bytes and any length are listed and followed")
    func names() throws {
        let fixture = try WatchFixture()
        let names: [[UInt8]] = [
            Array("line\nbreak".utf8), Array("\"quoted\\\"".utf8), [0xff, 0xfe, 0x41],
            Array("é".utf8), [0x65, 0xcc, 0x81], [UInt8](repeating: 0x61, count: 255),
            [UInt8](repeating: 0xff, count: 255), [0x20], [0x01], Array("-rf".utf8),
        ]
        fixture.root.write(rawName: names[0])
        fixture.root.write(rawName: names[2])
        try fixture.start()
        fixture.expectTruth()
        for name in names { fixture.root.write(rawName: name) }
        fixture.settle()
        #expect(fixture.store.documents.count == names.count)
        #expect(
            Set(fixture.store.documents.map(\.path.bytes)) == Set(names))
        fixture.expectTruth()
        for name in names { fixture.root.remove(rawName: name) }
        fixture.settle()
        #expect(fixture.store.documents.isEmpty)
    }

    @Test("Each name of a file is a document, and a change shows at all of them")
    func hardLinks() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        fixture.root.makeFolder("f")
        try fixture.start()
        let first = fixture.key("a")
        fixture.root.link("a", "f/b")
        fixture.settle()
        #expect(fixture.names == ["a", "f/b"])
        #expect(fixture.key("a") == first)
        fixture.root.append("f/b", "2")
        fixture.settle()
        #expect(fixture.document("a")?.size == 2)
        fixture.root.append("a", "3")
        fixture.settle()
        fixture.expectTruth()
        fixture.root.remove("a")
        fixture.root.append("f/b", "4")
        fixture.settle()
        fixture.expectTruth()
        #expect(fixture.names == ["f/b"])
    }

    @Test("A loop on another thread is refused")
    func wrongThread() async {
        await #expect(processExitsWith: .failure) {
            let fixture = try WatchFixture()
            fixture.loop.isOnLoop = false
            fixture.watcher.drainNow()
        }
    }

    @Test("A path is checked at once on request, even while a scan is waiting")
    func refresh() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("a/b")
        fixture.root.write("a/b/c", "123")
        try fixture.watcher.setRoots([fixture.root.path])
        func refresh(_ path: String) -> Document? {
            var found: Document??
            _ = fixture.watcher.refresh(
                root: fixture.root.bytes, relativePath: Array(path.utf8)
            ) { found = $0 }
            #expect(found != nil, "it is told at once")
            return found ?? nil
        }
        #expect(refresh("a/b/c")?.size == 3)
        #expect(refresh("a/b") == nil)
        #expect(refresh("a/none") == nil)
        #expect(refresh("") == nil)
        fixture.settle()
        fixture.root.write("a/new", "1")
        let made = refresh("a/new")
        #expect(made != nil && made == fixture.document("a/new"))
        let rev = fixture.store.rev
        fixture.settle()
        #expect(fixture.store.rev == rev)
        fixture.expectTruth()
    }

    @Test("while folders are read, more changes are known to be coming, but not for ever")
    func moreComing() throws {
        var limits = WatchLimits()
        limits.entriesInline = 0
        limits.entriesPerSlice = 10
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("a")
        for number in 0..<100 { fixture.root.write("a/\(number)", "1") }
        let store = fixture.store
        #expect(!store.areMoreComing())
        try fixture.watcher.setRoots([fixture.root.path])
        var parts = 0
        while fixture.loop.runOne() {
            if fixture.watcher.isSettled { break }
            #expect(store.areMoreComing())
            parts += 1
        }
        #expect(parts > 5)
        fixture.settle()
        #expect(!store.areMoreComing() && store.documents.count == 100)
        fixture.root.write("a/new", "1")
        fixture.settle()
        #expect(!store.areMoreComing())
        // It takes long.
        fixture.root.move("a", "b")
        fixture.root.makeFolder("a")
        for number in 0..<100 { fixture.root.write("a/\(number)", "2") }
        #expect(fixture.loop.runOne() && store.areMoreComing())
        fixture.loop.spend(limits.midwayTime)
        #expect(!store.areMoreComing() && !fixture.watcher.isSettled)
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("whenSettled calls back once, and not after a cancel")
    func settled() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.watcher.setRoots([fixture.root.path])
        var calls = 0
        let wait = fixture.watcher.whenSettled { calls += 1 }
        let other = fixture.watcher.whenSettled { calls += 100 }
        other.cancel()
        #expect(calls == 0)
        fixture.loop.turn()
        fixture.loop.turn()
        #expect(calls == 1)
        _ = fixture.watcher.whenSettled { calls += 1 }
        #expect(calls == 2)
        _ = wait
    }
}
