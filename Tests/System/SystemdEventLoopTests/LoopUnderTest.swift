import EventLoops
import SystemdEventLoop
import TestSupport

/// The two loops, tested for the same behaviour.
enum LoopKind: CaseIterable, Sendable {
    case fake
    case systemd

    /// The order of handlers must not depend on the delay of this process.
    func make() throws -> LoopUnderTest {
        switch self {
        case .fake: LoopUnderTest(fake: FakeLoop())
        case .systemd: LoopUnderTest(systemd: try SystemdLoop(longestTurn: .seconds(1000)))
        }
    }
}

/// Either loop, driven in the same way.
struct LoopUnderTest {
    let loop: any EventLoop
    private let runOne: () throws -> Bool
    private let pass: (Duration) throws -> Void

    init(fake: FakeLoop) {
        loop = fake
        runOne = { fake.runOne() }
        pass = { fake.advance(by: $0) }
    }

    init(systemd: SystemdLoop) {
        loop = systemd
        runOne = { try systemd.runOne(waitingAtMost: .zero) }
        pass = { duration in
            let end = systemd.now.advanced(by: duration)
            while systemd.now < end {
                try systemd.runOne(waitingAtMost: systemd.now.duration(to: end))
            }
            // sd-event wakes up once for a timer that is due and once to run it.
            while try systemd.runOne(waitingAtMost: .zero) {}
        }
    }

    /// Runs handlers until none is ready, at most `limit`.
    func settle(limit: Int = 10_000) throws {
        var count = 0
        while count < limit, try runOne() { count += 1 }
    }

    /// Runs a limited number of turns of a loop that may never be idle.
    func step(_ count: Int = 1) throws {
        for _ in 0..<count { _ = try runOne() }
    }

    /// Lets time pass and runs what is due.
    func letPass(_ duration: Duration) throws { try pass(duration) }

    /// Lets time pass, and more until `condition` holds; returns whether it held.
    func letPass(_ duration: Duration, until condition: () -> Bool) throws -> Bool {
        try pass(duration)
        return try run(until: condition)
    }

    /// Runs handlers until `condition` holds; returns whether it held.
    func run(until condition: () -> Bool) throws -> Bool {
        try waitUntil {
            _ = try runOne()
            return condition()
        }
    }
}
