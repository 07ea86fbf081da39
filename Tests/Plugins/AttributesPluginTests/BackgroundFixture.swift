import EventLoops
import PickerModel
import PluginInterface
import TestSupport
import Testing

@testable import AttributesPlugin

/// Attributes that are read in the background, with a cache. Time passes when nothing else is to be done.
final class BackgroundFixture {
    let base: ReadingFixture
    let reader: ScriptedReader
    /// What the reader answers; nil if it does not answer now.
    var answer: ((ReadingBatch) -> ReadingOutcome)?
    /// How long the reader takes for a batch.
    var readingTime = Duration.zero
    /// When each batch came, and when it was answered.
    private(set) var times: [(begin: MonotonicInstant, end: MonotonicInstant)] = []
    /// The most batches that it had at once.
    private(set) var mostAtOnce = 0

    init(
        in folder: TemporaryFolder, condition: DocumentFilter? = nil, isOn: Bool = true,
        powerFolder: String = "/r/power"
    ) throws {
        base = try ReadingFixture(
            cacheFolder: folder.path("cache"), condition: condition, isReadInBackground: isOn,
            powerFolder: powerFolder)
        reader = try base.reader
        answer = { [unowned base] in base.honest($0) }
    }

    var loop: FakeLoop { base.loop }

    var background: BackgroundReadings {
        get throws { try #require(base.plugin.readings?.background) }
    }

    /// Whether a thread is asked, so that it is not for the clock to go on.
    private var waitsForThread: Bool {
        guard let background = base.plugin.readings?.background else { return false }
        if background.power.isLooking { return true }
        return background.isUnderWay && reader.waiting.isEmpty
    }

    /// Lets time pass until a condition holds, and the reader answer meanwhile.
    /// - Returns: whether it held before the deadline of the test; if not, that is an issue.
    @discardableResult
    func run(atMost end: MonotonicInstant? = nil, until condition: () -> Bool) -> Bool {
        var holds = false
        // Timers that are set again and again would keep the loop busy for ever.
        let deadline = ContinuousClock.now + patience
        loop.run {
            mostAtOnce = max(mostAtOnce, reader.waiting.count)
            if let answer, !reader.waiting.isEmpty {
                let begin = loop.now
                loop.spend(readingTime)
                times.append((begin, loop.now))
                reader.answer(0, answer)
            }
            holds = condition()
            if holds || ContinuousClock.now >= deadline { return true }
            if loop.isIdle, !waitsForThread { pass(atMost: end) }
            return false
        }
        if !holds { Issue.record("it did not come so far: \(base.reports.map(\.message))") }
        return holds
    }

    /// Moves the clock to the next timer.
    private func pass(atMost end: MonotonicInstant?) {
        let next = [loop.nextTimer, end].compactMap { $0 }.min()
        loop.spend(next.map { max(loop.now.duration(to: $0), .zero) } ?? .milliseconds(10))
    }

    /// Lets so much time pass.
    func run(for time: Duration) {
        let end = loop.now.advanced(by: time)
        run(atMost: end) { loop.now >= end }
    }

    /// Lets time pass until nothing is left to be read.
    func runUntilDone() throws {
        try #require(run { self.isDone })
    }

    /// Whether no timer is set, and nothing is to be done.
    var isDone: Bool {
        loop.nextTimer == nil && loop.isIdle && !waitsForThread && reader.waiting.isEmpty
    }

    /// The documents of all batches so far, in order.
    var asked: [String] { reader.keys.flatMap { $0 } }
}
