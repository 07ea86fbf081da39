extension ChunkedRows where Element: Equatable {
    /// Takes out and puts in elements of rows in the order of `less`, and gives the change.
    ///
    /// It goes through both in one ascending pass, so that each modification can be appended to
    /// the change.
    @inlinable
    mutating func carryOut(
        removed: [Element], inserted: [Element], by less: (Element, Element) -> Bool
    ) -> ArrayChange<Element> {
        var change = ArrayChange<Element>(initialCount: count)
        let removed = removed.count > 1 ? removed.sorted(by: less) : removed
        let inserted = inserted.count > 1 ? inserted.sorted(by: less) : inserted
        var next = 0
        for element in removed {
            while next < inserted.count, less(inserted[next], element) {
                insert(inserted[next], by: less, into: &change)
                next += 1
            }
            let row = row(of: element, by: less)
            // The row as it was stored: it equals the element but may be told apart from it.
            change.add(.remove(remove(at: row), at: row))
        }
        while next < inserted.count {
            insert(inserted[next], by: less, into: &change)
            next += 1
        }
        return change
    }

    /// Puts an element behind those it ties with.
    @inlinable
    mutating func insert(
        _ element: Element, by less: (Element, Element) -> Bool,
        into change: inout ArrayChange<Element>
    ) {
        let row = partitioningIndex { less(element, $0) }
        insert(element, at: row)
        change.add(.insert(element, at: row))
    }

    @inlinable
    func row(of element: Element, by less: (Element, Element) -> Bool) -> Int {
        var row = partitioningIndex { !less($0, element) }
        while row < count {
            let candidate = self[row]
            if candidate == element { return row }
            if less(element, candidate) { break }
            row += 1
        }
        guard let found = all.firstIndex(of: element) else {
            preconditionFailure(
                "A sorted collection has lost a row; its elements' == must not change.")
        }
        return found
    }
}
