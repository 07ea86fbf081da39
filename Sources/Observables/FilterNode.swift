// The rows of an array for which a predicate holds.
//
// While active, it keeps one mark for each input row and nothing else: rows are read through from
// the input. A change of one row costs one call of the predicate and a walk down the index of
// marks. When the predicate is replaced, every row is asked again; what is emitted is only the rows
// that come or go, except that beyond `modificationLimit` separate places it is one replacement
// from the first of them to the last.

/// Part of an array, chosen by a predicate that may be replaced.
final class FilterNode<Element>: ArrayNode<Element> {
    typealias Predicate = (Element) -> Bool

    /// To how many modifications a change of the predicate leads at most.
    static var modificationLimit: Int {
        #if DEBUG
        8
        #else
        1000
        #endif
    }

    private var input: Edge<ArrayNode<Element>>
    private var predicate: Edge<ScalarNode<Predicate>>
    private var marks = ChunkedMarks()

    private let operations: FilterOperations<Element>

    init(
        _ input: ArrayNode<Element>, where predicate: ScalarNode<Predicate>,
        operations: FilterOperations<Element>
    ) {
        self.operations = operations
        self.input = Edge(input)
        self.predicate = Edge(predicate)
        super.init(above: [input, predicate])
    }

    // MARK: - Reading

    override var count: Int { isActive ? marks.markedCount : computed.count }

    private var computed: [Element] {
        input.node.allRows.filter(predicate.node.read())
    }

    override func rows(in range: Range<Int>) -> [Element] {
        guard isActive else { return Array(computed[range]) }
        let rows = marks.rows(ofMarks: range)
        guard let first = rows.first, let last = rows.last else { return [] }
        if last - first < 16 * rows.count {
            let span = input.node.rows(in: first..<(last + 1))
            return operations.gather(span, rows)
        }
        return rows.map { input.node.row(at: $0) }
    }

    override func row(at index: Int) -> Element {
        isActive ? input.node.row(at: marks.row(ofMark: index)) : computed[index]
    }

    // MARK: - Changing

    override func activate() {
        input.attach(self)
        predicate.attach(self)
        let matches = predicate.node.read()
        marks = ChunkedMarks(self.matches(matches))
    }

    override func deactivate() {
        marks = ChunkedMarks()
        input.detach(self)
        predicate.detach(self)
    }

    override func recompute() {
        let matches = predicate.node.read()
        var result: ArrayChange<Element>?
        if let change = input.take() {
            result = operations.carryOut(change, matches, &marks)
        }
        if predicate.take() != nil {
            let all = recheck(matches)
            result = result.map { $0.merged(with: all) } ?? all
        }
        if let result, !result.isEmpty { emit(result.flattened()) }
    }

    /// What the predicate says of every row.
    private func matches(_ predicate: Predicate) -> [Bool] {
        var bits: [Bool] = []
        bits.reserveCapacity(input.node.count)
        input.node.forEachBlock { operations.match($0, predicate, &bits) }
        return bits
    }

    /// Asks for every row anew and gives the change that follows.
    private func recheck(_ matches: Predicate) -> ArrayChange<Element> {
        let new = self.matches(matches)
        let old = marks.marks(in: 0..<marks.count)
        defer { marks = ChunkedMarks(new) }

        // Rows that come or go with no remaining row between them make one modification.
        var places: [(rows: Range<Int>, position: Int)] = []
        var position = 0
        var arriving = 0
        var run: Range<Int>?
        for row in new.indices {
            switch (old[row], new[row]) {
            case (false, false): continue
            case (true, true):
                if let rows = run {
                    places.append((rows, position))
                    position += arriving
                    run = nil
                    arriving = 0
                }
                position += 1
            case (_, let arrives):
                run = (run?.lowerBound ?? row)..<(row + 1)
                arriving += arrives ? 1 : 0
            }
        }
        if let rows = run { places.append((rows, position)) }
        if places.count > Self.modificationLimit {
            let all = places[0].rows.lowerBound..<places[places.count - 1].rows.upperBound
            places = [(all, places[0].position)]
        }

        var result = ArrayChange<Element>(initialCount: marks.markedCount)
        for (range, position) in places {
            let rows = input.node.rows(in: range)
            if let one = ArrayModification(
                replacing: operations.select(rows, old[range]), at: position,
                with: operations.select(rows, new[range]))
            {
                result.add(one)
            }
        }
        return result
    }

    /// An element that is filtered out is held to be so wherever it occurs: the predicate must not
    /// tell equal elements apart.
    override func firstIndex(
        of element: Element, by areEqual: (Element, Element) -> Bool
    ) -> Int? {
        guard isActive else { return super.firstIndex(of: element, by: areEqual) }
        return input.node.firstIndex(of: element, by: areEqual).flatMap { row in
            marks[row] ? marks.rank(of: row) : nil
        }
    }
}
