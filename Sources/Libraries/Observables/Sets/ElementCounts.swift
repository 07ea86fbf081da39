/// How often each element occurs among several sources. An element is held while it occurs at all.
struct ElementCounts<Element: Hashable> {
    private var counts: [Element: Int] = [:]

    /// The elements that occur.
    var elements: Set<Element> { Set(counts.keys) }

    /// How many different elements occur.
    var count: Int { counts.count }

    func contains(_ element: Element) -> Bool { counts[element] != nil }

    mutating func add(_ element: Element) {
        counts[element, default: 0] += 1
    }

    /// Notes that `element` occurs once more, and the change if it did not before.
    mutating func add(_ element: Element, telling change: inout SetChange<Element>) {
        let count = counts[element, default: 0]
        counts[element] = count + 1
        if count == 0 { change.insert(element) }
    }

    /// Notes that `element` occurs once less, and the change if it no longer does.
    mutating func remove(_ element: Element, telling change: inout SetChange<Element>) {
        guard let count = counts[element] else {
            stop(
                "An element left that had not arrived; its == and hash must not change.")
        }
        counts[element] = count == 1 ? nil : count - 1
        if count == 1 { change.remove(element) }
    }
}
