/// A point in time as file systems keep it: exact to the nanosecond.
package struct FileTime: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970 UTC, rounded down; negative before that.
    package let seconds: Int64
    /// The rest, below 1,000,000,000.
    package let nanoseconds: UInt32

    /// A time; surplus nanoseconds count as seconds, up to the last representable second.
    package init(seconds: Int64, nanoseconds: UInt32 = 0) {
        let (sum, isOver) = seconds.addingReportingOverflow(Int64(nanoseconds / 1_000_000_000))
        self.seconds = isOver ? .max : sum
        self.nanoseconds = nanoseconds % 1_000_000_000
    }

    /// Seconds since 1970 UTC with their fraction, to the precision of a Double: about a quarter of a
    /// microsecond for current times.
    package var secondsSince1970: Double {
        Double(seconds) + Double(nanoseconds) / 1_000_000_000
    }

    /// The time of so many seconds since 1970 UTC; nil if they are no number of 64 bits.
    package init?(secondsSince1970 seconds: Double) {
        let whole = seconds.rounded(.down)
        guard let exact = Int64(exactly: whole) else { return nil }
        let rest = ((seconds - whole) * 1_000_000_000).rounded()
        self.init(seconds: exact, nanoseconds: UInt32(min(rest, 999_999_999)))
    }

    package static func < (left: FileTime, right: FileTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
