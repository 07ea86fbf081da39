/// The gaps in the event numbers at the start of the daemon: no events with these numbers are stored.
///
/// A subscriber with an older number learns their count in the answer, so they must not be reported again
/// when it loses the events around them.
struct EventGaps {
    /// Ascending and not adjacent.
    private let ranges: [ClosedRange<Int>]

    /// No gaps.
    init() { ranges = [] }

    /// The numbers from 1 to `last` that are not in `kept`, which must ascend.
    init(between kept: [Int], upTo last: Int) {
        var ranges: [ClosedRange<Int>] = []
        var next = 1
        for number in kept {
            if number > next { ranges.append(next...(number - 1)) }
            next = number + 1
        }
        if next <= last { ranges.append(next...last) }
        self.ranges = ranges
    }

    /// The first run of numbers from `first` to `last` that are outside all gaps; nil if there is none.
    ///
    /// - Complexity: O(log n) in the n gaps.
    func firstRun(from first: Int, through last: Int) -> ClosedRange<Int>? {
        var start = first
        var index = firstRange(endingAtOrAbove: first)
        if index < ranges.count, ranges[index].contains(start) {
            start = ranges[index].upperBound + 1
            index += 1
        }
        guard start <= last else { return nil }
        let end = index < ranges.count ? min(ranges[index].lowerBound - 1, last) : last
        return start...end
    }

    private func firstRange(endingAtOrAbove number: Int) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
