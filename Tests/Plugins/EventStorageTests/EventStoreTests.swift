// Stored events are read back, within the limits, in the right epoch.

import EventStorage
import SystemInterface
import TestSupport
import Testing

@Suite struct EventStoreTests {
    @Test("written events are read back unchanged")
    func roundTrip() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        #expect(opened.events.isEmpty && opened.notes.isEmpty && !opened.continues)
        let written = [
            event(1), event(2, nil), event(3, ""), event(7, String(repeating: "x", count: 1 << 20)),
            StoredEvent(
                number: StoredEvent.largestNumber, time: -0.5,
                topic: String(repeating: "t", count: 128), data: [0, 255, 10]),
        ]
        try opened.store.append(written)
        opened.store.checkInvariants()
        let again = try EventStore.reopen(folder)
        #expect(again.events == written)
        #expect(again.store.storedThrough == StoredEvent.largestNumber)
    }

    @Test("a segment longer than one chunk is read completely")
    func longSegment() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        let written = (1...3000).map { event($0, String(repeating: "x", count: 900 + $0 % 77)) }
        try opened.store.append(written)
        #expect(folder.segments.count == 1 && opened.store.bytes > 2 << 20)
        let again = try EventStore.reopen(folder)
        #expect(again.events == written && again.notes.isEmpty)
    }

    @Test("a segment is full at a fourth of the limits, and the next event begins another")
    func segmentCount() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder, limits: .init(count: 40, bytes: 1 << 20))
        for number in 1...31 { try opened.store.append([event(number)]) }
        let firsts = folder.segments.map { $0.dropFirst("events-".count).prefix(20) }
        #expect(firsts.map { Int($0) } == [1, 11, 21, 31])
    }

    @Test("events appended to a flushed segment must be flushed, too")
    func secondBatch() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        for last in [10, 20, 30] {
            try opened.store.append(events(last - 9...last))
            #expect(opened.store.needsSynchronizing)
            try opened.store.synchronize()
            #expect(!opened.store.needsSynchronizing)
            let left = try EventStore.reopen(MemoryFolder(folder.afterPowerLoss))
            #expect(left.events == events(1...last))
        }
        #expect(folder.segments.count == 1)
    }

    @Test("an event that can't be read back is not written, and the others are")
    func unfit() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        let unfit = [
            StoredEvent(number: 2, time: .nan, topic: "a", data: nil),
            StoredEvent(number: 3, time: 0, topic: String(repeating: "t", count: 256), data: nil),
            StoredEvent(
                number: 4, time: 0, topic: "a",
                data: [UInt8](repeating: 0, count: StoredEvent.mostDataBytes + 1)),
            StoredEvent(number: StoredEvent.largestNumber + 1, time: 0, topic: "a", data: nil),
        ]
        try opened.store.append([event(1)] + unfit.dropLast() + [event(5)] + unfit.suffix(1))
        #expect(try EventStore.reopen(folder).events == [event(1), event(5)])
    }

    @Test("stored events are skipped")
    func repeated() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        try opened.store.append(events(1...5))
        try opened.store.append(events(3...8))
        #expect(try EventStore.reopen(folder).events == events(1...8))
    }

    @Test("a segment is closed at a fourth of the limits, and removed when unwanted")
    func rotation() throws {
        let folder = MemoryFolder()
        let limits = EventStore.Limits(count: 40, bytes: 1 << 20)
        var opened = try EventStore.reopen(folder, limits: limits)
        for number in 1...100 {
            try opened.store.append([event(number)])
            try opened.store.drop(before: number - 39)
            opened.store.checkInvariants()
        }
        #expect(folder.segments.count == 4 || folder.segments.count == 5)
        let again = try EventStore.reopen(folder, limits: limits)
        #expect(again.events == events(61...100))
        // Large events: bytes are the limit.
        var large = try EventStore.reopen(
            MemoryFolder(), limits: .init(count: 1000, bytes: 400_000))
        for number in 1...20 {
            try large.store.append([event(number, String(repeating: "x", count: 60_000))])
            try large.store.drop(before: number - 5)
            large.store.checkInvariants()
            #expect(large.store.bytes <= 400_000 + 2 * 120_000)
        }
    }

    @Test("reading stops at the limits, and older segments are removed unread")
    func boundedReading() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder, limits: .init(count: 400, bytes: 1 << 20))
        try opened.store.append(events(1...1000))
        let fewer = try EventStore.reopen(folder, limits: .init(count: 30, bytes: 1 << 20))
        #expect(fewer.events == events(971...1000))
        #expect(folder.segments.count == 1)
        let lighter = try EventStore.reopen(folder, limits: .init(count: 400, bytes: 500))
        #expect(lighter.events.count == 10)
        #expect(lighter.events.last == event(1000))
    }

    @Test("many starts with new epochs create a limited number of files")
    func manyEpochs() throws {
        let folder = MemoryFolder()
        for start in 1...200 {
            var opened = try EventStore.reopen(folder, boot: "b\(start)", newEpoch: "e\(start)")
            #expect(!opened.continues)
            #expect(opened.mark.content.epoch == "e\(start)")
            try opened.store.append([event(start)])
            try opened.mark.store(start)
        }
        #expect(folder.segments.count <= 64)
        #expect(try EventStore.reopen(folder).events.last == event(200))
    }
}

