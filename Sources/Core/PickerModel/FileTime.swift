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

    package static func < (left: FileTime, right: FileTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
