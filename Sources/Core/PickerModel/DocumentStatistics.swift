package import ExactStatistics

/// How many documents there are, how large, and from when; all of it exact.
///
/// Times are kept to the nanosecond, whatever the year: seconds and their parts are summed apart, so
/// that no time that a file system can have is too large.
package struct DocumentStatistics: Hashable, Sendable {
    /// The sizes in bytes, with their count, which is that of the documents.
    package let sizes: Statistics<UInt64>
    /// The first and the last time.
    package let times: Extremes<FileTime>
    /// The mean time, rounded to the nearest nanosecond, of two equally near ones to the even one; nil
    /// if there are no documents.
    package let meanTime: FileTime?

    package var count: Int { sizes.count }

    /// Of these documents, by one look at each.
    /// - Complexity: O(n).
    package init(of documents: some Sequence<Document>) {
        var sizes = Statistics<UInt64>()
        var times = Extremes<FileTime>()
        var sum = TimeSum()
        for document in documents {
            sizes.add(document.size)
            times.add(document.modified)
            sum.add(document.modified)
        }
        self.init(sizes: sizes, times: times, meanTime: sum.mean)
    }

    fileprivate init(sizes: Statistics<UInt64>, times: Extremes<FileTime>, meanTime: FileTime?) {
        self.sizes = sizes
        self.times = times
        self.meanTime = meanTime
    }
}

/// What is kept of the documents so that one may come or go.
struct DocumentTally {
    private var sizes = RunningStatistics<UInt64>()
    private var times = RunningExtremes<FileTime>()
    private var timeSum = TimeSum()

    mutating func add(_ document: Document) {
        sizes.add(document.size)
        times.add(document.modified)
        timeSum.add(document.modified)
    }

    mutating func remove(_ document: Document) {
        sizes.remove(document.size)
        times.remove(document.modified)
        timeSum.remove(document.modified)
    }

    var summary: DocumentStatistics {
        DocumentStatistics(
            sizes: sizes.summary, times: times.summary, meanTime: timeSum.mean)
    }
}

/// The sum of times, in two parts, each of which is exact.
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
        // What the whole seconds leave over, below the count, in nanoseconds, and those of the parts:
        // below 2 × 10⁹ for each time.
        let count = UInt128(seconds.count)
        let surplus = UInt128(remainder < 0 ? remainder + seconds.count : remainder)
        let rest = surplus * Self.unit + nanoseconds.wide
        var (mean, left) = rest.quotientAndRemainder(dividingBy: count)
        let twice = 2 * left
        if twice > count || twice == count && !mean.isMultiple(of: 2) { mean += 1 }
        return FileTime(seconds: floor, nanoseconds: UInt32(mean))
    }
}
