// An instant of a loop's clock.

import SystemInterface

/// An instant of a monotonic clock, in nanoseconds from an arbitrary start.
///
/// The range is 292 years; sums saturate at its ends.
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
