// A moment on a loop's clock.

/// A moment on a clock that never goes back, in nanoseconds from an arbitrary start.
///
/// Good for 292 years; sums that leave that range stop at its end.
package struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        if !overflow { return MonotonicInstant(nanoseconds: sum) }
        return MonotonicInstant(nanoseconds: duration < .zero ? .min : .max)
    }

    package func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }
}

extension Duration {
    /// In nanoseconds, rounded down; out of range it is the nearest end of the range.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, tooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        if !tooMuch, !overflow { return sum }
        return seconds < 0 ? .min : .max
    }

    /// In seconds, for people and statistics.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
