import EventLoops
import PluginProcesses
import TestSupport
import Testing

@Suite("When a plugin that fell is started again") struct RestartPolicyTests {
    private func at(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }

    @Test("delays double from half a second, by a fifth more or less, up to a minute")
    func delays() {
        for (chance, factor) in [(0.0, 1.0), (1.0, 1.2), (-1.0, 0.8)] {
            var policy = RestartPolicy()
            var seconds = 0.0
            var expected = 0.5
            for _ in 0..<40 {
                let delay = policy.delay(
                    afterFallAt: at(seconds), ready: .seconds(1), chance: chance)
                #expect(delay == .seconds(expected) * factor)
                expected = min(expected * 2, 60)
                // So that no five falls are within five minutes.
                seconds += 76
            }
        }
    }

    @Test("a minute as ready makes the next fall a first one; less does not")
    func forgotten() {
        var policy = RestartPolicy()
        _ = policy.delay(afterFallAt: at(0), ready: nil, chance: 0)
        #expect(
            policy.delay(afterFallAt: at(100), ready: .milliseconds(59_999), chance: 0)
                == .seconds(1))
        #expect(
            policy.delay(afterFallAt: at(200), ready: .seconds(60), chance: 0) == .milliseconds(500)
        )
    }

    @Test("the fifth fall within five minutes is the last, and a fall that is older does not count")
    func quarantine() {
        for (last, isLast) in [(300.0, true), (300.001, false)] {
            var policy = RestartPolicy()
            for second in [0.0, 1, 2, 3] {
                #expect(policy.delay(afterFallAt: at(second), ready: nil, chance: 0) != nil)
            }
            let delay = policy.delay(afterFallAt: at(last), ready: nil, chance: 0)
            #expect((delay == nil) == isLast)
            if isLast {
                // It begins anew when somebody restarts it.
                #expect(policy == RestartPolicy())
            }
        }
    }
}
