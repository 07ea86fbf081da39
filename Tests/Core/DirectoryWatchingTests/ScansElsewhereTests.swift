// Folders that are read elsewhere than on the loop, while their files change.

import DirectoryWatching
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Scans by threads")
struct ReadElsewhereTests {
    /// A folder `a` of files that has been read; nothing was delivered yet.
    private func readFolder(
        _ limits: WatchLimits = WatchFixture.smallSlices
    ) throws -> (fixture: WatchFixture, readers: ScriptedReaders, box: ReadersBox) {
        let fixture = try WatchFixture(limits: limits)
        // The first slice ends in the root, so that `a` is read elsewhere.
        for number in 0..<10 { fixture.root.write("top\(number)") }
        fixture.root.makeFolder("a")
        for number in 0..<20 { fixture.root.write("a/f\(number)", "1") }
        fixture.root.makeFolder("a/x")
        let box = fixture.useScript()
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.loop.turn()
        let readers = try #require(box.readers)
        // The root was begun on the loop and then handed out, before `a`.
        #expect(readers.requests.count == 2)
        readers.readOne()
        readers.deliverAll()
        fixture.loop.turn()
        #expect(fixture.watcher.roots.first?.foldersScanned == 1)
        readers.readAll()
        #expect(readers.answers.count == 1 && readers.answers[0].part.batch.count == 21)
        return (fixture, readers, box)
    }

    @Test("What was read does not bring back what an event has removed, nor older facts")
    func olderThanEvents() throws {
        let (fixture, readers, box) = try readFolder()
        fixture.root.remove("a/f5")
        fixture.root.append("a/f6", "23")
        fixture.root.move("a/f7", "moved")
        fixture.root.write("a/new", "1234")
        fixture.root.makeFolder("a/y")
        fixture.root.removeTree("a/x")
        fixture.root.write("a/x", "a file by now")
        fixture.loop.turn()
        let key = fixture.key("a/f6")
        #expect(fixture.document("a/f6")?.size == 3 && key != nil)
        #expect(!fixture.watcher.isSettled)
        readers.deliverAll()
        fixture.finish(box)
        #expect(fixture.key("a/f6") == key)
        #expect(fixture.document("a/f5") == nil && fixture.document("a/f7") == nil)
        #expect(fixture.document("a/x") != nil && fixture.document("moved") != nil)
        fixture.expectTruth()
        let added = fixture.transactions.flatMap(\.added).filter { $0.path == FileName("a/f5") }
        #expect(added.isEmpty)
        #expect(!fixture.transactions.flatMap(\.changed).contains { $0.old.size > $0.new.size })
    }

    @Test("Events of before an entry's arrival win, even if they are read after it")
    func olderThanUnreadEvents() throws {
        let (fixture, readers, box) = try readFolder()
        fixture.root.remove("a/f5")
        fixture.root.append("a/f6", "23")
        fixture.root.move("a/f7", "a/moved")
        readers.deliverAll()
        fixture.finish(box)
        fixture.expectTruth()
        #expect(fixture.document("a/f5") == nil)
    }

    @Test("A file that was marked before its folder was read is not set back")
    func markedBefore() throws {
        var limits = WatchFixture.smallSlices
        // All entries count as touched.
        limits.namesTouched = 1
        let (fixture, readers, box) = try readFolder(limits)
        for name in ["a/f1", "a/f2", "a/f3"] { fixture.root.append(name, "more") }
        fixture.root.remove("a/f4")
        fixture.loop.turn()
        for name in ["a/f5", "a/f6"] { fixture.root.append(name, "more") }
        fixture.access.resetCounts()
        readers.deliverAll()
        fixture.finish(box)
        #expect(fixture.access.looks >= 20)
        fixture.expectTruth()
    }

    @Test("A file with several names is checked on disk, as another name may have changed it")
    func severalNames() throws {
        let (fixture, _, box) = try readFolder()
        fixture.root.link("a/f5", "linked")
        fixture.finish(box)
        fixture.root.makeFolder("b")
        for number in 0..<20 { fixture.root.write("b/g\(number)") }
        fixture.root.link("a/f6", "b/link")
        fixture.loop.turn()
        box.readers?.readAll()
        fixture.root.append("a/f6", "more")
        fixture.loop.turn()
        fixture.finish(box)
        fixture.expectTruth()
    }

    @Test("Entries belong to their folder, wherever it has been moved")
    func movedFolder() throws {
        let (fixture, readers, box) = try readFolder()
        fixture.root.makeFolder("b")
        fixture.root.move("a", "b/moved")
        fixture.loop.turn()
        readers.deliverAll()
        fixture.finish(box)
        #expect(fixture.document("b/moved/f0") != nil && fixture.document("a/f0") == nil)
        fixture.expectTruth()
    }

    @Test("What was read of a folder that has gone is dropped")
    func goneFolder() throws {
        for isRemoved in [true, false] {
            let (fixture, readers, box) = try readFolder()
            if isRemoved {
                fixture.root.removeTree("a")
            } else {
                fixture.root.move("a", outTo: fixture.folder.path("out"))
            }
            fixture.loop.advance(by: .milliseconds(10))
            fixture.watcher.drainNow()
            readers.deliverAll()
            fixture.finish(box)
            #expect(fixture.names.count == 10)
            fixture.expectTruth()
        }
    }

