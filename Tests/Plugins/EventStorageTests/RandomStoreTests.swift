// Random operations on a store, compared with a plain list of the expected events.

import EventStorage
import StateFolder
import SystemInterface
import TestSupport
import Testing

@Suite struct RandomStoreTests {
    @Test("after appends, drops, restarts and full disks stored events are there, in order")
    func lives() throws {
        for _ in 0..<6 {
            try withSeed { random in try live(&random) }
        }
    }

    @Test("after a loss of power at any moment flushed events are there, in order")
    func powerCuts() throws {
        for _ in 0..<6 {
            try withSeed { random in try liveWithPowerCuts(&random) }
        }
    }

    private func liveWithPowerCuts(_ random: inout SeededRandom) throws {
        var folder = MemoryFolder()
        // Segments of a few events, and of more bytes than are written at once.
        let limits = EventStore.Limits(
            count: Int.random(in: 4...60, using: &random), bytes: 1 << 20)
        var store = try EventStore.reopen(folder, limits: limits).store
        // The written events, the flushed ones, and the oldest wanted number.
        var written: [StoredEvent] = []
        var safeThrough = 0
        var oldest = 0
        var last = 0
        for step in 0..<120 {
            let place: Comment = "seed \(random.seed), step \(step)"
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                folder = MemoryFolder(folder.afterPowerLoss)
                let opened = try EventStore.reopen(folder, limits: limits, newEpoch: "e\(step)")
                store = opened.store
                // A folder whose files were all on the disk begins with them there.
                folder.bringToDisk()
                last = max(last, store.storedThrough)
                written = opened.events
                safeThrough = written.last?.number ?? 0
            case 1:
                oldest = max(oldest, last - Int.random(in: 0...40, using: &random))
                try store.drop(before: oldest)
            case 2...4:
                try store.synchronize()
                safeThrough = last
            default:
                var batch: [StoredEvent] = []
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    last += 1
                    batch.append(random.event(last))
                }
                try store.append(batch)
                written += batch
            }
            store.checkInvariants()
            let left = MemoryFolder(folder.afterPowerLoss)
            let found = try EventStore.reopen(left, limits: limits, newEpoch: "x").events
            let safe = written.filter { $0.number > oldest && $0.number <= safeThrough }
                .suffix(limits.count)
            #expect(found.filter { $0.number <= safeThrough }.suffix(safe.count) == safe, place)
            // Only written events are read back.
            let known = Dictionary(uniqueKeysWithValues: written.map { ($0.number, $0) })
            for event in found where event.number > oldest {
                #expect(known[event.number] == event, place)
            }
        }
    }

    private func live(_ random: inout SeededRandom) throws {
        let folder = MemoryFolder()
        let limits = EventStore.Limits(
            count: Int.random(in: 1...60, using: &random),
            bytes: Int.random(in: 1...600_000, using: &random))
        var store = try EventStore.reopen(folder, limits: limits).store
        var model: [StoredEvent] = []
        var last = 0
        for step in 0..<150 {
            let place: Comment = "seed \(random.seed), step \(step)"
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let opened = try EventStore.reopen(folder, limits: limits)
                store = opened.store
                // More may have been written than the last answer reported, never less.
                #expect(opened.notes.isEmpty, place)
            case 1:
                let oldest = last - Int.random(in: 0...80, using: &random)
                try store.drop(before: oldest)
                model.removeAll { $0.number < oldest }
            case 2:
                folder.change { $0.room = Int.random(in: 0...400, using: &random) }
            case 3:
                folder.change { $0.room = nil }
            default:
                var batch: [StoredEvent] = []
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    last += random.chance(0.1) ? 5 : 1
                    batch.append(random.event(last))
                }
                do throws(StorageError) {
                    try store.append(batch)
                } catch {
                    store.recover()
                }
                model += batch.filter { $0.number <= store.storedThrough }
                last = max(last, store.storedThrough)
            }
            store.checkInvariants()
            try compare(folder, limits, model, place)
        }
    }

    /// Reads a copy of the folder back.
    private func compare(
        _ folder: MemoryFolder, _ limits: EventStore.Limits, _ model: [StoredEvent],
        _ place: Comment
    ) throws {
        let opened = try EventStore.reopen(MemoryFolder(folder.files), limits: limits)
        let found = opened.events
        #expect(opened.notes.isEmpty, place)
        #expect(found.count <= limits.count, place)
        // Beyond what is wanted, a segment's worth of older events may still be there.
        let wanted = model.suffix(found.count)
        #expect(found.suffix(wanted.count) == wanted, place)
        let cost = found.reduce(0) { $0 + 26 + $1.topic.utf8.count + ($1.data?.count ?? 0) }
        if found.count < min(model.count, limits.count) {
            // Less than the limits in number: then there was no room for the next, or the segments
            // that were read, with their heads, are as much as may be kept.
            let next = model[model.count - found.count - 1]
            let size = 26 + next.topic.utf8.count + (next.data?.count ?? 0)
            #expect(cost + size > limits.bytes || opened.store.bytes >= limits.bytes, place)
        }
    }
}
