// Disks that are full or broken.

import EventStorage
import StateFolder
import SystemInterface
import TestSupport
import Testing

@Suite struct FailureTests {
    @Test(
        "a full disk stops writing; written events stay, and writing resumes with room"
    )
    func full() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        try opened.store.append(events(1...10))
        for room in 0..<200 {
            let copy = MemoryFolder(folder.files)
            var store = try EventStore.reopen(copy).store
            copy.change { $0.room = room }
            var failed: StorageError?
            do throws(StorageError) { try store.append(events(11...20)) } catch { failed = error }
            guard let error = failed?.cause else {
                Issue.record("it was taken")
                return
            }
            #expect(error.code == .noSpace)
            #expect(error.subject.hasPrefix("/memory/events-"))
            #expect(store.storedThrough == 10)
            #expect(try EventStore.reopen(MemoryFolder(copy.files)).events == events(1...10))
            copy.change { $0.room = nil }
            store.recover()
            try store.append(events(11...20))
            store.checkInvariants()
            #expect(try EventStore.reopen(copy).events == events(1...20))
        }
    }

    @Test("an error of a flush is reported")
    func synchronizing() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        try opened.store.append(events(1...10))
        #expect(opened.store.needsSynchronizing)
        folder.change { $0.failure = .noSpace }
        #expect(throws: StorageError.self) { try opened.store.synchronize() }
        folder.change { $0.failure = nil }
        try opened.store.synchronize()
        #expect(!opened.store.needsSynchronizing)
        let count = folder.change { $0.synchronizations }
        try opened.store.synchronize()
        #expect(folder.change { $0.synchronizations } == count)
    }

    @Test("an error of writing the mark is reported")
    func mark() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        folder.change { $0.failure = .noSpace }
        #expect(throws: StorageError.self) { try opened.mark.store(5) }
        #expect(throws: StorageError.self) { try EventStore.reopen(folder) }
    }

    @Test("a mark that was removed after an error and recreated keeps its epoch")
    func renewedMark() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder, newEpoch: "one")
        try opened.mark.store(5)
        opened.mark.remove()
        #expect(
            try EventStore.reopen(MemoryFolder(folder.files), newEpoch: "two").mark.content.epoch
                == "two")
        try opened.mark.renew(at: 9)
        try opened.mark.store(11)
        let again = try EventStore.reopen(folder, newEpoch: "two")
        #expect(again.continues && again.mark.content.epoch == "one")
        #expect(again.mark.content.lastNumber == 11)
    }
}
