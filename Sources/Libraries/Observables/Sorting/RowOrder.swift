// A new order of many rows, computed only as far as it is read.
//
// Sorting a million rows takes longer than a user should wait for the first screenful. When a comparator
// is replaced, a sorted collection therefore keeps its rows unsorted and emits their pending order. A
// reader of a part requests only that part; the rest is sorted when it is needed, or in slices
// (`ObservableScheduler.performDeferredWork`). Each read returns what a full sort would: the order is
// total, by the comparator and, for rows that tie, by their old positions.

/// The new order of some rows, as a permutation of their old positions.
///
/// Rows are numbered from 0 by their old positions; downstream operators with other numbers translate
/// them.
class RowOrder {
    /// How many rows there are.
    final let count: Int

    init(count: Int) {
        self.count = count
    }

    /// The old positions of the rows that belong at `range`.
    func origins(in range: Range<Int>) -> [Int] {
        stop("\(Self.self) does not implement origins(in:).")
    }

    /// The order of only the marked rows; the mark of the first row is at `offset`. The marked rows are
    /// renumbered from 0.
    func subset(marked marks: ChunkedMarks, from offset: Int) -> RowOrder {
        stop("\(Self.self) does not implement subset(marked:from:).")
    }

    /// Works on the order for about `budget` steps.
    ///
    /// - Returns: Whether it is complete.
    func advance(budget: Int) -> Bool { true }
}

/// A reordering of adjacent rows of an array.
final class ArrayReordering<Element>: ChangePreview {
    /// The row count of the array.
    let arrayCount: Int
    /// The index of the first reordered row.
    let offset: Int
    let order: RowOrder
    private let gather: ([Int]) -> [Element]

    /// - Parameters:
    ///   - arrayCount: The row count of the array.
    ///   - offset: The index of the first reordered row.
    ///   - order: The order of those rows.
    ///   - gather: Returns such rows by their numbers in the old order.
    init(
        arrayCount: Int, offset: Int, order: RowOrder, gather: @escaping ([Int]) -> [Element]
    ) {
        self.arrayCount = arrayCount
        self.offset = offset
        self.order = order
        self.gather = gather
        super.init(
            extent: ArrayExtent(prefix: offset, suffix: arrayCount - offset - order.count))
    }

    override var keepsElements: Bool { true }

    // The reordering keeps the old rows.
    override var isOfPresentRows: Bool { false }

    /// The rows with these numbers in the old order.
    func oldRows(_ rows: [Int]) -> [Element] { gather(rows) }

    /// The rows at `range` in the new order, counted from the offset.
    func rows(in range: Range<Int>) -> [Element] { gather(order.origins(in: range)) }

    func map<Result>(_ transform: @escaping ([Element]) -> [Result]) -> ArrayReordering<Result> {
        ArrayReordering<Result>(arrayCount: arrayCount, offset: offset, order: order) {
            transform(self.gather($0))
        }
    }

    /// The same reordering in a larger array.
    func widened(offset: Int, arrayCount: Int) -> ArrayReordering {
        ArrayReordering(
            arrayCount: arrayCount, offset: self.offset + offset, order: order, gather: gather)
    }

    /// The same change as removals and insertions of rows. Sorts all of them.
    var change: ArrayChange<Element> {
        let origins = order.origins(in: 0..<order.count)
        var lower = 0
        while lower < origins.count, origins[lower] == lower { lower += 1 }
        var upper = origins.count
        while upper > lower, origins[upper - 1] == upper - 1 { upper -= 1 }
        var change = ArrayChange<Element>(initialCount: arrayCount)
        if let modification = ArrayModification(
            replacing: gather(Array(lower..<upper)), at: offset + lower,
            with: gather(Array(origins[lower..<upper])))
        {
            change.add(modification)
        }
        return change
    }

    /// The change as an emission.
    var emission: Emission<ArrayChange<Element>> {
        Emission(of: arrayCount, preview: self) { self.change }
    }
}

extension Emission {
    /// The reordering, if the change is known to only reorder rows.
    func reordering<Element>() -> ArrayReordering<Element>?
    where Change == ArrayChange<Element> {
        guard let preview else { return nil }
        return preview as? ArrayReordering<Element>
    }
}
