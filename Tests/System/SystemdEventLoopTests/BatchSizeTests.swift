import EventLoops
import Testing

@testable import SystemdEventLoop

@Suite struct BatchSizeTests {
    private static let time = Duration.milliseconds(1)
    private static let longer = time + .nanoseconds(1)

    @Test("it halves after too long, and doubles after less than half of that, within its range")
    func range() {
        var size = BatchSize(24, in: 3...100, taking: Self.time)
        var counts: [Int] = []
        for _ in 0..<5 {
            size.adjust(to: Self.longer, for: size.count)
            counts.append(size.count)
        }
        #expect(counts == [12, 6, 3, 3, 3])
        for _ in 0..<7 {
            size.adjust(to: Self.time / 2, for: size.count)
            counts.append(size.count)
        }
        #expect(counts.suffix(7) == [6, 12, 24, 48, 96, 100, 100])
        #expect(BatchSize(2, in: 3...100, taking: Self.time).count == 3)
        #expect(BatchSize(101, in: 3...100, taking: Self.time).count == 100)
    }

    @Test("in between it stays, and also if so few were done that this tells nothing of more")
    func staying() {
        var size = BatchSize(25, in: 1...100, taking: Self.time)
        size.adjust(to: Self.time, for: 25)
        size.adjust(to: Self.time / 2 + .nanoseconds(1), for: 25)
        size.adjust(to: .zero, for: 12)
        #expect(size.count == 25)
        size.adjust(to: .zero, for: 13)
        #expect(size.count == 50)
        // However few they were, that was too long.
        size.adjust(to: Self.longer, for: 1)
        #expect(size.count == 25)
    }

    @Test("the greatest range does not overflow, and the smallest stays")
    func ends() {
        var size = BatchSize(.max / 2 + 1, in: 1...Int.max, taking: Self.time)
        size.adjust(to: .zero, for: .max)
        #expect(size.count == .max)
        var one = BatchSize(1, in: 1...1, taking: Self.time)
        one.adjust(to: Self.longer, for: 1)
        one.adjust(to: .zero, for: 1)
        #expect(one.count == 1)
    }
}
