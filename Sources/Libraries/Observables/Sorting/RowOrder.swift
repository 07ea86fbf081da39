// Another order of many rows, worked out only as far as somebody looks.
//
// Sorting a million rows takes longer than a person should wait for the first screenful of them. When
// a comparator is replaced, a sorted collection therefore keeps the rows as they were and hands on
// the order they are to be in; whoever shows a part of them asks for that part, and the rest is
// sorted when it is needed, or in slices (`ObservableScheduler.performDeferredWork`). What is seen
// at any time is what a full sort would have given: the order is total, by the comparator and, for
// rows that tie, by where they were.

/// The order in which some rows are to be, told by where they were.
///
/// Rows are numbered from 0 as they were; an operator downstream, which may have other numbers for
/// them, translates.
class RowOrder {
    /// How many rows there are.
    final let count: Int

    init(count: Int) {
        self.count = count
    }

    /// Where the rows were that are to be at `range`.
    func origins(in range: Range<Int>) -> [Int] {
        stop("\(Self.self) does not say what its order is.")
    }

    /// The order of those rows only whose marks are set, the mark of the first row being at
    /// `offset`. The rows of the new order are numbered among themselves.
    func subset(marked marks: ChunkedMarks, from offset: Int) -> RowOrder {
        stop("\(Self.self) cannot order a part of its rows.")
    }

    /// Works on the order for about `budget` steps and says whether it is done.
    func advance(budget: Int) -> Bool { true }
}

/// That some rows of an array, which lie together, came to be in another order.
final class ArrayReordering<Element>: ChangePreview {
    /// How many rows the array has.
    let arrayCount: Int
    /// Where the rows begin that are in another order.
    let offset: Int
    let order: RowOrder
    private let gather: ([Int]) -> [Element]

    /// - Parameters:
    ///   - arrayCount: How many rows the array has.
    ///   - offset: Where the rows begin that are in another order.
    ///   - order: The order of those rows.
    ///   - gather: Gives such rows by their numbers in the old order.
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

    // The rows as they were are kept.
    override var isOfPresentRows: Bool { false }

    /// Rows by their numbers in the old order.
    func oldRows(_ rows: [Int]) -> [Element] { gather(rows) }

    /// The rows that are now at `range`, which counts from the offset.
    func rows(in range: Range<Int>) -> [Element] { gather(order.origins(in: range)) }

    func map<Result>(_ transform: @escaping ([Element]) -> [Result]) -> ArrayReordering<Result> {
        ArrayReordering<Result>(arrayCount: arrayCount, offset: offset, order: order) {
            transform(self.gather($0))
        }
    }

    /// The same as seen in a larger array.
    func widened(offset: Int, arrayCount: Int) -> ArrayReordering {
        ArrayReordering(
            arrayCount: arrayCount, offset: self.offset + offset, order: order, gather: gather)
    }

    /// The same change in terms of rows taken away and put in. Sorts all.
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

    /// The change as it is handed on.
    var emission: Emission<ArrayChange<Element>> {
        Emission(of: arrayCount, preview: self) { self.change }
    }
}

extension Emission {
    /// That the change is one of nothing but the order of some rows, if that is known.
    func reordering<Element>() -> ArrayReordering<Element>?
    where Change == ArrayChange<Element> {
        guard let preview else { return nil }
        return preview as? ArrayReordering<Element>
    }
}
