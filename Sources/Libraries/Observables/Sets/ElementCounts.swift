/// The number of occurrences of each element among several sources. Elements with no occurrence are
/// removed.
struct ElementCounts<Element: Hashable> {
    private var counts: [Element: Int] = [:]

    /// The elements that occur.
    var elements: Set<Element> { Set(counts.keys) }

    /// The number of distinct elements.
    var count: Int { counts.count }

    func contains(_ element: Element) -> Bool { counts[element] != nil }

    mutating func add(_ element: Element) {
        counts[element, default: 0] += 1
    }

    /// Increments the count of `element`, and adds it to `change` on its first occurrence.
    mutating func add(_ element: Element, recording change: inout SetChange<Element>) {
        let count = counts[element, default: 0]
        counts[element] = count + 1
        if count == 0 { change.insert(element) }
    }

    /// Decrements the count of `element`, and removes it in `change` with its last occurrence.
    mutating func remove(
        _ element: Element, recording change: inout SetChange<Element>,
        orStop reason: @autoclosure () -> String =
            "An element left that had not arrived; its == and hash must not change."
    ) {
        guard let count = counts[element] else { stop(reason()) }
        counts[element] = count == 1 ? nil : count - 1
        if count == 1 { change.remove(element) }
    }
}
