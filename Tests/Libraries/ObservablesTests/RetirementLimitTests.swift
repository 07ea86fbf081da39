import Observables
import Testing

@Suite struct RetirementLimitTests {
    @Test(
        "a chain of 1,000 is released at once; a higher one releases its inputs at the next use of any",
        arguments: [1000, 1001])
    func recursionLimit(height: Int) {
        let census = LiveCount()
        do {
            let tracked = Tracked(1, census)
            let source = Variable(0)
            var top = source.map { $0 + tracked.number }
            for _ in 1..<height { top = top.map { $0 } }
            withExtendedLifetime(top) {}
        }
        #expect(census.live == (height > 1000 ? 1 : 0))
        let other = Variable(1)
        other.value = 2
        #expect(census.live == 0)
    }
}
