import EventLoops
import PluginProcesses
import TestSupport
import Testing

@Suite("When a plugin whose folder changes is started anew") struct UpgradePauseTests {
    private func at(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }

    @Test(
        "the first change counts at once, and those that follow soon wait twice as long each time")
    func grows() {
        var pause = UpgradePause()
        #expect(pause.delay(forChangeAt: at(0)) == .zero)
        var now = 0.0
        // Written to a second after each start.
        for expected in [10.0, 20, 40, 80, 160, 300, 300] {
            pause.started(at: at(now))
            #expect(pause.delay(forChangeAt: at(now + 1)) == .seconds(expected - 1))
            now += expected
        }
    }

    @Test("a change that comes later than twice the pause makes it short again")
    func shrinks() {
        var pause = UpgradePause()
        pause.started(at: at(0))
        #expect(pause.delay(forChangeAt: at(5)) == .seconds(5))
        pause.started(at: at(10))
        #expect(pause.delay(forChangeAt: at(35)) == .zero, "the pause of 20 s is over")
        pause.started(at: at(35))
        #expect(pause.delay(forChangeAt: at(36)) == .seconds(39), "and was doubled all the same")
        pause.started(at: at(75))
        #expect(pause.delay(forChangeAt: at(300)) == .zero)
        pause.started(at: at(300))
        #expect(pause.delay(forChangeAt: at(301)) == .seconds(9))
        pause.forget()
        #expect(pause.delay(forChangeAt: at(302)) == .zero)
    }
}
