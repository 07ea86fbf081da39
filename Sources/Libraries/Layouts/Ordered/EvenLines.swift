/// Lines that are all of one height, at equal distances, in units.
struct EvenLines {
    var height: Int
    /// From the upper edge of one to that of the next.
    var step: Int
    var count: Int

    /// The lines that end below `minY` and begin above `maxY`, which may be anything. An empty range is
    /// where such a line would be.
    func overlapping(from minY: Double, to maxY: Double) -> Range<Int> {
        let first = beginning(upTo: (minY - Double(height)).rounded(.down))
        guard minY < maxY else { return first..<first }
        return first..<max(first, beginning(upTo: maxY.rounded(.up) - 1))
    }

    /// How many lines begin at `limit`, a whole number or infinite, or above it.
    private func beginning(upTo limit: Double) -> Int {
        guard limit >= 0 else { return 0 }
        // Lines without a step all begin at 0, and no limit is below that here.
        guard limit < Double(step) * Double(count) else { return count }
        return min(count, Int(limit) / step + 1)
    }
}
