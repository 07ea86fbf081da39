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

    init(_ input: ArrayNode<Element>, where predicate: ScalarNode<Predicate>) {
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
        if last - first < 4 * rows.count {
            let span = input.node.rows(in: first..<(last + 1))
            return rows.map { span[$0 - first] }
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
        var bits: [Bool] = []
        bits.reserveCapacity(input.node.count)
        input.node.forEachBlock { for element in $0 { bits.append(matches(element)) } }
        marks = ChunkedMarks(bits)
    }

    override func deactivate() {
        marks = ChunkedMarks()
        input.detach(self)
        predicate.detach(self)
    }

    override func recompute() {
        let matches = predicate.node.read()
        var result = ArrayChange<Element>(initialCount: marks.markedCount)
        if let change = input.take() {
            for modification in change.modifications {
                carryOut(modification, matches, into: &result)
            }
        }
        if predicate.take() != nil {
            let all = recheck(matches)
            result = result.isEmpty ? all : result.merged(with: all)
        }
        if !result.isEmpty { emit(result.flattened()) }
    }

    private func carryOut(
        _ modification: ArrayModification<Element>, _ matches: Predicate,
        into result: inout ArrayChange<Element>
    ) {
        switch modification {
        case .insert(let new, let row):
            let isMatch = matches(new)
            marks.insert(isMatch, at: row)
            if isMatch { result.add(.insert(new, at: marks.rank(of: row))) }
        case .remove(let old, let row):
            let rank = marks.rank(of: row)
            if marks.remove(at: row) { result.add(.remove(old, at: rank)) }
        case .replace(let old, let row, let new):
            let isMatch = matches(new)
            let rank = marks.rank(of: row)
            switch (marks.set(isMatch, at: row), isMatch) {
            case (true, true): result.add(.replace(old, at: rank, with: new))
            case (true, false): result.add(.remove(old, at: rank))
            case (false, true): result.add(.insert(new, at: rank))
            case (false, false): break
            }
        case .replaceRange(let old, let row, let new):
            let rank = marks.rank(of: row)
            let range = row..<(row + old.count)
            let before = zip(old, marks.marks(in: range)).filter(\.1).map(\.0)
            let bits = new.map(matches)
            marks.replaceSubrange(range, with: bits)
            let after = zip(new, bits).filter(\.1).map(\.0)
            if let all = ArrayModification(replacing: before, at: rank, with: after) {
                result.add(all)
            }
        }
    }

    /// Asks for every row anew and gives the change that follows.
    private func recheck(_ matches: Predicate) -> ArrayChange<Element> {
        let initialCount = marks.markedCount
        var result = ArrayChange<Element>(initialCount: initialCount)
        var bits: [Bool] = []
        bits.reserveCapacity(marks.count)
        // Rows that come or go with no remaining row between them make one modification.
        var old: [Element] = []
        var new: [Element] = []
        var position = 0
        var places = 0
        var changed: Range<Int>?
        func finishRun() {
            if let run = ArrayModification(replacing: old, at: position, with: new) {
                places += 1
                if places <= Self.modificationLimit { result.add(run) }
                position += new.count
                old.removeAll(keepingCapacity: true)
                new.removeAll(keepingCapacity: true)
            }
        }
        var row = 0
        input.node.forEachBlock { block in
            let before = marks.marks(in: row..<(row + block.count))
            for (element, wasMatch) in zip(block, before) {
                let isMatch = matches(element)
                bits.append(isMatch)
                if wasMatch, isMatch {
                    finishRun()
                    position += 1
                } else if wasMatch || isMatch {
                    if wasMatch { old.append(element) } else { new.append(element) }
                    changed = (changed?.lowerBound ?? row)..<(row + 1)
                }
                row += 1
            }
        }
        finishRun()
        guard let changed else { return result }
        if places > Self.modificationLimit {
            result = ArrayChange(initialCount: initialCount)
            let rows = input.node.rows(in: changed)
            let before = zip(rows, marks.marks(in: changed)).filter(\.1).map(\.0)
            let after = zip(rows, bits[changed]).filter(\.1).map(\.0)
            if let all = ArrayModification(
                replacing: before, at: marks.rank(of: changed.lowerBound), with: after)
            {
                result.add(all)
            }
        }
        marks = ChunkedMarks(bits)
        return result
    }
}
