/// The changed frames of an ordered layout, by the current indexes of items.
///
/// All frames before ``placed`` are unchanged. ``shifted`` reaches from the end of ``placed`` to the
/// end: these items were the last ones before, too, in the same order, and have all moved by the same
/// distance.
public struct LayoutChange: Hashable, Sendable {
    /// The items whose frames are new or may have changed in any way.
    public var placed: Range<Int>
    /// The items after them.
    public var shifted: Range<Int>
    /// The distance that they have moved down, in px.
    public var dy: Double

    /// Whether every item kept its frame; some items may have been removed.
    package var isEmpty: Bool { placed.isEmpty && (shifted.isEmpty || dy == 0) }
}

/// Tracks the longest unchanged prefix and suffix of a sequence since the last call of `take`.
struct ChangeTracker {
    private var prefix = 0
    private var suffix = 0
    private var height = 0

    /// Records a change in this range; `count` is the number of items after it.
    mutating func touch(_ range: Range<Int>, of count: Int) {
        prefix = min(prefix, range.lowerBound)
        suffix = min(suffix, count - range.upperBound)
    }

    /// Records that everything may have changed.
    mutating func touchAll() {
        prefix = 0
        suffix = 0
    }

    /// Returns the change so far, where `height` is the height above the next line, in units. Everything
    /// counts as unchanged afterwards.
    mutating func take(count: Int, height: Int) -> LayoutChange {
        let start = min(prefix, count)
        let end = max(start, count - suffix)
        let change = LayoutChange(
            placed: start..<end, shifted: end..<count,
            dy: end == count ? 0 : Units.pixels(height - self.height))
        prefix = count
        suffix = count
        self.height = height
        return change
    }
}
