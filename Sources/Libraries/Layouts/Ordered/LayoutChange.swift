/// Which frames of an ordered layout have changed, by the indexes that items have now.
///
/// All frames in front of ``placed`` are what they were. ``shifted`` reaches from there to the end: those
/// items came last before as well, in the same order, and all have moved by the same way.
public struct LayoutChange: Hashable, Sendable {
    /// The items whose frames are new or may have changed in any way.
    public var placed: Range<Int>
    /// The items behind them.
    public var shifted: Range<Int>
    /// How far down they have moved, in px.
    public var dy: Double

    /// Whether every item has the frame that it had; some may have gone.
    public var isEmpty: Bool { placed.isEmpty && (shifted.isEmpty || dy == 0) }
}

/// Keeps the longest ends of a sequence that were not touched since they were last asked for.
struct ChangeTracker {
    private var prefix = 0
    private var suffix = 0
    private var height = 0

    /// Something changed in this range; `count` is how many items there are after it.
    mutating func touch(_ range: Range<Int>, of count: Int) {
        prefix = min(prefix, range.lowerBound)
        suffix = min(suffix, count - range.upperBound)
    }

    /// Everything may have changed.
    mutating func touchAll() {
        prefix = 0
        suffix = 0
    }

    /// What has changed up to now, when `height` units are above where the next line would begin. Everything
    /// counts as unchanged after this.
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
