import DataBus
import Observables
import Testing

@Suite("Replay")
struct ReplayTests {
    @Test("has the last events, five by default, and drops the oldest when the limit is lowered")
    func bufferLength() {
        let bus = EventBus()
        for number in 1...8 { bus << Saved(value: number) }
        #expect(kept(bus) == [4, 5, 6, 7, 8])
        #expect(bus.oldestSequence == 4)
        bus.bufferLength = 2
        #expect(bus.keptCount == 2)
        #expect(kept(bus) == [7, 8])
        bus.bufferLength = 0
        #expect(kept(bus).isEmpty)
        #expect(bus.oldestSequence == 9 && bus.lastSequence == 8)
        bus << Saved(value: 9)
        #expect(bus.keptCount == 0)
    }

    @Test("has no more bytes and no older events than the limits allow")
    func bytesAndAge() {
        var now = 100.0
        let bus = EventBus(limits: .init(count: 100, bytes: 2500, age: 10), now: { now })
        for _ in 1...4 { bus << Closed() }
        #expect(bus.keptCount == 2)
        now = 105
        bus << Saved(value: 1)
        now = 111
        #expect(kept(bus) == [1])
        bus << Saved(value: 2)
        #expect(bus.keptCount == 2)
        #expect(bus.kept(sequence: 4) == nil)
        #expect(bus.kept(sequence: 6)?.sequence == 6)
        #expect(bus.kept(sequence: 7) == nil)
        now = 116
        #expect(bus.keptCount == 2)
        bus.dropExpired()
        #expect(bus.keptNumbers == [6])
        bus.limits.bytes = 63
        #expect(bus.keptCount == 0)
    }

    @Test("has no event larger than the byte limit, and none before it")
    func largeEvent() {
        let bus = EventBus(limits: .init(count: 10, bytes: 100))
        var seen = 0
        let connection = bus >> { (_: any Event) in seen += 1 }
        bus << Saved()
        bus << Described(value: 1, topic: "a", retainedBytes: 101)
        #expect(bus.keptCount == 0)
        bus << Described(value: 2, topic: "a", retainedBytes: .max)
        bus << Described(value: 3, topic: "a", retainedBytes: -5)
        bus << Described(value: 4, topic: "a", retainedBytes: 100)
        #expect(bus.keptNumbers == [4, 5])
        #expect(seen == 5)
        bus.limits.bytes = .max
        bus << Described(value: 2, topic: "a", retainedBytes: .max)
        bus << Described(value: 2, topic: "a", retainedBytes: .max)
        bus << Saved()
        #expect(bus.keptNumbers == [4, 5, 6, 7, 8])
        bus.limits.bytes = 64
        #expect(bus.keptNumbers == [8])
        withExtendedLifetime(connection) {}
    }

    @Test("gives the last few of one type, of a protocol, of all, or by topic, oldest first")
    func replay() {
        let bus = EventBus(limits: .init(count: 10))
        for number in 1...3 {
            bus << Saved(value: number)
            bus << Closed()
        }
        var seen: [Int] = []
        bus.replay(count: 2) { (event: Saved) in seen.append(event.value) }
        #expect(seen == [2, 3])
        seen = []
        bus.replay(count: 9) { (event: any Marked) in seen.append(event.value) }
        #expect(seen == [1, 2, 3])
        seen = []
        bus.replay(count: 3) { (sent: SentEvent) in seen.append(sent.sequence) }
        #expect(seen == [4, 5, 6])
        seen = []
        bus.replay(topics: ["app.*", "!app.saved"], count: 2) { seen.append($0.sequence) }
        #expect(seen == [4, 6])
        bus.replay(count: 0) { (_: any Event) in seen = [] }
        #expect(seen == [4, 6])
    }

    @Test("joins kept and new events without a gap or a repetition, even from a handler")
    func replayThenLive() {
        let bus = EventBus(limits: .init(count: 10))
        for number in 1...3 { bus << Saved(value: number) }
        var seen: [Int] = []
        var late: Connection?
        let first =
            bus >> { (event: Saved) in
                guard event.value == 4 else { return }
                bus << Saved(value: 5)
                late = bus.subscribe(replaying: 3) { (event: Saved) in
                    seen.append(event.value)
                    if event.value == 3 { bus << Saved(value: 6) }
                }
            }
        bus << Saved(value: 4)
        #expect(seen == [3, 4, 5, 6])
        withExtendedLifetime((first, late)) {}
    }

    @Test("queues events of its handler until it has finished")
    func sendingInReplay() {
        let bus = EventBus()
        for number in 1...3 { bus << Saved(value: number) }
        var log: [String] = []
        let live = bus >> { (event: Saved) in log.append("live \(event.value)") }
        bus.replay { (event: Saved) in
            log.append("kept \(event.value)")
            bus << Saved(value: event.value + 10)
        }
        #expect(
            log == ["kept 1", "kept 2", "kept 3", "live 11", "live 12", "live 13"])
        log = []
        let topical = bus.subscribe(topics: ["app.saved"], replaying: 2) {
            log.append("topical \($0.sequence)")
            if $0.sequence == 5 { bus << Saved(value: 20) }
        }
        #expect(log == ["topical 5", "topical 6", "live 20", "topical 7"])
        withExtendedLifetime((live, topical)) {}
    }

    private func kept(_ bus: EventBus) -> [Int] {
        var numbers: [Int] = []
        bus.replay { (event: Saved) in numbers.append(event.value) }
        return numbers
    }
}
