/// The rows of an array in reverse order. Keeps no state.
final class ReversedNode<Element>: ArrayInputNode<Element, Element> {
    override var count: Int { input.node.count }

    override func rows(in range: Range<Int>) -> [Element] {
        let count = count
        return input.node.rows(in: count - range.upperBound..<count - range.lowerBound).reversed()
    }

    override func row(at index: Int) -> Element { input.node.row(at: count - 1 - index) }

    override func recompute() {
        // A newly computed order may equal the old one.
        guard let change = input.takeChange(), !change.isEmpty else { return }
        let count = count
        var result = ArrayChange<Element>(initialCount: count - change.deltaCount)
        // Rows after a modification here precede it in the input, where it has yet to be applied.
        for modification in change.modifications.reversed() {
            if let reversed = ArrayModification(
                replacing: modification.oldElements.reversed(),
                at: count - modification.outputRange.upperBound,
                with: modification.newElements.reversed())
            {
                result.add(reversed)
            }
        }
        emit(result)
    }
}
