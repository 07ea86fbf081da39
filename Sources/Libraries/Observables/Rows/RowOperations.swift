// The inner loops of sorting and filtering, as closures. Nodes are generic classes, whose methods are
// compiled once for all types, which makes each access to an element cost several hundred instructions.
// Inlinable operators therefore create the loops where the element type is known, and pass them to the
// node, which calls one closure per piece of work. For the same reason, arguments and results are
// references and structures of fixed layout as far as possible.

/// The inner loops of a sorted collection, specialized for its element type.
@usableFromInline
struct RowOperations<Element: Equatable> {
    @usableFromInline typealias Rows = ChunkedRows<Element>
    @usableFromInline typealias Comparator = RowComparator<Element>
    @usableFromInline typealias Change = Emission<ArrayChange<Element>>

    @usableFromInline let sort: (inout [Element], Comparator) -> Void
    /// The rows of chunks, of which none is empty and none too large.
    @usableFromInline let join: ([[Element]]) -> Rows
    /// Removes and inserts elements and returns the change, if any.
    @usableFromInline let applyChange:
        (inout Rows, [Element], [Element], Comparator, inout Change?) -> Change?
    @usableFromInline let elements: (Rows, Range<Int>) -> [Element]
    @usableFromInline let element: (Rows, Int) -> Element
    /// The rows with these numbers, in any order.
    @usableFromInline let gather: (Rows, [Int]) -> [Element]
    /// The row of an element, if present.
    @usableFromInline let firstIndex: (Rows, Element, Comparator) -> Int?
    /// The number of common elements of two arrays at the start and at the end.
    @usableFromInline let commonEnds: ([Element], [Element]) -> (prefix: Int, suffix: Int)

    /// The loops of an order without keys.
    @inlinable
    init() {
        self.init(key: { _ in 0 }) { $0.sort(by: $1.precedes) }
    }

    /// The loops of an order in which an element with a lesser key comes first.
    @inlinable
    init(key: @escaping (Element) -> UInt64) {
        self.init(key: key) { elements, order in
            elements = KeyedElement.sorted(elements, by: order, key).map { $0.element }
        }
    }

    @inlinable
    init(
        key: @escaping (Element) -> UInt64,
        sort: @escaping (inout [Element], Comparator) -> Void
    ) {
        self.sort = sort
        join = { ChunkedRows(chunks: $0) }
        applyChange = { rows, removed, inserted, order, spare in
            let result = Emission.begun(of: rows.count, in: &spare)
            rows.applyChange(
                removed: removed, inserted: inserted, by: order, key, to: &result.known)
            return result.known.isEmpty ? nil : result
        }
        elements = { $0.elements(in: $1) }
        element = { $0[$1] }
        gather = { rows, numbers in
            guard let first = numbers.first, numbers.count > 1 else {
                return numbers.map { rows[$0] }
            }
            if numbers[numbers.count - 1] - first == numbers.count - 1,
                numbers == Array(first..<(first + numbers.count))
            {
                return rows.elements(in: first..<(first + numbers.count))
            }
            return numbers.map { rows[$0] }
        }
        firstIndex = { rows, element, order in
            rows.firstPlace(
                of: KeyedElement(element, key: key(element)), by: order, key
            ).map(rows.row)
        }
        commonEnds = { $0.commonEnds(with: $1, by: ==) }
    }
}

/// The inner loops of a filter, specialized for its element type.
@usableFromInline
struct FilterOperations<Element> {
    @usableFromInline typealias Predicate = RowPredicate<Element>
    @usableFromInline typealias Change = Emission<ArrayChange<Element>>

    /// Appends the result of a predicate for each element.
    @usableFromInline let match: ([Element], Predicate, inout [Bool]) -> Void
    /// The same, but only calls the predicate for elements not known to match.
    @usableFromInline let matchOthers:
        ([Element], ArraySlice<Bool>, Predicate, inout [Bool]) -> Void
    /// Applies a change of the rows and returns the change of the matching rows, if any.
    @usableFromInline let applyChange:
        (Change, Predicate, inout ChunkedMarks, inout Change?) -> Change?
    /// The marked elements.
    @usableFromInline let select: ([Element], ArraySlice<Bool>) -> [Element]
    /// The elements at these rows, relative to the first of them.
    @usableFromInline let gather: ([Element], [Int]) -> [Element]

