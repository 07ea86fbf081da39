/// An order of elements.
///
/// A function inside a structure is passed unchanged; a bare function argument would be wrapped once
/// more on each call from unspecialized to specialized code.
@usableFromInline
struct RowComparator<Element> {
    @usableFromInline let function: Untouched<(Element, Element) -> Bool>

    /// The current comparator of a node.
    init(of node: ScalarNode<(Element, Element) -> Bool>) {
        function = Untouched(of: node)
    }

    @inlinable
    func precedes(_ left: Element, _ right: Element) -> Bool { function.value(left, right) }
}

/// A value in the representation of unspecialized generic code.
///
/// If the type of a function is known, Swift converts it on the way into and out of generic code, and
/// each conversion adds a call to each call of the function. Here a function keeps the representation in
/// which it was stored in a variable; in code specialized for its type, calling it is one call.
@usableFromInline
struct Untouched<Value> {
    @usableFromInline let value: Value

    init(of node: ScalarNode<Value>) {
        value = node.read()
    }
}

extension ChunkedRows where Element: Equatable {
    /// Removes and inserts elements in rows of this order, and adds that to an empty change.
    ///
    /// It processes both in one ascending pass, so each modification is appended to the change.
    @inlinable
    mutating func applyChange(
        removed: [Element], inserted: [Element], by order: RowComparator<Element>,
        to change: inout ArrayChange<Element>
    ) {
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
        change = change.flattened()
    }

    /// Inserts an element after those it ties with.
    @inlinable
    mutating func insert(
        _ element: Element, by order: RowComparator<Element>
    ) -> ArrayModification<Element> {
        let place = partitioningPlace { order.precedes(element, $0) }
        let row = row(at: place)
        insert(element, at: place)
        return .insert(element, at: row)
    }

    /// Removes an element and records it as it was stored: the stored element equals the given one but
    /// may be distinguishable from it.
    @inlinable
    mutating func remove(
        _ element: Element, by order: RowComparator<Element>
    ) -> ArrayModification<Element> {
        let place = place(of: element, by: order)
        let row = row(at: place)
        return .remove(remove(at: place), at: row)
    }

    /// The position of an existing element: among those it ties with, or anywhere if the search misses
    /// because an element was mutated in place.
    @inlinable
    func place(of element: Element, by order: RowComparator<Element>) -> Place {
        if let place = firstPlace(of: element, by: order) { return place }
        guard let found = all.firstIndex(of: element) ?? rowUnequalToItself(like: element) else {
            stop(
                "A sorted collection has lost a row; its elements' == must not change.")
        }
        return place(ofRow: found)
    }

    /// The row of an element that equals nothing, not even itself, such as a value with a NaN. An
    /// element with the same bytes is equivalent; without one, any element that equals nothing is used.
    @usableFromInline
    func rowUnequalToItself(like element: Element) -> Int? {
        guard element != element else { return nil }
        let rows = all
        let candidates = rows.indices.filter { rows[$0] != rows[$0] }
        return candidates.first { hasSameBytes(rows[$0], element) } ?? candidates.first
    }

    /// The first position of an element, if it exists and lies where the order puts it.
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

/// Whether two values have the same bytes. Values with different bytes may still be equal.
private func hasSameBytes<Value>(_ left: Value, _ right: Value) -> Bool {
    // The bytes are only compared, and only within the values.
    unsafe withUnsafeBytes(of: left) { left in
        unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
    }
}
