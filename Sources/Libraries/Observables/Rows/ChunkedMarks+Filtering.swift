/// A predicate on elements. A structure for the same reason as ``RowComparator``.
@usableFromInline
struct RowPredicate<Element> {
    @usableFromInline let holds: (Element) -> Bool
    /// The criterion that the predicate tests, if any.
    private let criterion: Any?
    /// Whether every element that matches the criterion is known to match another one.
    private let narrows: ((Any) -> Bool)?

    @usableFromInline
    init(_ holds: @escaping (Element) -> Bool) {
        self.holds = holds
        criterion = nil
        narrows = nil
    }

    @usableFromInline
    init<Criterion>(
        _ criterion: Criterion, narrows: @escaping (Criterion, Criterion) -> Bool,
        holds: @escaping (Element) -> Bool
    ) {
        self.holds = holds
        self.criterion = criterion
        self.narrows = { other in
            guard let other = other as? Criterion else { return false }
            return narrows(criterion, other)
        }
    }

    /// Whether every element that satisfies this predicate is known to satisfy `other`.
    func isKnownToImply(_ other: RowPredicate) -> Bool {
        guard let narrows, let criterion = other.criterion else { return false }
        return narrows(criterion)
    }
}

extension ChunkedMarks {
    /// Applies a change of the rows and adds that of the matching rows to an empty change.
    @inlinable
    mutating func applyChange<Element>(
        _ change: ArrayChange<Element>, _ predicate: RowPredicate<Element>,
        to result: inout ArrayChange<Element>
    ) {
        for modification in change.modifications {
            applyChange(modification, predicate, into: &result)
        }
        result = result.flattened()
    }

    @inlinable
    mutating func applyChange<Element>(
        _ modification: ArrayModification<Element>, _ predicate: RowPredicate<Element>,
        into result: inout ArrayChange<Element>
    ) {
        switch modification {
        case .insert(let new, let row):
            let isMatch = predicate.holds(new)
            if let rank = insert(isMatch, at: row) { result.add(.insert(new, at: rank)) }
        case .remove(let old, let row):
            if let rank = remove(at: row) { result.add(.remove(old, at: rank)) }
        case .replace(let old, let row, let new):
            let isMatch = predicate.holds(new)
            let (wasMatch, rank) = set(isMatch, at: row)
            switch (wasMatch, isMatch) {
            case (true, true): result.add(.replace(old, at: rank, with: new))
            case (true, false): result.add(.remove(old, at: rank))
            case (false, true): result.add(.insert(new, at: rank))
            case (false, false): break
            }
        case .replaceRange(let old, let row, let new):
            let rank = rank(of: row)
            let range = row..<(row + old.count)
            let before = Self.select(old, marks(in: range)[...])
            let bits = new.map(predicate.holds)
            replaceSubrange(range, with: bits)
            let after = Self.select(new, bits[...])
            if let all = ArrayModification(replacing: before, at: rank, with: after) {
                result.add(all)
            }
        }
    }

    /// The marked elements.
    @inlinable
    static func select<Element>(_ elements: [Element], _ marks: ArraySlice<Bool>) -> [Element] {
        var result: [Element] = []
        var index = 0
        for mark in marks {
            if mark { result.append(elements[index]) }
            index += 1
        }
        return result
    }
}
