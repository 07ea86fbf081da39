package import ExactStatistics

/// The number, sizes and times of documents; all exact.
///
/// Times are exact to the nanosecond in any year: seconds and nanoseconds are summed separately, so that no
/// time of a file system overflows.
package struct DocumentStatistics: Hashable, Sendable {
    /// The sizes in bytes; their count is the number of documents.
    package let sizes: Statistics<UInt64>
    /// The earliest and latest time.
    package let times: Extremes<FileTime>
    /// The mean time, rounded to the nearest nanosecond, ties to even; nil without documents.
    package let meanTime: FileTime?

    package var count: Int { sizes.count }
}

extension DocumentStatistics {
    /// The statistics of `documents`, computed in one pass.
    /// - Complexity: O(n).
    package init(of documents: some Sequence<Document>) {
        var tally = DocumentTally()
        for document in documents { tally.add(document) }
        self = tally.summary
    }
}

/// Running sums to which a document can be added and from which it can be removed.
struct DocumentTally {
    private var sizes = RunningStatistics<UInt64>()
    private var times = RunningExtremes<FileTime>()
    private var timeSum = TimeSum()

    mutating func add(_ document: some FilterSubject) {
        sizes.add(document.size)
        times.add(document.modified)
        timeSum.add(document.modified)
    }

    mutating func remove(_ document: some FilterSubject) {
        sizes.remove(document.size)
        times.remove(document.modified)
        timeSum.remove(document.modified)
    }

    var summary: DocumentStatistics {
        DocumentStatistics(
            sizes: sizes.summary, times: times.summary, meanTime: timeSum.mean)
    }
}

/// The sum of times, in two exact parts.
private struct TimeSum {
    private static let unit: UInt128 = 1_000_000_000

    private var seconds = ExactMean<Int64>()
    private var nanoseconds = ExactSum<UInt32>()

    mutating func add(_ time: FileTime) {
        seconds.add(time.seconds)
        nanoseconds.add(time.nanoseconds)
    }

    mutating func remove(_ time: FileTime) {
        seconds.remove(time.seconds)
        nanoseconds.remove(time.nanoseconds)
    }

    var mean: FileTime? {
        guard let floor = seconds.floor, let (_, remainder) = seconds.quotientAndRemainder else {
            return nil
        }
        // The remainder of the whole seconds, in nanoseconds, plus the sum of the nanoseconds: below 2 × 10⁹
        // per time.
        let count = UInt128(seconds.count)
        let surplus = UInt128(remainder < 0 ? remainder + seconds.count : remainder)
        let rest = surplus * Self.unit + nanoseconds.wide
        var (mean, left) = rest.quotientAndRemainder(dividingBy: count)
        let twice = 2 * left
        if twice > count || twice == count && !mean.isMultiple(of: 2) { mean += 1 }
        return FileTime(seconds: floor, nanoseconds: UInt32(mean))
    }
}
