/// Lines of equal height, at equal distances, in units.
struct EvenLines {
    var height: Int
    /// The distance between the upper edges of neighbouring lines.
    var step: Int
    var count: Int

    /// The lines that end below `minY` and begin above `maxY`; any values are allowed. If there is none,
    /// an empty range at the position of such a line.
    func overlapping(from minY: Double, to maxY: Double) -> Range<Int> {
        let first = beginning(upTo: (minY - Double(height)).rounded(.down))
        guard minY < maxY else { return first..<first }
        return first..<max(first, beginning(upTo: maxY.rounded(.up) - 1))
    }

    /// The number of lines that begin at or above `limit`, a whole number or infinite.
    private func beginning(upTo limit: Double) -> Int {
        guard limit >= 0 else { return 0 }
        // Without a step, all lines begin at 0, and no limit is below that here.
        guard limit < Double(step) * Double(count) else { return count }
        return min(count, Int(limit) / step + 1)
    }
}
