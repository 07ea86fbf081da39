/// The elements of a set in the order of an observable key. Taps are found by their elements.
final class SetFieldSortedNode<Element: Hashable, Key>:
    FieldSortedNode<SetNode<Element>, Element, Key>
{
    private var taps: [Element: Entry] = [:]
    private var pending: SetChange<Element>?

    override var sourceElements: [Element] { Array(source.node.elements) }

    override func takeArrivals() -> [Element]? {
        guard let change = source.takeChange() else { return nil }
        pending = change
        return Array(change.inserted)
    }

    override func updateEntries(_ newTaps: [Entry]) -> [Entry] {
        let leaving = pending?.removed.compactMap { taps.removeValue(forKey: $0) } ?? []
        pending = nil
        for tap in newTaps { taps[tap.element] = tap }
        return leaving
    }

    override var allEntries: [Entry] { Array(taps.values) }

    override func removeEntries() {
        taps = [:]
        pending = nil
    }
}

/// The elements of an array in the order of an observable key. Taps are found by their indices, in a
/// list parallel to the array, so elements need not be comparable and may occur several times.
final class ArrayFieldSortedNode<Element, Key>:
    FieldSortedNode<ArrayNode<Element>, Element, Key>
{
    private var taps = ChunkedRows<Entry>()
    private var pending: ArrayChange<Element>?

    override var sourceElements: [Element] { source.node.allRows }

    override func takeArrivals() -> [Element]? {
        guard let change = source.takeChange() else { return nil }
        pending = change
        return change.modifications.flatMap(\.newElements)
    }

    override func updateEntries(_ newTaps: [Entry]) -> [Entry] {
        guard let change = pending else {
            taps = ChunkedRows(newTaps)
            return []
        }
        pending = nil
        var leaving: [Entry] = []
        var next = 0
        for modification in change.modifications {
            leaving += taps.elements(in: modification.inputRange)
            let new = Array(newTaps[next..<(next + modification.outputCount)])
            taps.replaceSubrange(modification.inputRange, with: new)
            next += modification.outputCount
        }
        return leaving
    }

    override var allEntries: [Entry] { taps.all }

    override func removeEntries() {
        taps = ChunkedRows()
        pending = nil
    }
}
