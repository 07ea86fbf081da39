// Events that outlive the daemon.

import DataBus
import EventStorage
import JSONText
import PluginInterface
import SystemInterface
import TestSupport
import Testing
import WireProtocol

@Suite struct EventJournalTests {
    @Test("after a clean end everything is there: epoch, numbers, topics, data, time")
    func ended() throws {
        let first = try EventRun(epoch: "e")
        try first.publish("a.one", 3)
        try first.publish("b", 2)
        let before = try first.session.call("events.replay", ["topics": ["*"]]).get()
        let folder = first.end()
        // It is believed in another run of the machine, too.
        let elsewhere = try EventStore.open(
            in: MemoryFolder(folder.files), limits: .init(count: 10, bytes: 1 << 20), boot: "other",
            newEpoch: "f")
        #expect(elsewhere.continues && elsewhere.mark.content.epoch == "e")
        let run = try EventRun(folder, epoch: "f")
        #expect(run.epoch == "e")
        #expect(try run.session.call("events.replay", ["topics": ["*"]]).get() == before)
        #expect(try run.publish("a") == 6)
        #expect(run.reports.isEmpty)
    }

    @Test("a quarter of a second after an event it is stored; idle, there is no timer")
    func pace() throws {
        let run = try EventRun()
        #expect(run.loop.nextTimer == nil)
        try run.publish("a")
        run.loop.turn()
        let due = try #require(run.loop.nextTimer)
        run.loop.advance(by: .milliseconds(100))
        try run.publish("a", 5)
        run.loop.turn()
        #expect(run.loop.nextTimer == due, "later events don't put it off")
        #expect(!run.isStored)
        run.loop.advance(by: .milliseconds(150))
        #expect(run.loop.run { run.isStored })
        #expect(run.loop.nextTimer == nil)
        let again = try EventRun(run.killed())
        #expect(again.bus.keptCount == 6)
    }

    @Test("events that were sent while a batch was written are in the next")
    func next() throws {
        let run = try EventRun()
        try run.publish("a")
        run.loop.advance(by: .milliseconds(250))
        try run.publish("a", 2)
        #expect(run.loop.run { run.info["stored"] == 1 })
        #expect(run.store())
        #expect(try EventRun(run.killed()).bus.keptCount == 3)
    }

    @Test("a large batch is submitted in parts")
    func parts() throws {
        let run = try EventRun()
        for _ in 0..<20_000 { run.bus.send(WireEvent(topic: "a", data: nil)) }
        #expect(run.store())
        #expect(run.loop.nextTimer == nil)
        #expect(try EventRun(run.killed()).bus.keptCount == 20_000)
    }

    @Test("in a flood, events that have left the bus are never written")
    func flood() throws {
        let run = try EventRun(keeping: 4096)
        for _ in 0..<50_000 { run.bus.send(WireEvent(topic: "a", data: nil)) }
        #expect(run.store())
        let again = try EventRun(run.killed(), keeping: 4096)
        #expect(again.bus.oldestSequence == 50_000 - 4095)
        let written = run.folder.files.values.reduce(0) { $0 + $1.count }
        #expect(written < 5000 * 30)
    }

    @Test("events kept only for delivery are not written")
    func notForReplay() throws {
        let run = try EventRun(keeping: 100)
        try run.publish("a", 1000)
        #expect(run.store())
        #expect(try EventRun(run.killed()).bus.oldestSequence == 901)
    }

    @Test("without replay no events are stored, and numbers still continue")
    func nothingKept() throws {
        let run = try EventRun(keeping: 0)
        try run.publish("a", 5)
        run.loop.advance(by: .seconds(1))
        #expect(run.folder.segments.isEmpty)
        let again = try EventRun(run.killed(), keeping: 0)
        #expect(again.epoch == "e")
        #expect(try again.publish("a") == 6)
    }

    @Test("a number that a client has seen is never reused, wherever a kill comes")
    func numbers() throws {
        var folder = MemoryFolder()
        var seen = 0
        for round in 0..<20 {
            let run = try EventRun(folder)
            #expect(run.epoch == "e")
            for step in 0..<(round % 4) {
                let number = try run.publish("a")
                #expect(number == seen + 1)
                seen = number
                if step == 2 { #expect(run.store()) }
            }
            folder = run.killed()
        }
    }

    @Test("numbers are marked at the end of a turn even without output to clients")
    func turn() throws {
        let run = try EventRun()
        run.bus.send(WireEvent(topic: "a", data: nil))
        run.loop.turn()
        let again = try EventRun(MemoryFolder(run.folder.files))
        #expect(again.bus.lastSequence == 1)
        #expect(try again.subscribe(["topics": ["*"], "since": "e:0"])["lost"] == 1)
    }

    @Test(
        "a full disk stops storing, which is reported, and a reload retries"
    )
    func full() throws {
        let run = try EventRun()
        _ = try run.subscribe(["topics": ["daemon.*"]])
        run.folder.change { $0.room = 100 }
        try run.publish("a", 10)
        run.loop.advance(by: .milliseconds(300))
        #expect(run.loop.run { run.info["degraded"] != nil })
        run.loop.turn()
        let told = try #require(run.session.read().first?["params"])
        #expect(told["topic"] == "daemon.degraded")
        #expect(told["data"]?["what"] == "events-store")
        #expect(told["data"]?["path"] == "/memory")
        #expect(told["data"]?["reason"]?.stringValue?.contains("ENOSPC") == true)
        #expect(run.reports.count == 1)
        #expect(run.reports.first?.contains("pickerctl reload") == true)
        // The bus lives on, and nothing is tried meanwhile.
        #expect(try run.publish("a", 5) == 16)
        run.loop.advance(by: .seconds(10))
        #expect(run.loop.nextTimer == nil && run.reports.count == 1)
        // Still full: a word in the log, and no other event.
        try run.reload()
        #expect(run.loop.run { run.reports.count == 2 })
        run.folder.change { $0.room = nil }
        try run.reload()
        #expect(run.loop.run { run.info["degraded"] == nil })
        let restored = try #require(run.session.read().first?["params"])
        #expect(
            restored["topic"] == "daemon.restored" && restored["data"]?["what"] == "events-store")
        #expect(run.store())
        let again = try EventRun(run.end())
        #expect(again.epoch == "e" && again.bus.lastSequence == 17 && again.bus.keptCount == 17)
    }

