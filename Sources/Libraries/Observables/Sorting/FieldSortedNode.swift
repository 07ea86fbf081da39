// Elements in the order of an observable key in each of them.
//
// While active, the node has a tap on each element's key. A tap captures the key by which its row was
// placed, and rows are ordered by (captured key, serial number of the tap). That order is total, so a
// binary search with captured keys always finds a row, even if the key has changed since, and whatever
// the ties. In a settling, all rows that leave or whose keys have changed are first removed by their
// captured keys; then new keys are captured and rows are inserted. A row that ends up at its old
// position is not emitted.
//
// A change of very many rows, or another comparator, sorts all rows anew and emits one replacement.

/// A tap that captures the key by which its row was placed.
final class SortTap<Element, Key>: ElementTap<Element, ScalarNode<Key>> {
    private(set) var captured: Key?

    func capture() { captured = field.read() }
}

/// Rows in the order of keys; subclasses provide their source.
class FieldSortedNode<Upstream: ChangeEmitting, Element, Key>: ArrayNode<Element> {
    typealias Entry = SortTap<Element, Key>
    typealias Comparator = (Key, Key) -> Bool

    final var source: InputEdge<Upstream>
    private var comparator: InputEdge<ScalarNode<Comparator>>
    private let keyOf: (Element) -> ScalarNode<Key>
    private let areEqual = equality(of: Element.self)
    private lazy var collector = ElementTapCollector<Element, ScalarNode<Key>>(owner: self)
    private var storage = ChunkedRows<Entry>()
    private var hasArrivals = false
    private var newTaps: [Entry] = []

    init(
        _ source: Upstream, key: @escaping (Element) -> ScalarNode<Key>,
        by comparator: ScalarNode<Comparator>
    ) {
        self.source = InputEdge(source)
        self.comparator = InputEdge(comparator)
        keyOf = key
        super.init(above: [source, comparator])
        raiseToSharingHeight()
    }

    // MARK: - For subclasses

    var sourceElements: [Element] { [] }
    /// The elements that have arrived, if the source has changed.
    func takeArrivals() -> [Element]? { nil }
    /// Adds the taps of new elements and returns those of the elements that have left.
    func updateEntries(_ newTaps: [Entry]) -> [Entry] { [] }
    var allEntries: [Entry] { [] }
    func removeEntries() {}

    // MARK: - Reading

    private var computed: [Element] {
        let less = comparator.node.read()
        let keyed = sourceElements.map { (key: keyOf($0).read(), element: $0) }
        return keyed.sorted { less($0.key, $1.key) }.map(\.element)
    }

    final override var count: Int { isActive ? storage.count : sourceElements.count }

    final override func rows(in range: Range<Int>) -> [Element] {
        isActive ? storage.elements(in: range).map(\.element) : Array(computed[range])
    }

    final override func row(at index: Int) -> Element {
        isActive ? storage[index].element : computed[index]
    }

    // MARK: - Coming and going

    private func makeTaps(_ elements: [Element]) -> [Entry] {
        elements.map { Entry($0, keyOf($0), collector) }
    }

    final override func chooseInputs() -> [Node] {
        newTaps = makeTaps(sourceElements)
        return newTaps.map(\.field)
    }

    final override func refuseInput(at index: Int) { newTaps[index].isRefused = true }

    final override func abandonInputs() { newTaps = [] }

    final override func activate() {
        source.attach(self)
        comparator.attach(self)
        for tap in newTaps { tap.startObserving() }
        _ = updateEntries(newTaps)
        newTaps = []
        storage = ChunkedRows(sortedEntries())
    }

    final override func deactivate() {
        _ = collector.takeChangedTaps()
        for tap in allEntries { tap.stopObserving() }
        removeEntries()
        storage = ChunkedRows()
        newTaps = []
        hasArrivals = false
        comparator.detach(self)
        source.detach(self)
    }

    // MARK: - Changing

    final override func recompute() {
        if let elements = takeArrivals() {
            hasArrivals = true
            newTaps = makeTaps(elements)
        }
        let newTaps = newTaps
        if !newTaps.isEmpty, !collector.attach(newTaps) { return }
        var leaving: [Entry] = []
        if hasArrivals {
            leaving = updateEntries(newTaps)
            for tap in leaving { tap.stopObserving() }
        }
        hasArrivals = false
        self.newTaps = []
        let moving = collector.takeChangedTaps()
            .compactMap { $0.takeChange() == nil ? nil : $0 as? Entry }

        let edits = leaving.count + newTaps.count + moving.count
        if comparator.takeChange() != nil || (edits > 64 && edits * 4 > storage.count) {
            sortAll()
        } else {
            updateRows(removing: leaving, moving: moving, inserting: newTaps)
        }
    }

    private func updateRows(
        removing leaving: [Entry], moving: [Entry], inserting newTaps: [Entry]
    ) {
        let isBefore = order()
        var change = ArrayChange<Entry>(initialCount: storage.count)
        for tap in leaving + moving where !tap.isRefused {
            let row = self.row(of: tap, by: isBefore)
            storage.remove(at: row)
            change.add(.remove(tap, at: row))
        }
        for tap in moving + newTaps where !tap.isRefused {
            tap.capture()
            let row = storage.partitioningIndex { isBefore(tap, $0) }
            storage.insert(tap, at: row)
            change.add(.insert(tap, at: row))
        }
        emitDifference(change.flattened().trimmed(by: ===))
    }

    /// The row of an entry, found by binary search, or linearly if the order is inconsistent: because of
    /// an inconsistent comparator, or of fields that hold a NaN.
    private func row(of tap: Entry, by isBefore: (Entry, Entry) -> Bool) -> Int {
        let row = storage.partitioningIndex { !isBefore($0, tap) }
        if row < storage.count, storage[row] === tap { return row }
        guard let row = storage.all.firstIndex(where: { $0 === tap }) else {
            stop("A sorted collection has lost a row that was never removed.")
        }
        return row
    }

    private func sortAll() {
        let old = storage.all
        let new = sortedEntries()
        storage = ChunkedRows(new)
        let ends = old.commonEnds(with: new, by: ===)
        guard let all = ArrayModification(from: old, to: new, except: ends) else { return }
        emitDifference(ArrayChange(initialCount: old.count, modification: all))
    }

    private func emitDifference(_ change: ArrayChange<Entry>) {
        var result = change.map(\.element)
        if let areEqual { result = result.trimmed(by: areEqual) }
        if !result.isEmpty { emit(result) }
    }

    private func sortedEntries() -> [Entry] {
        let entries = allEntries.filter { !$0.isRefused }
        for tap in entries { tap.capture() }
        return entries.sorted(by: order())
    }

    /// The order of taps by captured keys, then by creation.
    private func order() -> (Entry, Entry) -> Bool {
        let less = comparator.node.read()
        return { left, right in
            if let leftKey = left.captured, let rightKey = right.captured {
                if less(leftKey, rightKey) { return true }
                if less(rightKey, leftKey) { return false }
            }
            return left.serial < right.serial
        }
    }
}
