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

/// An element with its key: an element with a lesser key comes first, and the comparator decides for those with equal
/// keys. Without keys, all are 0.
@usableFromInline
struct KeyedElement<Element> {
    @usableFromInline let key: UInt64
    @usableFromInline let element: Element

    @inlinable
    init(_ element: Element, key: UInt64) {
        self.key = key
        self.element = element
    }

    @inlinable
    func precedes(_ other: Self, by order: RowComparator<Element>) -> Bool {
        key == other.key ? order.precedes(element, other.element) : key < other.key
    }

    /// Whether the element comes before a row.
    @inlinable
    func precedes(
        row: Element, by order: RowComparator<Element>, _ key: (Element) -> UInt64
    ) -> Bool {
        let other = key(row)
        return self.key == other ? order.precedes(element, row) : self.key < other
    }

    /// Whether a row comes before the element.
    @inlinable
    func follows(
        row: Element, by order: RowComparator<Element>, _ key: (Element) -> UInt64
    ) -> Bool {
        let other = key(row)
        return self.key == other ? order.precedes(row, element) : other < self.key
    }

    /// The elements in order. Each key is computed once.
    @inlinable
    static func sorted(
        _ elements: some Collection<Element>, by order: RowComparator<Element>,
        _ key: (Element) -> UInt64
    ) -> [Self] {
        var keyed: [Self] = []
        keyed.reserveCapacity(elements.count)
        for element in elements { keyed.append(Self(element, key: key(element))) }
        if keyed.count > 1 { keyed.sort { $0.precedes($1, by: order) } }
        return keyed
    }
}

extension ChunkedRows where Element: Equatable {
    /// Removes and inserts elements in rows of this order, and adds that to an empty change.
    ///
    /// - Complexity: O(*k* log *n*) for *k* elements, or O(*n* + *k* log *k*) if that is less.
    @inlinable
    mutating func applyChange(
        removed: some Collection<Element>, inserted: some Collection<Element>,
        by order: RowComparator<Element>, _ key: (Element) -> UInt64,
        to change: inout ArrayChange<Element>
    ) {
        let removed = KeyedElement.sorted(removed, by: order, key)
        let inserted = KeyedElement.sorted(inserted, by: order, key)
        defer { checkKeys(by: order, key) }
        let count = removed.count + inserted.count
        if count >= BulkChange.least, count * BulkChange.chunksPerElement >= chunks.count,
            applyBulk(removed: removed, inserted: inserted, by: order, key, to: &change)
        {
            return
        }
        // In one ascending pass, so each modification is appended to the change.
        var next = 0
        for element in removed {
            while next < inserted.count, inserted[next].precedes(element, by: order) {
                change.add(insert(inserted[next], by: order, key))
                next += 1
            }
            change.add(remove(element, by: order, key))
        }
        while next < inserted.count {
            change.add(insert(inserted[next], by: order, key))
            next += 1
        }
        change = change.flattened()
    }

    /// Inserts an element after those it ties with.
    @inlinable
    mutating func insert(
        _ element: KeyedElement<Element>, by order: RowComparator<Element>,
        _ key: (Element) -> UInt64
    ) -> ArrayModification<Element> {
        let place = partitioningPlace { element.precedes(row: $0, by: order, key) }
        let row = row(at: place)
        insert(element.element, at: place)
        return .insert(element.element, at: row)
    }

    /// Removes an element and records it as it was stored: the stored element equals the given one but
    /// may be distinguishable from it.
    @inlinable
    mutating func remove(
        _ element: KeyedElement<Element>, by order: RowComparator<Element>,
        _ key: (Element) -> UInt64
    ) -> ArrayModification<Element> {
        let place = place(of: element, by: order, key)
        let row = row(at: place)
        return .remove(remove(at: place), at: row)
    }

    /// The position of an existing element: among those it ties with, or anywhere if the search misses
    /// because an element was mutated in place.
    @inlinable
    func place(
        of element: KeyedElement<Element>, by order: RowComparator<Element>,
        _ key: (Element) -> UInt64
    ) -> Place {
        if let place = firstPlace(of: element, by: order, key) { return place }
        let element = element.element
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
    func firstPlace(
        of element: KeyedElement<Element>, by order: RowComparator<Element>,
        _ key: (Element) -> UInt64
    ) -> Place? {
        let first = partitioningPlace { !element.follows(row: $0, by: order, key) }
        return place(of: element, from: first, by: order, key) { _ in false }
    }

    /// The first position of an element among those it ties with, which begin at `first`, without some.
    @inlinable
    func place(
        of element: KeyedElement<Element>, from first: Place, by order: RowComparator<Element>,
        _ key: (Element) -> UInt64, except isTaken: (Place) -> Bool
    ) -> Place? {
        var place = first
        while place.chunk < chunks.count {
            let chunk = chunks[place.chunk]
            while place.offset < chunk.count {
                if chunk[place.offset] == element.element, !isTaken(place) { return place }
                if element.precedes(row: chunk[place.offset], by: order, key) { return nil }
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
