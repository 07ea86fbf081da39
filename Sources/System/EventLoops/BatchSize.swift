/// How much is done in one turn of the loop, by the time that it took before: half as much after it took longer than it
/// should, twice as much after it took less than half of that.
package struct BatchSize {
    /// The number to do in the next turn.
    package private(set) var count: Int
    private let range: ClosedRange<Int>
    private let time: Duration

    /// - Parameters:
    ///   - count: the number for the first turn; the nearest in `range` is taken.
    ///   - range: the fewest and the most, however long they take.
    ///   - time: how long a turn should take at the longest.
    package init(_ count: Int, in range: ClosedRange<Int>, taking time: Duration) {
        self.count = min(max(count, range.lowerBound), range.upperBound)
        self.range = range
        self.time = time
    }

    /// Adjusts the number to the time that `done` took. Less than half of the number tells nothing of more.
    package mutating func adjust(to taken: Duration, for done: Int) {
        if taken > time {
            count = max(range.lowerBound, count / 2)
        } else if done >= count - count / 2, taken <= time / 2 {
            count = count > range.upperBound / 2 ? range.upperBound : count * 2
        }
    }
}
