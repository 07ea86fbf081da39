extension ItemsDelta {
    /// Applies the deletions, moves and insertions to elements of any type; `element` creates one for an
    /// inserted item. The caller applies the updates, at their indices in the result.
    ///
    /// Equivalent to removing `deleted` and the sources of `moved` from the highest down, then inserting
    /// `inserted` and the targets of `moved` from the lowest up.
    /// - Complexity: O(changes · log changes) steps; the elements between two changes are copied in one piece.
    /// - Throws: when an index is out of range or repeated.
    package func arrange<Element>(
        _ elements: [Element], inserting element: (Insertion) -> Element
    ) throws(MessageError) -> [Element] {
        var leaving = Set<Int>()
        func leave(_ index: Int, _ path: @autoclosure () -> String) throws(MessageError) {
            guard elements.indices.contains(index) else {
                throw Self.outside(path(), index, elements.count)
            }
            guard leaving.insert(index).inserted else {
                throw MessageError(at: path(), "item \(index) leaves its place twice")
            }
        }
        for (order, index) in deleted.enumerated() { try leave(index, "deleted[\(order)]") }
        for (order, move) in moved.enumerated() { try leave(move.from, "moved[\(order)]") }

        var arrivals: [(index: Int, element: Element)] = []
        arrivals.reserveCapacity(moved.count + inserted.count)
        for move in moved { arrivals.append((move.to, elements[move.from])) }
        for insertion in inserted { arrivals.append((insertion.index, element(insertion))) }
        arrivals.sort { $0.index < $1.index }

        let count = elements.count - deleted.count + inserted.count
        if let first = arrivals.first, first.index < 0 {
            throw Self.outside("inserted", first.index, count)
        }
        if let last = arrivals.last, last.index >= count {
            throw Self.outside("inserted", last.index, count)
        }
        for (one, next) in zip(arrivals, arrivals.dropFirst()) where one.index == next.index {
            throw MessageError(at: "inserted", "two items arrive at \(one.index)")
        }

        // The indices of arrivals are strictly ascending and below `count`, so each arrival has exactly as many
        // elements before it as its index says, and the remaining elements fill the gaps. They are copied in
        // runs.
        var result: [Element] = []
        result.reserveCapacity(count)
        var gaps = leaving.sorted()[...]
        var next = 0
        func copyStaying(until full: Int) {
            while result.count < full {
                let end = min(next + full - result.count, gaps.first ?? elements.count)
                result.append(contentsOf: elements[next..<end])
                next = end
                while let gap = gaps.first, gap == next {
                    gaps.removeFirst()
                    next += 1
                }
            }
        }
        for arrival in arrivals {
            copyStaying(until: arrival.index)
            result.append(arrival.element)
        }
        copyStaying(until: count)
        return result
    }

    private static func outside(_ path: String, _ index: Int, _ count: Int) -> MessageError {
        MessageError(at: path, "index \(index) is outside the \(count) items")
    }
}