    @Test("numbers continue while the store is off, and unstored ones are gaps")
    func numbersWhileOff() throws {
        let run = try EventRun()
        try run.publish("a", 3)
        #expect(run.store())
        run.folder.change { $0.room = 0 }
        try run.publish("a", 3)
        run.loop.advance(by: .milliseconds(300))
        #expect(run.loop.run { run.bus.lastSequence == 7 })
        let again = try EventRun(run.killed())
        #expect(again.epoch == "e" && again.bus.lastSequence == 7 && again.bus.keptCount == 3)
    }

    @Test("a mark that can't be written is removed: the next start begins a new epoch")
    func markFails() throws {
        let run = try EventRun()
        try run.publish("a", 3)
        #expect(run.store())
        run.folder.change { $0.failure = .noSpace }
        try run.publish("a")
        run.loop.turn()
        #expect(run.info["degraded"] != nil)
        #expect(run.folder.files["mark"] == nil)
        let again = try EventRun(run.killed(), epoch: "f")
        #expect(again.bus.keptCount == 3)
        #expect(again.info["epoch"] == "f")
        // Another try makes it anew.
        run.folder.change { $0.failure = nil }
        try run.reload()
        #expect(run.loop.run { run.info["degraded"] == nil })
        let third = try EventRun(run.end(), epoch: "f")
        #expect(third.epoch == "e" && third.bus.keptCount == 6)
    }

    @Test("a mark that can be neither written nor removed is removed at the end, if it can be")
    func readOnly() throws {
        let run = try EventRun()
        try run.publish("a", 3)
        #expect(run.store())
        run.folder.change { state in
            state.failure = .noSpace
            state.keepsAll = true
        }
        try run.publish("a")
        run.loop.turn()
        #expect(run.info["degraded"] != nil && run.folder.files["mark"] != nil)
        run.folder.change { state in
            state.failure = nil
            state.keepsAll = false
        }
        let again = try EventRun(run.end(), epoch: "f")
        #expect(again.info["epoch"] == "f")
    }

    @Test("a part holds 1,024 events, or 4 MiB: with no more is the loop held at once")
    func partLimits() throws {
        let few = try EventRun()
        for _ in 0..<2500 { few.bus.send(WireEvent(topic: "a", data: nil)) }
        // The time is over, but nothing is handed over before the first look below.
        few.loop.turn()
        few.loop.spend(.milliseconds(300))
        var seen: [Int64] = []
        #expect(
            few.loop.run {
                let stored = few.info["stored"]?.integerValue ?? 0
                if stored != seen.last { seen.append(stored) }
                return stored == 2500
            })
        #expect(seen == [0, 1024, 2048, 2500])
        let large = try EventRun()
        let data = JSONFragment(writing: {
            $0.value(JSONValue(String(repeating: "x", count: (1 << 16) - 2)))
        })
        for _ in 0..<150 { large.bus.send(WireEvent(topic: "a", data: data)) }
        large.loop.turn()
        large.loop.spend(.milliseconds(300))
        seen = []
        #expect(
            large.loop.run {
                let stored = large.info["stored"]?.integerValue ?? 0
                if stored != seen.last { seen.append(stored) }
                return stored == 150
            })
        #expect(seen == [0, 64, 128, 150])
    }

    @Test("invalid events in the folder are left out and reported")
    func hostile() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.open(
            in: folder, limits: .init(count: 100, bytes: 1 << 20), boot: "b", newEpoch: "e")
        func event(_ number: Int, _ topic: String, _ data: String?) -> StoredEvent {
            StoredEvent(number: number, time: 0, topic: topic, data: data.map { Array($0.utf8) })
        }
        try opened.store.append([
            event(1, "a", "{}"), event(2, "A!", "{}"), event(3, "a", "{"), event(4, "a", "1\n"),
            event(5, "", nil), event(6, "a", String(repeating: "[", count: 200)),
            event(7, "a", "{} {}"),
            event(8, "a", nil),
        ])
        try opened.mark.close(at: 8)
        let run = try EventRun(folder)
        let reply = try run.session.call("events.replay", ["topics": ["*"]]).get()
        #expect(reply["events"]?.arrayValue?.compactMap { $0["seq"] } == [1, 4, 8])
        #expect(run.reports.count == 1)
        #expect(try run.subscribe(["topics": ["*"], "since": "e:0"])["lost"] == 5)
    }

    @Test("without a folder, or by a setting, nothing is kept; the first is logged once")
    func off() throws {
        let homeless = try EventRun(stateFolder: nil)
        #expect(homeless.reports.count == 1)
        try homeless.publish("a", 3)
        homeless.loop.advance(by: .seconds(1))
        #expect(homeless.folder.files.isEmpty)
        let told = try EventRun(stores: false)
        #expect(told.reports.isEmpty)
        #expect(told.info == ["epoch": "e"])
        try told.publish("a", 3)
        told.loop.advance(by: .seconds(1))
        #expect(told.end().files.isEmpty)
    }
}