@Suite struct EpochTests {
    private let folder = MemoryFolder()

    /// A run of a daemon that sends the events up to a number, of which some are stored.
    private func run(
        to number: Int, stored: Int, boot: String = "boot", epoch: String, isClean: Bool = false
    ) throws {
        var opened = try EventStore.reopen(folder, boot: boot, newEpoch: epoch)
        try opened.store.append(events((opened.store.storedThrough + 1)...stored))
        if isClean { try opened.mark.close(at: number) } else { try opened.mark.store(number) }
    }

    @Test("after a kill without a restart the epoch continues, with numbers after the mark")
    func killed() throws {
        try run(to: 9, stored: 6, epoch: "one")
        let again = try EventStore.reopen(folder, newEpoch: "two")
        #expect(again.continues)
        #expect(again.mark.content.epoch == "one")
        #expect(again.mark.content.lastNumber == 9)
        #expect(again.store.storedThrough == 9)
        #expect(again.events == events(1...6))
    }

    @Test("after a clean end and a restart of the machine the epoch continues")
    func clean() throws {
        try run(to: 9, stored: 9, epoch: "one", isClean: true)
        let again = try EventStore.reopen(folder, boot: "other", newEpoch: "two")
        #expect(again.continues && again.mark.content.epoch == "one")
        // From now on it is not clean, and was made in this run of the machine.
        let third = try EventStore.reopen(folder, boot: "third", newEpoch: "two")
        #expect(!third.continues && third.mark.content.epoch == "two")
    }

    @Test("a loss of power begins a new epoch, in which events keep their numbers")
    func powerLost() throws {
        try run(to: 9, stored: 6, epoch: "one")
        let again = try EventStore.reopen(folder, boot: "other", newEpoch: "two")
        #expect(!again.continues && again.mark.content.epoch == "two")
        #expect(again.store.storedThrough == 9)
        #expect(again.events == events(1...6))
    }

    @Test("a mark below the stored numbers is not valid")
    func markBehind() throws {
        try run(to: 6, stored: 9, epoch: "one", isClean: true)
        let again = try EventStore.reopen(folder, newEpoch: "two")
        #expect(!again.continues && again.mark.content.epoch == "two")
        #expect(again.store.storedThrough == 9)
    }

    @Test("a missing, damaged or truncated mark begins a new epoch")
    func spoiltMark() throws {
        try run(to: 6, stored: 6, epoch: "one", isClean: true)
        let good = folder.files
        let mark = try #require(good["mark"])
        for index in mark.indices {
            folder.files = good
            folder.files["mark"]?[index] ^= 0x10
            let again = try EventStore.reopen(folder, newEpoch: "two")
            #expect(!again.continues && again.notes.count == 1, "byte \(index)")
            #expect(again.events == events(1...6))
            folder.files = good
            folder.files["mark"] = Array(mark[..<index])
            #expect(try !EventStore.reopen(folder, newEpoch: "two").continues, "cut at \(index)")
        }
        folder.files = good
        folder.files["mark"]?.append(0)
        #expect(try !EventStore.reopen(folder, newEpoch: "two").continues)
        folder.files = good
        folder.files["mark"] = nil
        let again = try EventStore.reopen(folder, newEpoch: "two")
        #expect(!again.continues && again.notes.isEmpty)
        #expect(again.mark.content.epoch == "two")
    }

    @Test("a new epoch never has the name of an old one")
    func epochTwice() throws {
        try run(to: 6, stored: 6, epoch: "one")
        let again = try EventStore.reopen(folder, boot: "other", newEpoch: "one")
        #expect(again.mark.content.epoch == "onex1")
        folder.files["mark"] = nil
        let third = try EventStore.reopen(folder, boot: "other", newEpoch: "one")
        #expect(third.mark.content.epoch == "onex1")
    }
}
