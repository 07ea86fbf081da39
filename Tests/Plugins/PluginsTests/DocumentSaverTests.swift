// Documents that outlive the daemon: its end, kills, failing disks.

import JSONText
import PickerModel
import StateFolder
import SystemInterface
import TestSupport
import Testing

@Suite struct DocumentSaverTests {
    private let folder: TemporaryFolder
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("r/a/b")
        root = folder.path("r")
        for name in ["1.md", "2.md", "a/3", "a/b/4"] { try folder.write("r/" + name, name) }
    }

    /// A first run whose documents are stored.
    private func first() throws -> DocumentRun {
        let run = try DocumentRun(root)
        #expect(run.documents.count == 0)
        #expect(run.info == ["stored": false, "bytes": 0])
        #expect(run.settle() && run.store())
        return run
    }

    private func next(_ disk: DocumentDisk, marks: [StoredMark] = []) throws -> DocumentRun {
        try DocumentRun(root, disk, epoch: "other", marks: marks)
    }

    /// Writes many files into a folder beside the root.
    private func prepareMany(_ count: Int, nameLength: Int = 80) throws {
        try folder.makeFolder("many")
        for number in 0..<count {
            try folder.write("many/\(number)" + String(repeating: "x", count: nameLength))
        }
    }

    // MARK: Ends and kills

    @Test("the first run stores what it has read; the next has the same at once")
    func end() throws {
        let run = try first()
        #expect(run.disk.names == ["snapshot-1", "changes-1"])
        #expect((run.info["bytes"]?.integerValue ?? 0) > 100)
        let (known, rev) = (run.known, run.documents.rev)
        #expect(known.count == 4)
        let next = try next(run.end())
        #expect(next.known == known && next.documents.rev == rev)
        #expect(next.documents.epoch == "e" && next.documents.isWhole)
        #expect(next.info["stored"] == true)
        #expect(next.documents.keysChanged(after: rev) == [])
        #expect(next.settle())
        #expect(next.known == known && next.documents.rev == rev)
        #expect(next.events("documents.added").isEmpty && next.events("documents.changed").isEmpty)
        #expect(next.reports("4 documents of the last run are served").count == 1)
        #expect(next.reports("compared with the disk: 0 added, 0 removed, 0 changed").count == 1)
        #expect(next.reports("outlive").isEmpty && next.reports("set aside").isEmpty)
        // It is watched, and stored again.
        try folder.write("r/new")
        #expect(next.settle())
        let third = try self.next(next.end())
        #expect(third.known == next.known && third.known.count == 5)
        #expect(third.documents.rev == rev + 1)
        #expect(third.documents.keysChanged(after: rev) == [try #require(next.key("new"))])
    }

    @Test("the end in the turn of a change, and changes after it, lose nothing")
    func endAfterChange() throws {
        let run = try first()
        try folder.write("r/new")
        _ = try run.session.call("sync").get()
        let disk = run.end()
        let next = try next(disk)
        #expect(next.known == run.known && next.documents.rev == run.documents.rev)
        #expect(next.key("new") != nil)
    }

    @Test("what a client could have been told of before a kill is there, and numbers go on behind")
    func kill() throws {
        let run = try first()
        let before = run.documents.rev
        let keys = (try #require(run.key("1.md")), try #require(run.key("2.md")))
        try folder.move("r/1.md", to: "r/a/moved.md")
        try folder.remove("r/2.md")
        try folder.write("r/a/b/4", "longer")
        try folder.write("r/new")
        _ = try run.session.call("sync").get()
        let (known, rev) = (run.known, run.documents.rev)
        let next = try next(run.killedAfterOutput())
        #expect(next.known == known && next.key("a/moved.md") == keys.0)
        #expect(next.documents.epoch == "e" && next.documents.rev > rev)
        #expect(next.documents.nextKey >= run.documents.nextKey)
        let changed = Set(
            [keys.0, keys.1, run.key("a/b/4"), run.key("new")].compactMap { $0 })
        #expect(changed.count == 4)
        #expect(next.documents.keysChanged(after: before) == changed)
        #expect(next.documents.keysChanged(after: rev) == [])
        #expect(next.documents.keysChanged(after: rev + 1) == nil)
        let start = next.documents.rev
        #expect(next.documents.keysChanged(after: start - 1) == nil)
        #expect(next.documents.keysChanged(after: start) == [])
        #expect(next.settle() && next.known == known && next.documents.rev == start)
    }

    @Test("without output nothing of a change need be there, and then nobody knows its numbers")
    func killBeforeOutput() throws {
        let run = try first()
        try folder.write("r/new")
        _ = try run.session.call("sync").get()
        let (rev, key) = (run.documents.rev, run.key("new"))
        let next = try next(run.killed())
        #expect(next.key("new") == nil && next.known.count == 4)
        #expect(next.settle())
        #expect(next.key("new") != nil && next.key("new") != key && next.documents.rev > rev)
    }

    @Test("what happened while no daemon ran is a change of the next")
    func between() throws {
        let run = try first()
        let disk = run.end()
        try folder.move("r/a", to: "r/c")
        try folder.write("r/1.md", "longer")
        let next = try next(disk)
        #expect(next.known == run.known)
        #expect(next.settle())
        #expect(next.key("c/3") == run.key("a/3") && next.key("c/b/4") == run.key("a/b/4"))
        #expect(next.key("1.md") == run.key("1.md") && next.document("1.md")?.size == 6)
        let third = try self.next(next.killedAfterOutput())
        #expect(third.known == next.known)
    }

    @Test("revisions that a killed run may have made are unknown to all runs after it")
    func unknownRevisions() throws {
        try prepareMany(2000)
        let run = try first()
        let second = try next(run.killedAfterOutput())
        #expect(second.settle())
        let unknown = second.documents.rev - 1
        try folder.write("r/new")
        #expect(second.settle())
        #expect(second.documents.keysChanged(after: unknown) == nil)
        let third = try next(second.end())
        #expect(third.documents.keysChanged(after: unknown) == nil)
        #expect(third.documents.keysChanged(after: unknown + 1) != nil)
        // Not even to those after a new snapshot.
        let fourth = try next(third.killedAfterOutput())
        #expect(fourth.settle())
        let unknownToo = fourth.documents.rev - 1
        try growLog(of: fourth)
        let fifth = try next(fourth.end())
        #expect(fifth.known == fourth.known)
        #expect(fifth.documents.keysChanged(after: unknown) == nil)
        #expect(fifth.documents.keysChanged(after: unknownToo) == nil)
        #expect(fifth.documents.keysChanged(after: fifth.documents.rev) == [])
    }

    @Test("killed with the machine, a run's revisions begin a new epoch, and no key is given twice")
    func otherBoot() throws {
        let run = try first()
        try folder.write("r/new")
        #expect(run.settle())
        let disk = run.killedAfterOutput()
        var log = try #require(disk.memory.files["changes-1"])
        // The header is the first frame: its length, its sum, and last the boot.
        let boot = Array(try CurrentProcess.bootIdentifier().utf8)
        let payload = 8..<8 + Int(log.load(UInt32.self, at: 0))
        #expect(log[payload].suffix(boot.count).elementsEqual(boot))
        log[payload.upperBound - 1] ^= 1
        log.store(littleEndian: checksum(of: log, in: payload), at: 4)
        disk.memory.files["changes-1"] = log
        let next = try next(disk)
        #expect(next.documents.epoch == "other" && next.known == run.known)
        #expect(next.documents.nextKey > run.documents.nextKey)
        #expect(next.documents.rev > run.documents.rev)
        #expect(next.settle() && next.known == run.known)
        // From then on it is the epoch of all.
        let third = try DocumentRun(root, next.killedAfterOutput(), epoch: "third")
        #expect(third.documents.epoch == "other" && third.known == run.known)
        #expect(third.documents.keysChanged(after: next.documents.rev) == [])
    }

    @Test("restored documents have their marks at once, be it that only the inode tells which")
    func marks() throws {
        let run = try first()
        let disk = run.end()
        let liked = MarkedFile(try #require(run.document("1.md")))
        let known = try #require(run.document("a/3"))
        // Renamed when no daemon knew its mark.
        let dropped = MarkedFile(
            place: DocumentPlace(root: root, path: FileName("a/former")), inode: known.inode,
            size: known.size, modified: known.modified)
        let next = try next(
            disk,
            marks: [
                StoredMark(id: 1, marks: .liked, file: liked),
                StoredMark(id: 2, marks: .dropped, file: dropped),
            ])
        for _ in 0..<2 {
            #expect(next.documents.count == 4 && next.documents.droppedCount == 1)
            #expect(next.document("1.md")?.isLiked == true)
            #expect(next.document("a/3")?.isDropped == true)
            #expect(next.document("2.md")?.isLiked == false)
            #expect(next.key("a/3") == known.key)
            #expect(next.settle())
        }
    }

    // MARK: Large changes, long logs

    @Test(
        "a large change goes by the thread; a kill meanwhile loses it, but gives nothing out twice")
    func largeChange() throws {
        try prepareMany(3000)
        let run = try first()
        let before = run.known
        let beforeRev = run.documents.rev
        run.disk.delayed = .largeWrites
        try folder.move("many", to: "r/many")
        #expect(run.settle() && run.documents.count == 3004)
        run.flush()
        #expect(run.loop.run { run.disk.isWaiting })
        let largeRev = run.documents.rev
        try folder.write("r/later")
        #expect(run.settle())
        run.flush()
        #expect(run.disk.largeWritesHere == 0)
        let (known, rev) = (run.known, run.documents.rev)
        let lost = DocumentDisk(run.disk.memory.files)
        // Once the thread has written it, what waited follows.
        run.disk.delayed = nil
        let isWritten = run.loop.run {
            String(decoding: run.disk.memory.files["changes-1"] ?? [], as: UTF8.self)
                .contains("later")
        }
        #expect(isWritten)
        let kept = try next(run.killed())
        #expect(kept.known == known)
        #expect(kept.documents.keysChanged(after: largeRev) == [try #require(run.key("later"))])
        #expect(kept.documents.keysChanged(after: rev) == [])
        let next = try next(lost)
        // The first files may have been told of on their own.
        #expect(before.isSubset(of: next.known) && next.known.isSubset(of: known))
        #expect(next.known.count < 3000 && next.documents.epoch == "e")
        #expect(next.documents.rev > rev && next.documents.nextKey >= run.documents.nextKey)
        #expect(next.documents.keysChanged(after: beforeRev) != nil)
        #expect(next.documents.keysChanged(after: largeRev) == nil, "nobody knows what it changed")
        #expect(next.documents.keysChanged(after: rev) == nil)
        let old = Set(known.map(\.key)).subtracting(next.known.map(\.key))
        #expect(next.settle() && next.documents.count == 3005)
        #expect(old.isDisjoint(with: next.known.map(\.key)))
    }

    @Test("at the end all that the thread has not written yet is written")
    func largeEnd() throws {
        try prepareMany(3000)
        let run = try first()
        run.disk.delayed = .largeWrites
        try folder.move("many", to: "r/many")
        #expect(run.settle())
        #expect(run.loop.run { run.disk.isWaiting })
        try folder.write("r/later")
        #expect(run.settle())
        run.disk.delayed = nil
        let next = try next(run.end())
        #expect(next.known == run.known && next.documents.rev == run.documents.rev)
        #expect(next.known.count == 3005 && run.reports("too slow").isEmpty)
    }

    /// Moves many files until a new snapshot has replaced the one that is there.
    private func growLog(of run: DocumentRun) throws {
        let names = run.disk.names
        for number in 0..<60 where run.disk.names.contains(names.sorted().last ?? "") {
            try folder.move(
                number == 0 ? "many" : "r/many\(number - 1)", to: "r/many\(number)")
            #expect(run.settle())
            #expect(run.loop.run { run.loop.isIdle })
        }
        #expect(run.store())
        #expect(run.disk.names.isDisjoint(with: names))
    }

    @Test("a new snapshot replaces a log of more than a mebibyte")
    func growth() throws {
        try prepareMany(2000)
        let run = try first()
        try growLog(of: run)
        #expect(run.disk.names.count == 2 && run.disk.names.contains("snapshot-2"))
        #expect(run.disk.names.contains("changes-2"))
        let size = run.disk.memory.files["changes-2"]?.count ?? 0
        #expect(size < 1 << 20)
        try folder.write("r/new")
        #expect(run.settle())
        #expect(run.storeChanges())
        let (known, rev) = (run.known, run.documents.rev)
        let next = try next(run.killedAfterOutput())
        #expect(next.known == known && known.count == 2005)
        #expect(next.documents.keysChanged(after: rev - 1) == [try #require(run.key("new"))])
        #expect(next.settle() && next.known == known)
    }

    @Test("a new snapshot waits while more changes are coming")
    func moreAreComing() throws {
        try prepareMany(2000)
        let run = try first()
        let known = run.documents.areMoreComing
        run.documents.areMoreComing = { true }
        for number in 0..<12 {
            try folder.move(
                number == 0 ? "many" : "r/many\(number - 1)", to: "r/many\(number)")
            #expect(run.settle())
            #expect(run.loop.run { run.loop.isIdle })
        }
        #expect(run.storeChanges())
        #expect(run.disk.names == ["snapshot-1", "changes-1"])
        #expect((run.disk.memory.files["changes-1"]?.count ?? 0) > 1 << 20)
        run.documents.areMoreComing = known
        try folder.write("r/new")
        #expect(run.settle())
        #expect(run.loop.run { run.disk.names.contains("snapshot-2") })
    }

    @Test("killed while a new snapshot is written, the old one and all logs count")
    func killDuringSnapshot() throws {
        // Few bytes: the thread has none of the changes, since it is held up.
        try prepareMany(500, nameLength: 20)
        let run = try first()
        try folder.write("r/early")
        #expect(run.settle())
        run.disk.delayed = .renames
        for number in 0..<100 where !run.disk.isWaiting {
            try folder.move(
                number == 0 ? "many" : "r/many\(number - 1)", to: "r/many\(number)")
            #expect(run.settle())
            #expect(run.loop.run { run.loop.isIdle })
        }
        #expect(run.loop.run { run.disk.isWaiting })
        try folder.write("r/late")
        #expect(run.settle())
        let (known, rev) = (run.known, run.documents.rev)
        let disk = run.killedAfterOutput()
        run.disk.delayed = nil
        #expect(disk.names == ["snapshot-1", "changes-1", "changes-2", "snapshot.new"])
        try folder.write("r/between")
        let next = try next(disk)
        #expect(next.known == known && next.documents.epoch == "e")
        #expect(next.documents.keysChanged(after: rev - 1) == [try #require(run.key("late"))])
        // The log is long enough for a snapshot, as soon as all has been compared.
        #expect(next.settle() && next.key("between") != nil)
        #expect(next.loop.run { !next.disk.names.contains("snapshot-1") })
        #expect(next.store())
        #expect(next.disk.names.count == 2, "\(next.disk.names)")
        let third = try self.next(next.killedAfterOutput())
        #expect(third.known == next.known)
        #expect(third.reports("damaged").isEmpty && third.reports("set aside").isEmpty)
    }

    // MARK: Faults

    /// What is told once, and ends with a minute.
    private func expectRestored(_ run: DocumentRun, _ note: Comment) throws {
        #expect(run.info["stored"] == false, note)
        #expect(run.info["degraded"]?.stringValue != nil, note)
        run.loop.turn()
        #expect(run.reports("documents do not outlive a restart").count == 1, note)
        let told = run.events("daemon.degraded")
        #expect(told.count == 1 && told.first?["what"] == "documents-store", note)
        #expect(told.first?["reason"] != nil, note)
        #expect(run.events("daemon.restored").isEmpty, note)
        // If another run goes on from what is left, it gives out nothing again that was given out here.
        let left = DocumentDisk(run.disk.memory.files)
        if !run.disk.memory.change(\.isMisplaced) {
            let other = try next(left)
            if other.documents.epoch == run.documents.epoch {
                #expect(other.documents.nextKey >= run.documents.nextKey, note)
                #expect(other.documents.rev > run.documents.rev, note)
                for document in other.documents.documents {
                    guard let here = run.documents[key: document.key] else { continue }
                    #expect(here.inode == document.inode, note)
                }
            } else {
                #expect(other.documents.count == 0 && other.documents.epoch == "other", note)
            }
        }
        // It is tried again, and not told again.
        run.loop.advance(by: .seconds(130))
        #expect(run.loop.run { run.info["degraded"] != nil }, note)
        #expect(run.reports("documents do not outlive a restart").count == 1, note)
        try folder.write("r/during failure")
        #expect(run.settle())
        run.disk.failsFrom = nil
        run.disk.memory.change { state in
            state.room = nil
            state.isMisplaced = false
        }
        // A thread may have the folder for a moment, and then it is tried a minute later.
        let isStored = waitUntil {
            run.loop.advance(by: .seconds(61))
            return run.info["stored"] == true
        }
        #expect(isStored && run.store(), note)
        #expect(run.info["degraded"] == nil, note)
        #expect(run.events("daemon.restored").map { $0["what"] } == ["documents-store"], note)
        #expect(run.events("daemon.degraded").count == 1, note)
        #expect(run.reports("documents outlive a restart again").count == 1, note)
        try folder.write("r/after failure")
        #expect(run.settle())
        let rev = run.documents.rev
        let next = try next(run.killedAfterOutput())
        #expect(next.known == run.known && next.documents.epoch == run.documents.epoch, note)
        #expect(next.documents.rev > rev && next.documents.nextKey >= run.documents.nextKey, note)
        try folder.remove("r/after failure")
        try folder.remove("r/during failure")
    }

    /// Writes and changes something, for the disk to fail meanwhile.
    private func use(_ run: DocumentRun) throws {
        #expect(run.settle())
        _ = run.loop.run { run.info["stored"] == true || run.info["degraded"] != nil }
        for number in 0..<2 {
            try folder.write("r/change", "\(number)")
            #expect(run.settle())
            run.flush()
        }
        try folder.remove("r/change")
        #expect(run.settle())
    }

    @Test("a disk that fails from any operation on is told once, and stores again a minute later")
    func failures() throws {
        var failed = 0
        for count in 0..<40 {
            let disk = DocumentDisk()
            disk.failsFrom = count
            let run = try DocumentRun(root, disk)
            try use(run)
            if run.info["degraded"] == nil {
                #expect(disk.steps <= count)
                break
            }
            failed += 1
            try expectRestored(run, "\(count)")
        }
        // Two files and their headers, the records, the end, three for the disk, and the changes.
        #expect(failed >= 10, "\(failed)")
    }

    @Test("the same for a run that has the documents of another")
    func failuresOfNext() throws {
        let files = try first().end().memory.files
        var failed = 0
        for count in 0..<40 {
            let disk = DocumentDisk(files)
            disk.failsFrom = count
            let run = try next(disk)
            #expect(run.documents.count == 4, "they are served anyway")
            try use(run)
            if run.info["degraded"] == nil { break }
            failed += 1
            try expectRestored(run, "\(count)")
        }
        #expect(failed >= 4, "\(failed)")
    }

    @Test("a full disk is told once, and stores again a minute later")
    func full() throws {
        let run = try first()
        try use(run)
        let bytes = run.disk.memory.files.values.reduce(0) { $0 + $1.count }
        _ = run.end()
        var failed = 0
        for room in stride(from: 0, to: bytes, by: max(1, bytes / 12)) {
            let disk = DocumentDisk()
            disk.memory.change { $0.room = room }
            let run = try DocumentRun(root, disk)
            try use(run)
            guard let reason = run.info["degraded"]?.stringValue else { continue }
            failed += 1
            #expect(reason.contains("space"), "\(reason)")
            // A small snapshot may have room.
            disk.memory.change { $0.room = 0 }
            try expectRestored(run, "\(room) of \(bytes)")
        }
        #expect(failed >= 10, "\(failed)")
    }

    @Test("a full disk is tried at once when the settings are read again")
    func reload() throws {
        let disk = DocumentDisk()
        let run = try DocumentRun(root, disk)
        try use(run)
        #expect(run.store())
        disk.memory.change { $0.room = 0 }
        try use(run)
        #expect(run.info["degraded"] != nil)
        try run.reload()
        #expect(run.loop.run { run.info["degraded"] != nil && run.loop.isIdle })
        disk.memory.change { $0.room = nil }
        try folder.write("r/new")
        #expect(run.settle())
        let before = run.loop.now
        try run.reload()
        #expect(run.loop.run { run.info["degraded"] == nil } && run.store())
        #expect(run.loop.now == before)
        let next = try next(run.killedAfterOutput())
        #expect(next.known == run.known && next.documents.epoch == run.documents.epoch)
        // Without a fault there is nothing to do.
        try next.reload()
        #expect(next.info["degraded"] == nil)
        try folder.remove("r/new")
    }

    @Test("an error between the end of a snapshot and the word of it is no success")
    func lateWord() throws {
        let disk = DocumentDisk()
        disk.delayed = .renames
        let run = try DocumentRun(root, disk)
        #expect(run.settle())
        #expect(run.loop.run { disk.isWaiting })
        run.loop.turn()
        disk.delayed = nil
        // The word is there, but not read.
        #expect(waitUntil { !run.loop.isIdle } && disk.names.contains("snapshot-1"))
        try folder.write("r/change")
        _ = try run.session.call("sync").get()
        disk.failsFrom = 0
        run.flush()
        #expect(run.info["degraded"] != nil)
        run.loop.turn()
        #expect(run.info["stored"] == false)
        #expect(run.reports("documents outlive a restart again").isEmpty)
        try expectRestored(run, "late")
    }

    @Test("a folder that is not in its place any more is made again")
    func misplaced() throws {
        try prepareMany(3000)
        let run = try first()
        run.disk.memory.change { $0.isMisplaced = true }
        try folder.move("many", to: "r/many")
        #expect(run.settle())
        #expect(run.loop.run { run.info["degraded"] != nil })
        #expect(run.info["degraded"]?.stringValue?.contains("removed, renamed or replaced") == true)
        // What is elsewhere now is nobody's.
        #expect(run.disk.names.contains("snapshot-1"))
        try expectRestored(run, "misplaced")
    }

    @Test("a folder that another daemon has is not touched, and documents are served without it")
    func inUse() throws {
        let disk = try first().end()
        let files = disk.memory.files
        disk.isForeign = true
        let run = try next(disk)
        #expect(run.documents.count == 0 && run.settle() && run.documents.count == 4)
        #expect(run.documents.epoch == "other")
        #expect(run.info["stored"] == false && run.info["bytes"] == 0)
        #expect(run.info["degraded"] == "another daemon uses '/memory'")
        #expect(run.reports("documents do not outlive a restart: another daemon uses").count == 1)
        #expect(run.events("daemon.degraded").map { $0["what"] } == ["documents-store"])
        #expect(run.end().memory.files == files && disk.opens == 1)
    }

    @Test("a damaged snapshot is set aside with a word, and all folders are read")
    func damaged() throws {
        let disk = try first().end()
        disk.memory.change { state in
            let middle = (state.files["snapshot-1"]?.count ?? 0) / 2
            state.files["snapshot-1"]?[middle] ^= 1
        }
        let damaged = disk.memory.files["snapshot-1"]
        let run = try next(disk)
        #expect(run.documents.count == 0 && run.documents.epoch == "other")
        #expect(run.info["stored"] == false)
        #expect(disk.memory.files == ["snapshot.damaged": damaged ?? []])
        #expect(run.reports("set aside as '/memory/snapshot.damaged'").count == 1)
        #expect(run.settle() && run.store())
        #expect(run.documents.count == 4)
        #expect(disk.names.count == 3 && disk.names.contains("snapshot.damaged"))
        let next = try next(run.end())
        #expect(next.known == run.known && next.documents.epoch == "other")
    }

    @Test("with store = false nothing is opened")
    func off() throws {
        let disk = try first().end()
        let files = disk.memory.files
        let run = try DocumentRun(root, disk, epoch: "other", stores: false)
        #expect(run.documents.count == 0 && run.settle() && run.documents.count == 4)
        run.flush()
        #expect(run.info == ["stored": false, "bytes": 0] && run.reports("outlive").isEmpty)
        #expect(run.end().memory.files == files && disk.opens == 0)
    }
}