    @inlinable
    init() {
        match = { elements, predicate, bits in
            for element in elements { bits.append(predicate.holds(element)) }
        }
        matchOthers = { elements, known, predicate, bits in
            var index = known.startIndex
            for element in elements {
                bits.append(known[index] || predicate.holds(element))
                index += 1
            }
        }
        applyChange = { emission, predicate, marks, spare in
            let result = Emission.begun(of: marks.markedCount, in: &spare)
            marks.applyChange(emission.change, predicate, to: &result.known)
            guard !result.known.isEmpty else {
                spare = result
                return nil
            }
            let modifications = result.known.modifications
            let last = modifications[modifications.count - 1].outputRange
            result.rows = modifications[0].startIndex..<last.upperBound
            return result
        }
        select = { ChunkedMarks.select($0, $1) }
        gather = { span, rows in
            guard let first = rows.first else { return [] }
            return rows.map { span[$0 - first] }
        }
    }
}

/// The inner loops of a set, specialized for its element type.
@usableFromInline
struct SetOperations<Element: Hashable> {
    @usableFromInline typealias Change = Emission<SetChange<Element>>
    @usableFromInline typealias RowChange = Emission<ArrayChange<Element>>
    @usableFromInline typealias Write = (inout Set<Element>, Change?, Element) -> Void

    @usableFromInline let insert: Write
    @usableFromInline let remove: Write
    /// Records an element that came or left.
    @usableFromInline let recordInsertion: (Change?, Element) -> Void
    @usableFromInline let recordRemoval: (Change?, Element) -> Void
    /// Makes room for so many removed and inserted elements.
    @usableFromInline let reserve: (Change?, Int, Int) -> Void
    @usableFromInline let makeChange: (Change?) -> Change
    @usableFromInline let isEmpty: (Change) -> Bool
    /// The number of elements that a change removes and inserts.
    @usableFromInline let editCount: (Change) -> Int
    /// Applies a change to sorted elements.
    @usableFromInline let applyChange:
        (
            inout ChunkedRows<Element>, Change, RowComparator<Element>, inout RowChange?
        ) -> RowChange?

    /// The loops of a set; in its order, if it is sorted, an element with a lesser key comes first.
    @inlinable
    init(key: @escaping (Element) -> UInt64 = { _ in 0 }) {
        insert = { elements, pending, element in
            if elements.insert(element).inserted { pending?.known.insert(element) }
        }
        remove = { elements, pending, element in
            // Record the removed element as it was in the set, which may be distinguishable from the
            // given one.
            if let old = elements.remove(element) { pending?.known.remove(old) }
        }
        recordInsertion = { $0?.known.insert($1) }
        recordRemoval = { $0?.known.remove($1) }
        reserve = { $0?.known.reserveCapacity(removing: $1, inserting: $2) }
        makeChange = {
            $0
                ?? Emission(SetChange()) {
                    guard isKnownUniquelyReferenced(&$0) else { return $0 = nil }
                    $0?.known = SetChange()
                }
        }
        isEmpty = { $0.change.isEmpty }
        editCount = { emission in
            guard case .several(let removed, let inserted) = emission.change.storage else {
                return 1
            }
            return removed.count + inserted.count
        }
        applyChange = { rows, emission, order, spare in
            let result = Emission.begun(of: rows.count, in: &spare)
            switch emission.change.storage {
            case .nothing: break
            case .removal(let element):
                let element = KeyedElement(element, key: key(element))
                result.known.add(rows.remove(element, by: order, key))
            case .insertion(let element):
                let element = KeyedElement(element, key: key(element))
                result.known.add(rows.insert(element, by: order, key))
            case .several(let removed, let inserted):
                rows.applyChange(
                    removed: removed, inserted: inserted, by: order, key, to: &result.known)
            }
            return result.known.isEmpty ? nil : result
        }
    }
}

/// The inner loop of a window, specialized for its element type.
@usableFromInline
struct WindowOperations<Element> {
    @usableFromInline typealias Rows = ChunkedRows<Element>

    /// Replaces rows and adds the replacement to the change.
    @usableFromInline let replace:
        (inout Rows, Range<Int>, [Element], inout ArrayChange<Element>) -> Void

    @inlinable
    init() {
        replace = { rows, range, elements, change in
            guard
                let modification = ArrayModification(
                    replacing: rows.elements(in: range), at: range.lowerBound, with: elements)
            else { return }
            if range.count == rows.count, elements.count <= ChunkCapacity.fill {
                rows = Rows(elements)
            } else {
                rows.replaceSubrange(range, with: elements)
            }
            change.add(modification)
        }
    }
}
