/// Consecutive taps of a list, with the number of rows of each.
final class ElementTapChunk<Element, Field: ChangeEmitting> {
    var taps: [ElementTap<Element, Field>]
    var weights: [Int]
    /// The position of the chunk in the list.
    var ordinal = 0

    init(_ taps: ArraySlice<ElementTap<Element, Field>>, _ weights: ArraySlice<Int>) {
        self.taps = Array(taps)
        self.weights = Array(weights)
        for tap in taps { tap.chunk = self }
    }

    var summary: ChunkSummary { ChunkSummary(rows: taps.count, marks: weights.reduce(0, +)) }

    func position(of tap: ElementTap<Element, Field>) -> Int {
        guard let position = taps.firstIndex(where: { $0 === tap }) else {
            stop("A tap is not in the chunk that it points to.")
        }
        return position
    }

    func replace(
        _ range: Range<Int>, with new: [ElementTap<Element, Field>], _ newWeights: [Int]
    ) {
        taps.replaceSubrange(range, with: new)
        weights.replaceSubrange(range, with: newWeights)
        for tap in new { tap.chunk = self }
    }
}
