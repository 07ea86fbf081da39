// How often folders without a watch are read: soon after a change, and seldom where nothing happens.

import EventLoops

/// The time between polls.
struct PollPace {
    private let intervals: ClosedRange<Duration>
    private let times: Int
    private var interval: Duration
    private var began: MonotonicInstant?

    init(_ limits: WatchLimits) {
        intervals = limits.pollIntervals
        times = limits.pollTimes
        interval = intervals.lowerBound
    }

    /// The time until the next poll.
    var next: Duration { interval }

    /// Starts over, as when there is a folder more to poll.
    mutating func startOver() { interval = intervals.lowerBound }

    /// Begins a poll.
    mutating func begin(_ now: MonotonicInstant) { began = now }

    /// Ends a poll.
    mutating func end(foundChange: Bool, _ now: MonotonicInstant) {
        let took = began?.duration(to: now) ?? .zero
        began = nil
        let wanted = foundChange ? intervals.lowerBound : interval * 2
        // What takes long is done seldom, whatever it finds.
        interval = min(max(wanted, took * times, intervals.lowerBound), intervals.upperBound)
    }
}