    @Test("A root that goes away while it is read leaves nothing, and returns")
    func goneRoot() throws {
        let (fixture, readers, box) = try readFolder()
        Disk(fixture.folder.path).move("root", "away")
        fixture.watcher.drainNow()
        fixture.loop.turn()
        #expect(fixture.store.count == 0)
        readers.deliverAll()
        fixture.loop.turn()
        #expect(fixture.store.count == 0)
        Disk(fixture.folder.path).move("away", "root")
        fixture.finish(box)
        #expect(fixture.store.count == 30)
        fixture.expectTruth()
    }

    @Test("Lost events while a folder is read: everything is read again")
    func overflow() throws {
        let (fixture, readers, box) = try readFolder()
        fixture.root.remove("a/f5")
        fixture.root.append("a/f6", "23")
        fixture.access.loseQueue = true
        fixture.loop.turn()
        readers.deliverAll()
        fixture.finish(box)
        #expect(fixture.reports.contains(.overflow))
        fixture.expectTruth()
    }

    @Test("Lost events below a folder whose own name is touched while all is read again")
    func overflowBelow() throws {
        let fixture = try WatchFixture(limits: WatchFixture.smallSlices)
        fixture.root.makeFolders("a/b")
        fixture.root.write("a/b/old", "1")
        for number in 0..<20 { fixture.root.write("f\(number)", "1") }
        let box = fixture.useScript { $0.pieceSize = 1 }
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.finish(box)
        fixture.root.move("a/b/old", "a/b/new")
        fixture.access.loseQueue = true
        fixture.loop.turn()
        let readers = try #require(box.readers)
        #expect(!readers.isEnded)
        readers.readOne()
        // The root has been read; now something happens to the name `a`.
        fixture.root.setMode("a", 0o700)
        fixture.loop.turn()
        fixture.finish(box)
        #expect(fixture.document("a/b/new") != nil)
        fixture.expectTruth()
    }

    @Test("A bounded number of folders is out, and the threads end with the scan")
    func bounds() throws {
        var limits = WatchFixture.smallSlices
        limits.foldersElsewhere = 4
        limits.entriesElsewhere = 50
        let fixture = try WatchFixture(limits: limits)
        for folder in 0..<60 {
            fixture.root.makeFolder("d\(folder)")
            for file in 0..<10 { fixture.root.write("d\(folder)/\(file)") }
        }
        let box = fixture.useScript { $0.pieceSize = 3 }
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.loop.turn()
        let readers = try #require(box.readers)
        // Nothing comes back: no more is handed out, and the loop sleeps.
        #expect(readers.requests.count == 4)
        #expect(fixture.loop.turn() == 0)
        for _ in 0..<1000 where !readers.isEnded {
            readers.readAll()
            readers.deliverAll()
            #expect(readers.requests.count <= 4)
            fixture.loop.turn()
        }
        #expect(readers.isEnded && readers.mostOut == 4)
        fixture.settle()
        #expect(fixture.store.count == 600)
        // Four answers for each folder of ten.
        #expect(readers.answered >= 240)
        fixture.expectTruth()
        // Small changes need no thread.
        fixture.root.makeFolder("new")
        fixture.root.write("new/1")
        fixture.settle()
        #expect(box.started == 1)
    }

    @Test("Without a free descriptor folders wait for those that are open")
    func descriptors() throws {
        let fixture = try WatchFixture(limits: WatchFixture.smallSlices)
        for folder in 0..<10 {
            fixture.root.makeFolder("d\(folder)")
            for file in 0..<5 { fixture.root.write("d\(folder)/\(file)") }
        }
        let box = fixture.useScript()
        fixture.access.openFault = { _ in
            let out = (box.readers?.requests.count ?? 0) + (box.readers?.answers.count ?? 0)
            return out >= 2 ? SystemError(.tooManyOpenFiles, operation: "open") : nil
        }
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.finish(box)
        #expect(fixture.store.count == 50)
        #expect(fixture.reports.allSatisfy { if case .degraded = $0 { false } else { true } })
        fixture.expectTruth()
    }

    @Test("A folder that can't be read to its end is reported, and its files go or stay")
    func unreadable() throws {
        let (fixture, readers, box) = try readFolder()
        let answer = readers.answers[0]
        let failed = FolderPart(FolderBatch(), rest: .unreadable(ErrorNumber(rawValue: 5)))
        readers.deliver(FolderAnswer(number: answer.number, part: failed))
        fixture.loop.turn()
        fixture.finish(box)
        #expect(fixture.reports.contains { if case .degraded = $0 { true } else { false } })
        fixture.loop.advance(by: .seconds(6))
        fixture.finish(box)
        fixture.expectTruth()
    }

    @Test("A watcher that is released while folders are read ends the readers")
    func released() throws {
        let folder = try TemporaryFolder()
        let disk = Disk(folder.path("root"))
        disk.makeFolder("")
        for number in 0..<50 { disk.write("\(number)") }
        let loop = FakeLoop()
        let access = FaultyAccess(LinuxFileAccess())
        var started: ScriptedReaders?
        access.readers = { _, limit, take in
            started = ScriptedReaders(limit: limit, take)
            return started
        }
        var watcher: DirectoryWatcher? = DirectoryWatcher(
            loop: loop, store: DocumentStore(epoch: "test"), access: access,
            limits: WatchFixture.smallSlices)
        try watcher?.setRoots([disk.path])
        loop.turn()
        let readers = try #require(started)
        let request = try #require(readers.requests.first)
        weak let released = watcher
        watcher = nil
        #expect(released == nil && readers.isEnded)
        readers.deliver(
            FolderAnswer(number: request.number, part: FolderPart(FolderBatch(), rest: .end)))
        loop.turn()
    }
}
