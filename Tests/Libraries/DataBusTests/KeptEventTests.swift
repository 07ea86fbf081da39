import DataBus
import Observables
import Testing

@Suite("Restored events, and reading by number")
struct KeptEventTests {
    private func events(_ numbers: [Int]) -> [SentEvent] {
        numbers.map { SentEvent(sequence: $0, time: Double($0), event: Saved(value: $0)) }
    }

    @Test("are read and replayed like sent ones, and missing ones are skipped")
    func restoring() {
        let bus = EventBus(limits: .init(count: 100))
        bus.restore(events([3, 4, 7, 9]), lastSequence: 12)
        #expect(bus.lastSequence == 12)
        #expect(bus.oldestSequence == 3)
        #expect(bus.keptCount == 4)
        #expect((0...13).filter { bus.kept(sequence: $0) != nil } == [3, 4, 7, 9])
        #expect(bus.kept(sequence: 7)?.time == 7)
        #expect(bus.keptNumbers == [3, 4, 7, 9])
        #expect(bus.send(Saved(value: 13)) == 13)
        #expect(bus.keptNumbers == [3, 4, 7, 9, 13])
        var seen: [Int] = []
        let connection = bus.subscribe(replaying: 3) { (event: Saved) in seen.append(event.value) }
        bus << Saved(value: 14)
        #expect(seen == [7, 9, 13, 14])
        withExtendedLifetime(connection) {}
    }

    @Test("are not delivered to existing subscribers")
    func restoringUnderSubscribers() {
        let bus = EventBus()
        var seen: [Int] = []
        let connection = bus >> { (event: Saved) in seen.append(event.value) }
        bus.restore(events([1, 2]), lastSequence: 2)
        bus << Saved(value: 3)
        #expect(seen == [3])
        withExtendedLifetime(connection) {}
    }

    @Test("count the events after a number that are not kept")
    func missing() {
        let bus = EventBus(limits: .init(count: 100))
        bus.restore(events([3, 4, 7, 9]), lastSequence: 12)
        // Of 1 to 12, 1, 2, 5, 6, 8, 10, 11 and 12 are missing.
        let expected = [8, 7, 6, 6, 6, 5, 4, 4, 3, 3, 2, 1, 0, 0]
        #expect((0...13).map { bus.missing(after: $0) } == expected)
        #expect(bus.missing(after: -5) == 8)
        #expect(bus.missing(after: .min) == 8)
        #expect(bus.missing(after: .max) == 0)
        #expect(
            (0...13).map { bus.firstKept(after: $0)?.sequence ?? 0 } == [
                3, 3, 3, 4, 7, 7, 7, 9, 9, 0, 0, 0, 0, 0,
            ])
    }

    @Test("count by their numbers for the count limit, and obey the other limits")
    func limits() {
        let bus = EventBus(limits: .init(count: 6))
        bus.restore(events([3, 4, 7, 9]), lastSequence: 12)
        #expect(bus.keptNumbers == [7, 9])
        bus << Saved()
        #expect(bus.keptNumbers == [9, 13])
        bus << Saved()
        bus << Saved()
        #expect(bus.oldestSequence == 13)
        #expect(bus.missing(after: 9) == 3)

        let old = EventBus(limits: .init(count: 100, bytes: 64 * 3, age: 10), now: { 17.5 })
        old.restore(events([3, 4, 7, 8, 9]), lastSequence: 12)
        #expect(old.keptNumbers == [8, 9])
        let none = EventBus()
        none.restore(events([3, 4, 7, 9]), lastSequence: 1 << 40)
        #expect(none.keptCount == 0)
        #expect(none.oldestSequence == 1 << 40 + 1)
        #expect(none.missing(after: 0) == 1 << 40)
    }

    @Test("cost nothing for missing numbers, whatever the limit")
    func largeGaps() {
        let bus = EventBus(limits: .init(count: .max))
        bus.restore(events([1, 1 << 30, 1 << 40]), lastSequence: 1 << 50)
        bus << Saved(value: 1)
        #expect(bus.kept(sequence: 1 << 30)?.sequence == 1 << 30)
        #expect(bus.kept(sequence: 1 << 30 + 1) == nil)
        #expect(bus.firstKept(after: 2)?.sequence == 1 << 30)
        #expect(bus.missing(after: 0) == 1 << 50 - 3)
    }

    @Test("can't be restored twice or after a send, and must ascend")
    func wrongRestoring() async {
        await #expect(processExitsWith: .failure) {
            let bus = EventBus()
            bus << Saved()
            bus.restore([], lastSequence: 3)
        }
        await #expect(processExitsWith: .failure) {
            let event = SentEvent(sequence: 2, time: 0, event: Saved())
            EventBus().restore([event, event], lastSequence: 3)
        }
        await #expect(processExitsWith: .failure) {
            let event = SentEvent(sequence: 4, time: 0, event: Saved())
            EventBus().restore([event], lastSequence: 3)
        }
    }
}
