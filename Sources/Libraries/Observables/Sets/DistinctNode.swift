/// The distinct elements of an array. While active, it counts the occurrences of each.
final class DistinctNode<Element: Hashable>: SetInputNode<ArrayNode<Element>, Element> {
    private var counts = ElementCounts<Element>()

    override var elements: Set<Element> {
        isActive ? counts.elements : Set(input.node.allRows)
    }

    override var count: Int { isActive ? counts.count : elements.count }

    override func contains(_ element: Element) -> Bool {
        isActive
            ? counts.contains(element)
            : input.node.firstIndex(of: element, by: ==) != nil
    }

    override func activate() {
        super.activate()
        input.node.forEachUnorderedBlock { for element in $0 { counts.add(element) } }
    }

    override func deactivate() {
        counts = ElementCounts()
        super.deactivate()
    }

    override func recompute() {
        guard let change = input.takeChangeUnlessReordered() else { return }
        var result = SetChange<Element>()
        // Insertions come first, so that an element that only moves never leaves.
        for modification in change.modifications {
            for element in modification.newElements { counts.add(element, recording: &result) }
        }
        for modification in change.modifications {
            for element in modification.oldElements { counts.remove(element, recording: &result) }
        }
        if !result.isEmpty { emit(result) }
    }
}
