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
    /// The values of the attribute that was asked for.
    package let attribute: AttributeStatistics?

    package var count: Int { sizes.count }
}

extension DocumentStatistics {
    /// The statistics of `documents`, and of the values of an attribute that they have, computed in one pass.
    /// - Complexity: O(n).
    package init(of documents: some Sequence<Document>, _ attribute: Attribute? = nil) {
        var tally = DocumentTally(attribute)
        for document in documents { tally.add(document) }
        self = tally.summary
    }
}

/// Running sums to which a document can be added and from which it can be removed.
struct DocumentTally {
    private var sizes = ExactMean<UInt64>()
    private var sizeEnds = BoundedExtremes<UInt64>()
    private var timeEnds = BoundedExtremes<FileTime>()
    private var timeSum = TimeSum()
    private var values: AttributeTally?

    init(_ attribute: Attribute? = nil) {
        values = attribute.map { AttributeTally(of: $0) }
    }

    /// Of which attribute it counts the values.
    var attribute: Attribute? { values?.attribute }

    /// Whether there is a summary: not once so many of the least or greatest have been removed that the others must be
    /// read again.
    var isKnown: Bool {
        sizeEnds.isKnown && timeEnds.isKnown && (values?.isKnown ?? true)
    }

    mutating func add(_ document: some FilterSubject) {
        sizes.add(document.size)
        sizeEnds.add(document.size)
        timeEnds.add(document.modified)
        timeSum.add(document.modified)
        if let attribute { values?.add(document.stored(attribute)) }
    }

    mutating func remove(_ document: some FilterSubject) {
        sizes.remove(document.size)
        sizeEnds.remove(document.size)
        timeEnds.remove(document.modified)
        timeSum.remove(document.modified)
        if let attribute { values?.remove(document.stored(attribute)) }
    }

    /// - Precondition: it is known.
    var summary: DocumentStatistics {
        DocumentStatistics(
            sizes: Statistics(mean: sizes, extremes: Extremes(sizeEnds)),
            times: Extremes(timeEnds), meanTime: timeSum.mean, attribute: values?.summary)
    }
}

extension Extremes {
    fileprivate init(_ ends: BoundedExtremes<Value>) {
        self.init(ends.bounds.map { [$0.least, $0.greatest] } ?? [])
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
