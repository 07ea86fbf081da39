import TestSupport
import Testing

@testable import DataBus

@Suite("The buffer of kept events")
struct EventBufferTests {
    private struct Noted: Event {
        var topic: String { "noted" }
    }

    private static func append(_ number: Int, to buffer: inout EventBuffer, limit: Int) {
        var entry = EventBuffer.Entry(bytes: 1, event: Noted())
        entry.sequence = number
        buffer.append(&entry, limit: limit)
    }

    @Test("moves no others for a new event, however many there are")
    func growth() {
        var buffer = EventBuffer()
        let count = 20_000
        var allocated = 0
        var moved = 0
        for number in 1...count {
            let cost = Cost.of { Self.append(number, to: &buffer, limit: .max) }
            allocated = max(allocated, cost.bytes)
            moved = max(moved, cost.moved)
        }
        #expect(buffer.count == count)
        // An event takes 64 bytes.
        #expect(allocated < 2 * count && moved < 2 * count, "\(allocated), \(moved)")
        buffer.checkInvariants()
    }

    @Test("allocates no room for a new event when one is dropped for it")
    func steadyState() {
        var buffer = EventBuffer()
        let limit = 1000
        for number in 1...2 * limit { Self.append(number, to: &buffer, limit: limit) }
        var entries = (2 * limit + 1...5 * limit).map { number in
            var entry = EventBuffer.Entry(bytes: 1, event: Noted())
            entry.sequence = number
            return entry
        }
        let cost = Cost.of {
            for index in entries.indices { buffer.append(&entries[index], limit: limit) }
        }
        // Less than the 64 bytes of each event: in debug builds, accessors allocate some 40.
        #expect(cost.bytes < 64 * entries.count, "\(cost)")
        #expect(buffer.count == limit && buffer.firstSequence == 4 * limit + 1)
        buffer.checkInvariants()
    }

    @Test("has what a plain array has after any changes")
    func random() throws {
        withSeed { random in
            for _ in 0..<20 {
                var buffer = EventBuffer()
                var plain: [Int] = []
                var number = 0
                let limit = [1, 7, 40, 300].randomElement(using: &random) ?? 1
                for _ in 0..<400 {
                    switch Int.random(in: 0..<20, using: &random) {
                    case 0..<12:
                        for _ in 0..<Int.random(in: 1...20, using: &random) {
                            // Some numbers are missing.
                            number += random.chance(0.9) ? 1 : 2
                            let isDropped = plain.first.map { number - $0 >= limit } ?? false
                            if isDropped { plain.removeFirst() }
                            Self.append(number, to: &buffer, limit: limit)
                            plain.append(number)
                        }
                    case 12..<18:
                        for _ in 0..<Int.random(in: 1...25, using: &random) {
                            let first = plain.isEmpty ? 0 : plain.removeFirst()
                            #expect(buffer.popFirst().sequence == first)
                        }
                    default: buffer.releaseUnusedCapacity()
                    }
                    buffer.checkInvariants()
                    #expect((0..<buffer.count).map { buffer[$0].sequence } == plain)
                    #expect(buffer.bytes == plain.count)
                    let wanted = Int.random(in: 0...number + 2, using: &random)
                    #expect(
                        buffer.index(from: wanted)
                            == plain.firstIndex { $0 >= wanted } ?? plain.count)
                }
            }
        }
    }
}
