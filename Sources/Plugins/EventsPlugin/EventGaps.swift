/// The numbers that were missing among the events when the daemon started: no event of theirs is kept.
///
/// Whoever subscribes with an older number is told how many they are, at once; so they must not be
/// told again when the subscriber loses what is around them.
struct EventGaps {
    /// Ascending, with numbers between any two.
    private let ranges: [ClosedRange<Int>]

    /// No number is missing.
    init() { ranges = [] }

    /// The numbers from 1 to `last` that are not in `kept`, which ascends.
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

    /// The first numbers in a row, of those from `first` to `last`, that are not in a gap; nil if there
    /// are none.
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
