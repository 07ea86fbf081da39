/// An order of elements.
///
/// A function in a structure of its own is handed on as it is; as an argument by itself it would be
/// wrapped once more each time it passes from code for any type to code for one.
@usableFromInline
struct RowComparator<Element> {
    @usableFromInline let function: Untouched<(Element, Element) -> Bool>

    /// The present comparator of a node.
    init(of node: ScalarNode<(Element, Element) -> Bool>) {
        function = Untouched(of: node)
    }

    @inlinable
    func precedes(_ left: Element, _ right: Element) -> Bool { function.value(left, right) }
}

/// A value in the form in which generic code hands it on.
///
/// Where the type of a function is known, Swift converts it on the way in and out of generic code,
/// and each conversion costs another call for each call of the function. Here a function stays in the
/// form that it was given to a variable in; a call of it in code compiled for its type is one call.
@usableFromInline
struct Untouched<Value> {
    @usableFromInline let value: Value

    init(of node: ScalarNode<Value>) {
        value = node.read()
    }
}

extension ChunkedRows where Element: Equatable {
    /// Takes out and puts in elements of rows in this order, and gives the change.
    ///
    /// It goes through both in one ascending pass, so that each modification can be appended to
    /// the change.
    @inlinable
    mutating func carryOut(
        removed: [Element], inserted: [Element], by order: RowComparator<Element>
    ) -> ArrayChange<Element> {
        var change = ArrayChange<Element>(initialCount: count)
        let removed = removed.count > 1 ? removed.sorted(by: order.precedes) : removed
        let inserted = inserted.count > 1 ? inserted.sorted(by: order.precedes) : inserted
        var next = 0
        for element in removed {
            while next < inserted.count, order.precedes(inserted[next], element) {
                change.add(insert(inserted[next], by: order))
                next += 1
            }
            change.add(remove(element, by: order))
        }
        while next < inserted.count {
            change.add(insert(inserted[next], by: order))
            next += 1
        }
        return change
    }

    /// Puts an element behind those it ties with.
    @inlinable
    mutating func insert(
        _ element: Element, by order: RowComparator<Element>
    ) -> ArrayModification<Element> {
        let place = partitioningPlace { order.precedes(element, $0) }
        let row = row(at: place)
        insert(element, at: place)
        return .insert(element, at: row)
    }

    /// Takes out an element and tells it as it was stored: it equals the one given but may be told
    /// apart from it.
    @inlinable
    mutating func remove(
        _ element: Element, by order: RowComparator<Element>
    ) -> ArrayModification<Element> {
        let place = place(of: element, by: order)
        let row = row(at: place)
        return .remove(remove(at: place), at: row)
    }

    /// The place of an element that is there: among those it ties with, or anywhere if the search
    /// misses because an element was altered in place.
    @inlinable
    func place(of element: Element, by order: RowComparator<Element>) -> Place {
        if let place = firstPlace(of: element, by: order) { return place }
        guard let found = all.firstIndex(of: element) ?? rowUnequalToItself(like: element) else {
            stop(
                "A sorted collection has lost a row; its elements' == must not change.")
        }
        return place(ofRow: found)
    }

    /// The row of an element that equals nothing, itself included, as what holds a NaN does. One with
    /// the same bytes is as good as the one meant; failing that, any that equals nothing is taken.
    @usableFromInline
    func rowUnequalToItself(like element: Element) -> Int? {
        guard element != element else { return nil }
        let rows = all
        let candidates = rows.indices.filter { rows[$0] != rows[$0] }
        return candidates.first { hasSameBytes(rows[$0], element) } ?? candidates.first
    }

    /// The first place of an element, if it is there and lies where the order has it.
    @inlinable
    func firstPlace(of element: Element, by order: RowComparator<Element>) -> Place? {
        var place = partitioningPlace { !order.precedes($0, element) }
        while place.chunk < chunks.count {
            let chunk = chunks[place.chunk]
            while place.offset < chunk.count {
                if chunk[place.offset] == element { return place }
                if order.precedes(element, chunk[place.offset]) { return nil }
                place.offset += 1
            }
            place = Place(chunk: place.chunk + 1, offset: 0)
        }
        return nil
    }
}

/// Whether two values are the same down to their bytes. If not, they may still mean the same.
private func hasSameBytes<Value>(_ left: Value, _ right: Value) -> Bool {
    // Only compared, and only within the values.
    unsafe withUnsafeBytes(of: left) { left in
        unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
    }
}
